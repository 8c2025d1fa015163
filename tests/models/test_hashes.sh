#!/usr/bin/env bash
# Results are what they were: one run in twenty of all that tests/models/hashes.csv lists, with ORRERY_LONG all of them.
# A difference is a mistake, or a change that is meant: then `tools/hashes --update` stores it with the code.
. "$(dirname "$0")/../common/shell.sh"
how=(--short)
[[ -z ${ORRERY_LONG:-} ]] || how=()
check
"$root/tools/hashes" --check "${how[@]}" --jobs 1 >found 2>&1 || fail "$(head -c 3000 found)"
check
grep -qE '^[1-9][0-9]+ results' found || fail "nothing was compared: $(head -c 300 found)"
# a wrong line is noticed, and one that is missing is counted
"$root/tools/hashes" --only 'examples/ball.orr,fall,(rk4|heun),instant' >two.csv
expect_equal "$(wc -l <two.csv)" 2
HASHES=$work/two.csv "$root/tools/hashes" --check --only 'ball.orr,fall,(rk4|heun),instant' >found || fail "the same is not the same: $(<found)"
sed -i '1s/.$/-/; 2d' two.csv
HASHES=$work/two.csv "$root/tools/hashes" --check --only 'ball.orr,fall,(rk4|heun),instant' >found 2>&1 && fail "other hashes pass"
expect_equal "$(grep -c '^examples/ball.orr' found)" 1
expect_equal "$(grep -c '^1 are not stored' found)" 1
finish
