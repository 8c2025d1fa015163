#!/usr/bin/env bash
# resistor–capacitor grid of 100 × 100 cells joined by connections, BDF to 10 s, against hand-written sparse CVODES
. "$BENCH/common.sh"
sundials=$("$ROOT/tools/deps" --where | sed -n 's/^sundials=//p')
libraries=()
for name in cvodes nvecserial sunlinsolklu sunmatrixsparse; do libraries+=("$sundials/lib/libsundials_$name.a"); done
cc -O3 -march=native -ffp-contract=off -I"$sundials/include" -I/usr/include/suitesparse -o "$BUILD/grid_reference" \
    "$BENCH/grid_reference.c" "${libraries[@]}" -lklu -lamd -lcolamd -lbtf -lsuitesparseconfig -lm
cc -O2 -o "$BUILD/wall" "$BENCH/wall.c"

run=("$ORRERY" run "$ROOT/examples/rc_grid.orr" long --set n=100 --quiet)
ours() { stat_of "$1" "${run[@]}" --every 10 --stats; }

# how far the two are from each other at the end: the same problem must have been solved
read -r _ theirs < <("$BUILD/grid_reference" 100 1 2>/dev/null)
corner=$("${run[@]}" --every 10 -o - | tail -1 | cut -d, -f2)
judge grid difference "$(awk -v a="$corner" -v b="$theirs" 'BEGIN { printf "%.2g", (a > b ? a - b : b - a) }')" 1e-4

# parse to first step: a run that is over after a few
first=$("$BUILD/wall" 3 "${run[@]}" --until 1e-9 | cut -d" " -f1)
hand='' solve='' whole=''
for _ in 1 2 3; do                           # in turns, so that a busy moment hits all alike
    hand=$(smaller "$hand" "$("$BUILD/grid_reference" 100 1 2>/dev/null | cut -d" " -f1)")
    solve=$(smaller "$solve" "$(ours simulate_ms)")
    whole=$(smaller "$whole" "$("$BUILD/wall" 1 "${run[@]}" --every 10 | cut -d" " -f1)")
done
echo "grid hand-written $hand ms, ours $solve ms, whole command $whole ms, first step after $first ms"
judge grid "seconds to first step" "$(ratio "$first" 1000)" 5
judge grid solve "$(ratio "$solve" "$hand")" 2
judge grid command "$(ratio "$whole" "$hand")" 3
echo "grid ratio $(ratio "$solve" "$hand")"
exit $missed
