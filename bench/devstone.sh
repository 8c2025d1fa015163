#!/usr/bin/env bash
# DEVStone LI, HI, HO, HOmod: transitions per second of atomics in C, against a flat loop by hand without a calendar
. "$BENCH/common.sh"
shared_library
lib=$LIBRARY
cc -O3 -march=native -ffp-contract=off -I "$ROOT/include" -I "$ROOT/tests/common" -o "$BUILD/devstone" "$BENCH/devstone.c" \
    -L "$lib" -lorrery -Wl,-rpath,"$lib" -lm

measure() {    # measure KIND WIDTH DEPTH REPEAT GOAL
    local line made set_up kernel hand lean components couplings bytes states per
    line=$("$BUILD/devstone" "$1" "$2" "$3" "$4") || { missed=1; return; }
    read -r made set_up kernel hand lean components couplings bytes states per <<<"$line"
    awk -v k="$1 $2×$3" -v m="$made" -v s="$set_up" -v t="$kernel" -v h="$hand" -v l="$lean" -v c="$components" -v e="$couplings" \
        -v b="$bytes" -v st="$states" -v p="$per" 'BEGIN {
        printf "devstone %-12s %8.1f million transitions/s, by hand %.1f (messages only added up: %.1f), %.1f messages each\n", k, m/t/1e6, m/h/1e6, m/l/1e6, p
        printf "devstone %-12s %d atomics, %d couplings, set-up %.1f ms, %.1f MB and %.1f MB of states\n", k, c, e, s*1e3, b/1e6, st/1e6 }'
    last=$(ratio "$hand" "$kernel")
    [ -z "${5:-}" ] || judge_at_least devstone "$1 $2×$3" "$last" "$5"
}
# Atomics of the language against the same ones in C, in the same run.
stones=$(dirname "$LIBRARY")/tests/test_stones
cmake --build "$(dirname "$LIBRARY")" --target test_stones >"$BUILD/stones.log" 2>&1 || tail -n 5 "$BUILD/stones.log" >&2
in_words() {    # in_words KIND WIDTH DEPTH REPEAT
    local c instant native
    read -r c instant native < <("$stones" "$@") || { missed=1; return; }
    judge_at_least devstone "$1 $2×$3 in the language, instant" "$(ratio "$c" "$instant")" 0.5
    judge_at_least devstone "$1 $2×$3 in the language, native" "$(ratio "$c" "$native")" 0.8
}
in_words HOmod 30 30 10
in_words HI 300 300 10
measure LI 200 200 50
measure HO 200 200 15
measure HOmod 30 30 10 0.37
measure HI 300 300 10 0.37
echo "devstone ratio $last"
exit $missed
