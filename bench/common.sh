# What the benchmarks share. Sourced, with ORRERY, BENCH, ROOT, BUILD and BENCH_RECORD set by bench/run.
set -euo pipefail

# The compiler flags every hand-written reference is built with.
reference() {    # reference NAME: bench/NAME.c → $BUILD/NAME
    cc -O3 -march=native -ffp-contract=off -o "$BUILD/$1" "$BENCH/$1.c" -lm
}

# against_hand NAME WHAT GOAL: the experiment `long` of bench/NAME.orr in native code, against bench/NAME_reference.c.
against_hand() {
    local name=$1 what=$2 goal=$3 hand='' own=''
    reference "${name}_reference"
    run_long() { stat_of simulate_ms "$ORRERY" run "$BENCH/$name.orr" long --quiet --stats "$@"; }
    run_long --code native >/dev/null            # fills the cache
    for _ in 1 2 3; do                           # in turns, so that a busy moment hits all alike
        hand=$(smaller "$hand" "$("$BUILD/${name}_reference" 1 2>/dev/null)")
        own=$(smaller "$own" "$(run_long)")
    done
    ratio_of_both=$(ratio "$own" "$hand")
    echo "$name hand-written C $hand ms, orrery $own ms"
    judge "$name" "$what" "$ratio_of_both" "$goal"
}

# What programs that use the C interface link with: sets LIBRARY to the folder of liborrery.so, which is built if need be.
shared_library() {
    local build
    build=$(dirname "$(dirname "$ORRERY")")
    LIBRARY=$build/lib
    cmake --build "$build" --target orrery_shared >"$BUILD/shared.log" 2>&1 || { tail -n 5 "$BUILD/shared.log" >&2; exit 1; }
}

# Where a benchmark leaves files that are worth keeping.
output_folder() {    # output_folder NAME
    local folder=$ROOT/build/bench/$1
    mkdir -p "$folder"
    echo "$folder"
}

# The `key: value` of --stats of one run.
stat_of() {    # stat_of KEY COMMAND…
    local key=$1
    shift
    "$@" 2>&1 >/dev/null | awk -v key="$key:" '$1 == key { print $2 }'
}

smaller() { awk -v a="$1" -v b="$2" 'BEGIN { print (a == "" || b + 0 < a + 0) ? b : a }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# record NAME WHAT VALUE SENSE GOAL: a figure for bench/run --save. SENSE: most or least.
record() { [ -z "${BENCH_RECORD:-}" ] || printf '%s,%s,%s,%s,%s\n' "$1" "${2//,/;}" "$3" "$4" "$5" >>"$BENCH_RECORD"; }

# judge NAME WHAT RATIO GOAL: print it and remember a miss.
missed=0
judge() {
    record "$1" "$2" "$3" most "$4"
    if awk -v r="$3" -v g="$4" 'BEGIN { exit !(r != "" && r + 0 == r && r <= g) }'; then
        echo "$1 $2 $3 (goal: at most $4)"
    else
        echo "$1 $2 $3 MISSED (goal: at most $4)"
        missed=1
    fi
}

# judge_at_least NAME WHAT RATIO GOAL: the same where more is better.
judge_at_least() {
    record "$1" "$2" "$3" least "$4"
    if awk -v r="$3" -v g="$4" 'BEGIN { exit !(r != "" && r + 0 == r && r >= g) }'; then
        echo "$1 $2 $3 (goal: at least $4)"
    else
        echo "$1 $2 $3 MISSED (goal: at least $4)"
        missed=1
    fi
}
