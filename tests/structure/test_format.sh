#!/bin/bash
# tests/structure/test_format.sh: no line of C is longer than 110 columns, has tabs or ends in blanks.
exec "$(dirname "$0")/../../tools/format" --check
