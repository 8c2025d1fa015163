#!/usr/bin/env bash
# The mistakes people make and what they are told: NAME.orr is wrong, NAME.expected is every word of the answer, with the
# status the program ended with. A person has read each and found that it names the culprit and the repair.
#
#     ORRERY_UPDATE=1 writes the answers anew; read what changed.
#
# The first line of a model may be the command: `# run --set k=2`; otherwise it is checked.
. "$(dirname "$0")/../common/shell.sh"
here=$root/tests/diagnosis

for model in "$here"/*.orr; do
    name=$(basename "$model" .orr)
    cp "$model" .
    arguments=(check)
    case $(head -n 1 "$model") in
        '# run'* | '# test'*) read -r -a arguments < <(head -n 1 "$model" | cut -c 3-) ;;
    esac
    run "${arguments[0]}" "$name.orr" "${arguments[@]:1}"
    # results are not what this is about, and times vary
    { printf 'status %s\n' "$status"; cat err; } >answer
    if [[ -n ${ORRERY_UPDATE:-} ]]; then
        cmp -s answer "$here/$name.expected" || { cp answer "$here/$name.expected" && echo "changed: $name.expected"; }
    fi
    check
    [[ -f $here/$name.expected ]] || { fail "there is no $name.expected"; continue; }
    difference=$(diff -u "$here/$name.expected" answer) || { command= fail "$name is answered in other words:
$difference"; }
    # whoever made the mistake learns of it, and can ask for more
    while read -r code; do
        check
        "$ORRERY" explain "$code" >/dev/null 2>&1 || fail "'explain' does not know $code"
    done < <(grep -oE '(error|warning) [EW][0-9]+' err | cut -d ' ' -f 2 | sort -u)
done
finish
