// src/exp/names.c: see names.h.
#include "exp/names.h"
#include "base/arena.h"
#include <stdlib.h>
#include <string.h>

bool names_each(const char *name, bool (*one)(void *context, const char *name), void *context)
{
    const char *dots = strstr(name, "..");
    if (!dots) return one(context, name);
    const char *begin = dots, *end = dots + 2;
    while (begin > name && begin[-1] >= '0' && begin[-1] <= '9') begin--;
    while (*end >= '0' && *end <= '9') end++;
    const long long first = atoll(begin), last = atoll(dots + 2);
    if (begin == dots || end == dots + 2 || first > last) return one(context, name) && false;
    for (long long i = first; i <= last; i++) {
        Arena arena = { 0 };
        const bool ok = names_each(arena_printf(&arena, "%.*s%lld%s", (int)(begin - name), name, i, end), one,
                                   context);
        arena_free(&arena);
        if (!ok) return false;
    }
    return true;
}
