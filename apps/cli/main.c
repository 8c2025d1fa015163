// apps/cli/main.c: the program `orrery`: finds the command and hands over.
#include "commands.h"
#include "options.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const Command command_run, command_step, command_check, command_test, command_show, command_plot,
    command_new, command_fmt, command_export, command_kind, command_machine, command_solvers, command_blocks,
    command_runs, command_characterise, command_explain;

// In the order of the help; command_kind is a short form for each kind of experiment (orrery/kind.h).
static const Command *const commands[] = {
    &command_run, &command_step, &command_check,  &command_test,    &command_show,    &command_plot,
    &command_new, &command_fmt,  &command_export, &command_kind,    &command_machine, &command_solvers,
    &command_blocks, &command_runs, &command_characterise, &command_explain,
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

// The i-th command, with the kind of experiment whose words it knows; false behind the last.
static bool command_at(size_t i, Command *command)
{
    for (size_t k = 0; k < N_COMMANDS; k++) {
        const bool is_kind = commands[k] == &command_kind;
        const orr_kind_info *kind;
        // simulate, the first of them, is called run
        for (size_t m = is_kind ? 1 : 0; (kind = orr_kind_at(m)); m++) {
            if (i-- > 0) {
                if (is_kind) continue;
                break;
            }
            *command = *commands[k];
            if (is_kind) command->name = kind->name, command->summary = kind->summary;
            if (is_kind || command->takes_all) command->details = kind->details;
            if (is_kind || command->takes_all || command->words) command->kind = kind;
            return true;
        }
    }
    return false;
}

static void help(FILE *out)
{
    fputs("Orrery, a workbench for modelling and simulation.\n\nUsage: orrery COMMAND …\n\n", out);
    Command command;
    for (size_t i = 0; command_at(i, &command); i++)
        fprintf(out, "  %-10s %s\n", command.name, command.summary);
    fputs("\n'orrery COMMAND --help' tells more, with examples. To begin with:\n\n"
          "  orrery run examples/circle.csmp --set timestep=0.01\n"
          "  orrery new spring.orr\n"
          "  orrery check spring.orr\n", out);
}

static bool find_command(const char *name, Command *command)
{
    for (size_t i = 0; command_at(i, command); i++)
        if (strcmp(command->name, name) == 0) return true;
    return false;
}

// The part of a command with parts: "machine show" is called show there.
static const char *part_name(const Command *part)
{
    const char *space = strrchr(part->name, ' ');
    return space ? space + 1 : part->name;
}

static const Command *find_part(const Command *command, const char *name)
{
    for (size_t i = 0; command->parts && command->parts[i]; i++)
        if (strcmp(part_name(command->parts[i]), name) == 0) return command->parts[i];
    return NULL;
}

static void report_unknown(const char *name, const Command *command, orr_diag *diag)
{
    const char *names[64];
    size_t n = 0;
    Command one;
    for (; command && command->parts[n] && n < 64; n++) names[n] = part_name(command->parts[n]);
    for (size_t i = 0; !command && n < 64 && command_at(i, &one); i++)
        if (!one.changes_files) names[n++] = one.name;
    const char *closest = orr_closest(name, names, n);
    char hint[128];
    if (closest) snprintf(hint, sizeof hint, "did you mean '%s'?", closest);
    else if (command) snprintf(hint, sizeof hint, "'orrery %s --help' lists them", command->name);
    else snprintf(hint, sizeof hint, "'orrery --help' lists the commands");
    usage_error(diag, "E020", hint, "there is no command '%s%s%s'", command ? command->name : "",
                command ? " " : "", name);
}

static void help_on(const Command *command, FILE *out)
{
    options_help(command, out);
    if (!command->parts) return;
    fputc('\n', out);
    for (size_t i = 0; command->parts[i]; i++)
        fprintf(out, "  %-10s %s\n", part_name(command->parts[i]), command->parts[i]->summary);
    fprintf(out, "\n'orrery %s %s --help' tells more about one of them, with examples.\n", command->name,
            part_name(command->parts[0]));
}

// For the shell's completion: the commands, or the options of one.
static int complete(int argc, char **argv)
{
    Command command, one;
    if (argc == 0 || !find_command(argv[0], &command)) {
        for (size_t i = 0; command_at(i, &one); i++) puts(one.name);
        return 0;
    }
    const Command *part = argc > 1 ? find_part(&command, argv[1]) : NULL;
    if (part) command = *part;
    for (size_t i = 0; command.parts && command.parts[i]; i++) puts(part_name(command.parts[i]));
    Option option;
    char name[OPTION_NAME_MAX];
    for (size_t i = 0; option_at(&command, i, &option, name); i++) puts(option.name);
    puts("--help");
    return 0;
}

// ---------------------------------------------------------------------------------------------- the manual

// Text of the manual page: its minus signs are minus signs, and no line begins a request.
static void manual_text(const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((p == text || p[-1] == '\n') && (*p == '.' || *p == '\'')) fputs("\\&", stdout);
        if (*p == '-') fputs("\\-", stdout);
        else if (*p == '\\') fputs("\\e", stdout);
        else putchar(*p);
    }
}

static void manual_section(const Command *command)
{
    for (size_t i = 0; command->parts && command->parts[i]; i++) manual_section(command->parts[i]);
    if (command->parts) return;
    printf(".SS %s %s\n", command->name, command->arguments);
    manual_text(command->summary);
    puts(".");
    Option option;
    char name[OPTION_NAME_MAX];
    for (size_t i = 0; option_at(command, i, &option, name); i++) {
        fputs(option.value ? ".TP\n.BI " : ".TP\n.B ", stdout);
        manual_text(option.name);
        if (option.value) printf(" \" %s\"", option.value);
        putchar('\n');
        manual_text(option.help);
        putchar('\n');
    }
    if (!command->details) return;
    fputs(".PP\n.nf\n", stdout);
    manual_text(command->details);
    puts(".fi");
}

// The sections of all commands, for tools/manual.
static int manual(void)
{
    Command command;
    for (size_t i = 0; command_at(i, &command); i++) manual_section(&command);
    return 0;
}

// ---------------------------------------------------------------------------------------------- the terminal

// The beginning of a character whose end has not been printed yet.
typedef struct Terminal {
    char   rest[4];
    size_t n;
} Terminal;

// Names and descriptions come from models, which may be a stranger's: all that is printed for people goes
// through here, and no escape sequence among it reaches a terminal, now or when a file of it is shown later.
static ssize_t write_safe(void *cookie, const char *text, size_t n)
{
    Terminal *t = cookie;
    size_t used;
    char *safe = malloc(t->n + n + 1);
    if (!safe) orr_no_memory(n);
    memcpy(safe, t->rest, t->n);
    memcpy(safe + t->n, text, n);
    const size_t n_all = t->n + n;
    size_t n_safe = orr_safe_text(safe, n_all, safe, &used), done = 0;
    t->n = n_all - used;    // at most three bytes, of a character of which safe[] still has the beginning
    if (t->n) memcpy(t->rest, text + n - t->n, t->n);
    while (done < n_safe) {
        const ssize_t wrote = write(STDOUT_FILENO, safe + done, n_safe - done);
        if (wrote >= 0) done += (size_t)wrote;
        else if (errno != EINTR) break;
    }
    free(safe);
    return done == n_safe ? (ssize_t)n : 0;
}

static void make_terminal_safe(Terminal *terminal)
{
    FILE *safe = fopencookie(terminal, "w", (cookie_io_functions_t){ .write = write_safe });
    if (!safe) no_memory();
    setvbuf(safe, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = safe;
}

// ---------------------------------------------------------------------------------------------- calling

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

typedef struct Calling {
    const Command *command;
    const void *settings;
    const List *arguments;
    orr_diag *diag;
    int status;
} Calling;

static void call(void *self)
{
    Calling *c = self;
    c->status = c->command->run(c->settings, c->arguments, c->diag);
}

// A command that opens models does all of it confined, unless the user says otherwise.
static int call_command(const Command *command, const void *settings, const List *arguments, orr_diag *diag)
{
    Calling calling = { command, settings, arguments, diag, ORR_STATUS_SYSTEM };
    const bool opens_models = command->shares && strstr(command->shares, "--no-sandbox");
    if (opens_models && !((const Shared *)settings)->no_sandbox) orr_confined(call, &calling);
    else call(&calling);
    return calling.status;
}

static int run_command(const Command *command, int argc, char **argv, orr_diag *diag)
{
    if (command->parts && argc > 0 && argv[0][0] != '-') {
        const Command *part = find_part(command, argv[0]);
        if (!part) {
            report_unknown(argv[0], command, diag);
            return ORR_STATUS_USAGE;
        }
        command = part;
        argc--;
        argv++;
    }
    if (asks_for_help(argc, argv)) {
        help_on(command, stdout);
        return ORR_STATUS_OK;
    }
    void *settings = calloc(1, command->settings_size + 1);
    if (!settings) no_memory();
    List arguments = { 0 };
    int status = ORR_STATUS_USAGE;
    static Terminal terminal;
    if (!command->prints_data || isatty(STDOUT_FILENO)) make_terminal_safe(&terminal);
    if (options_parse(command, argc, argv, settings, &arguments, diag)) {
        limits_apply(command->shares ? settings : NULL);
        status = call_command(command, settings, &arguments, diag);
    }
    options_free(command, settings, &arguments);
    free(settings);
    return status;
}

// The documented exit codes: 0 done, 1 the model is wrong, 2 usage, 3 the run failed, 4 validation not
// passed.
static int exit_code(int status)
{
    switch (status) {
    case ORR_STATUS_CANCELLED: return 130;    // as shells report an interrupt
    case ORR_STATUS_SYSTEM:
    case ORR_STATUS_NO_MEMORY: return 3;
    default:                   return status;
    }
}

int main(int argc, char **argv)
{
    limits_memory_default();
    signal(SIGXFSZ, SIG_IGN);    // a file that may not grow is a failed write, with a message
    orr_diag *diag = orr_diag_create();
    int status = ORR_STATUS_USAGE;
    if (argc < 2) {
        help(stderr);
    } else if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        Command command;
        if (argc > 2 && find_command(argv[2], &command)) {
            const Command *part = argc > 3 ? find_part(&command, argv[3]) : NULL;
            help_on(part ? part : &command, stdout);
        } else help(stdout);
        status = ORR_STATUS_OK;
    } else if (strcmp(argv[1], "--version") == 0) {
        printf("orrery %s\n", orr_version());
        status = ORR_STATUS_OK;
    } else if (strcmp(argv[1], "--complete") == 0) {
        status = complete(argc - 2, argv + 2);
    } else if (strcmp(argv[1], "--manual") == 0) {
        status = manual();
    } else {
        Command command;
        if (find_command(argv[1], &command)) status = run_command(&command, argc - 2, argv + 2, diag);
        else report_unknown(argv[1], NULL, diag);
    }
    // what was printed must have arrived
    if (fflush(stdout) != 0 || ferror(stdout)) {
        orr_diag_add(diag, "E010", "cannot write standard output", "is the disk full, or the pipe closed?");
        if (status == ORR_STATUS_OK) status = ORR_STATUS_SYSTEM;
    }
    orr_diag_print(diag, stderr, isatty(STDERR_FILENO) && !getenv("NO_COLOR"));
    orr_diag_destroy(diag);
    return exit_code(status);
}
