// src/lang/print.c: an Ast written in the language again.
#include "lang/print.h"
#include "lang/lex.h"

void print_text(Printer *p, const char *text)
{
    fputs(text, p->out);
    p->at_start = false;
}

void print_char(Printer *p, char c)
{
    fputc(c, p->out);
    p->at_start = false;
}

void print_format(Printer *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(p->out, format, args);
    va_end(args);
    p->at_start = false;
}

// ---- Names
//
// A name is quoted if it is not a plain one, or if it could be taken for the word that starts a statement.

static bool is_statement_word(Text name)
{
    static const char *const words[] = { "assert",     "at",       "const",   "discrete", "end",     "every",
                                         "for",        "function", "initial", "input",    "machine", "model",
                                         "next",       "output",   "param",   "rerun",    "return",  "atomic",
                                         "terminal",   "time",     "frame",   "use",      "var",     "when",
                                         "experiment", "orrery",   "prefer",  "table",    "elseif",
                                         "samples",    "island",   "reinit" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_is(name, words[i])) return true;
    return false;
}

void print_name(const char *name, Printer *p)
{
    const Text text = text_from(name);
    const bool plain = lex_is_name(text) && !(p->at_start && is_statement_word(text));
    if (plain) print_text(p, name);
    else print_format(p, "\"%s\"", name);
}

void print_indent(int depth, Printer *p)
{
    for (int i = 0; i < depth; i++) print_text(p, "  ");
}

void print_doc(const char *doc, Printer *p)
{
    if (doc) print_format(p, " \"%s\"", doc);
}

void print_unit_of(const char *unit, Printer *p)
{
    if (unit) print_format(p, " [%s]", unit);
}

void ast_print(const Ast *ast, FILE *out)
{
    Printer printer = { .out = out }, *p = &printer;
    for (size_t i = 0; i < ast->uses.n; i++) print_format(p, "use \"%s\"\n", ast->uses.items[i].path);
    for (size_t i = 0; i < ast->units.n; i++) print_unit(&ast->units.items[i], p);
    for (size_t i = 0; i < ast->tables.n; i++) print_table(&ast->tables.items[i], p);
    for (size_t i = 0; i < ast->functions.n; i++) {
        print_function(&ast->functions.items[i], 0, p);
        print_char(p, '\n');
    }
    for (size_t i = 0; i < ast->terminals.n; i++) print_model("terminal", &ast->terminals.items[i], p);
    for (size_t i = 0; i < ast->models.n; i++)
        if (!ast->models.items[i].is_machine && !ast->models.items[i].atomic)
            print_model("model", &ast->models.items[i], p);
    for (size_t i = 0; i < ast->machines.n; i++) print_machine(&ast->machines.items[i], p);
    for (size_t i = 0; i < ast->enums.n; i++) print_enum(&ast->enums.items[i], p);
    for (size_t i = 0; i < ast->records.n; i++) print_record(&ast->records.items[i], p);
    for (size_t i = 0; i < ast->atomics.n; i++)
        if (!ast->atomics.items[i].is_special) print_atomic(&ast->atomics.items[i], p);
    for (size_t i = 0; i < ast->frames.n; i++) print_frame(&ast->frames.items[i], p);
    for (size_t i = 0; i < ast->experiments.n; i++) print_experiment(&ast->experiments.items[i], p);
}
