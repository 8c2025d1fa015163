#!/usr/bin/env bash
# Lotka–Volterra, QSS2 quantum 1e-4 to 1500, nothing recorded, against hand-written C
. "$BENCH/common.sh"
reference qss_lv_reference
model=$BUILD/lv.orr
cp "$ROOT/examples/lotka_volterra.orr" "$model"
ours() { stat_of simulate_ms "$ORRERY" run "$model" quantised --quiet --stats "$@"; }

ours --code native >/dev/null                # fills the cache
hand='' instant='' native=''
for _ in $(seq 15); do                       # in turns, so that a busy moment hits all alike
    hand=$(smaller "$hand" "$("$BUILD/qss_lv_reference" 2 2>/dev/null)")
    instant=$(smaller "$instant" "$(ours --code instant)")
    native=$(smaller "$native" "$(ours --code native)")
done
steps=$(stat_of steps "$ORRERY" run "$model" quantised --quiet --stats)
echo "qss-lv $steps steps: hand-written C $hand ms, instant $instant ms, native $native ms;" \
    "$(awk -v a="$native" -v n="$steps" 'BEGIN { printf "%.1f", a * 1e6 / n }') ns a step"
judge qss-lv instant "$(ratio "$instant" "$hand")" 1.5
judge qss-lv native "$(ratio "$native" "$hand")" 1.2
echo "qss-lv ratio $(ratio "$instant" "$hand")"
exit $missed
