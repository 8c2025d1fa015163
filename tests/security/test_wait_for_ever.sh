#!/bin/bash
# tests/security/test_wait_for_ever.sh: a model from a stranger wants the program to hang, or to touch devices.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
mkfifo pipe.csv pipe.orr out.csv
python3 - <<'P' || exit 77
import socket
socket.socket(socket.AF_UNIX).bind("socket.csv")
P
for file in pipe.csv socket.csv; do
    printf 'model M\n  x = f(t)\nend\ntable f(v) linear from "%s"\n' $file >m.orr
    run check m.orr
    expect_status 1
    expect_code E028
    printf 'model M\n  input u = 0\n  x = u\nend\nexperiment e of M\n  until 1\n  input u from "%s" linear\nend\n' $file >m.orr
    run run m.orr
    check; ((status != 0)) || fail "a FIFO was read"
    expect_code E028
    printf 'model M\n  x = t\nend\nexperiment e of M\n  until 1\n  kind ensemble members "%s"\nend\n' $file >m.orr
    run run m.orr
    expect_code E028
done
printf 'use "pipe.orr"\nmodel M\n  x = t\nend\n' >m.orr
run check m.orr
expect_status 1
expect_code E028
finish
