// apps/cli/cmd_machine.c: `orrery machine`: questions about finite-state machines; and what its parts share.
#include "commands.h"
#include "machine_ask.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const Command *const parts[] = {
    &machine_show, &machine_behave, &machine_predict, &machine_validate, &machine_next, &machine_compare,
    &machine_minimise, &machine_reach, &machine_policy, &machine_learn, NULL,
};

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)settings;
    (void)arguments;
    usage_error(diag, "E023", "'orrery machine --help' lists what can be asked",
                "what to do with the machine is missing");
    return ORR_STATUS_USAGE;
}

const Command command_machine = {
    .name = "machine",
    .arguments = "PART FILE",
    .summary = "Ask a finite-state machine: behave, predict, validate, …",
    .at_least = 0,
    .at_most = 0,
    .run = run,
    .parts = parts,
    .details = "FILE is a model file with 'machine … end', a transition table (.csv) or a graph (.dot).\n",
};

// ---------------------------------------------------------------------------------------------- opening

orr_machine *machine_get(const char *path, const char *name, orr_diag *diag)
{
    return orr_machine_open(path, name, diag);
}

bool machine_state(const orr_machine *machine, const char *name, uint32_t *state, orr_diag *diag)
{
    *state = orr_machine_start(machine);
    if (!name) return true;
    *state = orr_machine_find(machine, ORR_MACHINE_STATES, name);
    if (*state != ORR_MACHINE_NONE) return true;
    const uint32_t n = orr_machine_count(machine, ORR_MACHINE_STATES);
    const char **names = calloc(n, sizeof *names);
    if (!names) no_memory();
    for (uint32_t i = 0; i < n; i++) names[i] = orr_machine_text(machine, ORR_MACHINE_STATES, i);
    const char *closest = orr_closest(name, names, n);
    char hint[256];
    snprintf(hint, sizeof hint, closest ? "did you mean '%s'?" : "'orrery machine show' lists its states",
             closest);
    usage_error(diag, "E808", hint, "'%s' is not a state of machine '%s'", name, orr_machine_name(machine));
    free(names);
    return false;
}

static char *read_all(FILE *in)
{
    size_t n = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t got = 1; text && got > 0;) {
        if (capacity - n < 1 << 15) text = realloc(text, capacity *= 2);
        if (!text) break;
        got = fread(text + n, 1, capacity - n - 1, in);
        n += got;
    }
    if (!text) no_memory();
    text[n] = '\0';
    return text;
}

bool machine_sequence(const orr_machine *machine, orr_machine_set set, const char *text, uint32_t **sequence,
                      size_t *n, orr_diag *diag)
{
    char *content = NULL;
    if (strcmp(text, "-") == 0) {
        content = read_all(stdin);
    } else if (text[0] == '@') {
        FILE *in = fopen(text + 1, "r");
        if (!in) {
            usage_error(diag, "E001", "behind @ stands the name of a file", "there is no file '%s'",
                        text + 1);
            return false;
        }
        content = read_all(in);
        fclose(in);
    }
    const bool ok = orr_machine_read_sequence(machine, set, content ? content : text, sequence, n, diag);
    free(content);
    return ok;
}

// ---------------------------------------------------------------------------------------------- tables

// Terminal cells of a text: characters, near enough for names.
static size_t width_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static size_t terminal_width(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40) return size.ws_col;
    return 100;
}

void machine_print_grid(FILE *out, const char *const *cells, size_t n_rows, size_t n_columns)
{
    size_t *width = calloc(n_columns + 1, sizeof *width);
    if (!width) no_memory();
    for (size_t i = 0; i < n_rows * n_columns; i++) {
        const size_t c = i % n_columns, w = cells[i] ? width_of(cells[i]) : 0;
        // a title may use the empty cells behind it
        const bool spans = i < n_columns - 1 && !cells[i + 1] && cells[n_columns - 1];
        if (w > width[c] && !spans) width[c] = w;
    }
    for (size_t r = 0; r < n_rows; r++) {
        size_t at = 0, wanted = 0;    // columns written, and where the next cell begins
        for (size_t c = 0; c < n_columns; c++) {
            const char *cell = cells[r * n_columns + c];
            if (cell && *cell) {
                if (at > wanted) wanted = at + 2;
                fprintf(out, "%*s%s", (int)(wanted - at), "", cell);
                at = wanted + width_of(cell);
            }
            wanted += width[c] + 2;
        }
        fputc('\n', out);
    }
    free(width);
}

void machine_print_behaviour(FILE *out, const orr_machine *machine, const uint32_t *inputs, size_t n,
                             const uint32_t *states, size_t n_shown, const uint32_t *outputs, size_t o_shown)
{
    static const char *const titles[] = { "input sequence", "state sequence", "output sequence" };
    const size_t room = terminal_width();
    size_t first = 0;
    do {
        // as many steps as fit
        size_t last = first, used = strlen(titles[2]) + 2;
        for (; last <= n; last++) {
            size_t width = last < n ? width_of(orr_machine_text(machine, ORR_MACHINE_INPUTS, inputs[last]))
                                    : 0;
            if (last < n_shown) {
                const size_t w = width_of(orr_machine_text(machine, ORR_MACHINE_STATES, states[last]));
                if (w > width) width = w;
            }
            if (last < o_shown) {
                const size_t w = width_of(orr_machine_text(machine, ORR_MACHINE_OUTPUTS, outputs[last]));
                if (w > width) width = w;
            }
            if (used + width > room && last > first) break;
            used += width + 2;
        }
        const size_t columns = last - first + 1;
        const char **cells = calloc(3 * columns, sizeof *cells);
        if (!cells) no_memory();
        for (size_t r = 0; r < 3; r++) cells[r * columns] = titles[r];
        for (size_t i = first; i < last; i++) {
            const size_t c = i - first + 1;
            if (i < n) cells[c] = orr_machine_text(machine, ORR_MACHINE_INPUTS, inputs[i]);
            if (i < n_shown) cells[columns + c] = orr_machine_text(machine, ORR_MACHINE_STATES, states[i]);
            if (i < o_shown)
                cells[2 * columns + c] = orr_machine_text(machine, ORR_MACHINE_OUTPUTS, outputs[i]);
        }
        if (first > 0) fputc('\n', out);
        machine_print_grid(out, cells, 3, columns);
        free(cells);
        first = last;
    } while (first <= n);
}

char *machine_list(const orr_machine *machine, orr_machine_set set, const uint32_t *ids, size_t n)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) no_memory();
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s", i ? ", " : "",
                ids[i] == ORR_MACHINE_NONE ? "?" : orr_machine_text(machine, set, ids[i]));
    memory_close(out, &text);
    return text;
}

// ---------------------------------------------------------------------------------------------- JSON

void json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c < ' ') fprintf(out, "\\u%04x", (unsigned)c);
        else fputc(c, out);
    }
    fputc('"', out);
}

void json_list(FILE *out, const orr_machine *machine, orr_machine_set set, const uint32_t *ids, size_t n)
{
    fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) fputs(", ", out);
        if (ids[i] == ORR_MACHINE_NONE) fputs("null", out);
        else json_text(out, orr_machine_text(machine, set, ids[i]));
    }
    fputc(']', out);
}
