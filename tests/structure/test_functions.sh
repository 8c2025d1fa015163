#!/usr/bin/env bash
# Every function of src/expr/ops.def stands in the table of docs/language.md, and is a case of tests/models/values.orr or
# of the cases of the language.
. "$(dirname "$0")/../common/shell.sh"
n=0
while read -r name; do
    n=$((n + 1)) checks=$((checks + 1))
    grep -qE "^\|.*\`$name\(" "$root/docs/language.md" || fail "docs/language.md does not list $name"
    grep -qE "\b$name\(" "$root/tests/models/values.orr" "$root/tests/flat/expressions.cases" || fail "no test calls $name"
done < <(sed -nE 's/^FN\([A-Z0-9]+, *[12], "([a-z0-9]+)".*/\1/p' "$root/src/expr/ops.def")
((n >= 30)) || fail "only $n functions found"
finish
