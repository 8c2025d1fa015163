#!/bin/bash
# tests/security/test_overwrite_files.sh: a model from a stranger wants to destroy files, or to write one that
# another program carries out.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
export ORRERY_CACHE=$work/cache
mkdir -p mine/sub home
# writes FILE [OPTIONS]: an experiment that sends x to a file beside the model
writes() {
    printf "model M\n  x = 1 + t\nend\nexperiment e of M\n  until 1\n  every 1\n  output x to \"%s\"\nend\n" "$1" >mine/m.orr
    run run mine/m.orr --quiet "${@:2}"
}
refused() {
    writes "$@"
    check; ((status != 0)) || fail "it was written: $1"
    expect_code "${code:-E016}"
}
# files of the user, of any kind: kept as they are
echo precious >mine/thesis.csv
printf 't,x\n0,5\n' >mine/data.csv
echo mine >home/out.csv
ln -s ../home/out.csv mine/link.csv
ln -s ../home/new.csv mine/dangling.csv
ln -s ../home mine/folder
mkfifo mine/pipe.csv
for file in .bashrc .hidden.csv sub/.hidden.csv m.orr run.sh Makefile thesis.csv data.csv link.csv dangling.csv folder/out.csv \
    pipe.csv conf.py CMakeLists.txt x.csv.sh x; do
    refused $file
done
code=E460 refused out.nc    # an output is lines of CSV
code=E056 refused ../home/out.csv
code=E056 refused "$work/home/new.csv"
expect_equal "$(<mine/thesis.csv)" precious
expect_equal "$(<mine/data.csv)" $'t,x\n0,5'
expect_equal "$(<home/out.csv)" mine
for file in mine/.bashrc mine/.hidden.csv mine/sub/.hidden.csv mine/run.sh mine/x home/new.csv; do expect_no_file $file; done

# new results are written, and replaced by the next run, from a folder that was moved too
for file in out.csv sub/out.csv; do
    writes $file
    expect_status 0
    expect_equal "$(<mine/$file)" $'t,x\n0,1\n1,2'
    writes $file
    expect_status 0
done
mv mine moved; mv moved mine
writes out.csv
expect_status 0
# not what somebody changed since, nor another file of the same name, nor a copy
echo 2,3 >>mine/out.csv
refused out.csv
expect_equal "$(tail -n 1 mine/out.csv)" 2,3
cp mine/sub/out.csv mine/copy.csv
refused copy.csv
rm mine/sub/out.csv; printf 't,x\n0,1\n1,2\n' >mine/sub/out.csv
refused sub/out.csv
# a run that was killed has left its own
printf "model M\n  x = t\nend\nexperiment e of M\n  until 1e9\n  every 1\n  output x to \"killed.csv\"\nend\n" >mine/k.orr
"$ORRERY" run mine/k.orr --quiet >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do [[ -s mine/killed.csv ]] && break; sleep 0.1; done
kill -9 $pid; wait $pid 2>/dev/null
expect_file mine/killed.csv
writes killed.csv
expect_status 0
expect_equal "$(<mine/killed.csv)" $'t,x\n0,1\n1,2'
# the user consents, or names the file
writes thesis.csv --allow-io
expect_status 0
printf "model M\n  x = 1 + t\nend\n" >mine/m.orr
run run mine/m.orr --until 1 --quiet -o mine/.own --output x=mine/own.txt
expect_status 0
expect_file mine/.own
expect_file mine/own.txt
finish
