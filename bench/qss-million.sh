#!/usr/bin/env bash
# a transmission line of a million states, in which a pulse moves through a few: memory and steps
. "$BENCH/common.sh"
model=$BUILD/line.orr
cp "$ROOT/examples/line.orr" "$model"
ours() { "$ORRERY" run "$model" pulse --set n="$1" --quiet --stats; }
cc -O2 -o "$BUILD/wall" "$BENCH/wall.c"
kb() { "$BUILD/wall" 1 "$ORRERY" run "$model" pulse --set n="$1" --quiet | cut -d" " -f2; }
small=$(kb 1000) large=$(kb 500000)
steps_small=$(stat_of steps ours 1000) steps=$(stat_of steps ours 500000)
bytes=$(awk -v a="$small" -v b="$large" 'BEGIN { printf "%.0f", (b - a) * 1024 / 998000 }')
echo "qss-million $(stat_of states ours 500000) states: $bytes bytes a state, all included; $steps steps, $(stat_of simulate_ms ours 500000) ms;" \
    "of 2,000 states $steps_small steps"
judge qss-million 'bytes a state' "$bytes" 200
judge qss-million 'steps beside a short line' "$(ratio "$steps" "$steps_small")" 1.01
echo "qss-million ratio $(ratio "$bytes" 200)"
exit $missed
