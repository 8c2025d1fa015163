// src/machine/draw.c: drawings of machines, by Graphviz' `dot`.
#include "base/filter.h"
#include "machine/machine.h"
#include <stdlib.h>

bool orr_machine_draw(const orr_machine *machine, const char *path, orr_diag *diag)
{
    static const char *const argv[] = { "dot", "-Tsvg", NULL };
    static const Filter dot = { argv, "drawings of machines", "graphviz" };
    char *text = orr_machine_write(machine, ORR_MACHINE_DOT);
    const bool ok = filter_write(&dot, text, strlen(text), path, diag);
    free(text);
    return ok;
}
