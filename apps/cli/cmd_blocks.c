// apps/cli/cmd_blocks.c: `orrery blocks`: the blocks of CSMP files.
#include "commands.h"

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)settings, (void)arguments, (void)diag;
    orr_block block;
    for (size_t i = 0; orr_block_at(i, &block); i++)
        printf("%-10s %s\n           %s\n           e.g. %s\n", block.name, block.form, block.summary,
               block.example);
    return ORR_STATUS_OK;
}

const Command command_blocks = {
    .name = "blocks", .arguments = "", .summary = "List the blocks of CSMP files", .run = run,
};
