#!/usr/bin/env bash
# 10⁵ impacts of a ball on a moving table, Dormand–Prince, against hand-written C
. "$BENCH/common.sh"
reference ball_reference
model=$BENCH/ball.orr
ours() { stat_of simulate_ms "$ORRERY" run "$model" long --quiet --stats "$@"; }

ours --code native >/dev/null                # fills the cache
hand='' native=''
for _ in 1 2 3; do                           # in turns, so that a busy moment hits all alike
    hand=$(smaller "$hand" "$("$BUILD/ball_reference" 1 2>/dev/null)")
    native=$(smaller "$native" "$(ours)")
done
echo "ball hand-written C $hand ms, orrery $native ms"
judge ball whole "$(ratio "$native" "$hand")" 3.0
echo "ball ratio $(ratio "$native" "$hand")"
exit $missed
