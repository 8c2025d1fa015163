#!/usr/bin/env bash
# What compiled programs depend on (functions, sizes, places of fields, values of enumerations) is as stored in abi.txt, and the
# library has every function. To change a line that is stored, ORR_INTERFACE must grow.
. "$(dirname "$0")/../common/shell.sh"

command -v python3 >/dev/null || exit 77
check
"$root/tools/abi" >now || fail "tools/abi"
diff "$root/tests/api/abi.txt" now >different || {
    head -20 different >&2
    fail "the interface differs from tests/api/abi.txt; if that is meant: tools/abi > tests/api/abi.txt"
}
shared=$ORRERY_BUILD_DIR/lib/liborrery.so
if [[ -z ${ORRERY_SANITIZE:-} && -e $shared ]]; then
    nm -D --defined-only "$shared" | awk '{ print "function " $3 }' | sort -u >defined
    expect_equal "$(grep '^function' now | sort -u | diff - defined)" "" "functions that are declared and those of the library"
fi
finish
