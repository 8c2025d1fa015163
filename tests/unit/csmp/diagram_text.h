// tests/unit/csmp/diagram_text.h: read a diagram from a text and look at what became of it.
#pragma once
#include "check.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "csmp/csmp.h"
#include "lang/frontend.h"
#include <stdlib.h>

typedef struct Read {
    Arena     arena;
    Ast       ast;
    orr_diag *diag;
    bool      ok;
} Read;

static inline Read read_file_text(const char *path, const char *text, size_t n)
{
    Read r = { .diag = orr_diag_create() };
    const uint32_t file = diag_add_source(r.diag, path, text, n);
    // the Ast points to its arena, so both must stay where they are
    Arena *arena = calloc(1, sizeof *arena);
    assert_non_null(arena);
    r.ast.arena = arena;
    r.ok = frontend_csmp.parse(&r.ast, file, path, text, n, r.diag);
    return r;
}

static inline Read read_text(const char *text)
{
    return read_file_text("dir/circle.csmp", text, strlen(text));
}

// Blocks alone: the settings are added.
static inline Read read_blocks(const char *blocks)
{
    StrBuf s = { 0 };
    str_add(&s, "$endtime = 1\n$timestep = 0.5\n");
    str_add(&s, blocks);
    Read r = read_text(s.p);
    str_free(&s);
    return r;
}

static inline void read_free(Read *r)
{
    orr_diag_destroy(r->diag);
    arena_free(r->ast.arena);
    free(r->ast.arena);
}

static inline void show_messages(const Read *r)
{
    orr_diag_print(r->diag, stderr, 0);
}

// The text of an expression without spaces; to be freed.
static inline char *expr_text(const AstExpr *e)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    ast_print_expr(e, out);
    fclose(out);
    char *to = text;
    for (const char *p = text; *p; p++)
        if (*p != ' ') *to++ = *p;
    *to = '\0';
    return text;
}

// The item that computes a block, NULL if there is none.
static inline const AstItem *find_item(const Read *r, const char *name)
{
    const AstModel *model = &r->ast.models.items[0];
    for (uint32_t i = 0; i < model->n_items; i++) {
        const AstItem *item = &model->items[i];
        if (item->kind == AST_EVENT) continue;
        const char *own = item->kind == AST_DECL ? item->decl.name : item->equation.lhs->ref.parts[0].name;
        if (strcmp(own, name) == 0) return item;
    }
    return NULL;
}

// What a block is equal to.
static inline const AstExpr *find_value(const Read *r, const char *name)
{
    const AstItem *item = find_item(r, name);
    assert_non_null(item);
    return item->kind == AST_DECL ? item->decl.value : item->equation.rhs;
}

// The message with this code, in the line; fails the test if there is none.
#define assert_message(r, code, line) check_message((r), (code), (line), __FILE__, __LINE__)
static inline orr_message check_message(const Read *r, const char *code, size_t line, const char *file,
                                        int at)
{
    for (size_t i = 0; i < orr_diag_count(r->diag); i++) {
        const orr_message m = orr_diag_get(r->diag, i);
        if (strcmp(m.code, code) == 0 && m.line == line) return m;
    }
    print_error("no message %s in line %zu\n", code, line);
    show_messages(r);
    _fail(file, at);
    return (orr_message){ 0 };
}
