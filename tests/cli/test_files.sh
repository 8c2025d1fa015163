#!/usr/bin/env bash
# Commands that write files: new, fmt, export; and what happens when the disk is full or a folder may not be written.
. "$(dirname "$0")/../common/shell.sh"

# ---- new: a skeleton that runs, is tested and well formatted
run new decay.orr
expect_status 0
expect_out 'decay.orr written; now: orrery run decay.orr'
run run decay.orr
expect_status 0
run test decay.orr
expect_status 0
expect_out '1 passed, 0 failed'
run fmt --check decay.orr
expect_status 0
run check decay.orr
expect_out 'Decay: 1 state'
cp decay.orr before.orr
run new decay.orr
expect_status 3
expect_code E012
cmp decay.orr before.orr || fail "an existing file was changed"
echo broken >decay.orr
run new decay.orr --force
expect_status 0
cmp decay.orr before.orr || fail "--force did not replace the file"
run new decay
expect_status 2
expect_code E022
run new nowhere/decay.orr
expect_status 3
expect_code E010
for name in 'my model.orr' 1st.orr if.orr t.orr grün.orr; do
    run new "$name"
    expect_status 0
    run run "$name" --quiet
    expect_status 0
done

# ---- new --from: names, units, first values and times of a table, whatever they are called
cat >data.csv <<'END'
t [h],position [m],"speed, est.",t,if,größe,x [m],x [s],7up
1,1.5,2,3,4,5,6,7,abc
2,3,4,3,4,5,6,7,abc
5,,5,3,4,5,6,7,abc
END
run new measured.orr --from data.csv
expect_status 0
run fmt --check measured.orr
expect_status 0
expect_equal "$(grep -c '^  var ' measured.orr)" 8
grep -qF 'var position = 1.5 [m]' measured.orr || fail "name, first value and unit of a column"
grep -qF 'measured from 1.5 to 3' measured.orr || fail "range of a column"
grep -qF 'time [h]' measured.orr || fail "unit of time"
run run measured.orr -o m.csv --quiet
expect_status 0
expect_equal "$(sed -n 2p m.csv)" 1,1.5,2,3,4,5,6,7,0
expect_equal "$(tail -n 1 m.csv | cut -d, -f1)" 5
run new other.orr --from nothere.csv
expect_status 3
expect_code E001
expect_no_file other.orr
echo 't,x' >header.csv
run new other.orr --from header.csv
expect_status 3
expect_code E047
head -c 100000 /dev/urandom >random.csv
run new other.orr --from random.csv
expect_status 3
expect_no_file other.orr
printf 't,x\n1,2\n3\n' >ragged.csv
run new other.orr --from ragged.csv
expect_status 3
expect_code E041

# ---- fmt: in place, only when needed, never a broken file, nothing but layout
printf 'model   M\nparam a=1,b =2   # two\nx=a+b\nend' >messy.orr
cp messy.orr before.orr
run fmt --check messy.orr
expect_status 1
expect_out 'would change messy.orr'
cmp messy.orr before.orr || fail "--check changed the file"
run show --stage ast messy.orr
ast=$out
run fmt messy.orr decay.orr
expect_status 0
expect_out 'formatted messy.orr'
expect_no_out 'decay.orr'
expect_equal "$(<messy.orr)" $'model M\n  param a = 1, b = 2  # two\n  x = a+b\nend'
run show --stage ast messy.orr
expect_equal "$out" "$ast" "the tree before and after"
run fmt --check messy.orr
expect_status 0
"$ORRERY" fmt - <before.orr >piped.orr
cmp piped.orr messy.orr || fail "standard input is formatted in another way"
printf 'model M\n x = = 1\nend\n' >bad.orr
cp bad.orr before.orr
run fmt bad.orr messy.orr
expect_status 1
expect_code E204
cmp bad.orr before.orr || fail "a file with errors was changed"
run fmt nothere.orr
expect_status 1
expect_code E001
# everything we ship is formatted
run fmt --check "$root"/examples/*.orr "$root"/tests/models/*.orr
expect_status 0

# ---- export --csmp: the diagram gives the same numbers
# round_trip <file> <experiment> <options>: states by explicit Euler, in the model and in the exported blocks
round_trip() {
    local file=$1 experiment=$2 states
    shift 2
    run export --csmp "$file" "$experiment" -o exported.csmp
    expect_status 0
    # the comment of an integrator: name, unit, description
    states=$(sed -nE 's/^I, [0-9]+, [^;]*; (.*)/\1/p' exported.csmp | sed -E 's/( \[|, ).*//' | paste -sd,)
    run run "$file" "$experiment" --solver euler --record "$states" "$@" -o model.csv --quiet
    expect_status 0
    run run exported.csmp --solver euler --record "$(sed -nE 's/^I, ([0-9]+), .*/b\1/p' exported.csmp | paste -sd,)" "$@" -o blocks.csv --quiet
    expect_status 0
    # times and states; the diagram's own outputs follow
    local n
    n=$(head -n 1 <<<"$states" | tr , '\n' | wc -l)
    expect_equal "$(cut -d, -f "2-$((n + 1))" blocks.csv | tail -n +2 | md5sum)" \
        "$(cut -d, -f "2-$((n + 1))" model.csv | tail -n +2 | md5sum)" "numbers of the model and of its diagram, $file $experiment"
    check
    (($(wc -l <blocks.csv) > 5)) || fail "hardly any rows"
}
round_trip "$root/examples/lotka_volterra.orr" cycle --until 2 --step 0.001 --every 0.1
round_trip "$root/examples/seir.orr" euler --until 2 --step 0.01 --every 0.1
round_trip "$root/examples/lorenz.orr" butterfly --until 2 --step 0.001 --every 0.1
round_trip "$root/examples/mass_spring.orr" rough --until 2 --step 0.01 --every 0.1
round_trip "$root/examples/damped.orr" once --until 2 --step 0.01 --every 0.1
round_trip "$root/examples/cascade.orr" fill --until 2 --step 0.01 --every 0.1
round_trip "$root/examples/limits.orr" move --until 2 --step 0.01 --every 0.1
round_trip "$root/examples/heat.orr" cool --until 0.01 --step 0.0001 --every 0.001
round_trip "$root/examples/circle.csmp" csmp --until 2 --step 0.01 --every 0.1
round_trip "$root/examples/heater.csmp" csmp --until 50 --step 0.1 --every 1
run export --csmp "$root/examples/lotka_volterra.orr"
expect_status 0
expect_out '$endtime = 15'
run export "$root/examples/lotka_volterra.orr"
expect_status 2
expect_code E023
run export --csmp "$root/examples/two_roots.orr"
expect_status 1
expect_code E320
expect_err 'two_roots.orr:4:'
run export --csmp "$root/examples/two_roots.orr" -o none.csmp
expect_no_file none.csmp

# ---- A disk that is full, folders that are missing or may not be written
lv=$root/examples/lotka_volterra.orr
for target in /dev/full nowhere/x.csv .; do
    run run "$lv" -o $target
    expect_status 3
    expect_code E010
    expect_no_out ' rows in '
    run export --csmp "$lv" -o $target
    expect_status 3
    expect_code E010
done
for arguments in "run $lv" "check $lv" "show $lv" "explain" "solvers" "export --csmp $lv" "run $lv -o -" "test $lv"; do
    # shellcheck disable=SC2086
    "$ORRERY" $arguments >/dev/full 2>err
    status=$? command="$arguments >/dev/full" out= err=$(<err)
    expect_status 3
    expect_code E010
done
# a reader that goes away is no crash
"$ORRERY" run "$lv" long -o - 2>err | head -n 1 >/dev/null
status=${PIPESTATUS[0]}
check
[[ $status == 141 || $status == 3 ]] || fail "the status is $status when nobody reads on"

mkdir small
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
    run run "$lv" long -o small/long.csv --quiet
    expect_status 3
    expect_code E010
    expect_err 'No space left'
    run run "$lv" --plot small/a.svg --quiet    # the rows above fill the disk
    expect_status 3
    # formatting writes beside the file and exchanges the two: the old text is never lost
    rm -f small/*
    { printf 'model   M\n'; for i in $(seq 2000); do echo "x$i=1"; done; echo end; } >small/long.orr
    head -c 100000 /dev/zero >small/filler 2>/dev/null
    cp small/long.orr before.orr
    run fmt small/long.orr
    expect_status 3
    expect_code E010
    cmp small/long.orr before.orr || fail "a full disk cost the text"
    run new small/new.orr
    expect_status 3
    expect_code E010
    [[ ! -e small/new.orr ]] || fail "half a skeleton is left on a full disk"
    mount -o remount,ro small
    run export --c small/out "$lv"
    expect_status 3
    expect_code E011
    expect_err 'Read-only file system'
    umount small
fi
mkdir locked
chmod a-w locked
if ! touch locked/x 2>/dev/null; then    # root may write anywhere
    run run "$lv" -o locked/x.csv --quiet
    expect_status 3
    expect_code E010
    run new locked/x.orr
    expect_status 3
    expect_code E010
    run run "$lv" --plot locked/x.svg --quiet
    expect_status 3
    expect_code E010
fi
finish
