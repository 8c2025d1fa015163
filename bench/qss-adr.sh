#!/usr/bin/env bash
# advection, diffusion and reaction in 1000 cells, LIQSS2 against our own BDF
. "$BENCH/common.sh"
model=$BUILD/front.orr
sed "/^  plot/d" "$ROOT/examples/front.orr" >"$model"    # its plot names cells that shorter fronts do not have
ours() {    # ours KEY SOLVER N OPTIONS…
    stat_of "$1" "$ORRERY" run "$model" front --solver "$2" --set N="$3" --record "u[$3]" --tol 1e-3 --abs 1e-3 --quiet --stats \
        "${@:4}"
}
declare -A ms
for _ in $(seq 8); do
    for n in 250 500 1000; do
        for solver in liqss2 bdf; do
            ms[$solver,$n]=$(smaller "${ms[$solver,$n]:-}" "$(ours simulate_ms "$solver" "$n")")
        done
    done
done
power() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", log(b / a) / log(4) }'; }    # of N, from 250 to 1000
steps=$(ours steps liqss2 1000)
"$ORRERY" run "$model" front --set N=1000 --tol 1e-3 --abs 1e-3 --every 0.0005 --record 'u[1000]' -o "$BUILD/front.csv" --quiet
crossing=$(awk -F, 'NR > 2 && p < 0.5 && $2 >= 0.5 { printf "%.6f", t + (0.5 - p)/($2 - p)*($1 - t); exit } { p = $2; t = $1 }' "$BUILD/front.csv")
each=$(awk -v a="${ms[liqss2,1000]}" -v n="$steps" 'BEGIN { printf "%.0f", a * 1e6 / n }')
echo "qss-adr liqss2 ${ms[liqss2,1000]} ms, $steps steps, crossing at $crossing (0.686016); bdf ${ms[bdf,1000]} ms;" \
    "powers of N: liqss2 $(power "${ms[liqss2,250]}" "${ms[liqss2,1000]}"), bdf $(power "${ms[bdf,250]}" "${ms[bdf,1000]}")"
judge qss-adr 'ns a step' "$each" 250
judge qss-adr 'crossing off by' "$(awk -v a="$crossing" 'BEGIN { d = a - 0.686016; print d < 0 ? -d : d }')" 1e-3
judge qss-adr 'liqss2/bdf' "$(ratio "${ms[liqss2,1000]}" "${ms[bdf,1000]}")" 0.25
judge qss-adr 'power of N' "$(power "${ms[liqss2,250]}" "${ms[liqss2,1000]}")" 1.15
echo "qss-adr ratio $(ratio "${ms[liqss2,1000]}" "${ms[bdf,1000]}")"
exit $missed
