// apps/cli/cmd_solvers.c: `orrery solvers`: the methods there are.
#include "commands.h"

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)settings, (void)arguments, (void)diag;
    const orr_solver_info *s;
    for (size_t i = 0; (s = orr_solver_at(i)); i++) {
        char order[16] = "varies";
        if (s->order) snprintf(order, sizeof order, "%d", s->order);
        printf("%-20s order %-6s  %-10s %s\n", s->name, order, s->fixed_step ? "fixed step" : "", s->summary);
    }
    return ORR_STATUS_OK;
}

const Command command_solvers = {
    .name = "solvers", .arguments = "", .summary = "List the solvers", .run = run,
    .details = "Choose one with 'solver NAME' in an experiment or --solver NAME:\n"
               "  orrery run examples/van_der_pol.orr --solver bdf --tol 1e-8\n",
};
