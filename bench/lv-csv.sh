#!/usr/bin/env bash
# the same with all 150,001 rows to a CSV file, against fprintf("%.10g")
. "$BENCH/common.sh"
reference lv_reference
model=$ROOT/examples/lotka_volterra.orr
hand='' ours=''
for _ in 1 2 3 4 5 6; do
    hand=$(smaller "$hand" "$("$BUILD/lv_reference" 2 "$BUILD/hand.csv" 2>/dev/null)")
    ours=$(smaller "$ours" "$(stat_of simulate_ms "$ORRERY" run "$model" long -o "$BUILD/ours.csv" --quiet --stats)")
done
rows=$(($(wc -l <"$BUILD/ours.csv") - 1))
echo "lv-csv hand-written C $hand ms, ours $ours ms, $rows rows"
[ "$rows" -eq 150001 ] || { echo "lv-csv: 150001 rows were expected"; exit 1; }
judge lv-csv time "$(ratio "$ours" "$hand")" 0.25
echo "lv-csv ratio $(ratio "$ours" "$hand")"
exit $missed
