// apps/cli/store.c: which store of runs is meant, and how a run is called that is kept there.
#include "commands.h"
#include <glob.h>
#include <stdlib.h>
#include <string.h>

static char *only_store(orr_diag *diag)
{
    glob_t found;
    char *path = NULL;
    const int r = glob("*.runs", 0, NULL, &found);
    const size_t n = r == 0 ? found.gl_pathc : 0;
    if (n == 1) path = strdup(found.gl_pathv[0]);
    else
        usage_error(diag, "E472", "name one, or its model: --store model.orr",
                    n ? "it is not clear which store is meant: there are %zu here"
                      : "it is not clear which store is meant: there is none here", n);
    if (r == 0) globfree(&found);
    return path;
}

char *store_path(const char *given, const char *model, orr_diag *diag)
{
    const char *from = given ? given : model;
    if (!from) return only_store(diag);
    const char *slash = strrchr(from, '/'), *dot = strrchr(slash ? slash : from, '.');
    const bool is_store = given && dot && strcmp(dot, ".runs") == 0;
    const size_t n = dot && dot != from && !is_store ? (size_t)(dot - from) : strlen(from);
    char *path = malloc(n + 6);
    if (!path) no_memory();
    snprintf(path, n + 6, "%.*s%s", (int)n, from, is_store ? "" : ".runs");
    return path;
}

orr_keep_request store_request(const Shared *s, const List *arguments)
{
    return (orr_keep_request){ .file = arguments->items[0],
                               .experiment = arguments->n > 1 ? arguments->items[1] : NULL,
                               .model = s->model,
                               .loops = s->loops,
                               .given = s->given,
                               .n_given = s->n_given,
                               .tag = s->tag,
                               .has_natives = s->natives.n > 0,
                               .goes_on = s->goes_on };
}
