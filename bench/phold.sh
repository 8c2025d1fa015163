#!/usr/bin/env bash
# PHOLD with 10⁴, 10⁵, 10⁶ components: events per second, against an indexed 4-ary heap by hand; memory
. "$BENCH/common.sh"
shared_library
lib=$LIBRARY
cc -O3 -march=native -ffp-contract=off -I "$ROOT/include" -o "$BUILD/phold" "$BENCH/phold.c" -L "$lib" -lorrery -Wl,-rpath,"$lib" -lm

for size in "1e4 4e6" "1e5 6e6" "1e6 12e6"; do
    # shellcheck disable=SC2086
    line=$("$BUILD/phold" $size 4) || exit 1
    read -r events set_up kernel hand bytes <<<"$line"
    n=${size% *}
    awk -v n="$n" -v e="$events" -v s="$set_up" -v k="$kernel" -v h="$hand" -v b="$bytes" 'BEGIN {
        printf "phold %s: %.2f million events/s, by hand %.2f; set-up %.0f ms, %.1f bytes a component beyond its state\n", n, e/k/1e6, e/h/1e6, s*1e3, b }'
    last=$(ratio "$hand" "$kernel")
    judge_at_least phold "$n" "$last" 0.6
    judge phold "$n bytes" "$bytes" 120
done
echo "phold ratio $last"
exit $missed
