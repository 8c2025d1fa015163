#!/usr/bin/env bash
# `orrery run`: what it prints and writes, its options, its exit codes, an interrupt.
. "$(dirname "$0")/../common/shell.sh"
lv=$root/examples/lotka_volterra.orr

# ---- Without options: a table, a plot, a summary
run run "$lv"
expect_status 0
expect_quiet
expect_out 't [s]             X             Y             V'
expect_out '* X   o Y'
expect_out 'LotkaVolterra, cycle: dopri5, '
expect_out 'chosen by auto: not stiff at the start'
expect_out 'ok V = 5.678'
run run "$lv" --quiet
expect_status 0
expect_equal "$out$err" "" "quiet"
# without an experiment: the one model that no other uses, to 10, with a word about it
printf 'model Part\n  input u = 1\n  var y = 0\n  y'"'"' = u - y\nend\nmodel Whole\n  a : Part\n  output z = 2*a.y\nend\n' >whole.orr
run run whole.orr
expect_status 0
expect_out 'Whole: '
expect_out 't = 0 to 10 s'
expect_out 'until 10, since nothing says when to end'
run run whole.orr --until 1 --model Part
expect_out 'Part: '
expect_no_out 'since nothing says'
run run "$lv" rk4
expect_out 'LotkaVolterra, rk4: rk4, 15000 steps, t = 0 to 15 s'

# ---- Solvers of single islands
isles=$root/tests/models/island_solver.orr
run run "$isles" by_name --island 'pair[1]=rk4:step=0.01' --quiet -o - --record 'pair[1].x'
expect_status 4    # another solver is held to the same expectations
expect_out '1,0.367879441'
run run "$isles" by_name --island first=bdf:tol=1e-6 --every 1
expect_out 'first: bdf, '
expect_out 'pair[1]: euler, 4 steps; pair[2]: qss3, '
run run "$isles" by_name --island frist=bdf
expect_status 2
expect_err "error E451: there is no island called 'frist'"
expect_err "did you mean 'first'?"
run run "$isles" by_name --island first=bdg
expect_err "error E403: there is no solver called 'bdg'"
run run "$isles" by_name --island first=bdf:tool=1
expect_status 2
expect_err "'tool' is no option of an island"
run run "$isles" by_name --island first=bdf:tol=-1
expect_err "'tol' of island 'first' needs a positive number, not '-1'"

# ---- CSV: header, rows, shortest numbers
run run "$lv" euler --every 5 -o lv.csv
expect_status 0
expect_out '4 rows in lv.csv'
expect_equal "$(head -n 1 lv.csv)" t,X,Y
expect_equal "$(cut -d, -f1 lv.csv | tr '\n' ' ')" 't 0 5 10 15 '
expect_equal "$(sed -n 2p lv.csv)" 0,10,5
run run "$lv" euler --every 5 -o - --quiet
expect_quiet
expect_equal "$out" "$(cat lv.csv)" "rows on standard output and in the file"
run run "$lv" euler --every 5 -o -
expect_equal "$out" "$(cat lv.csv)" "rows on standard output, without anything else"
printf 'model N\n  a = 0.1 + 0.2\n  b = 1/3\n  c = 1e300*10\n  d = -2^-1074*2\n  e = 100000\n  f = 0.1\n  g = 1e21\n  h = 1e-7\n  i = -0.0*t\nend\n' >numbers.orr
run run numbers.orr --until 0 -o - --quiet
expect_status 0
expect_equal "$(sed -n 1p out)" t,a,b,c,d,e,f,g,h,i
row=$(sed -n 2p out)
expect_equal "$row" 0,0.30000000000000004,0.3333333333333333,1e301,-1e-323,100000,0.1,1e21,1e-7,-0 "the shortest numbers"
# names that need it are quoted, as CSV does
printf 'model Q\n  "a, b" = 1\n  c = 2\nend\n' >quoted.orr
run run quoted.orr --until 1 -o - --quiet
expect_equal "$(head -n 1 out)" 't,"a, b",c'
run plot /dev/null
expect_status 3

# ---- Polynomials of quantised states: from them every row follows, to the last digit
run run "$lv" coarse --record X,Y --every 0.37 -o rows.csv --polynomials pieces.csv
expect_status 0
expect_out 'polynomials in pieces.csv'
expect_equal "$(head -n 2 pieces.csv)" $'t,state,c0,c1,c2,c3\n0,X,10,-35,-113.75,0'
awk -F, 'NR == FNR { if (NR > 1) { n[$2]++; t[$2, n[$2]] = $1; for (k = 0; k < 4; k++) c[$2, n[$2], k] = $(3 + k) } next }
    FNR > 1 { for (s = 2; s <= 3; s++) { name = s == 2 ? "X" : "Y"; i = at[name] + 0; if (!i) i = 1
        while (i < n[name] && t[name, i + 1] <= $1) i++
        at[name] = i; d = $1 - t[name, i]; x = c[name, i, 0] + d*(c[name, i, 1] + d*c[name, i, 2])
        if (x != $s + 0) { print "row", $1, name, x, $s; exit 1 } } }' pieces.csv rows.csv || fail "polynomials and rows differ"
printf 'model M\n  var x = 1\n  x'"'"' = -x\nend\nexperiment e of M\n  until 1\n  solver qss2 quantum 0.1\n  record x as polynomials\nend\n' >pieces.orr
run run pieces.orr -o pieces.csv
expect_status 0
expect_equal "$(head -n 2 pieces.csv)" $'t,state,c0,c1,c2,c3\n0,x,1,-1,0.5,0'
# other solvers have polynomials of degree 5 at most: between their ends they are what the rows are
run run "$lv" coarse --solver rk4 --step 0.1 --record X,Y --every 0.37 -o rows.csv --polynomials pieces.csv
expect_status 0
expect_equal "$(head -n 1 pieces.csv)" 't,state,c0,c1,c2,c3,c4,c5'
awk -F, 'NR == FNR { if (FNR > 1) { n[$2]++; t[$2, n[$2]] = $1; for (k = 0; k < 6; k++) c[$2, n[$2], k] = $(3 + k) } next }
    FNR == 1 { for (s = 2; s <= NF; s++) name[s] = $s; next }
    { for (s = 2; s <= NF; s++) { i = name[s]; if (!(i in n)) continue; k = at[i] + 0; while (k < n[i] && t[i, k + 1] <= $1) k++
        at[i] = k; d = $1 - t[i, k]; x = 0; for (p = 5; p >= 0; p--) x = x*d + c[i, k, p]
        rows++; if ((x - $s)^2 > 1e-20*(1 + $s^2)) { print "row", $1, i, x, $s; exit 1 } } }
    END { if (rows < 10) exit 1 }' pieces.csv rows.csv || fail "polynomials of rk4 and its rows differ"

# ---- What is recorded and when
run run "$lv" --record X,V --every 7.5 -o - --quiet
expect_equal "$(head -n 1 out)" "t,X,V,Y"    # Y is plotted by the experiment, so it is there too
run run "$lv" euler --record ' V , X' --every 7.5 -o - --quiet
expect_equal "$(head -n 1 out)" t,V,X
run run "$root/examples/heat.orr" --record u --every 0.05 -o - --quiet
expect_equal "$(head -n 1 out | tr , '\n' | wc -l)" 22 "columns of a whole array and t"
run run "$lv" euler --record "X',alpha" --until 1 --every 1 -o - --quiet
expect_equal "$(sed -n 2p out)" 0,-35,1.5
run run "$lv" rk4 --every 0 --until 0.01 -o - --quiet
expect_equal "$(wc -l <out)" 12 "a row for each of ten steps, one for the start, and the header"
run run "$lv" --from 2 --until 3 --every 0.5 -o - --quiet
expect_equal "$(cut -d, -f1 out | tr '\n' ' ')" 't 2 2.5 3 '
run run "$lv" --every 4 -o - --quiet
expect_equal "$(cut -d, -f1 out | tr '\n' ' ')" 't 0 4 8 12 15 ' "an end that is no multiple is a row"

# ---- Settings
run run "$lv" --set alpha=2 --set X=1 --until 0 --record alpha,X,X\' -o - --quiet
expect_equal "$(sed -n 2p out)" 0,2,1,-3,5
run run whole.orr --set a.y=3 --set a.u=7 --until 0 --record "a.y,a.y'" -o - --quiet
expect_equal "$(sed -n 2p out)" "0,3,4"
run run "$root/examples/circle.csmp"
expect_status 2
expect_code E408
expect_err 'timestep'
run run "$root/examples/circle.csmp" --step 0.5 --quiet
expect_status 0
run run "$root/examples/circle.csmp" --set timestep=0.5 --set endtime=1 --set comminterval=0.5 -o - --quiet
expect_equal "$(cut -d, -f1 out | tr '\n' ' ')" 't 0 0.5 1 '
run run "$root/examples/mass_spring.csmp" --set b1=8 --set endtime=0 --record b1,b5 -o - --quiet
expect_equal "$(sed -n 2p out)" 0,8,8

# ---- Tolerances and steps do something
steps() { sed -n 's/^steps: //p' err; }
run run "$lv" --stats --quiet; loose=$(steps)
run run "$lv" --tol 1e-10 --stats --quiet; tight=$(steps)
check; ((tight > 3 * loose)) || fail "a tolerance of 1e-10 takes $tight steps, 1e-6 $loose"
run run "$lv" --tol 1e-6 --abs 1 --stats --quiet; check; (($(steps) < loose)) || fail "--abs has no effect"
run run "$lv" --max-step 0.01 --stats --quiet; check; (($(steps) >= 1500)) || fail "--max-step has no effect"
run run "$lv" --solver rk4 --step 0.1 --stats --quiet; expect_equal "$(steps)" 150

# a first guess below rounding is only a guess, also after an event
for solver in auto dopri5 adams bdf ida; do
    run run "$root/examples/limits.orr" crossing --step 1e-30 --solver $solver --quiet
    expect_status 0
done

# ---- --stats: every key, on standard error, with numbers
run run "$root/examples/two_roots.orr" right --stats --quiet
expect_status 0
for key in states equations loops solver steps rhs_evaluations rejected events rows compile_ms simulate_ms total_ms code; do
    check
    grep -qE "^$key: [^ ]+$" err || fail "no '$key' among the statistics"
done
expect_equal "$(grep -E '^(states|equations|loops|code):' err | tr '\n' ' ')" 'states: 0 equations: 2 loops: 1 code: instant '
# a long run asks for native code, which takes over if it is ready in time, and gives the same bits; a short one never
# starts a compiler
long_run="$root/examples/lotka_volterra.orr long --until 600000 --record X --every 30000 --stats --quiet"
ORRERY_CACHE=$PWD/cache run run $long_run -o auto.csv
expect_err 'code: instant'
expect_file cache/native
run run $long_run --code instant -o instant.csv
expect_err 'code: instant'
check
cmp -s auto.csv instant.csv || fail 'native code that took over gives other results'
ORRERY_CACHE=$PWD/unused run run "$root/examples/lotka_volterra.orr" --stats --quiet
check
[ ! -e unused ] || fail 'a short run started a compiler'
run run "$root/examples/loop.orr" --code native --stats --quiet
expect_err 'code: native'
expect_err 'loops: 1'

# ---- Limits: the run ends as failed, what was computed is kept
run run "$root/examples/lotka_volterra.orr" long --until 1e12 --every 1000 --max-time 0.3 -o limited.csv --quiet
expect_status 3
expect_err 'E513'
check
[ "$(wc -l <limited.csv)" -gt 2 ] || fail 'no rows were kept at the limit of time'
printf 'model M\n  var x = 1\n  x'"'"' = -delay(x, 1e9)\nend\n' >memory.orr
if [[ -z ${ORRERY_SANITIZE:-} ]]; then    # sanitizers map more than any limit
    run run memory.orr --until 1e9 --solver euler --step 0.1 --every 100 --max-memory 100 -o limited.csv --quiet
    expect_status 3
    expect_err 'E507'
    check
    grep -qE '^[0-9.]+,-[0-9.]+$' limited.csv || fail 'no rows were kept at the limit of memory'
    # too little even for the compiler in memory: that is no mistake of the program
    run run "$root/examples/lotka_volterra.orr" --max-memory 1 --quiet
    expect_status 3
    expect_err 'E507'
fi
run run memory.orr --max-time 0; expect_status 2; expect_err 'E022'
run run memory.orr --max-memory -5; expect_status 2; expect_err 'E022'

# ---- A z-delay: a difference equation as blocks, and a register in which all shift at once
run run "$root/examples/logistic.csmp" -o - --quiet
expect_near "$(awk -F, 'END { print $2 }' out)" "$(awk 'BEGIN { x = 0.3; for (i = 0; i < 20; i++) x = 3.7*x*(1 - x); printf "%.15g", x }')" 1e-9
printf '$endtime = 4\n$timestep = 0.5\n$comminterval = 1\nTIME, 1\nZDELAY, 2, -1, 1, 1\nZDELAY, 3, -2, 1, 2\nO, 4, 2\nO, 5, 3\n' >shift.csmp
run run shift.csmp -o - --quiet
expect_equal "$(tail -n +2 out | tr '\n' ' ')" '0,-1,-2 1,1,-1 2,2,1 3,3,2 4,4,3 '

# ---- Ensembles
members="$root/examples/lotka_volterra_members.csv"
run ensemble "$lv" --members "$members" --until 15 --solver rk4 --step 0.01 --lanes always -o lanes.csv
expect_status 0
expect_out '4 of 4 members'
expect_equal "$(head -1 lanes.csv)" 't,member,alpha,delta,X,Y,V'
run ensemble "$lv" --members "$members" --until 15 --solver rk4 --step 0.01 --lanes never --threads 1 -o alone.csv --quiet
check
cmp -s lanes.csv alone.csv || fail 'members in lanes differ from members alone'
run run "$lv" cycle --until 15 --solver rk4 --step 0.01 --set alpha=1.7 --set delta=2.9 -o one.csv --quiet
expect_equal "$(tail -1 one.csv | cut -d, -f2,3)" "$(awk -F, '$2 == 3' lanes.csv | cut -d, -f5,6)"
printf 'alpha,X\n1.5,10\n1.5,-1\n' >bad.csv
run ensemble "$lv" --members bad.csv --until 1 -o bad_out.csv
expect_status 3
expect_err 'member 2 (alpha = 1.5, X = -1) failed'
expect_equal "$(wc -l <bad_out.csv)" 2
run ensemble "$lv"; expect_status 2; expect_err '--members'
run ensemble "$lv" --members none.csv; expect_status 2
printf 'alhpa\n1\n' >bad.csv
run ensemble "$lv" --members bad.csv; expect_status 2; expect_err "did you mean 'alpha'"
run ensemble "$lv" --members "$members" --lanes maybe; expect_status 2; expect_err 'E022'

# ---- Plots
cat >cells.orr <<'END'
model Cell
  param k = 1
  var v = 1
  v' = -k*v
end
model M
  c[5] : Cell
end
experiment e of M
  until 2
  plot c[2..4].v
end
END
run run cells.orr    # ranges of elements are drawn as they are recorded
expect_status 0
expect_out '* c[2].v   o c[3].v   + c[4].v'
run run cells.orr --plot 'c[1..2].v over t'
expect_status 0
expect_out '* c[1].v   o c[2].v'

for kind in svg png pdf; do
    run run "$lv" euler --until 1 --plot "a.$kind" --plot 'Y over X'
    expect_status 0
    expect_out "plot in a.$kind"
    expect_file "a.$kind"
done
expect_equal "$(head -c 4 a.pdf)" %PDF
expect_equal "$(head -c 4 a.png | tail -c 3)" PNG
grep -q '<svg' a.svg || fail "a.svg is no SVG"
run run "$lv" --until 1 --plot two.svg --quiet
expect_file two.svg
expect_file two-2.svg
run run "$lv" --until 1 --plot "Y over X"
expect_out '* Y'
run run "$lv" euler --until 1 --record X --plot 'V'
expect_status 0
expect_out '* V'
run run "$lv" --plot 'Z over X'
expect_status 2
expect_code E411
run run "$lv" --plot picture.jpg
expect_status 2
expect_code E412
run run "$lv" --plot ,
expect_status 2
expect_code E412
run run "$lv" --plot nowhere/a.svg --quiet
expect_status 3
expect_code E010
expect_no_out '<svg'
PATH=/nowhere "$ORRERY" run "$lv" --plot b.svg --quiet >out 2>err
status=$? command="run --plot b.svg, without gnuplot" out=$(<out) err=$(<err)
expect_status 3
expect_code E705
expect_no_file b.svg
run run "$lv" euler --every 1 -o lv.csv --quiet
run plot lv.csv
expect_status 0
expect_out '* X   o Y'
run plot lv.csv --plot 'X, Y over t' -o c.png --title "a title"
expect_status 0
expect_file c.png
run plot lv.csv --plot 'Q over X'
expect_status 2
expect_code E412
expect_err 'there are t, X, Y'
run plot lv.csv -o c.jpg
expect_status 2
expect_code E412
ls ./*.tmp 2>/dev/null && fail "files were left behind"

# ---- Exit codes of runs
run run "$root/examples/loop.orr" --loops halt
expect_status 1
sed 's/expect x = 5.5/expect x = 6.5/' "$root/examples/loop.orr" >wrong.orr
run run wrong.orr --quiet
expect_status 4
expect_code E413
expect_err 'wrong.orr:11:3'
# what is expected belongs to the experiment as written
run run wrong.orr --until 2
expect_status 0
expect_out '2 expectations not checked'
run run wrong.orr --solver rk4 --quiet
expect_status 4
run run "$root/examples/mass_spring.orr" --set x=0.19 --model MassSpring --quiet --strict
expect_status 0
run run "$root/examples/mass_spring.orr" --set x=0.21 --model MassSpring --quiet
expect_status 0
expect_code W614
expect_err 'the spring law holds for small extensions only'
run run "$root/examples/mass_spring.orr" --set x=0.21 --model MassSpring
expect_out 'outside its frame from t = 0 s: the spring law'
run run "$root/examples/mass_spring.orr" --set x=0.21 --model MassSpring --quiet --strict
expect_status 4
printf "model Jump\n  var x = 0\n  x' = k\n  k = if t < 1 then 1 else 3\n  assert k < 2\nend\n" >jump.orr
run run jump.orr --until 3 --quiet
expect_err 'W614: an assertion does not hold at t = 1: k < 2'
printf "model Pole\n  var x = 0\n  x' = 1 + x^2\nend\n" >pole.orr
for solver in auto euler heun rk4 dopri5 adams bdf ida 'semi-implicit euler'; do
    run run pole.orr --until 3 --solver "$solver" --every 0.1 -o pole.csv --quiet
    expect_status 3
    [[ $err =~ error\ E5[0-9][0-9] ]] || fail "no message about the pole at pi/2"
    # what was computed so far is kept
    expect_near "$(value pole.csv x 1)" 1.5574077 0.3 "x(1)"
    check; (($(wc -l <pole.csv) >= 16)) || fail "rows were lost"
done
run run "$root/examples/shooting.orr"
expect_status 0
expect_out 'the terminal region ran it again'
expect_out 'miss = '

# ---- On a terminal: progress of long runs, colours in messages; neither in a pipe or with NO_COLOR
if command -v script >/dev/null; then
    command="run on a terminal"
    script -qec "'$ORRERY' run '$lv' long --until 1e9 --every 1e8 -o /dev/null & p=\$!; sleep 1.2; kill -INT \$p; sleep 0.2; kill -KILL \$p; wait" /dev/null >typed 2>&1
    check; grep -qE ' %  t = .* s left' typed || fail "no progress is shown"
    env -u NO_COLOR script -qec "'$ORRERY' run nothere.orr" /dev/null >typed 2>&1
    check; grep -q $'\e\[' typed || fail "no colours on a terminal"
    script -qec "'$ORRERY' run nothere.orr" /dev/null >typed 2>&1
    check; ! grep -q $'\e\[' typed || fail "colours in spite of NO_COLOR"
    env -u NO_COLOR "$ORRERY" run nothere.orr 2>typed
    check; ! grep -q $'\e\[' typed || fail "colours in a pipe"
fi

# ---- An interrupt leaves whole rows and good files
for signal in INT TERM; do
    "$ORRERY" run "$lv" long --until 1e9 -o long.csv --quiet 2>err &
    pid=$!
    for _ in $(seq 100); do [[ -s long.csv ]] && break; sleep 0.05; done
    sleep 0.3
    kill -s $signal $pid
    for _ in $(seq 100); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
    kill -s KILL $pid 2>/dev/null    # one that does not hear is not waited for
    wait $pid
    status=$? command="run … (SIG$signal)" err=$(<err) out=
    expect_status 130
    expect_code E514
    check
    awk -F, 'NF != 3 || $0 !~ /[0-9]$/ && NR > 1 { bad = 1 } END { exit bad || NR < 100 }' long.csv || fail "not whole rows"
    expect_equal "$(tail -c 1 long.csv | od -An -c | tr -d ' ')" '\n' "the last character"
    # each row is where it should be
    check
    awk -F, 'NR > 1 { want = (NR - 2)/100; d = $1 - want; if (d > 1e-6 || d < -1e-6) bad = 1 } END { exit bad }' long.csv || fail "rows are missing"
done
rm long.csv
# also where all rows lie inside one step
timeout --foreground -k 5 -s INT 0.5 "$ORRERY" run "$lv" --until 1 --every 1e-11 -o /dev/null --quiet 2>err
status=$? command="run --every 1e-11 (SIGINT)" err=$(<err) out=
expect_status 124    # of timeout; 137 if it had to be killed
expect_code E514
# ---- a loop of thousands of equations is left to ida, and to no other solver
run run "$root/examples/resistor_net.orr" --stats --quiet
expect_status 0
expect_err 'solver: ida'
expect_err 'states: 1'
run run "$root/examples/resistor_net.orr" --solver rk4 --quiet
expect_status 2
expect_code E405
run run "$root/examples/resistor_net.orr" small --solver rk4 --quiet
expect_status 0
run run "$root/examples/resistor_net.orr" small --solver ida --quiet
expect_status 0
run run "$root/examples/resistor_net.orr" --set 'right[3,3].v=1' --quiet
expect_status 2
expect_code E407
run steady "$root/examples/resistor_net.orr"
expect_code E707
cp -r "$root/examples/lib" .
sed 's/ground[.]p -- //; /Ground/d' "$root/examples/resistor_net.orr" >floating.orr
run run floating.orr --quiet
expect_status 3
expect_code E512
expect_err 'without a ground'

# ---- a model of events alone: a row for each instant at which something happens
cat >ticks.orr <<'END'
atomic Ticker
  param period = 1
  output event tick
  var n = 0
  state waits for period
    after send tick(n) do n := n + 1 -> waits
end
model Ticks
  a : Ticker
  b : Ticker(period = 1.5)
end
END
run run ticks.orr --until 4 --record a.n,b.n -o -
expect_status 0
expect_equal "$out" $'t,a.n,b.n\n0,0,0\n1,1,0\n1.5,1,1\n2,2,1\n3,3,2\n4,4,2' "rows at instants"
run run ticks.orr --until 4
expect_out 'Ticks: 5 instants, 6 transitions, 6 messages, t = 0 to 4 s'
run run ticks.orr --set a.period=1e-7 --until 1e6 --every 1e5 --max-time 1 --quiet
expect_status 3
expect_code E513
expect_err 'was reached at t = '

# ---- where two solutions of a loop meet and end, no method goes on for ever
cat >fold.orr <<'END'
model Fold
  param p = 1
  var x = 1, y ~ 1, w = 0
  x' = -p*y
  w' = y - w + sin(t)
  y^2 + 0.1*y*w = x - 0.1
end
model Alone
  var x = 1, y ~ 1
  x' = -y
  y^2 = x - 0.1
end
END
for solver in dopri5 bdf adams auto; do
    run run fold.orr --model Alone --solver $solver --max-time 20 --quiet
    expect_status 3
    expect_code E504
    expect_err 'its solution seems to end there'
    # at 2 sqrt(0.9), up to the errors of the methods
    expect_near "$(sed -n 's/.*E504: .* at t = //p' err)" 1.8973666 5e-4
done
run run fold.orr --model Fold --set p=7 --solver ida --tol 1e-10 --until 30 --max-time 20 --quiet
expect_status 3
expect_code E501
expect_err 'equations that have no solution any more'

finish
