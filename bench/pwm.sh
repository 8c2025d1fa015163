#!/usr/bin/env bash
# An RC circuit with 10⁶ time events, RK4 between them, against a hand-written loop
. "$BENCH/common.sh"
reference pwm_reference
model=$BENCH/pwm.orr
ours() { stat_of simulate_ms "$ORRERY" run "$model" long --quiet --stats "$@"; }

ours --code native >/dev/null                # fills the cache
hand='' whole=''
for _ in 1 2 3; do                           # in turns, so that a busy moment hits all alike
    hand=$(smaller "$hand" "$("$BUILD/pwm_reference" 1 2>/dev/null)")
    whole=$(smaller "$whole" "$(ours)")
done
echo "pwm hand-written C $hand ms, orrery $whole ms"
judge pwm event "$(ratio "$whole" "$hand")" 5.0
echo "pwm ratio $(ratio "$whole" "$hand")"
exit $missed
