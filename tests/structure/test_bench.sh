#!/usr/bin/env bash
# The benchmarks: each is listed and documented, options are checked, and figures get into the history and onto its page.
set -euo pipefail
cd "${ORRERY_SOURCE_DIR:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf '%s\n' "$*" >&2; exit 1; }

listed=$(bench/run)
for file in bench/*.sh; do
    name=$(basename "$file" .sh)
    bash -n "$file"
    [ "$name" = common ] && continue
    grep -qE "^  $name +[^ ]" <<<"$listed" || fail "bench/run does not list $name with a line about it"
    grep -q "\`$name\`" bench/README.md || fail "bench/README.md does not mention $name"
    grep -q "^echo \"$name ratio" "$file" || fail "$file does not end with '$name ratio R'"
done
for wrong in nothing --nothing common --program; do
    status=0
    bench/run "$wrong" >/dev/null 2>"$work/told" || status=$?
    [ $status -eq 2 ] || fail "bench/run $wrong: status $status"
    [ -s "$work/told" ] || fail "bench/run $wrong: nothing is said"
done

# figures that are judged: kept, and missed ones told
cat >"$work/judged.sh" <<'END'
. bench/common.sh
judge demo "time, of <all>" 1.5 2
judge demo other 3 2
judge_at_least demo speed 8 8
judge demo nothing "" 2
exit $missed
END
status=0
BENCH_RECORD=$work/record.csv bash "$work/judged.sh" >"$work/said" || status=$?
[ $status -eq 1 ] || fail "a missed goal: status $status"
[ "$(grep -c MISSED "$work/said")" -eq 2 ] || fail "of four figures two miss their goals: $(cat "$work/said")"

export ORRERY_BENCH_RESULTS=$work/results.csv
bench/history/add "$work/record.csv"
sed -i 's/,1.5,/,1.25,/' "$work/record.csv"
bench/history/add "$work/record.csv"
[ "$(wc -l <"$work/results.csv")" -eq 9 ] || fail "a heading and two times four figures were expected"
grep -qE '^[0-9T:Z-]+,[0-9a-z]+\+?,[^,]+,demo,time; of <all>,1.25,most,2$' "$work/results.csv" || fail "$(cat "$work/results.csv")"
page=$work/page.html
grep -q 'time, of &lt;all&gt;: <b>1.25</b>' "$page" || fail "the page does not show the latest value"
grep -q 'class="missed">missed' "$page" || fail "the page does not show what missed its goal"
[ "$(grep -o '<svg' "$page" | wc -l)" -eq "$(grep -o '</svg>' "$page" | wc -l)" ] || fail "an unfinished diagram"
[ "$(grep -o '<circle' "$page" | wc -l)" -eq 8 ] || fail "a point for each figure was expected"
! grep -qE 'https?:|src=|<script|<link' "$page" || fail "the page needs something else"
echo "benchmarks: listed, documented, recorded"
