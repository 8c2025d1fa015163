#!/usr/bin/env bash
# RK4 and QSS2 with nothing observed, in memory and in a file every 0.01: beside VLE 2.1 and hand-written C
. "$BENCH/common.sh"
reference lv_reference
reference qss_lv_reference
model=$BUILD/lv.orr
cp "$ROOT/examples/lotka_volterra.orr" "$model"
ours() { stat_of simulate_ms "$ORRERY" run "$model" "$@" --quiet --stats; }
declare -A best
keep() { best[$1]=$(smaller "${best[$1]:-}" "$2"); }
for _ in 1 2 3 4 5; do
    keep rk4-none "$(ours long --every 1500)"
    keep rk4-memory "$(ours long --plot "$BUILD/plot.svg")"
    keep rk4-file "$(ours long -o "$BUILD/rows.csv")"
    keep rk4-c "$("$BUILD/lv_reference" 1 2>/dev/null)"
    keep rk4-cmemory "$("$BUILD/lv_reference" 1 memory 2>/dev/null)"
    keep rk4-cfile "$("$BUILD/lv_reference" 1 "$BUILD/rows.csv" 2>/dev/null)"
    keep qss2-none "$(ours quantised)"
    keep qss2-memory "$(ours quantised --every 0.01 --plot "$BUILD/plot.svg")"
    keep qss2-file "$(ours quantised --every 0.01 -o "$BUILD/rows.csv")"
    keep qss2-c "$("$BUILD/qss_lv_reference" 1 2>/dev/null)"
    keep qss2-cmemory "$("$BUILD/qss_lv_reference" 1 memory 2>/dev/null)"
    keep qss2-cfile "$("$BUILD/qss_lv_reference" 1 "$BUILD/rows.csv" 2>/dev/null)"
done
row() { printf 'vle-table %-28s %10s %10s %10s\n' "$@"; }
row 'ms' 'none' 'memory' 'file'
row 'RK4, Orrery' "${best[rk4-none]}" "${best[rk4-memory]}" "${best[rk4-file]}"
row 'RK4, hand-written C' "${best[rk4-c]}" "${best[rk4-cmemory]}" "${best[rk4-cfile]}"
row 'RK4, VLE 2.1 as measured' 43 217 339
row 'QSS2, Orrery' "${best[qss2-none]}" "${best[qss2-memory]}" "${best[qss2-file]}"
row 'QSS2, hand-written C' "${best[qss2-c]}" "${best[qss2-cmemory]}" "${best[qss2-cfile]}"
row 'QSS2, VLE 2.1 as measured' 125 319 422
judge vle-table 'RK4, none, beside VLE' "$(ratio "${best[rk4-none]}" 43)" 1
judge vle-table 'RK4, memory, beside VLE' "$(ratio "${best[rk4-memory]}" 217)" 1
judge vle-table 'RK4, file, beside VLE' "$(ratio "${best[rk4-file]}" 339)" 1
judge vle-table 'QSS2, none, beside VLE' "$(ratio "${best[qss2-none]}" 125)" 1
judge vle-table 'QSS2, memory, beside VLE' "$(ratio "${best[qss2-memory]}" 319)" 1
judge vle-table 'QSS2, file, beside VLE' "$(ratio "${best[qss2-file]}" 422)" 1
echo "vle-table ratio $(ratio "${best[qss2-none]}" 125)"
exit $missed
