// src/flat/flat.c: looking things up in a flat model, and printing it.
#include "flat/flat.h"

uint32_t flat_find(const Flat *flat, const char *name)
{
    const uint32_t *found = text_map_find(&flat->by_name, text_from(name));
    return found ? *found : FLAT_NONE;
}

static const char *variable_name(const void *context, uint32_t variable)
{
    const Flat *flat = context;
    return flat->vars.items[variable].name;
}

ExprNames flat_names(const Flat *flat)
{
    Expr *relations = ARENA_ARRAY(flat->arena, Expr, flat->relations.n + 1);
    for (size_t i = 0; i < flat->relations.n; i++) relations[i] = flat->relations.items[i].relation;
    return (ExprNames){ variable_name, flat, relations, (uint32_t)flat->relations.n };
}

static void print_equation(const Flat *flat, const FlatEquation *equation, const ExprNames *names, FILE *out)
{
    expr_print(&flat->pool, equation->lhs, names, out);
    fputs(" = ", out);
    expr_print(&flat->pool, equation->rhs, names, out);
}

void flat_print_equation(const Flat *flat, const FlatEquation *equation, FILE *out)
{
    const ExprNames names = flat_names(flat);
    print_equation(flat, equation, &names, out);
}

static const char *kind_text(const FlatVar *v)
{
    switch (v->kind) {
    case FLAT_PARAM:    return "param";
    case FLAT_INPUT:    return "input";
    case FLAT_RESULT:   return "result";
    case FLAT_DISCRETE: return "discrete";
    case FLAT_VARIABLE:
        return v->derivative != FLAT_NONE ? "state" : v->integral != FLAT_NONE ? "rate" : "var";
    }
    return "";
}

static void print_list(const Flat *flat, const char *title, const FlatEquation *equations, size_t n,
                       const ExprNames *names, FILE *out)
{
    if (n == 0) return;
    fprintf(out, "%s\n", title);
    for (size_t i = 0; i < n; i++) {
        fputs("  ", out);
        print_equation(flat, &equations[i], names, out);
        fputc('\n', out);
    }
}

static void print_clause(const Flat *flat, const char *word, Expr e, const ExprNames *names, FILE *out)
{
    if (e == EXPR_NONE) return;
    fprintf(out, " %s ", word);
    expr_print(&flat->pool, e, names, out);
}

void flat_print_cause(const Flat *flat, const FlatEvent *event, FILE *out)
{
    static const char *const words[] = { "when", "at", "every" };
    const ExprNames names = flat_names(flat);
    fputs(words[event->kind], out);
    fputc(' ', out);
    expr_print(&flat->pool, event->kind == FLAT_WHEN ? event->condition : event->time, &names, out);
    print_clause(flat, "from", event->from, &names, out);
    print_clause(flat, "after", event->after, &names, out);
}

static void print_event(const Flat *flat, const FlatEvent *event, const ExprNames *names, FILE *out)
{
    fputs(event->chain == (uint32_t)(event - flat->events.items) ? "event " : "else ", out);
    flat_print_cause(flat, event, out);
    if (event->priority != 0) fprintf(out, " priority %g", event->priority);
    fputc('\n', out);
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const FlatAction *action = &flat->actions.items[event->first_action + k];
        fprintf(out, "  %s := ", flat->vars.items[action->target].name);
        expr_print(&flat->pool, action->value, names, out);
        if (action->text) fprintf(out, " \"%s\"", action->text);
        fputc('\n', out);
    }
}

void flat_print(const Flat *flat, FILE *out)
{
    const ExprNames names = flat_names(flat);
    fprintf(out, "model %s\n", flat->model);
    if (flat->time_unit) fprintf(out, "  time [%s]\n", flat->time_unit);
    for (size_t i = 0; i < flat->vars.n; i++) {
        const FlatVar *v = &flat->vars.items[i];
        fprintf(out, "  %-6s %s%s%s%s", kind_text(v), v->name, v->is_output ? " (output)" : "",
                v->is_hidden ? " (hidden)" : "", v->is_structural ? " (structural)" : "");
        if (v->start != EXPR_NONE) {
            fputs(v->start_is_guess ? " ~ " : " = ", out);
            expr_print(&flat->pool, v->start, &names, out);
        }
        if (v->unit) fprintf(out, " [%s]", v->unit);
        fputc('\n', out);
    }
    print_list(flat, "equations", flat->equations.items, flat->equations.n, &names, out);
    print_list(flat, "initial", flat->initial.items, flat->initial.n, &names, out);
    if (flat->relations.n) fputs("relations\n", out);
    for (size_t i = 0; i < flat->relations.n; i++) {
        fprintf(out, "  mode %zu: ", i);
        expr_print(&flat->pool, flat->relations.items[i].relation, &names, out);
        fputc('\n', out);
    }
    if (flat->delays.n) fputs("histories\n", out);
    for (size_t i = 0; i < flat->delays.n; i++) {
        fprintf(out, "  %zu: ", i);
        expr_print(&flat->pool, flat->delays.items[i].source, &names, out);
        fputs(", lag ", out);
        expr_print(&flat->pool, flat->delays.items[i].lag, &names, out);
        if (flat->delays.items[i].before != EXPR_NONE) {
            fputs(", before the start ", out);
            expr_print(&flat->pool, flat->delays.items[i].before, &names, out);
        }
        fputc('\n', out);
    }
    if (flat->asserts.n) fputs("asserts\n", out);
    for (size_t i = 0; i < flat->asserts.n; i++) {
        fputs("  ", out);
        expr_print(&flat->pool, flat->asserts.items[i].condition, &names, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < flat->events.n; i++) print_event(flat, &flat->events.items[i], &names, out);
    if (flat->terminal.n) fputs("terminal\n", out);
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const FlatTerminal *step = &flat->terminal.items[i];
        if (step->target == FLAT_NONE) fprintf(out, "  rerun at most %g times when ", step->at_most);
        else fprintf(out, "  %s := ", flat->vars.items[step->target].name);
        expr_print(&flat->pool, step->value, &names, out);
        fputc('\n', out);
    }
}
