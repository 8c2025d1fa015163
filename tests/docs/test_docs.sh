#!/usr/bin/env bash
# What the documents show works as it stands: every block of the language is compiled, its experiments are run and its
# expectations hold; every diagram runs; every command line of the first page and the guide ends with 0.
. "$(dirname "$0")/../common/shell.sh"

# a copy of the tree as the documents see it, with a launcher that starts the program under test
mkdir -p tree/docs
cp -r "$root/examples" tree
cp "$root/README.md" tree
cp "$root"/docs/*.md tree/docs
printf '#!/bin/sh\nexec "%s" "$@"\n' "$ORRERY" >tree/orrery
chmod +x tree/orrery
cd tree || exit 1

# blocks <language> <file>: each fenced block of that language into a file block-<line>.<language>, whose names are printed
blocks() {
    awk -v language="$1" '
        /^```/ && !inside { inside = 1; take = $0 == "```" language; name = sprintf("block-%d.%s", NR + 1, language); if (take) print name; next }
        /^```/ { inside = 0; close(name); next }
        inside && take { print >name }' "$2"
}

n_blocks=0 n_commands=0
for document in README.md docs/*.md; do
    while read -r file; do
        n_blocks=$((n_blocks + 1))
        mv "$file" "$file.orr"
        where="$document:${file//[^0-9]/}"
        run check "$file.orr"
        [[ $status == 0 ]] || { run check "$file.orr" --model "$(sed -nE 's/^model ([A-Za-z]+).*/\1/p' "$file.orr" | tail -n 1)"; }
        expect_status 0
        expect_no_err 'error'
        run test "$file.orr"
        expect_status 0
        while read -r experiment; do
            run run "$file.orr" "$experiment" --quiet
            expect_status 0
            expect_quiet
        done < <(sed -nE 's/^experiment ([A-Za-z_0-9]+) .*/\1/p' "$file.orr")
        ((failures == 0)) || { echo "  in $where"; break 2; }
    done < <(blocks orrery "$document")
done
command=

# ---- The command lines, in order, in one folder: some need what others wrote
for document in README.md docs/guide.md; do
    while read -r file; do
        while IFS= read -r line; do
            [[ $line == ./orrery* ]] || continue
            n_commands=$((n_commands + 1))
            check
            timeout "$patience" bash -o pipefail -c "$line" >out 2>err </dev/null
            status=$? command="$document: $line" out=$(head -c 2000 out) err=$(<err)
            # a reader that stops early, as head does, is fine
            [[ $status == 0 || ($status == 141 && $line == *head*) ]] || fail "the status is not 0"
            expect_no_err 'error'
        done <"$file"
    done < <(blocks sh "$document")
done
# indented commands of the other documents
while IFS= read -r line; do
    n_commands=$((n_commands + 1))
    check
    timeout "$patience" bash -c "$line" >out 2>err </dev/null
    status=$? command="docs: $line" out=$(head -c 2000 out) err=$(<err)
    [[ $status == 0 ]] || fail "the status is not 0"
done < <(sed -nE 's/^    (\.\/orrery .*)/\1/p' docs/*.md)

# ---- The examples of --help
while IFS= read -r line; do
    n_commands=$((n_commands + 1))
    printf 't,x,v\n0,1,2\n1,2,3\n' >measured.csv
    cp measured.csv results.csv
    rm -f spring.orr
    [[ $line == *'check spring.orr'* ]] && ./orrery new spring.orr >/dev/null
    check
    timeout "$patience" bash -c "./${line#  }" >out 2>err </dev/null
    status=$? command="--help: $line" out=$(head -c 2000 out) err=$(<err)
    [[ $status == 0 ]] || fail "the status is not 0"
done < <({ ./orrery --help; for name in $(./orrery --complete); do ./orrery help "$name"; done; } | grep -E '^  orrery [a-z]+ ')

command=
((n_blocks >= 14)) || fail "only $n_blocks blocks were found"
((n_commands >= 20)) || fail "only $n_commands commands were found"
finish
