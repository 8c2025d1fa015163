// src/api/machine.c: machines from files: the language, transition tables, DOT.
#include "orrery/machine.h"
#include "base/os.h"
#include "machine/build.h"
#include "machine/ledger.h"
#include "source/source.h"
#include <assert.h>
#include <strings.h>

enum { TABLE_BYTES_MAX = DIAG_SOURCE_MAX - 1 };    // of a table or a graph: 10^5 states make many lines

size_t orr_source_n_machines(const orr_source *source) { return source->ast.machines.n; }

const char *orr_source_machine_name(const orr_source *source, size_t i)
{
    assert(i < source->ast.machines.n);
    return source->ast.machines.items[i].name;
}

const char *orr_source_machine_doc(const orr_source *source, size_t i)
{
    assert(i < source->ast.machines.n);
    return source->ast.machines.items[i].doc;
}

// ---- Which one

static void report_none(const orr_source *source, const char *name, orr_diag *diag)
{
    const Ast *ast = &source->ast;
    diag_report(diag, DIAG_MACHINE_NONE_THERE, (Place){ 0 }, source->path, name ? " called '" : "",
                name ? name : "", name ? "'" : "");
    Arena work = { 0 };
    const char **names = ARENA_ARRAY(&work, const char *, ast->machines.n);
    for (size_t i = 0; i < ast->machines.n; i++) names[i] = ast->machines.items[i].name;
    const char *closest = name ? text_closest(name, names, ast->machines.n) : NULL;
    if (closest) diag_suggest(diag, name, closest);
    else if (ast->machines.n > 0) diag_hint(diag, "there is '%s'", names[0]);
    else diag_hint(diag, "a machine is written: machine Name … end");
    arena_free(&work);
}

static void report_several(const orr_source *source, orr_diag *diag)
{
    const Ast *ast = &source->ast;
    StrBuf list = { 0 };
    for (size_t i = 0; i < ast->machines.n && i < 10; i++)
        str_addf(&list, "%s%s", i ? ", " : "", ast->machines.items[i].name);
    if (ast->machines.n > 10) str_add(&list, ", …");
    diag_report(diag, DIAG_MACHINE_AMBIGUOUS, (Place){ 0 }, source->path, list.p);
    diag_hint(diag, "choose one with --machine");
    str_free(&list);
}

static const AstMachine *choose(const orr_source *source, const char *name, orr_diag *diag)
{
    const Ast *ast = &source->ast;
    const AstMachine *found = NULL;
    for (size_t i = 0; i < ast->machines.n; i++) {
        const AstMachine *m = &ast->machines.items[i];
        if (name && strcmp(m->name, name) != 0) continue;
        if (found && name) {
            diag_report(diag, DIAG_MODEL_TWICE, m->place, m->name);
            diag_note(diag, found->place, "the other one is here");
            return NULL;
        }
        if (found) {
            report_several(source, diag);
            return NULL;
        }
        found = m;
    }
    if (!found) report_none(source, name, diag);
    return found;
}

// ---- Building

static orr_machine *wrap(const Machine *machine)
{
    if (!machine) return NULL;
    Arena work = { 0 };
    assert(!machine_verify(&work, machine));
    arena_free(&work);
    return machine_wrap(machine);
}

orr_machine *orr_machine_build(const orr_source *source, const char *name, orr_diag *diag)
{
    const AstMachine *ast = choose(source, name, diag);
    if (!ast) return NULL;
    Arena work = { 0 };
    orr_machine *machine = wrap(machine_build(&work, ast, diag));
    arena_free(&work);
    return machine;
}

typedef Machine *(*Reader)(Arena *arena, Text text, uint32_t file, const char *name, orr_diag *diag);

// NULL: the language, or not known
static Reader reader_for(const char *path)
{
    static const struct {
        const char *suffix;
        Reader read;
    } readers[] = {
        { ".csv", machine_read_table },
        { ".tsv", machine_read_table },
        { ".dot", machine_read_dot },
        { ".gv", machine_read_dot },
    };
    const char *suffix = os_path_suffix(path);
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (strcasecmp(suffix, readers[i].suffix) == 0) return readers[i].read;
    return NULL;
}

bool orr_machine_is_file(const char *path) { return reader_for(path) != NULL; }

static orr_machine *read_text(Reader read, const char *path, Text text, orr_diag *diag)
{
    Arena work = { 0 };
    uint32_t file;
    orr_machine *machine = NULL;
    if (source_accept(path, text, &file, diag))
        machine = wrap(read(&work, text, file, os_path_stem(&work, path), diag));
    arena_free(&work);
    return machine;
}

orr_machine *orr_machine_open(const char *path, const char *name, orr_diag *diag)
{
    const Reader read = reader_for(path);
    orr_machine *machine = NULL;
    if (read) {
        Arena work = { 0 };
        Text text;
        if (os_read_file(&work, NULL, path, TABLE_BYTES_MAX, &text, diag))
            machine = read_text(read, path, text, diag);
        arena_free(&work);
        return machine;
    }
    orr_source *source = orr_source_open(path, diag);
    if (source) machine = orr_machine_build(source, name, diag);
    orr_source_destroy(source);
    return machine;
}

orr_ledger *orr_ledger_parse(const char *name, const char *text, size_t length, orr_diag *diag)
{
    uint32_t file;
    if (!source_accept(name, (Text){ text, length }, &file, diag)) return NULL;
    return ledger_read((Text){ text, length }, file, diag);
}

orr_ledger *orr_ledger_open(const char *path, orr_diag *diag)
{
    Arena work = { 0 };
    Text text;
    orr_ledger *ledger = NULL;
    if (os_read_file(&work, NULL, path, SOURCE_BYTES_MAX, &text, diag))
        ledger = orr_ledger_parse(path, text.p, text.n, diag);
    arena_free(&work);
    return ledger;
}

orr_machine *orr_machine_parse(const char *path, const char *text, size_t length, const char *name,
                               orr_diag *diag)
{
    const Reader read = reader_for(path);
    if (read) return read_text(read, path, (Text){ text, length }, diag);
    orr_source *source = orr_source_parse(path, text, length, diag);
    orr_machine *machine = source ? orr_machine_build(source, name, diag) : NULL;
    orr_source_destroy(source);
    return machine;
}
