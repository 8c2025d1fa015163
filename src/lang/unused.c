// src/lang/unused.c: parameters, constants and inputs that nothing reads.
//
// A model is printed, and the names in that text are counted: the printer knows every place where a name can
// stand, so nothing is forgotten here when the language grows. What is declared and occurs nowhere else is
// not used, unless another model reads it behind a point. Where the same name means something else as well,
// nothing is said.
#include "base/map.h"
#include "lang/ast.h"
#include "lang/lex.h"
#include <stdlib.h>

typedef struct Counter {
    const Ast *ast;
    uint32_t file;    // whose declarations are looked at
    orr_diag *diag;
    TextMap behind;    // names that stand behind a point anywhere
    Arena work;
} Counter;

// The text of one model or atomic; free() it.
static char *print_alone(const AstModel *model, const AstAtomic *atomic, size_t *n)
{
    Arena arena = { 0 };
    Ast alone = { .arena = &arena };
    if (model) vec_push(&arena, &alone.models, *model);
    if (atomic) vec_push(&arena, &alone.atomics, *atomic);
    char *text = NULL;
    FILE *out = open_memstream(&text, n);
    if (!out) arena_no_memory(1);
    ast_print(&alone, out);
    memory_close(out, &text);
    arena_free(&arena);
    return text;
}

// How often each name occurs; those behind points are kept in `behind` instead, if there is one.
static void count_names(Text text, TextMap *counts, TextMap *behind)
{
    Lexer lexer;
    lex_init(&lexer, text, 0, NULL);
    lexer.quiet = true;
    TokenKind previous = TOKEN_END;
    for (Token token; (token = lex_next(&lexer)).kind != TOKEN_EOF; previous = token.kind) {
        if (token.kind != TOKEN_NAME && token.kind != TOKEN_QUOTED) continue;
        const Text name = token.kind == TOKEN_QUOTED ? lex_inner(&lexer, token) : lex_text(&lexer, token);
        if (previous == TOKEN_DOT && behind) text_map_put(behind, name, 1);
        uint32_t *known = counts ? text_map_find(counts, name) : NULL;
        if (known) ++*known;
        else if (counts) text_map_put(counts, name, 1);
    }
}

static void look_at(const Counter *c, const TextMap *counts, const AstDecl *decl)
{
    if (decl->kind != AST_PARAM && decl->kind != AST_CONST && decl->kind != AST_INPUT) return;
    const uint32_t *n = text_map_find(counts, text_from(decl->name));
    if (decl->place.file != c->file || !n || *n > 1 || text_map_find(&c->behind, text_from(decl->name)))
        return;
    diag_report(c->diag, DIAG_NAME_UNUSED, decl->place, decl->name);
    diag_hint(c->diag, "remove it, or use it: perhaps another name stands where it is meant");
}

static bool is_written(const AstModel *model)
{
    return !model->is_machine && !model->is_stub && !model->atomic;
}

static void each(Counter *c, bool looks)
{
    const Ast *ast = c->ast;
    for (size_t i = 0; i < ast->models.n + ast->atomics.n; i++) {
        const AstModel *model = i < ast->models.n ? &ast->models.items[i] : NULL;
        const AstAtomic *atomic = model ? NULL : &ast->atomics.items[i - ast->models.n];
        if ((model && !is_written(model)) || (atomic && (atomic->is_native || atomic->is_special)))
            continue;
        if (looks && (model ? model->place.file : atomic->place.file) != c->file) continue;
        const ArenaMark mark = arena_mark(&c->work);
        size_t n;
        char *text = print_alone(model, atomic, &n);
        if (looks) {
            TextMap counts;
            text_map_init(&counts, &c->work);
            count_names((Text){ text, n }, &counts, NULL);
            for (uint32_t k = 0; model && k < model->n_items; k++)
                if (model->items[k].kind == AST_DECL) look_at(c, &counts, &model->items[k].decl);
            for (uint32_t k = 0; atomic && k < atomic->n_params; k++) look_at(c, &counts, &atomic->params[k]);
            arena_release(&c->work, mark);
        } else {
            count_names((Text){ text, n }, NULL, &c->behind);
        }
        free(text);
    }
}

void ast_report_unused(const Ast *ast, uint32_t file, orr_diag *diag)
{
    Counter c = { .ast = ast, .file = file, .diag = diag };
    text_map_init(&c.behind, &c.work);
    each(&c, false);
    each(&c, true);
    arena_free(&c.work);
}
