// apps/cli/cmd_fmt.c: `orrery fmt`: format model files.
#include "commands.h"

typedef struct Settings { bool check; } Settings;

static const Option options[] = {
    { "--check", OPTION_FLAG, NULL, "change nothing; exit with 1 if a file would change",
      offsetof(Settings, check) },
};

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    const Settings *s = settings;
    orr_status status = ORR_STATUS_OK;
    for (size_t i = 0; i < arguments->n; i++) {
        const char *path = arguments->items[i];
        bool changed;
        if (!orr_format_file(path, s->check, &changed, diag)) {
            status = failure_status(diag);
        } else if (changed) {
            printf("%s %s\n", s->check ? "would change" : "formatted", path);
            if (s->check) status = ORR_STATUS_MODEL_ERROR;
        }
    }
    return (int)status;
}

const Command command_fmt = {
    .name = "fmt",
    .arguments = "FILE…",
    .summary = "Format model files in place",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .at_least = 1,
    .changes_files = true,
    .at_most = (size_t)-1,
    .settings_size = sizeof(Settings),
    .prints_data = true, .run = run,
    .details =
        "Comments and the order of statements are kept. 'orrery fmt -' "
        "formats standard input to standard output.\n\n"
        "Example:\n"
        "  orrery fmt examples/*.orr\n",
};
