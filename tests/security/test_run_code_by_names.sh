#!/bin/bash
# tests/security/test_run_code_by_names.sh: a model from a stranger wants its names and descriptions to be carried
# out: by a spreadsheet, a shell, gnuplot, dot or a compiler of C.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
command -v python3 >/dev/null || exit 77
# names of all kinds of danger, and random ones made of their parts
python3 - <<'P'
import csv, random
random.seed(7)
fixed = ["=cmd|' /C touch X'!A0", "+1+x", "-x", "@SUM(1)", "'=x", "''+y", "$(touch X)", "`touch X`", "a\\b", "a,b", "#c",
         " d ", "<f>", "*/ system(0); /*", "??/", "'; system('touch X'); '", "%s%n", "\\", "\\n", "|touch X", "]]>", "&amp;",
         "{/Symbol a}", "@x", "a\\", "//", "} } }", "\\\" system(\\\"touch X\\\")"]
parts = ["`", "$(", ")", "touch X", "'", "\\", "\\n", ";", "|", "system(", "!", "{", "}", "%", "*/", "/*", "#", "<", ">", "&", " ", "=",
         "+", "-", "@", ",", "x", "\u00e4", "]", "[", "??/", "set output 'X'", "\t"]
names = list(dict.fromkeys(n.replace('"', '') for n in fixed)) + ["".join(random.choice(parts) for _ in range(random.randint(1, 9))) + str(i)
                                                 for i in range(40)]
names = [n for n in names if n.strip()]
open("names.txt", "w").write("\n".join(names) + "\n")
with open("m.orr", "w") as f:
    f.write("model M\n")
    for i, n in enumerate(names): f.write(f'  var "{n}"  "{n}"\n  "{n}" = {i} + t\n')
    f.write("end\nexperiment e of M\n  until 1\n  every 1\n  solver rk4 step 0.5\n  plot " + ", ".join(f'"{n}"' for n in names[:12]) + "\n")
    f.write("  record " + ", ".join(f'"{n}"' for n in names) + "\nend\n")
quoted = [f'"{n}"' for n in names]
def machine(path, inputs, states):
    with open(path, "w") as f:
        f.write("machine Names\n  input " + ", ".join(inputs) + "\n  start " + states[-1] + "\n")
        for i, q in enumerate(states):
            moves = [f"{u} -> {states[(i + k + 1) % len(states)]}" for k, u in enumerate(inputs)]
            f.write(f"  state {q} / {q} : " + ", ".join(moves) + "\n")
        f.write("end\n")
machine("states.orr", ["go", '"-x"'], quoted)
machine("inputs.orr", quoted, ["a", '"=b"'])
P
run check m.orr
expect_status 0
run run m.orr --quiet -o rows.csv --plot p.svg
expect_status 0
run run m.orr --quiet --plot '|touch X;#.svg'
expect_status 0
expect_file '|touch X;#.svg'
run plot rows.csv -o q.svg
expect_no_file X
# the names are read back by a reader of CSV that is not ours; no cell is a formula
python3 - <<'P' || fail "the names are not what stands in the CSV file"
import csv, re
names = open("names.txt").read().split("\n")[:-1]
header = next(csv.reader(open("rows.csv", newline="")))[1:]
assert len(header) == len(names), (len(header), len(names))
for cell, name in zip(header, names):
    assert not re.match(r"[=+\-@\t\r]", cell), cell
    assert cell == name or cell == "'" + name, (cell, name)
P
# machines: their tables are no formulas, their drawings are data for dot; both come back as the same machine
for machine in states inputs; do
    for form in csv dot; do
        run machine show $machine.orr -o $machine.$form
        expect_status 0
        run machine compare $machine.orr $machine.$form
        expect_status 0
        expect_out equivalent
        run machine show $machine.$form --json
        cp out $form.json
    done
    python3 - $machine <<'P' || fail "the names of $machine are not what stands in its files"
import csv, json, re, sys
names = open("names.txt").read().split("\n")[:-1]
for form in "csv", "dot":
    found = json.load(open(form + ".json"))[sys.argv[1]]
    assert sorted(found) == sorted(names), (form, set(found) ^ set(names))
rows = list(csv.reader(open(sys.argv[1] + ".csv", newline="")))
for row in rows:
    for cell in row: assert not re.match(r"[=+@\t\r]|-[^>]", cell), cell
plain = lambda cell: re.sub(r"^'(?='*[=+\-@\t\r])", "", re.sub("^-> ", "", cell))
cells = rows[0][1:-1] if sys.argv[1] == "inputs" else [r[0] for r in rows[1:]]
assert [plain(c) for c in cells] == names
P
    command -v dot >/dev/null || continue
    run machine show $machine.orr -o $machine.svg
    expect_status 0
    # another reader of XML finds each name as text, and nothing but text
    python3 - $machine.svg <<'P' || fail "the drawing is not what the names say"
import sys, xml.etree.ElementTree as E
names = open("names.txt").read().split("\n")[:-1]
root = E.parse(sys.argv[1]).getroot()
squeeze = lambda s: "".join(s.split())
texts = {squeeze("".join(t.itertext())) for t in root.iter() if t.tag.endswith("}text")}
tags = {t.tag.split("}")[1] for t in root.iter()}
assert tags <= {"svg", "g", "title", "text", "path", "polygon", "polyline", "ellipse"}, tags
missing = [n for n in names if squeeze(n) not in texts and n != "&amp;"]    # drawn as &
assert not missing, missing
P
done
run run states.orr --from '+1+x' --inputs '"-x","-x","-x","-x"' -o states.csv
expect_status 0
expect_no_file X
check
grep -qE '(^|,)"?[=+@]' states.csv && fail "a state is a formula"
# exported C is a program of ours, whatever is called how
run export --c exported m.orr
expect_status 0
check
(cd exported && make >/dev/null 2>make.log && ./m >rows.csv 2>run.log) || (cd exported && cc -std=c99 -o m ./*.c -lm 2>>make.log && ./m >rows.csv 2>run.log) || fail "the exported program: $(head -c 300 exported/make.log)"
expect_no_file X
expect_no_file exported/X
check
cmp -s <(head -n 1 rows.csv) <(head -n 1 exported/rows.csv) || fail "the header of the exported program differs"
finish
