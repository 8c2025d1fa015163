#!/usr/bin/env bash
# The program in docs/devs.md compiles without a warning, against the library as users see it, and prints what the page says.
. "$(dirname "$0")/../common/shell.sh"

shared=$ORRERY_BUILD_DIR/lib/liborrery.so
[[ -z ${ORRERY_SANITIZE:-} && -e $shared ]] || exit 77
sed -n '/^```c$/,/^```$/{/^```/!p}' "$root/docs/devs.md" >shop.c
sed -n '/^It prints$/,/^and is compiled/{s/^    //p}' "$root/docs/devs.md" >expected
check
cc -std=c11 -Wall -Wextra -Werror -I "$root/include" shop.c -L "${shared%/*}" -lorrery -Wl,-rpath,"${shared%/*}" -lm -o shop ||
    fail "the program of docs/devs.md does not compile"
check
(($(wc -l <expected) == 3)) || fail "docs/devs.md does not say what is printed"
expect_equal "$(./shop 2>&1)" "$(cat expected)" "what the program of docs/devs.md prints"
finish
