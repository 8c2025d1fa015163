# What the benchmarks share. Sourced, with ORRERY, BENCH, ROOT and BUILD set by bench/run.
set -euo pipefail

# The compiler flags every hand-written reference is built with.
reference() {    # reference NAME: bench/NAME.c → $BUILD/NAME
    cc -O3 -march=native -ffp-contract=off -o "$BUILD/$1" "$BENCH/$1.c" -lm
}

# The `key: value` of --stats of one run.
stat_of() {    # stat_of KEY COMMAND…
    local key=$1
    shift
    "$@" 2>&1 >/dev/null | awk -v key="$key:" '$1 == key { print $2 }'
}

smaller() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b + 0 < a + 0) ? b : a }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# judge NAME WHAT RATIO GOAL: print it and remember a miss.
missed=0
judge() {
    if awk -v r="$3" -v g="$4" 'BEGIN { exit !(r <= g) }'; then
        echo "$1 $2 $3 (goal: at most $4)"
    else
        echo "$1 $2 $3 MISSED (goal: at most $4)"
        missed=1
    fi
}

# judge_at_least NAME WHAT RATIO GOAL: the same where more is better.
judge_at_least() {
    if awk -v r="$3" -v g="$4" 'BEGIN { exit !(r >= g) }'; then
        echo "$1 $2 $3 (goal: at least $4)"
    else
        echo "$1 $2 $3 MISSED (goal: at least $4)"
        missed=1
    fi
}
