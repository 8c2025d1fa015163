#!/usr/bin/env bash
# Tables whose points are in files: where they may lie, what they may look like, and what is told if they are wrong.
. "$(dirname "$0")/../common/shell.sh"

mkdir -p model/data model/parts
cd model || exit 1
printf 'speed [km/h],force,other\n0,0,9\n36,10,9\n72,40,9\n' >data/drag.csv
printf 'x;z\n0;0,5\n1;1,5\n' >parts/comma.csv
printf '# a grid\nn,0,1,2\n0,0,0,0\n1,0,1,2\n3,0,3,6\n' >data/product.csv
printf 'a,b,c\n3,2,6\n0,0,0\n0,2,0\n3,0,0\n3,1,3\n0,1,0\n1,0,0\n1,1,1\n1,2,2\n' >data/list.csv

# model <table line>: one that calls it; the value of f at its arguments
model() {
    printf '%s\nmodel M\n  output y = %s\nend\nexperiment e of M\n  until 1\nend\n' "$1" "$2" >m.orr
}
answer() { run run m.orr --every 1 -o - --quiet; value out y; }

model 'table f(v [m/s]) [N] from "data/drag.csv" columns "speed", "force" linear' 'f(15 [m/s])'
expect_near "$(answer)" 25 1e-12 'in the units of the table'
expect_quiet
model 'table f(v) from "data/drag.csv" columns "speed", "force" linear' 'f(54 [km/h])'
expect_near "$(answer)" 25 1e-12 'in the units of the file'
expect_quiet
model 'table f(v) from "data/drag.csv" columns "speed", "force" linear' 'f(15 [m/s])'
run check m.orr
expect_status 1
expect_code E125
model 'table f(v [kg]) from "data/drag.csv" columns "speed", "force" linear' 'f(1)'
run check m.orr
expect_status 1
expect_err "column 'speed' of the file is in km/h"
model 'table f(x, y) from "data/product.csv" linear' 'f(2, 1.5)'
expect_near "$(answer)" 3 1e-12 'a grid'
model 'table f(x, y) from "data/list.csv" columns "a", "b", "c" cubic' 'f(2, 1.5)'
expect_near "$(answer)" 3 1e-12 'a list'

# a table of a file that is used is looked for beside that file
printf 'table g(x) from "comma.csv"\n' >parts/g.orr
model 'use "parts/g.orr"' 'g(0.5)'
expect_near "$(answer)" 1 0 'beside the file that has it'
cd ..
run run model/m.orr --every 1 -o - --quiet
expect_near "$(value out y)" 1 0 'from another folder'
cd model || exit 1

# ---- wrong
refuses() {    # refuses CODE WORDS TABLE
    model "$3" 'f(1)'
    run check m.orr
    expect_status 1
    expect_code "$1"
    expect_err "$2"
}
refuses E127 "did you mean 'speed'?" 'table f(v) from "data/drag.csv" columns "sped", "force"'
refuses E127 "there are 'speed', 'force', 'other'" 'table f(v) from "data/drag.csv" columns "temperature", "force"'
refuses E127 'has 3 columns' 'table f(v) from "data/drag.csv"'
refuses E204 'two columns' 'table f(v) from "data/drag.csv" columns "speed"'
refuses E001 "table 'f' reads it" 'table f(v) from "none.csv"'
printf 'x,y\n0,1\n1,\n2,3\n' >bad.csv
refuses E127 "column 'y' has no number in row 2" 'table f(x) from "bad.csv"'
printf 'x,y\n0,1\n1,abc\n2,3\n' >bad.csv
run check m.orr
expect_status 1
printf 'x,y\n0,1\n1,nan\n' >bad.csv
refuses E127 'no number in row 2' 'table f(x) from "bad.csv"'
printf 'x,y\n' >bad.csv
refuses E127 'no rows' 'table f(x) from "bad.csv"'
printf 'x,y\n0,1\n2,1\n1,1\n' >bad.csv
refuses E127 'must ascend, but 1 follows 2' 'table f(x) from "bad.csv"'
printf 'x,y\n0,1\n1,1\n1,1\n' >bad.csv
refuses E127 'occurs twice' 'table f(x) from "bad.csv"'
printf 'x,a,b\n0,1,2\n1,1,2\n' >bad.csv
refuses E127 "'a' in the header" 'table f(x, y) from "bad.csv"'
printf 'x,y,z\n0,0,1\n0,1,2\n1,0,3\n' >bad.csv
refuses E127 'the point (1, 1) is not in' 'table f(x, y) from "bad.csv" columns "x", "y", "z"'
printf 'x,y,z\n0,0,1\n0,1,2\n1,0,3\n1,0,4\n1,1,0\n' >bad.csv
refuses E127 'is twice in' 'table f(x, y) from "bad.csv" columns "x", "y", "z"'
awk 'BEGIN { print "x,y,z"; for (i = 0; i < 200; i++) printf "%d,%d,1\n", i, 7*i }' >bad.csv
refuses E127 'are not a grid' 'table f(x, y) from "bad.csv" columns "x", "y", "z"'

# outside of the folder, by name or by a link
printf 'x,y\n0,1\n1,2\n' >../secret.csv
refuses E009 'outside the folder' 'table f(x) from "../secret.csv"'
refuses E009 'outside the folder' "table f(x) from \"$work/secret.csv\""
ln -s ../secret.csv link.csv
refuses E009 'outside the folder' 'table f(x) from "link.csv"'

# a long table is data: the program that is compiled does not grow with it
awk 'BEGIN { print "x,y"; for (i = 0; i <= 200000; i++) printf "%d,%d\n", i, i%7 }' >data/long.csv
model 'table f(x) from "data/long.csv" linear' 'f(100000.5 + t)'
expect_near "$(answer)" 3 1e-9 'of 200001 points'
run show --stage c m.orr
((${#out} < 30000)) || fail "the generated code has ${#out} characters"

# samples: draws lie between the measurements, which the header says are in seconds, and have their mean
printf 'who,wait [s]\n1,60\n2,120\n3,30\n' >data/waits.csv
cat >m.orr <<'END'
samples Waits [min] from "data/waits.csv" column "wait"
model M
  discrete n = 0, sum = 0, least = 9, most = 0, x = 1
  every 1 then
    x := empirical(Waits)
    n := n + 1
    sum := sum + x
    least := min(least, x)
    most := max(most, x)
  end
end
experiment e of M
  until 4000.5
  record n, sum, least, most
end
END
run run m.orr e -o out.csv
expect_status 0
IFS=, read -r _ n sum least most < <(tail -n 1 out.csv)
expect_near "$n" 4000 0
# half between 0.5 and 1, half between 1 and 2
expect_near "$(awk "BEGIN { print $sum/$n }")" 1.125 0.025
expect_near "$least" 0.5 0.01
expect_near "$most" 2 0.01
draws() {
    printf '%s\nmodel M\n  param k ~ empirical(Waits)\n  output y = k\nend\n' "$1" >m.orr
}
draws 'samples Waits from "data/waits.csv"'
run check m.orr
expect_status 1
expect_err 'E127'
expect_err 'say which: from "data/waits.csv" column'
draws 'samples Waits from "data/waits.csv" column "wiat"'
run check m.orr
expect_status 1
expect_err "did you mean 'wait'"
draws 'samples Wait from "data/waits.csv" column "wait"'
run check m.orr
expect_status 1
expect_err "did you mean 'Wait'"
draws 'samples Waits [kg] from "data/waits.csv" column "wait"'
run check m.orr
expect_status 1
finish
