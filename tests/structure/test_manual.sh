#!/usr/bin/env bash
# The manual page has a section for every command of the program with just the options of that command, and the completion
# offers what the program says.
set -euo pipefail
cd "$ORRERY_SOURCE_DIR"
[[ -n ${ORRERY:-} && -x $ORRERY ]] || { echo "no program built"; exit 1; }

bad=0
fail() { printf 'FAILED: %s\n' "$*"; bad=1; }

tools/manual --check || fail "the manual page is not that of the program"
# every command and every option stands there, also those of parts
"$ORRERY" --complete | while read -r command; do
    parts=$("$ORRERY" --complete "$command" | grep -v '^-' || true)
    if [[ -n $parts ]]; then sed "s/^/$command /" <<<"$parts"; else echo "$command"; fi
done | while read -r command; do
    text=$(awk -v c=".SS $command " '/^\.S[SH]/ { on = index($0 " ", c) == 1 } on' docs/orrery.1 | sed 's/\\-/-/g')
    [[ -n $text ]] || fail "'$command' is not in the manual page"
    # shellcheck disable=SC2086
    for option in $("$ORRERY" --complete $command | grep -v -x -e --help); do
        grep -qE "^\.BI? $option( |$)" <<<"$text" || fail "option '$option' of '$command'"
    done
    ((bad == 0))
done || bad=1
version=$("$ORRERY" --version)
grep -q "Orrery ${version##* }" docs/orrery.1 || fail "the manual page is not that of ${version##* }"

# completion, as bash would call it
PATH=$(dirname "$ORRERY"):$PATH
# shellcheck source=tools/completion/orrery.bash
source tools/completion/orrery.bash
complete_line() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=(); _orrery; printf '%s\n' "${COMPREPLY[@]}"; }
[[ $(complete_line orrery chec) == check ]] || fail "completion of 'orrery chec'"
complete_line orrery run -- | grep -x -e --until >/dev/null || fail "completion of 'orrery run --'"
complete_line orrery run x.orr --solver r | grep -x rk4 >/dev/null || fail "completion of '--solver r'"
complete_line orrery show --stage f | grep -x flat >/dev/null || fail "completion of '--stage f'"
complete_line orrery machine be | grep -x behave >/dev/null || fail "completion of 'orrery machine be'"
complete_line orrery machine behave --st | grep -x -e --steps >/dev/null || fail "completion of 'orrery machine behave --st'"

((bad == 0)) && echo "manual page and completion agree with the program"
exit $bad
