#!/usr/bin/env bash
# beside deSolve, SciPy, XPPAUT and Octave: time for equal accuracy on five problems, as table, CSV and diagrams; --install
. "$BENCH/common.sh"
shared_library
peers=$BENCH/peers
out=$(output_folder peers)
problems=(lv brusselator robertson vdp heat)
[ -z "${BENCH_PROBLEMS:-}" ] || read -ra problems <<<"$BENCH_PROBLEMS"
[ -z "${BENCH_INSTALL:-}" ] || "$ROOT/tools/deps" --for peers || true

# ---- who is there

absent=()
has_desolve() { command -v Rscript && Rscript -e 'library(deSolve)'; }
has_scipy() { /usr/bin/python3 -c 'import scipy.integrate'; }
is_there() {    # is_there NAME COMMAND…
    if "${@:2}" >/dev/null 2>&1; then return 0; fi
    absent+=("$1")
    return 1
}

# ---- measuring: lines program,method,problem,setting,ms,values…

# XPPAUT tells no times, so those of the command are taken, less the time of a run that does nothing: less than 1 ms cannot be
# told from nothing. Its results have 8 digits.
xpp_problem() {    # xpp_problem NAME: its equations
    case $1 in
        lv) printf "x'=x*(1.5-y)\ny'=y*(x-3)\ninit x=10,y=5\n" ;;
        brusselator) printf "x'=1+x*x*y-4*x\ny'=3*x-x*x*y\ninit x=1.5,y=3\n" ;;
        robertson) printf "a'=1e4*b*c-.04*a\nb'=.04*a-1e4*b*c-3e7*b*b\nc'=3e7*b*b\ninit a=1,b=0,c=0\n" ;;
        vdp) printf "x'=y\ny'=((1-x*x)*y-x)/1e-6\ninit x=2,y=-.66\n" ;;
        heat)
            awk 'BEGIN { n = 100; pi = atan2(0, -1); for (i = 1; i <= n; i++) {
                printf "u%d\x27=10201*(%s-2*u%d%s)\n", i, (i > 1 ? "u" i - 1 : "0"), i, (i < n ? "+u" i + 1 : "")
                printf "init u%d=%.17g\n", i, sin(pi*i/(n + 1)) + 0.5*sin(3*pi*i/(n + 1)) } }'
            ;;
    esac
}
declare -A end_of=([lv]=15 [brusselator]=20 [robertson]=40 [vdp]=2 [heat]=0.1)
xpp_ms() {    # xpp_ms PROBLEM METHOD TOLERANCE END
    local share=1e-3
    [ "$1" = robertson ] && share=1e-6
    {
        xpp_problem "$1"
        echo "@ total=$4,dt=$4,meth=$2,tol=$3,atol=$(awk -v a="$3" -v b=$share 'BEGIN { print a*b }'),bound=1e10,maxstor=100"
        echo "done"
    } >"$BUILD/peer.ode"
    (cd "$BUILD" && timeout 20 ./wall 3 xppaut peer.ode -silent -outfile peer.dat 2>/dev/null | awk 'END { print $1 }')
}
xpp() {
    local problem method tolerance nothing ms
    cc -O2 -o "$BUILD/wall" "$BENCH/wall.c"
    for problem in "$@"; do
        for method in cvode 83dp stiff; do
            [[ $method = 83dp && $problem =~ ^(robertson|vdp|heat)$ ]] && continue
            for tolerance in 1e-3 1e-5 1e-7 1e-9; do
                nothing=$(xpp_ms "$problem" $method $tolerance 1e-9)
                rm -f "$BUILD/peer.dat"
                ms=$(xpp_ms "$problem" $method $tolerance "${end_of[$problem]}")
                [ -n "$ms" ] && [ -s "$BUILD/peer.dat" ] || continue
                awk -v p="$problem" -v m=$method -v t=$tolerance -v a="$ms" -v b="$nothing" -v end="${end_of[$problem]}" '
                    { line = $0 }
                    END {
                        n = split(line, y, " ")
                        if (y[1] < 0.999*end) exit
                        s = p == "heat" ? "," y[26] "," y[51] : ""
                        for (i = 2; s == "" || (p != "heat" && i <= n); i++) s = s "," y[i]
                        printf "XPPAUT,%s,%s,%g,%.4f%s\n", m, p, t, (a - b > 1 ? a - b : 1), s
                    }' "$BUILD/peer.dat"
            done
        done
    done
}

rows=$BUILD/rows.csv
: >"$rows"
tell() { echo "peers: $*" >&2; }
cc -O2 -I "$ROOT/include" -o "$BUILD/ours" "$peers/ours.c" -L "$LIBRARY" -lorrery -Wl,-rpath,"$LIBRARY" -lm
tell "Orrery"
"$BUILD/ours" "$peers/models.orr" "${problems[@]}" >>"$rows"
# each problem by itself: a program that hangs loses only that one
each() {    # each NAME COMMAND…
    local problem
    tell "$1"
    for problem in "${problems[@]}"; do
        timeout 180 "${@:2}" "$problem" >>"$rows" 2>"$BUILD/told" || tell "$1 did not finish $problem"
    done
}
if is_there "R's deSolve" has_desolve; then
    cc -O2 -shared -fPIC -o "$BUILD/problems.so" "$peers/problems.c"
    each "deSolve, with functions in R and in C" Rscript "$peers/desolve.R" "$BUILD/problems.so"
fi
if is_there SciPy has_scipy; then each SciPy /usr/bin/python3 "$peers/scipy_peer.py"; fi
if is_there Octave command -v octave-cli; then each Octave octave-cli --no-gui -q "$peers/octave_peer.m"; fi
if is_there XPPAUT command -v xppaut; then
    tell "XPPAUT"
    xpp "${problems[@]}" >>"$rows"
fi

# ---- errors: the largest relative one of the values at the end

# Of the first four problems two programs by different methods agree on the digits given (tolerances of 1e-13: dopri5 and
# rk4 here, DOP853 there; bdf here, Radau there); the rod has a closed solution.
awk -F, '
    BEGIN {
        right["lv"] = "0.71375137809773 0.07540779624080"
        right["brusselator"] = "0.49863707126834 4.596780349452"
        right["robertson"] = "0.71582706871940 9.185534764558e-6 0.28416374574583"
        right["vdp"] = "1.7061674375430 -0.892810016551"
        n = 100
        pi = atan2(0, -1)
        for (k = 1; k <= 3; k += 2) {
            rate = 4*(n + 1)^2*sin(k*pi/(2*(n + 1)))^2
            a[k] = (k == 1 ? 1 : 0.5)*exp(-0.1*rate)
        }
        for (i = 25; i <= 50; i += 25)
            right["heat"] = right["heat"] sprintf(" %.15g", a[1]*sin(pi*i/(n + 1)) + a[3]*sin(3*pi*i/(n + 1)))
        print "problem,program,method,setting,ms,error"
    }
    NF > 5 {
        n = split(right[$3], y, " ")
        error = 0
        for (i = 1; i <= n; i++) {
            e = ($(5 + i) - y[i])/y[i]
            if (e < 0) e = -e
            if (!(e <= error)) error = e
        }
        if (error + 0 == error && error < 10) printf "%s,%s,%s,%s,%s,%.3g\n", $3, $1, $2, $4, $5, (error > 1e-13 ? error : 1e-13)
    }' "$rows" >"$out/work_precision.csv"

# ---- the table: time at an error of 1e-6, between the settings on both sides of it

awk -F, -v goal=1e-6 '
    NR > 1 {
        key = $1 "," $2 "," $3
        if (!(key in n)) order[++n_keys] = key
        k = ++n[key]
        ms[key, k] = $5
        error[key, k] = $6
    }
    END {
        print "problem,program,method,ms_at_1e-6"
        for (i = 1; i <= n_keys; i++) {
            key = order[i]
            best = ""
            for (k = 1; k <= n[key]; k++) {
                if (error[key, k] > goal) continue
                t = ms[key, k]
                if (k > 1 && error[key, k - 1] > goal && error[key, k] < error[key, k - 1] && ms[key, k - 1] < t) {
                    share = log(error[key, k - 1]/goal)/log(error[key, k - 1]/error[key, k])
                    t = exp(log(ms[key, k - 1]) + share*log(t/ms[key, k - 1]))
                }
                if (best == "" || t < best) best = t
            }
            if (best != "") printf "%s,%.4f\n", key, best
        }
    }' "$out/work_precision.csv" >"$out/equal_accuracy.csv"

declare -A words=([lv]='Lotka–Volterra' [brusselator]='Brusselator' [robertson]='Robertson' [vdp]='van der Pol, 1e-6' [heat]='heat, 100 cells')
worst=0
# beside WORDS GOAL PROGRAMS: our fastest method beside theirs on the present problem
beside() {
    local other r
    other=$(awk -F, -v p="$problem" -v of="^($3)\$" '$1 == p && $2 ~ of && (b == "" || $4 < b) { b = $4 } END { print b }' "$out/equal_accuracy.csv")
    [ -n "$other" ] && [ -n "$best" ] || return 0
    r=$(ratio "$best" "$other")
    judge peers "${words[$problem]}, beside the fastest $1" "$r" "$2"
    worst=$(awk -v a="$worst" -v b="$r" 'BEGIN { print (b > a) ? b : a }')
}
for problem in "${problems[@]}"; do
    echo "peers ${words[$problem]}: ms for an error of 1e-6 at the end"
    best=$(awk -F, -v p="$problem" '$1 == p && $2 == "Orrery" && (b == "" || $4 < b) { b = $4 } END { print b }' "$out/equal_accuracy.csv")
    awk -F, -v p="$problem" '$1 == p { print $4 "," $2 "," $3 }' "$out/equal_accuracy.csv" | sort -t, -g |
        awk -F, -v b="$best" '{ printf "    %-10s %-20s %12.3f  %8.1f ×\n", $2, $3, $1, $1/b }'
    beside "with models as text" 1 'deSolve R|SciPy|Octave|XPPAUT'
    beside "with its model in C" 2 'deSolve C'
done

# ---- diagrams

draw() {    # draw PROBLEM SUFFIX TERMINAL
    rm -f "$BUILD"/series*.dat
    {
        echo "set terminal $3; set output '$out/$1.$2'"
        echo "set title '${words[$1]}: time for accuracy'; set logscale xy; set format xy '10^{%T}'; set grid lc rgb '#dddddd'"
        echo "set xlabel 'largest relative error at the end'; set ylabel 'time, ms'; set xrange [*:*] reverse; set key outside right"
        awk -F, -v p="$1" -v folder="$BUILD" '
            BEGIN {
                split("#1f77b4 #d62728 #2ca02c #ff7f0e #9467bd #8c564b #e377c2 #17becf #bcbd22 #003f5c #7a5195 #ef5675 #ffa600 #00876c", own_colour, " ")
                colour["deSolve R"] = "#a0a0a0"; colour["deSolve C"] = "#404040"; colour["SciPy"] = "#7088a0"
                colour["Octave"] = "#a08860"; colour["XPPAUT"] = "#80a070"
            }
            $1 == p {
                key = $2 " " $3
                if (!(key in number)) {
                    number[key] = ++n
                    program[n] = $2
                    title[n] = key
                }
                print $6, $5 >(folder "/series" number[key] ".dat")
            }
            END {
                printf "plot "
                for (k = 1; k <= n; k++) {
                    own = program[k] == "Orrery"
                    c = own ? own_colour[1 + n_own++%14] : colour[program[k]]
                    printf "%s\x27%s/series%d.dat\x27 with linespoints lw %s dt %d pt %d ps 0.7 lc rgb \x27%s\x27 title \x27%s\x27",
                        (k > 1 ? ", " : ""), folder, k, own ? 2 : 1.3, own ? 1 : 2, own ? 7 : 1 + k%13, c, title[k]
                }
                print ""
            }' "$out/work_precision.csv"
    } >"$BUILD/plot.gp"
    gnuplot "$BUILD/plot.gp"
}
if command -v gnuplot >/dev/null; then
    for problem in "${problems[@]}"; do
        draw "$problem" svg "svg size 1000,600 background rgb 'white'"
        draw "$problem" png "pngcairo size 1200,720" 2>/dev/null || draw "$problem" png "png size 1200,720" || true
    done
fi
echo "peers: $out has work_precision.csv, equal_accuracy.csv and a diagram of each problem"
((${#absent[@]} == 0)) || echo "peers: not measured: $(printf '%s, ' "${absent[@]}" | sed 's/, $//'); bench/run --install peers installs them"
((${#absent[@]} < 4)) || { echo "peers ratio 0 (nobody to compare with)"; exit 0; }
echo "peers ratio $worst"
exit $missed
