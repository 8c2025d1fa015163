#!/usr/bin/env bash
# What is installed serves a stranger: each header compiles alone, as C and as C++; programs build with pkg-config against the
# shared and the static library, in a tree that was moved; nothing but orr_ symbols leaves either.
set -euo pipefail
cd "$ORRERY_SOURCE_DIR"
[[ -z ${ORRERY_SANITIZE:-} ]] || exit 77    # nobody installs that

work=$(mktemp -d)
manifest=$ORRERY_BUILD_DIR/install_manifest.txt
[[ -e $manifest ]] && cp -p "$manifest" "$work/manifest"
# the manifest is that of the user's last install, which this is not
trap '[[ -e $work/manifest ]] && mv "$work/manifest" "$manifest" || rm -f "$manifest"; rm -rf "$work"' EXIT

fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

DESTDIR='' cmake --install "$ORRERY_BUILD_DIR" --prefix "$work/first" >"$work/log" || { cat "$work/log"; fail "install"; }
mv "$work/first" "$work/moved"
prefix=$work/moved
for file in bin/orrery lib/liborrery.so lib/liborrery.a lib/pkgconfig/orrery.pc include/orrery/orrery.h \
    share/man/man1/orrery.1 share/bash-completion/completions/orrery; do
    [[ -e $prefix/$file ]] || fail "$file is not installed"
done
[[ $("$prefix/bin/orrery" --version) == *[0-9].[0-9]* ]] || fail "orrery --version"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra cflags < <(pkg-config --cflags orrery)
read -ra libs < <(pkg-config --libs orrery)
read -ra static_libs < <(pkg-config --static --libs orrery)
warnings=(-Wall -Wextra -Werror)

for header in "$prefix"/include/orrery/*.h; do
    echo "#include <orrery/${header##*/}>" >"$work/alone.c"
    cc -std=c17 -pedantic "${warnings[@]}" "${cflags[@]}" -fsyntax-only "$work/alone.c" || fail "${header##*/} alone"
    c++ -x c++ "${warnings[@]}" "${cflags[@]}" -fsyntax-only "$work/alone.c" || fail "${header##*/} alone, as C++"
done

cat >"$work/user.c" <<'END'
#include <orrery/orrery.h>
#include <string.h>
int main(void)
{
    orr_diag *diag = orr_diag_create();
    int ok = diag && orr_diag_errors(diag) == 0 && orr_explain("E101") && !orr_explain("nonsense");
    orr_diag_destroy(diag);
    return ok && strlen(ORR_VERSION) ? 0 : 1;
}
END
cc -std=c17 "${warnings[@]}" "${cflags[@]}" "$work/user.c" -o "$work/user" "${libs[@]}"
LD_LIBRARY_PATH=$prefix/lib "$work/user" || fail "a program with the shared library"
cc -std=c17 "${warnings[@]}" "${cflags[@]}" "$work/user.c" -o "$work/user" "${static_libs[@]/#-lorrery/-l:liborrery.a}"
env -u LD_LIBRARY_PATH "$work/user" || fail "a program with the static library"

for list in "nm -D --defined-only $prefix/lib/liborrery.so" "nm -g --defined-only $prefix/lib/liborrery.a"; do
    others=$($list | awk 'NF == 3 && $3 !~ /^orr_/ { print $3 }')
    [[ -z $others ]] || fail "symbols that should not leave the library ($list):" "$others"
    $list | grep ' T orr_' >/dev/null || fail "no symbols at all: $list"
done
# what the headers promise is there
declared=$(cat "$prefix"/include/orrery/*.h | grep -E '^ORR_API' | grep -oE '\borr_[a-z_0-9]+\(' | tr -d '(' | sort -u)
defined=$(nm -D --defined-only "$prefix/lib/liborrery.so" | awk '{ print $3 }' | sort -u)
missing=$(comm -23 <(echo "$declared") <(echo "$defined"))
[[ -z $missing ]] || fail "declared but not in the library:" "$missing"

# every C example builds and runs against the installed library
for example in examples/c/*.c; do
    [[ -e $example ]] || continue
    cc -std=c17 "${warnings[@]}" "${cflags[@]}" "$example" -o "$work/example" "${libs[@]}" -lm || fail "$example"
    (cd "$work" && LD_LIBRARY_PATH=$prefix/lib ./example >"$work/out") || fail "$example does not run"
    [[ -s $work/out ]] || fail "$example prints nothing"
done
echo "installed library and headers serve"
