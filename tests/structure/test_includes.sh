#!/usr/bin/env bash
# Includes point one way: a stage sees itself, what the table of stages in CMakeLists.txt gives it, the public headers and
# the system; a program sees the public headers only. A wish for an exception shows a missing structure.
set -euo pipefail
cd "${ORRERY_SOURCE_DIR:-$(dirname "$0")/../..}"

bad=0
report() { printf '%s\n' "$*"; bad=1; }

declare -A uses
stages=()
while read -r name rest; do
    stages+=("$name")
    uses[$name]=$rest
done < <(sed -nE 's/^orrery_stage\(([a-z]+) *([A-Za-z ]*)\).*/\1 \2/p' CMakeLists.txt)
((${#stages[@]} > 10)) || report "CMakeLists.txt: the table of stages could not be read"

# includes <paths>: lines file:line:header of the quoted includes
includes() {
    grep -rnE --include='*.[ch]' --include='*.def' --include='*.inc' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" 2>/dev/null |
        sed -E 's/^([^:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*"([^"]*)".*/\1:\2/'
}

# stage of a file: its folder in src/, or top
while IFS=: read -r file line header; do
    path=${file#src/}
    case $path in */*) stage=${path%%/*} ;; *) stage=top ;; esac
    if [[ -z ${uses[$stage]+known} ]]; then
        report "$file: '$stage' is not in the table of stages"
        continue
    fi
    case $header in
        orrery/* | include/orrery/*_text.h) continue ;;    # the second: a public header as text
        ../* | */../*) report "$file:$line: includes \"$header\" by a relative path"; continue ;;
        */*) seen=${header%%/*} ;;
        *) seen=top; [[ -e ${file%/*}/$header && $stage != top ]] && seen=$stage ;;
    esac
    [[ $seen == "$stage" ]] && continue
    [[ " ${uses[$stage]} " == *" $seen "* ]] && continue
    # every stage above the tools may use the tools
    [[ $seen =~ ^(base|num|expr)$ && ! $stage =~ ^(base|num|expr)$ ]] && continue
    report "$file:$line: stage '$stage' may not include \"$header\" ('$seen' is not among: ${uses[$stage]:-nothing})"
done < <(includes src)

while IFS=: read -r file line header; do
    [[ $header == orrery/* ]] || report "$file:$line: a public header includes \"$header\""
done < <(includes include)

while IFS=: read -r file line header; do
    [[ $header == orrery/* ]] && continue
    app=$(cut -d/ -f1,2 <<<"$file")
    [[ $header != *../* && ( -e $app/$header || -e ${file%/*}/$header ) ]] && continue
    report "$file:$line: a program may include orrery/ and its own headers, not \"$header\""
done < <(includes apps)

((bad == 0)) && echo "includes point one way"
exit $bad
