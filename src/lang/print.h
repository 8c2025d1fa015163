// src/lang/print.h: the pieces of which print*.c put a text together; ast_print (ast.h) is the whole of it.
#pragma once
#include "lang/ast.h"

typedef struct Printer {
    FILE *out;
    bool  at_start;    // of an equation: nothing of it is printed yet
} Printer;

void print_text(Printer *p, const char *text);
void print_char(Printer *p, char c);
__attribute__((format(printf, 2, 3))) void print_format(Printer *p, const char *format, ...);
void print_indent(int depth, Printer *p);
void print_name(const char *name, Printer *p);       // quoted where it must be
void print_doc(const char *doc, Printer *p);         // nothing if NULL, as the next
void print_unit_of(const char *unit, Printer *p);

// print_expr.c
void print_expr(const AstExpr *e, Printer *p);
void print_list(AstExpr *const *list, uint32_t n, Printer *p);
void print_ref(const AstRef *ref, Printer *p);
// Before a state: what does not begin with a digit or a parenthesis would be taken for the state.
void print_chance(const AstExpr *chance, Printer *p);
// A lone number with that unit says it by itself.
bool print_says_unit(const AstExpr *value, const char *unit);

// print_model.c
void print_sizes(AstExpr *const *sizes, uint32_t n, Printer *p);
void print_decl(const AstDecl *d, Printer *p);
void print_settings(const AstSetting *settings, uint32_t n, Printer *p);
void print_clause(const char *word, const AstExpr *e, Printer *p);    // ` word e`; nothing if NULL
void print_function(const AstFunction *f, int depth, Printer *p);
void print_model(const char *word, const AstModel *model, Printer *p);

// what else a file has
void print_machine(const AstMachine *machine, Printer *p);
void print_record(const AstRecord *record, Printer *p);
void print_enum(const AstEnum *e, Printer *p);
void print_atomic(const AstAtomic *a, Printer *p);
void print_frame(const AstFrame *f, Printer *p);
void print_experiment(const AstExperiment *e, Printer *p);
void print_unit(const AstUnit *unit, Printer *p);
void print_table(const AstTable *table, Printer *p);
