#!/usr/bin/env bash
# Every expectation written in the examples and in the models beside this file holds, with code of either compiler; and the
# program can tell when one does not.
. "$(dirname "$0")/../common/shell.sh"

files=("$root"/examples/*.orr "$root"/tests/models/*.orr)
wanted=$(cat "${files[@]}" | grep -cE '^ *expect ')
for code in instant native; do
    passed=0
    for ((i = 0; i < ${#files[@]}; i += 15)); do    # so that no command takes long, even where a compiler is slow
        run test --code $code --quiet "${files[@]:i:15}"
        expect_status 0
        expect_out ' passed, 0 failed'
        passed=$((passed + ${out%% *}))
    done
    expect_equal $passed "$wanted" "expectations met, and written: one verdict for each line"
done

# the same with every expected value a little off: none may hold
cp -r "$root"/examples/lib "$root"/examples/data "$root"/tests/models/*.csv .
for file in "${files[@]}"; do
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
