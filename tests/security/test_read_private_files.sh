#!/bin/bash
# tests/security/test_read_private_files.sh: a model from a stranger wants to read files outside of its folder.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
mkdir -p mine/sub home
printf 't,u\n0,4711\n1,4711\n' >home/private.csv
printf 'model P\n  x = 4711\nend\n' >home/private.orr
printf 't,u\n0,1\n1,1\n' >mine/data.csv
ln -s ../home/private.csv mine/link.csv
ln -s "$work/home/private.csv" mine/absolute.csv
ln -s ../home/private.orr mine/link.orr
ln -s ../home mine/folder
ln -s data.csv mine/inside.csv
ln -s /etc/passwd mine/system.csv

# refused CODE TEXT: the model is not read, and nothing of the private file stands in a message
refused() {
    printf '%b' "$2" >mine/m.orr
    for command in check run; do
        run $command mine/m.orr
        check; ((status != 0)) || fail "$2 was carried out"
        expect_code "$1"
        expect_no_err 4711
        expect_no_err root:
    done
}
model='model M\n  input u = 0\n  var x = 0\n  x'"'"' = u\nend\n'
run_only() {
    printf '%b' "$model"'experiment e of M\n  until 1\n  '"$2"'\nend\n' >mine/m.orr
    run run mine/m.orr
    check; ((status != 0)) || fail "$2 was carried out"
    expect_code "$1"; expect_no_err 4711; expect_no_err root:; }

for file in link.csv absolute.csv folder/private.csv system.csv; do
    refused E009 "model M\n  x = f(t)\nend\ntable f(v) linear from \"$file\"\n"
    run_only E009 "input u from \"$file\" column \"u\" linear"
done
refused E009 'use "link.orr"\nmodel M\n  x = 1\nend\n'
refused E009 'use "../home/private.orr"\nmodel M\n  x = 1\nend\n'
refused E009 'model M\n  x = f(t)\nend\ntable f(v) linear from "../home/private.csv"\n'
run_only E056 'input u from "../home/private.csv" column "u" linear'
run_only E056 "input u from \"$work/home/private.csv\" column \"u\" linear"
run_only E056 'input u from "sub/../../home/private.csv" column "u" linear'
# words of kinds that the text of a model may not say, or that name files
run_only E424 "kind simulate input \"u=$work/home/private.csv:u:linear\""
run_only E009 'kind ensemble members "link.csv"'
run_only E009 'kind ensemble members "../home/private.csv"'

# what lies inside is read, by a link too, and consent opens the rest
for file in data.csv inside.csv sub/../data.csv; do
    printf '%b' "$model"'experiment e of M\n  until 1\n  input u from "'$file'" column "u" linear\n  expect x at 1 = 1 within 1e-6\nend\n' >mine/m.orr
    run run mine/m.orr
    expect_status 0
done
for file in link.csv ../home/private.csv; do
    printf '%b' "$model"'experiment e of M\n  until 1\n  input u from "'$file'" column "u" linear\n  expect x at 1 = 4711 within 1e-6\nend\n' >mine/m.orr
    run run mine/m.orr --allow-io
    expect_status 0
done
finish
