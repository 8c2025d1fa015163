// apps/cli/cmd_explain.c: `orrery explain`: what a message means and what to do.
#include "commands.h"

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)settings;
    if (arguments->n == 0) {
        const char *pattern;
        for (size_t i = 0; orr_code_at(i, &pattern); i++)
            printf("%s  %s\n", orr_code_at(i, &pattern), pattern);
        return ORR_STATUS_OK;
    }
    const char *text = orr_explain(arguments->items[0]);
    if (!text) {
        usage_error(diag, "E026", "'orrery explain' alone lists all codes",
                    "there is no message with the code '%s'", arguments->items[0]);
        return ORR_STATUS_USAGE;
    }
    puts(text);
    return ORR_STATUS_OK;
}

const Command command_explain = {
    .name = "explain",
    .arguments = "[CODE]",
    .summary = "Explain a message by its code, with an example and a repair",
    .at_most = 1,
    .run = run,
    .details = "Example:\n  orrery explain E304\n",
};
