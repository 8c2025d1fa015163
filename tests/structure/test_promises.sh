#!/usr/bin/env bash
# The table of constructs and solvers in docs/semantics.md has no empty cell, and each cell names a test that exists: a test, a
# construct of the manufactured models, or an experiment.
. "$(dirname "$0")/../common/shell.sh"

exists() {
    local name=$1 file
    if [[ $name == manufactured:* ]]; then
        grep -qF "{ \"${name#*:}\"," "$root/tests/manufactured/constructs.c"
    elif [[ $name == *:* ]]; then
        for file in "$root/tests/models/${name%:*}.orr" "$root/examples/${name%:*}.orr"; do
            [[ -f $file ]] && grep -qE "^experiment ${name#*:} " "$file" && return
        done
        return 1
    else
        [[ -f $root/tests/${name%/*}/test_${name##*/}.sh || -f $root/tests/${name%/*}/test_${name##*/}.c ]]
    fi
}

n_rows=0 n_columns=0
while IFS= read -r line; do
    cells=${line#|}
    cells=${cells%|}
    IFS='|' read -ra row <<<"$cells"
    ((n_columns)) || n_columns=${#row[@]}
    [[ ${row[0]} == *---* || ${row[0]} == ' construct ' ]] && continue
    n_rows=$((n_rows + 1))
    check
    ((${#row[@]} == n_columns)) || fail "${row[0]}: ${#row[@]} cells, not $n_columns"
    for ((i = 0; i < ${#row[@]}; i++)); do
        [[ -n ${row[i]// /} ]] || fail "${row[0]}: cell $i is empty"
        ((i == 0)) && continue
        names=$(grep -oE '\[[a-z_]+[:/][a-z_0-9/]+\]' <<<"${row[i]}" | tr -d '[]')
        [[ -n $names ]] || fail "${row[0]}: cell $i names no test"
        for name in $names; do exists "$name" || fail "${row[0]}: there is no test $name"; done
    done
done < <(sed -n '/^## Constructs and solvers/,/^## /p' "$root/docs/semantics.md" | grep '^|')
((n_rows >= 15)) || fail "only $n_rows rows found"
finish
