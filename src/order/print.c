// src/order/print.c: the sorted systems as text: states, parameters, then what is computed, in order.
#include "order/blocks.h"
#include <stdlib.h>

typedef struct Printer {
    const Flat    *flat;
    const Ordered *system;
    ExprNames      names;
    FILE          *out;
} Printer;

static const char *name_of(const Printer *p, uint32_t variable) { return p->flat->vars.items[variable].name; }
static void print(const Printer *p, Expr e) { expr_print(&p->flat->pool, e, &p->names, p->out); }

static void print_names(const Printer *p, const uint32_t *variables, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) fprintf(p->out, "%s%s", i ? ", " : "", name_of(p, variables[i]));
}

static void print_assignment(const Printer *p, const char *indent, uint32_t variable, Expr value)
{
    fprintf(p->out, "%s%s := ", indent, name_of(p, variable));
    print(p, value);
    fputc('\n', p->out);
}

static void print_equation(const Printer *p, const char *indent, uint32_t equation)
{
    const FlatEquation *e = &p->system->equations[equation];
    fputs(indent, p->out);
    print(p, e->lhs);
    fputs(" = ", p->out);
    print(p, e->rhs);
    fputc('\n', p->out);
}

static void print_loop(const Printer *p, uint32_t number)
{
    const Loop *loop = &p->system->loops[number];
    fprintf(p->out, "  loop %u of %u equation%s: %s\n", number + 1, loop->n, loop->n == 1 ? "" : "s",
            order_method_text(loop));
    for (uint32_t i = 0; i < loop->n; i++) print_equation(p, "         { ", loop->equations[i]);
}

static void print_block(const Printer *p, uint32_t number)
{
    const Block *b = &p->system->blocks[number];
    const char *indent = "           ";
    if (b->loop != FLAT_NONE && p->system->loops[b->loop].first_block == number) print_loop(p, b->loop);
    fprintf(p->out, "%6u", number + 1);
    switch (b->kind) {
    case BLOCK_ASSIGN:
        print_assignment(p, "   ", b->unknowns[0], b->value);
        break;
    case BLOCK_FAMILY:
        fputs("   ", p->out);
        flat_print_family(p->flat, &p->system->families[b->family], p->out);
        fputc('\n', p->out);
        break;
    case BLOCK_LINEAR:
        fputs("   solve for ", p->out);
        print_names(p, b->unknowns, b->n);
        fprintf(p->out, " (%u entries)\n", b->n_entries);
        break;
    case BLOCK_NEWTON:
        fputs("   iterate on ", p->out);
        print_names(p, b->unknowns, b->n_torn);
        fputc('\n', p->out);
        for (uint32_t k = 0; k < b->n - b->n_torn; k++)
            print_assignment(p, indent, b->unknowns[b->n_torn + k], b->inner[k]);
        for (uint32_t k = 0; k < b->n_torn; k++) {
            fprintf(p->out, "%s0 = ", indent);
            print(p, b->residuals[k]);
            fputc('\n', p->out);
        }
        break;
    }
}

static void print_system(Printer *p, const char *title, const Ordered *system)
{
    p->system = system;
    const uint32_t n = system->n_equations, n_blocks = system->n_blocks, n_loops = system->n_loops;
    fprintf(p->out, "%s: %u equation%s, %u block%s, %u loop%s\n", title, n, n == 1 ? "" : "s", n_blocks,
            n_blocks == 1 ? "" : "s", n_loops, n_loops == 1 ? "" : "s");
    for (uint32_t b = 0; b < system->n_blocks; b++) print_block(p, b);
}

static void print_choice(const Printer *p, const Choice *choice)
{
    for (uint32_t o = 0; o + 1 < choice->n_orders; o++) {
        fprintf(p->out, "%s%u of ", o == 0 ? "         " : " and ", choice->n_slots);
        print_names(p, choice->variables + (size_t)o * choice->n_columns, choice->n_columns);
    }
    fputs(", first ", p->out);
    for (uint32_t s = 0; s < choice->n_slots; s++)
        fprintf(p->out, "%s%s", s ? ", " : "", name_of(p, choice->variables[choice->first[s]]));
    fputc('\n', p->out);
}

static void print_reduction(const Printer *p, const Reduction *r)
{
    char buffer[32];
    fprintf(p->out, "index %u: %u derivative%s of equations\n", r->index, r->n_derived,
            r->n_derived == 1 ? "" : "s");
    uint32_t *most = calloc((size_t)r->n_written + 1, sizeof *most);
    if (!most) arena_no_memory(r->n_written);
    for (uint32_t i = 0; i < r->n_written + r->n_derived; i++)
        if (r->order[i] > most[r->root[i]]) most[r->root[i]] = r->order[i];
    for (uint32_t i = 0; i < r->n_written; i++) {
        if (most[i] == 0) continue;
        fprintf(p->out, "         %-8s ", order_times_text(most[i], buffer));
        print(p, p->flat->equations.items[i].lhs);
        fputs(" = ", p->out);
        print(p, p->flat->equations.items[i].rhs);
        fputc('\n', p->out);
    }
    free(most);
    if (r->n_dependents > 0) {
        fputs("computed by constraints: ", p->out);
        print_names(p, r->dependents, r->n_dependents);
        fputc('\n', p->out);
    }
    if (r->n_choices > 0) fputs("states chosen while running:\n", p->out);
    for (uint32_t i = 0; i < r->n_choices; i++) print_choice(p, &r->choices[i]);
}

void blocks_print(const Blocks *blocks, FILE *out)
{
    Printer p = { .flat = blocks->flat, .names = flat_names(blocks->flat), .out = out };
    if (blocks->reduction) print_reduction(&p, blocks->reduction);
    fprintf(out, "states: %u\n", blocks->n_states);
    for (uint32_t i = 0; i < blocks->n_states; i++) {
        const FlatVar *x = &p.flat->vars.items[blocks->states[i]];
        fprintf(out, "%6u   %s", i + 1, x->name);
        if (x->start != EXPR_NONE) {
            fputs(x->start_is_guess ? " ~ " : " = ", out);
            print(&p, x->start);
        }
        fprintf(out, ", rate %s\n", name_of(&p, blocks->rates[i]));
    }
    fprintf(out, "parameters and inputs: %u\n", blocks->n_params);
    for (uint32_t i = 0; i < blocks->n_params; i++) {
        const FlatVar *v = &p.flat->vars.items[blocks->params[i]];
        fprintf(out, "         %s", v->name);
        if (v->start != EXPR_NONE) {
            fputs(" = ", out);
            print(&p, v->start);
        } else {
            const bool is_computed = blocks->start.block_of[blocks->params[i]] != FLAT_NONE;
            fputs(is_computed ? ", computed at the start" : ", must be given", out);
        }
        fputc('\n', out);
    }
    print_system(&p, "at every instant", &blocks->dynamic);
    print_system(&p, "at the start", &blocks->start);
}
