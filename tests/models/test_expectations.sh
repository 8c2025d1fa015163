#!/usr/bin/env bash
# Every expectation written in the examples and in the models beside this file holds, with code of either compiler; and the
# program can tell when one does not.
. "$(dirname "$0")/../common/shell.sh"

for code in instant native; do
    run test --code $code --quiet "$root"/examples/*.orr "$root"/tests/models/*.orr
    expect_status 0
    expect_out ' passed, 0 failed'
    # none was left out: one verdict for each line
    wanted=$(cat "$root"/examples/*.orr "$root"/tests/models/*.orr | grep -cE '^ *expect ')
    expect_equal "${out%% *}" "$wanted" "expectations met, and written"
done

# the same with every expected value a little off: none may hold
cp -r "$root"/examples/lib "$root"/examples/data .
for file in "$root"/examples/*.orr "$root"/tests/models/*.orr; do
    sed -E 's/^( *expect .*) within .*/\1 + 1e6 within 1e5/' "$file" >"$(basename "${file%/*}")_${file##*/}"
done
run test --quiet ./*.orr
expect_status 4
expect_out "0 passed, $wanted failed"
expect_equal "$(grep -c '^FAILED' <<<"$out")" "$wanted" 'each failure is told'
expect_no_err E413    # and told once

# nothing of them is declared in vain
for file in "$root"/examples/*.orr "$root"/examples/lib/*.orr; do
    run check "$file"
    expect_no_err W601
done
finish
