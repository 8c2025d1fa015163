#!/usr/bin/env bash
# Memory that the system refuses: whichever allocation fails, the program ends with a message. A sample of them, or with
# ORRERY_LONG=1 each one.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"
[[ -z ${ORRERY_SANITIZE:-} ]] || { echo "sanitizers have a malloc of their own"; exit 77; }

cat >fail.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
static long n_calls, fail_at = -1;
static int fails(void)
{
    const char *text = fail_at < 0 ? getenv("FAIL_AT") : NULL;
    if (fail_at < 0) fail_at = text ? atol(text) : 0;
    return __atomic_add_fetch(&n_calls, 1, __ATOMIC_RELAXED) == fail_at;
}
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
__attribute__((destructor)) static void tell(void)
{
    if (getenv("COUNT_ALLOCATIONS")) fprintf(stderr, "allocations %ld\n", n_calls);
}
END
"$ORRERY_CC" -O1 -shared -fPIC -o fail.so fail.c || exit 77

# sweep SAMPLES ARGUMENTS…
sweep() {
    local n step i samples=$1
    shift
    command=$* status=0 out='' err=''
    n=$(COUNT_ALLOCATIONS=1 LD_PRELOAD=$PWD/fail.so "$ORRERY" "$@" 2>&1 >/dev/null </dev/null | sed -n 's/^allocations //p')
    [[ ${n:-0} -gt 3 ]] || { fail "its allocations cannot be counted"; return; }
    step=$((n > samples ? n / samples : 1))
    [[ -z ${ORRERY_LONG:-} ]] || step=1
    for ((i = 1; i <= n; i += step)); do
        check
        FAIL_AT=$i LD_PRELOAD=$PWD/fail.so timeout 60 "$ORRERY" "$@" >out 2>err </dev/null
        status=$? err=$(tr -d '\0' <err)
        ((status < 124)) || fail "allocation $i of $n: it crashed"
        ((status == 0)) || [[ $err == *error* ]] || fail "allocation $i of $n: it ended without a message"
    done
}
sweep 40 run "$root/examples/ball.orr" --solver bdf -o a.csv
sweep 30 run "$root/examples/airport.orr" -o b.csv
sweep 30 run "$root/examples/squeezer.orr" --solver ida --until 0.001 -o c.csv
sweep 20 ensemble "$root/examples/lotka_volterra.orr" --members "$root/examples/lotka_volterra_members.csv" --until 1 -o d.csv
sweep 20 check "$root/examples/ball.orr"
sweep 20 export --c folder --force "$root/examples/ball.orr"
sweep 10 fmt --check "$root/examples/ball.orr"
sweep 20 machine show "$root/examples/baby.orr"

finish
