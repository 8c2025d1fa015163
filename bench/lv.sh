#!/usr/bin/env bash
# Lotka–Volterra, RK4 step 0.01 to 1500, nothing recorded, against hand-written C
. "$BENCH/common.sh"
reference lv_reference
cc -O2 -o "$BUILD/wall" "$BENCH/wall.c"
model=$ROOT/examples/lotka_volterra.orr
ours() { stat_of simulate_ms "$ORRERY" run "$model" long --every 1500 --quiet --stats "$@"; }

ours --code native >/dev/null                # fills the cache
hand='' instant='' native='' whole=''
for _ in 1 2 3 4 5 6 7 8; do                 # in turns, so that a busy moment hits all alike
    hand=$(smaller "$hand" "$("$BUILD/lv_reference" 3 2>/dev/null)")
    instant=$(smaller "$instant" "$(ours)")
    native=$(smaller "$native" "$(ours --code native)")
    whole=$(smaller "$whole" "$("$BUILD/wall" 3 "$ORRERY" run "$model" long --every 1500 --quiet | cut -d" " -f1)")
done
echo "lv hand-written C $hand ms, instant $instant ms, native $native ms, whole command $whole ms"
judge lv instant "$(ratio "$instant" "$hand")" 3.0
judge lv native "$(ratio "$native" "$hand")" 1.2
judge lv command "$(ratio "$whole" "$hand")" 12
echo "lv ratio $(ratio "$instant" "$hand")"
exit $missed
