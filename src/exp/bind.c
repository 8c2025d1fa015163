// src/exp/bind.c: what inputs follow and where outputs go, as an experiment or a command line says it.
#include "exp/bind.h"
#include "base/os.h"
#include "port/port.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 10.0    // s; how long a sender on a socket may take

orr_input orr_input_default(void)
{
    return (orr_input){ .name = "", .source = "csv", .address = "", .patience = PATIENCE };
}

static orr_between between_of(const char *word)
{
    return strcmp(word, "linear") == 0  ? ORR_BETWEEN_LINEAR
           : strcmp(word, "cubic") == 0 ? ORR_BETWEEN_CUBIC
                                        : ORR_BETWEEN_HOLD;
}

static orr_outside outside_of(const char *word)
{
    return strcmp(word, "error") == 0  ? ORR_OUTSIDE_ERROR
           : strcmp(word, "zero") == 0 ? ORR_OUTSIDE_ZERO
                                       : ORR_OUTSIDE_HOLD;
}

static double patience_of(const char *source) { return strcmp(source, "stdin") == 0 ? INFINITY : PATIENCE; }

// ---------------------------------------------------------------------------------------------- in an
// experiment

const char *bind_path(const orr_source *source, const char *name, Place place, Arena *arena, orr_diag *diag,
                      const char **root)
{
    const char *file = diag_path(diag, place.file);
    if (!file) file = source->path;
    const char *folder = os_path_folder(arena, file);
    *root = os_path_folder(arena, source->path);
    // what a file of the library names lies beside that
    const size_t n = strlen(*root);
    const bool is_below = strcmp(*root, ".") == 0 ? folder[0] != '/'
                                                  : strncmp(folder, *root, n) == 0 &&
                                                        (!folder[n] || folder[n] == '/' || n == 1);
    if (!is_below) *root = folder;
    return strcmp(folder, ".") == 0 ? name : os_path_join(arena, folder, name);
}

orr_input bind_input(const orr_source *source, const AstInput *written, const char *name, Arena *arena,
                     orr_diag *diag)
{
    orr_input input = orr_input_default();
    input.name = name;
    input.parsed = written;
    const char *path = diag_path(diag, written->place.file);
    input.file = path ? arena_copy_text(arena, path, strlen(path)) : NULL;
    input.line = diag_line(diag, written->place);
    if (written->value) {
        input.source = "expression";
        return input;
    }
    input.source = written->kind;
    input.address = written->address;
    if (strcmp(written->kind, "csv") == 0)
        input.address = bind_path(source, written->address, written->place, arena, diag, &input.folder);
    input.column = written->column;
    input.time = written->time;
    input.between = written->is_messages ? ORR_BETWEEN_MESSAGES : between_of(written->between);
    input.columns = written->columns;
    input.n_columns = written->n_columns;
    input.cyclic = written->is_cyclic;
    if (written->outside) input.outside = outside_of(written->outside);
    input.patience = patience_of(written->kind);
    return input;
}

orr_send bind_send(const orr_source *source, const AstSend *written, const char *const *names, Arena *arena,
                   orr_diag *diag)
{
    orr_send send = {
        .names = names, .n_names = written->n_refs, .target = written->kind, .address = written->address
    };
    if (strcmp(written->kind, "csv") == 0)
        send.address = bind_path(source, written->address, written->place, arena, diag, &send.folder);
    const char *path = diag_path(diag, written->place.file);
    send.file = path ? arena_copy_text(arena, path, strlen(path)) : NULL;
    send.line = diag_line(diag, written->place);
    return send;
}

// ---------------------------------------------------------------------------------------------- on the
// command line

static bool report(orr_diag *diag, const char *text, const char *needs, const char *hint)
{
    diag_report(diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "--input", needs, text);
    diag_hint(diag, "%s", hint);
    return false;
}

// Take the words behind the last colons off; false after a message.
static bool take_words(char *address, orr_input *input, bool *has_between)
{
    for (;;) {
        char *colon = strrchr(address, ':');
        const char *word = colon ? colon + 1 : "";
        if (strcmp(word, "messages") == 0) {
            input->between = ORR_BETWEEN_MESSAGES;
            *has_between = true;
        } else if (strcmp(word, "hold") == 0 || strcmp(word, "linear") == 0 || strcmp(word, "cubic") == 0) {
            input->between = between_of(word);
            *has_between = true;
        } else if (strcmp(word, "cyclic") == 0) {
            input->cyclic = true;
        } else if (strncmp(word, "outside-", 8) == 0 &&
                   (strcmp(word + 8, "hold") == 0 || strcmp(word + 8, "error") == 0 ||
                    strcmp(word + 8, "zero") == 0)) {
            input->outside = outside_of(word + 8);
        } else {
            return true;
        }
        *colon = '\0';
    }
}

bool orr_input_read(const char *text, orr_input *input, char **texts, orr_diag *diag)
{
    static const char *const sources[] = { "unix", "udp", "mqtt", "expr" };
    *input = orr_input_default();
    char *copy = *texts = strdup(text);
    if (!copy) arena_no_memory(strlen(text));
    char *equals = strchr(copy, '=');
    if (!equals || equals == copy || equals[1] == '\0')
        return report(diag, text, "NAME=SOURCE",
                      "such as --input u=data.csv:flow:linear, --input u=- or --input u=udp:5005");
    *equals = '\0';
    input->name = copy;
    char *address = equals + 1;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const size_t n = strlen(sources[i]);
        if (strncmp(address, sources[i], n) != 0 || address[n] != ':') continue;
        input->source = strcmp(sources[i], "expr") == 0 ? "expression" : sources[i];
        address += n + 1;
        break;
    }
    input->address = address;
    if (strcmp(input->source, "expression") == 0) return true;
    bool has_between = false;
    take_words(address, input, &has_between);
    if (strcmp(address, "-") == 0 && strcmp(input->source, "csv") == 0) {
        input->source = "stdin";
        input->address = "";
        input->patience = INFINITY;
    }
    if (strcmp(input->source, "csv") != 0) {
        if (!input->cyclic) return true;
        return report(diag, text, "a file", "only a file can be read again and again");
    }
    if (!has_between)
        return report(diag, text, "hold, linear or cubic",
                      "say how values between two rows are found, such as data.csv:flow:linear; "
                      "hold makes steps; of an event input, jobs.csv:messages");
    // FILE[:COLUMN]; a file whose name has a colon is still found
    char *colon = strrchr(address, ':');
    if (colon && !os_file_exists(address)) {
        *colon = '\0';
        input->column = colon + 1;
    }
    return true;
}

// The names before '=', separated by commas, as pointers in front of a copy of the text.
bool orr_send_read(const char *text, orr_send *send, char **texts, orr_diag *diag)
{
    static const char *const targets[] = { "unix", "udp", "mqtt" };
    *send = (orr_send){ .target = "csv" };
    size_t n = 1;
    for (const char *p = text; *p && *p != '='; p++) n += *p == ',';
    const size_t size = strlen(text) + 1;
    char *memory = *texts = malloc(n * sizeof(char *) + size);
    if (!memory) arena_no_memory(size);
    const char **names = (const char **)(void *)memory;
    char *copy = memcpy(memory + n * sizeof(char *), text, size);
    char *equals = strchr(copy, '=');
    if (!equals || equals == copy || equals[1] == '\0') {
        diag_report(diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "--output", "NAME=TARGET", text);
        diag_hint(diag,
                  "such as --output y=udp:5006, --output y=- or --output "
                  "y=live.csv; -o FILE writes all rows");
        return false;
    }
    *equals = '\0';
    int depth = 0;    // a comma inside [2,3] belongs to the name
    for (char *p = copy, *start = copy;; p++) {
        if (*p == '[') depth++;
        if (*p == ']') depth--;
        if (*p && (*p != ',' || depth > 0)) continue;
        names[send->n_names++] = start;
        if (!*p) break;
        *p = '\0';
        start = p + 1;
    }
    send->names = names;
    send->address = equals + 1;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const size_t length = strlen(targets[i]);
        if (strncmp(send->address, targets[i], length) != 0 || send->address[length] != ':') continue;
        send->target = targets[i];
        send->address += length + 1;
        break;
    }
    if (strcmp(send->address, "-") == 0) send->target = "stdout", send->address = "";
    return true;
}
