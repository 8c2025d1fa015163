#!/usr/bin/env bash
# machines: 10^8 steps of a table-driven machine against a hand-written C loop over the table
. "$BENCH/common.sh"
lib=$(dirname "$ORRERY")/../lib
cc -O3 -march=native -I "$ROOT/include" -o "$BUILD/machine_steps" "$BENCH/machine_steps.c" -L "$lib" -lorrery -Wl,-rpath,"$(realpath "$lib")"

# both in one program, in turns: best of five, in milliseconds
read -r hand ours <<<"$("$BUILD/machine_steps" 100000000 5)"
echo "machine 10^8 steps: hand-written C $hand ms, orr_machine_advance $ours ms"
judge machine steps "$(ratio "$ours" "$hand")" 1.5
echo "machine ratio $(ratio "$ours" "$hand")"
exit $missed
