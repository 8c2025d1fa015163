#!/bin/bash
# tests/security/test_forge_the_terminal.sh: a model from a stranger wants to move the cursor, change the terminal or
# turn the direction of text, by its names and descriptions.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
esc=$'\e' csi=$'\u009b' over=$'\u202e' iso=$'\u2066' bell=$'\a' bad=$'\x9b'
for mark in "$esc[2J$esc]0;owned$bell" "$csi[31m" "$over" "$iso" $'\u200f' $'\u061c' $'\b\b\b' $'\u2028'; do
    printf 'model M "d%s"\n  var "x%s" = 1 "d%s"\n  "x%s"'"'"' = -"x%s"\nend\nexperiment e of M "d%s"\n  until 1\n  plot "x%s"\n  expect "x%s" at 1 = 9 within 1\nend\n' \
        "$mark" "$mark" "$mark" "$mark" "$mark" "$mark" "$mark" "$mark" >m.orr
    printf 'state,a,out\ns%s,t%s,o%s\nt%s,s%s,o%s\n' "$mark" "$mark" "$mark" "$mark" "$mark" "$mark" >c.csv
    printf 't,x%s\n0,1\n1,2\n' "$mark" >d.csv
    for arguments in "check m.orr" "run m.orr" "run m.orr --plot" "test m.orr" "steady m.orr" "compare m.orr" "linearise m.orr" "machine show c.csv" \
        "machine show c.csv --table" "run c.csv --inputs a,a" "plot d.csv" "new n.orr --from d.csv --force"; do
        # shellcheck disable=SC2086
        run $arguments
        check
        LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' out err && fail "a control character reaches the terminal: $arguments"
        grep -qP '[\x{80}-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]' out err &&
            fail "a mark reaches the terminal: $arguments"
        iconv -f UTF-8 -t UTF-8 out >/dev/null 2>&1 || fail "what is printed is no UTF-8: $arguments"
    done
done
# the rest of a text is printed as it is, over the limits of buffers too
python3 - <<'P' || exit 77
open("long.orr", "w").write("model M\n" + "".join(f'  param p{i} = 1 "{"äöü€𝄞" * 20}"\n' for i in range(2000)) + "  x = 1\nend\n")
P
run check long.orr
expect_status 0
expect_no_out '?'
# rows to a terminal
printf 'model M\n  var "x\e[2J" = 1\n  "x\e[2J"'"'"' = 0\nend\n' >m.orr
if command -v script >/dev/null; then
    script -qec "$ORRERY run m.orr --until 1 -o -" typed >/dev/null 2>&1 </dev/null
    check
    grep -aq $'x\e' typed && fail "rows on a terminal have control characters"
    grep -aq 'x?' typed || fail "no rows on the terminal"
    # what is data for a program is text for people where it is shown to them
    for arguments in "show m.orr" "show m.orr --stage flat" "export m.orr --csmp -"; do
        script -qec "$ORRERY $arguments" typed >/dev/null 2>&1 </dev/null
        check
        grep -aq $'x\e' typed && fail "a terminal gets control characters: $arguments"
    done
    run show m.orr
    expect_out $'x\e[2J'
fi
finish
