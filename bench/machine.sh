#!/usr/bin/env bash
# machines: 10^8 steps against a hand-written C loop; minimising and comparing 10^6 states, in seconds
. "$BENCH/common.sh"
shared_library
lib=$LIBRARY
cc -O3 -march=native -I "$ROOT/include" -o "$BUILD/machine_steps" "$BENCH/machine_steps.c" -L "$lib" -lorrery -Wl,-rpath,"$(realpath "$lib")"

# both in one program, in turns: best of five, in milliseconds
read -r hand ours <<<"$("$BUILD/machine_steps" 100000000 5)"
echo "machine 10^8 steps: hand-written C $hand ms, orr_machine_advance $ours ms"
judge machine steps "$(ratio "$ours" "$hand")" 1.5

# a million states and four inputs: goals are seconds
cc -O2 -I "$ROOT/include" -o "$BUILD/machine_ask" "$BENCH/machine_ask.c" -L "$lib" -lorrery -Wl,-rpath,"$(realpath "$lib")"
while read -r kind answer seconds; do
    if [ "$kind" = compare ]; then judge machine "equivalence of two machines (answer $answer)" "$seconds" 2
    else judge machine "minimise $kind to $answer states" "$seconds" 5; fi
done < <("$BUILD/machine_ask" 1000000)
echo "machine ratio $(ratio "$ours" "$hand")"
exit $missed
