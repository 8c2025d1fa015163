#!/usr/bin/env bash
# 10,000 irregular equations: instant code, native code, right-hand side; and 10^6 equations of equal shape written with `for`
. "$BENCH/common.sh"
n=10000

# About nine operations each, no two equations alike; one equation in eight has a sine or, with every=1, one operation in eight
# is one. Park and Miller's generator: its products are exact in awk.
irregular() {    # irregular N EVERY
    awk -v n="$1" -v every="$2" '
        function random(k) { seed = seed*16807%2147483647; return int(seed/64)%k }
        function leaf(  k) {
            k = random(10)
            if (k < 6) return "x" 1 + random(n)
            return k < 8 ? sprintf("%.3g", 0.1 + random(1000)/1000) : "p" 1 + random(20)
        }
        function grow(n_operations,  left) {
            if (n_operations == 0) return leaf()
            if (every == 1 && random(8) == 0) return "sin(" grow(n_operations - 1) ")"
            left = random(n_operations)
            return "(" grow(left) substr("+-*", 1 + random(3), 1) grow(n_operations - 1 - left) ")"
        }
        BEGIN {
            seed = 7
            print "model Big"
            for (i = 1; i <= 20; i++) printf "  param p%d = %g\n", i, i*0.01
            for (i = 1; i <= n; i++) printf "  var x%d = %g\n", i, 0.01*(i%100)
            for (i = 1; i <= n; i++) {
                e = grow(6 + random(4))
                printf "  x%d\x27 = %s - x%d\n", i, (every > 1 && i%every == 0 ? "sin(" e ")" : e), i
            }
            print "end\nexperiment e of Big\n  solver rk4 step 1e-6\n  until 4e-4\n  record x1 every 4e-4\nend"
        }'
}

export ORRERY_CACHE=$BUILD/cache
figures() {    # figures NAME EVERY: measures, and sets ready, native_s, instant and native (ns for each equation)
    local stats least_ready='' least_instant='' least_native='' evaluations
    irregular $n "$2" >"$BUILD/big.orr"
    run() { "$ORRERY" run "$BUILD/big.orr" e --quiet --stats "$@" 2>&1; }
    # the time of the processors, of the compiler and its parts too, less what the same takes from the cache
    TIMEFORMAT='%U %S'
    rm -rf "$ORRERY_CACHE"
    local first again
    first=$({ time run --code native >/dev/null; } 2>&1)
    again=$({ time run --code native >/dev/null; } 2>&1)
    native_s=$(awk -v a="$first" -v b="$again" 'BEGIN { split(a, x, " "); split(b, y, " "); printf "%.2f", x[1] + x[2] - y[1] - y[2] }')
    for _ in 1 2 3 4 5 6 7 8; do
        stats=$(run --code instant)
        least_ready=$(smaller "$least_ready" "$(awk '$1 == "total_ms:" { t = $2 } $1 == "simulate_ms:" { s = $2 } END { print t - s }' <<<"$stats")")
        least_instant=$(smaller "$least_instant" "$(awk '$1 == "simulate_ms:" { print $2 }' <<<"$stats")")
        least_native=$(smaller "$least_native" "$(run --code native | awk '$1 == "simulate_ms:" { print $2 }')")
    done
    evaluations=$(awk '$1 == "rhs_evaluations:" { print $2 }' <<<"$stats")
    ready=$(printf '%.1f' "$least_ready")
    instant=$(awk -v ms="$least_instant" -v k="$evaluations" -v n=$n 'BEGIN { printf "%.2f", ms*1e6/k/n }')
    native=$(awk -v ms="$least_native" -v k="$evaluations" -v n=$n 'BEGIN { printf "%.2f", ms*1e6/k/n }')
    echo "big $1: the command is ready to run in $ready ms; native code takes $native_s s of processors;" \
        "an equation takes $instant ns instant, $native ns native"
}
figures "one operation in eight a sine" 1
record big "native; one operation in eight a sine; ns" "$native" most ""
figures "one equation in eight with a sine" 8
judge big "instant code ready, ms" "$ready" 150
judge big "native code, seconds of processors" "$native_s" 8
judge big "right-hand side, native, ns for each equation" "$native" 4
rhs=$native

cat >"$BUILD/equal.orr" <<'EOF'
model Ring
  const n = 1000000
  var u[n]
  for i in 1..n
    initial u[i] = sin(0.001*i)
  end
  u[1]' = u[n] - u[1] - 0.1*u[1]*u[2]
  for i in 2..n-1
    u[i]' = u[i-1] - u[i] - 0.1*u[i]*u[i+1]
  end
  u[n]' = u[n-1] - u[n] - 0.1*u[n]*u[1]
end
EOF
least=''
for _ in 1 2 3; do
    least=$(smaller "$least" "$(stat_of compile_ms "$ORRERY" run "$BUILD/equal.orr" --solver rk4 --step 0.1 --until 0.1 --record 'u[1]' --quiet --stats)")
done
echo "big 10^6 equations written with for: compiled in $least ms"
judge big "10^6 equations of equal shape compiled, ms" "$least" 1000
echo "big ratio $(ratio "$rhs" 4)"
exit $missed
