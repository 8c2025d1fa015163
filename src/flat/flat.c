// src/flat/flat.c: looking things up in a flat model, and printing it.
#include "flat/flat.h"
#include <string.h>

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

// ---- Arrays

bool flat_find_element(const Flat *flat, const char *name, uint32_t *array, uint32_t *element)
{
    // base, indices, primes: "rod.u", "[2,3]", "'"
    const Text text = text_from(name);
    size_t end = text.n;
    while (end > 0 && text.p[end - 1] == '\'') end--;
    if (end == 0 || text.p[end - 1] != ']') return false;
    size_t open = end;
    while (open > 0 && text.p[open - 1] != '[') open--;
    if (open <= 1) return false;
    Arena scratch = { 0 };
    const char *base = arena_printf(&scratch, "%.*s%s", (int)open - 1, text.p, text.p + end);
    const uint32_t *found = text_map_find(&flat->array_by_name, text_from(base));
    arena_free(&scratch);
    if (!found) return false;

    const FlatArray *a = &flat->arrays.items[*found];
    uint64_t at = 0;
    for (uint32_t i = 0; i < a->n_sizes; i++) {
        uint64_t index = 0;
        if (open >= end || text.p[open] < '1' || text.p[open] > '9') return false;
        while (text.p[open] >= '0' && text.p[open] <= '9' && index <= a->sizes[i])
            index = index * 10 + (uint64_t)(text.p[open++] - '0');
        if (index < 1 || index > a->sizes[i] || text.p[open++] != (i + 1 < a->n_sizes ? ',' : ']'))
            return false;
        at = at * a->sizes[i] + index - 1;
    }
    *array = *found;
    *element = (uint32_t)at;
    return open == end;
}

char *flat_element_name(const Flat *flat, uint32_t array, uint32_t element, Arena *arena)
{
    const FlatArray *a = &flat->arrays.items[array];
    StrBuf s = { .arena = arena };
    const size_t n = strlen(a->name) - a->n_primes;
    str_add_text(&s, (Text){ a->name, n });
    uint32_t stride = a->n;
    for (uint32_t i = 0; i < a->n_sizes; i++) {
        stride /= a->sizes[i];
        str_addf(&s, "%c%u", i ? ',' : '[', element / stride + 1);
        element %= stride;
    }
    str_add_char(&s, ']');
    str_add(&s, a->name + n);
    return str_finish(&s);
}

uint32_t flat_array_of(const Flat *flat, uint32_t element)
{
    size_t lo = 0, hi = flat->arrays.n;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (flat->arrays.items[middle].first <= element) lo = middle;
        else hi = middle;
    }
    return (uint32_t)lo;
}

// "2*i - 1": an index as it depends on those of the loops.
static void print_index(int64_t constant, const int64_t *factor, const ExprLoops *loops, FILE *out)
{
    bool is_first = true;
    for (uint32_t k = 0; loops && k < loops->n; k++) {
        if (factor[k] == 0) continue;
        constant -= factor[k] * loops->first[k];
        if (factor[k] < 0) fputs(is_first ? "-" : " - ", out);
        else if (!is_first) fputs(" + ", out);
        const long long size = factor[k] < 0 ? -factor[k] : factor[k];
        if (size != 1) fprintf(out, "%lld*", size);
        fputs(loops->index[k], out);
        is_first = false;
    }
    if (is_first) fprintf(out, "%lld", (long long)constant);
    else if (constant)
        fprintf(out, " %c %lld", constant < 0 ? '-' : '+', (long long)(constant < 0 ? -constant : constant));
}

static void print_element(const void *context, const ExprAccess *access, const ExprLoops *loops, FILE *out)
{
    const Flat *flat = context;
    const FlatArray *a = &flat->arrays.items[access->array];
    const size_t n = strlen(a->name) - a->n_primes;
    fwrite(a->name, 1, n, out);
    // from the stride of each dimension the share of each loop in its index
    int64_t rest[EXPR_LOOPS_MAX + 1], stride = a->n;
    for (int k = 0; k < EXPR_LOOPS_MAX; k++) rest[k] = access->stride[k];
    rest[EXPR_LOOPS_MAX] = access->offset;
    for (uint32_t i = 0; i < a->n_sizes; i++) {
        stride /= a->sizes[i];
        int64_t share[EXPR_LOOPS_MAX + 1];
        for (int k = 0; k <= EXPR_LOOPS_MAX; k++) {
            share[k] = rest[k] / stride;
            rest[k] %= stride;
        }
        fputc(i ? ',' : '[', out);
        print_index(share[EXPR_LOOPS_MAX] + 1, share, loops, out);
    }
    fprintf(out, "]%s", a->name + n);
}

ExprNames flat_names(const Flat *flat)
{
    Expr *relations = ARENA_ARRAY(flat->arena, Expr, flat->relations.n + 1);
    for (size_t i = 0; i < flat->relations.n; i++) relations[i] = flat->relations.items[i].relation;
    return (ExprNames){ .variable = variable_name,
                        .context = flat,
                        .relations = relations,
                        .n_relations = (uint32_t)flat->relations.n,
                        .element = print_element };
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

static void print_family(const Flat *flat, const FlatFamily *family, ExprNames names, FILE *out)
{
    const ExprLoops *loops = &family->loops;
    for (uint32_t k = 0; k < loops->n; k++)
        fprintf(out, "%s%s in %d..%lld", k ? ", " : "for ", loops->index[k], (int)loops->first[k],
                (long long)loops->first[k] + loops->count[k] - 1);
    if (loops->n) fputs(": ", out);
    names.loops = loops;
    print_equation(flat, &(FlatEquation){ family->lhs, family->rhs, family->place }, &names, out);
}

void flat_print_family(const Flat *flat, const FlatFamily *family, FILE *out)
{
    print_family(flat, family, flat_names(flat), out);
}

static const char *kind_text(FlatKind kind, uint32_t derivative, uint32_t integral)
{
    switch (kind) {
    case FLAT_PARAM:    return "param";
    case FLAT_INPUT:    return "input";
    case FLAT_RESULT:   return "result";
    case FLAT_DISCRETE: return "discrete";
    case FLAT_VARIABLE: return derivative != FLAT_NONE ? "state" : integral != FLAT_NONE ? "rate" : "var";
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

char *flat_member_name(const FlatPart *part, uint32_t member, Arena *arena)
{
    if (part->n_sizes == 0) return arena_printf(arena, "%s", part->name);
    StrBuf text = { .arena = arena };
    str_add(&text, part->name);
    uint32_t stride = part->n;
    for (uint32_t i = 0; i < part->n_sizes; i++) {
        stride /= part->sizes[i];
        str_addf(&text, "%c%u", i ? ',' : '[', member / stride + 1);
        member %= stride;
    }
    str_add_char(&text, ']');
    return str_finish(&text);
}

void flat_print_cause(const Flat *flat, const FlatEvent *event, FILE *out)
{
    static const char *const words[] = { "when", "at", "every", "on", "reinit", "ask", "rate" };
    const ExprNames names = flat_names(flat);
    fputs(words[event->kind], out);
    if (event->kind == FLAT_REINIT || event->kind == FLAT_ASK) return;
    fputc(' ', out);
    if (event->kind == FLAT_ON) {
        fputs(flat->ports.items[event->port].name, out);
        return;
    }
    const Expr rate = event->kind == FLAT_RATE ? flat->actions.items[event[1].first_action].value : EXPR_NONE;
    expr_print(&flat->pool, event->kind == FLAT_WHEN   ? event->condition
                            : event->kind == FLAT_RATE ? rate
                                                       : event->time, &names, out);
    print_clause(flat, "from", event->from, &names, out);
    print_clause(flat, "after", event->after, &names, out);
}

static void print_event(const Flat *flat, const FlatEvent *event, const ExprNames *names, FILE *out)
{
    fputs(event->chain == (uint32_t)(event - flat->events.items) ? "event " : "else ", out);
    flat_print_cause(flat, event, out);
    if (event->priority != 0) fprintf(out, " priority %g", event->priority);
    if (event->lapses) fputs(" lapsing", out);
    if (event->settles) fputs(" settling", out);
    fputc('\n', out);
    for (uint32_t k = 0; k < event->n_actions; k++) {
        const FlatAction *action = &flat->actions.items[event->first_action + k];
        fprintf(out, "  %s := ", flat->vars.items[action->target].name);
        expr_print(&flat->pool, action->value, names, out);
        if (action->text) fprintf(out, " \"%s\"", action->text);
        fputc('\n', out);
    }
    for (uint32_t k = 0; k < event->n_sends; k++) {
        const FlatSend *send = &flat->sends.items[event->first_send + k];
        fprintf(out, "  if %s send %s", flat->vars.items[send->flag].name,
                flat->ports.items[send->port].name);
        for (uint32_t i = 0; i < flat->ports.items[send->port].n_values; i++)
            fprintf(out, "%s%s", i ? ", " : "(", flat->vars.items[send->first + i].name);
        fputs(send->first == FLAT_NONE ? "\n" : ")\n", out);
    }
}

static void print_array(const Flat *flat, const FlatArray *a, const ExprNames *names, FILE *out)
{
    fprintf(out, "  %-6s %.*s", kind_text(a->kind, a->derivative, a->integral),
            (int)(strlen(a->name) - a->n_primes), a->name);
    for (uint32_t i = 0; i < a->n_sizes; i++) fprintf(out, "%c1..%u", i ? ',' : '[', a->sizes[i]);
    fprintf(out, "]%s%s", a->name + strlen(a->name) - a->n_primes, a->is_output ? " (output)" : "");
    if (a->start != EXPR_NONE) {
        fputs(a->start_is_guess ? " ~ " : " = ", out);
        expr_print(&flat->pool, a->start, names, out);
    }
    if (a->unit) fprintf(out, " [%s]", a->unit);
    fputc('\n', out);
}

static void print_families(const Flat *flat, const char *title, const FlatFamily *families, size_t n,
                           const ExprNames *names, FILE *out)
{
    if (n) fprintf(out, "%s\n", title);
    for (size_t i = 0; i < n; i++) {
        fputs("  ", out);
        print_family(flat, &families[i], *names, out);
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
        fprintf(out, "  %-6s %s%s%s%s", kind_text(v->kind, v->derivative, v->integral), v->name,
                v->is_output ? " (output)" : "", v->is_hidden ? " (hidden)" : "",
                v->is_structural ? " (structural)" : "");
        if (v->start != EXPR_NONE) {
            fputs(v->start_is_guess ? " ~ " : " = ", out);
            expr_print(&flat->pool, v->start, &names, out);
        }
        if (v->unit) fprintf(out, " [%s]", v->unit);
        fputc('\n', out);
    }
    for (size_t i = 0; i < flat->arrays.n; i++) print_array(flat, &flat->arrays.items[i], &names, out);
    print_list(flat, "equations", flat->equations.items, flat->equations.n, &names, out);
    print_families(flat, "families", flat->families.items, flat->families.n, &names, out);
    print_list(flat, "initial", flat->initial.items, flat->initial.n, &names, out);
    print_families(flat, "initial families", flat->initial_families.items, flat->initial_families.n, &names,
                   out);
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
