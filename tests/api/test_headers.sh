#!/usr/bin/env bash
# Each public header compiles alone and twice, as C11 without extensions and as C++, with warnings as errors; together they are
# all that a user includes.
. "$(dirname "$0")/../common/shell.sh"

for header in "$root"/include/orrery/*.h; do
    name=orrery/${header##*/}
    printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$name" "$name" >alone.c
    cp alone.c alone.cpp
    check
    cc -std=c11 -pedantic -Wall -Wextra -Wstrict-prototypes -Werror -I "$root/include" -fsyntax-only alone.c || fail "$name alone, as C11"
    for standard in c++11 c++20; do
        c++ -std=$standard -pedantic -Wall -Wextra -Werror -I "$root/include" -fsyntax-only alone.cpp || fail "$name alone, as $standard"
    done
    grep -q "\"$name\"" "$root/include/orrery/orrery.h" || [[ $name == orrery/orrery.h ]] || fail "orrery.h does not include $name"
done
# a program in C++ links: names are not mangled
cat >user.cpp <<'END'
#include <orrery/orrery.h>
int main() { orr_diag *diag = orr_diag_create(); orr_diag_destroy(diag); return orr_solver_at(0) ? 0 : 1; }
END
shared=$ORRERY_BUILD_DIR/lib/liborrery.so
if [[ -z ${ORRERY_SANITIZE:-} && -e $shared ]]; then
    check
    c++ -I "$root/include" user.cpp -L "${shared%/*}" -lorrery -Wl,-rpath,"${shared%/*}" -o user && ./user || fail "a program in C++"
    nm -D --defined-only "$shared" | awk '{ print $3 }' | sort -u >defined
    grep -hE '^ORR_API' "$root"/include/orrery/*.h | grep -oE '\borr_[a-z_0-9]+\(' | tr -d '(' | sort -u >declared
    check
    (($(wc -l <declared) > 40)) || fail "few functions are declared"
    expect_equal "$(grep -v '^orr_' defined)" "" "symbols that should not leave the library"
    expect_equal "$(comm -13 defined declared)" "" "declared but not in the library"
fi
finish
