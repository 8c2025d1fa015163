// src/lang/print_model.c: models, functions and all that stands in them.
#include "lang/print.h"

void print_sizes(AstExpr *const *sizes, uint32_t n, Printer *p)
{
    if (n == 0) return;
    print_char(p, '[');
    print_list(sizes, n, p);
    print_char(p, ']');
}

void print_decl(const AstDecl *d, Printer *p)
{
    static const char *const words[] = { "param",  "const",   "input",    "var", "output",
                                         "across", "through", "discrete", "input event", "output event" };
    print_format(p, "%s ", d->is_draw ? "draw" : words[d->kind]);
    print_name(d->name, p);
    print_sizes(d->sizes, d->n_sizes, p);
    for (uint32_t i = 0; i < d->primes; i++) print_char(p, '\'');

    if (!print_says_unit(d->value, d->unit)) print_unit_of(d->unit, p);
    if (d->value) {
        print_text(p, d->is_guess ? " ~ " : " = ");
        print_expr(d->value, p);
    }
    if (d->type) {
        print_text(p, " : ");
        print_name(d->type, p);
    }
    if (d->nominal) {
        print_text(p, " nominal ");
        print_expr(d->nominal, p);
    }
    if (d->is_positive) print_text(p, " positive");
    if (d->is_required) print_text(p, " required");
    print_doc(d->doc, p);
}

void print_settings(const AstSetting *settings, uint32_t n, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i > 0) print_text(p, ", ");
        print_ref(&settings[i].target, p);
        print_text(p, " = ");
        print_expr(settings[i].value, p);
    }
}

static void print_equation(const AstItem *item, Printer *p)
{
    p->at_start = true;
    print_expr(item->equation.lhs, p);
    print_text(p, " = ");
    print_expr(item->equation.rhs, p);
}

static void print_items(const AstItem *items, uint32_t n, int depth, Printer *p);

void print_function(const AstFunction *f, int depth, Printer *p)
{
    print_text(p, "function ");
    print_name(f->name, p);
    print_char(p, '(');
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i > 0) print_text(p, ", ");
        print_name(f->params[i], p);
    }
    print_char(p, ')');
    print_doc(f->doc, p);
    if (f->n_locals == 0) {
        print_text(p, " = ");
        print_expr(f->result, p);
        return;
    }
    print_char(p, '\n');
    print_items(f->locals, f->n_locals, depth + 1, p);
    print_indent(depth + 1, p);
    print_text(p, "return ");
    print_expr(f->result, p);
    print_char(p, '\n');
    print_indent(depth, p);
    print_text(p, "end");
}

void print_clause(const char *word, const AstExpr *e, Printer *p)
{
    if (!e) return;
    print_format(p, " %s ", word);
    print_expr(e, p);
}

static void print_event(const AstEvent *e, int depth, Printer *p)
{
    static const char *const words[] = { "when ", "at ",    "every ", "next ",
                                         "on ",   "reinit", "rate " };
    if (e->kind == AST_NEXT) {
        print_text(p, "next ");
        print_ref(&e->body[0].assign.target, p);
        print_text(p, " = ");
        print_expr(e->body[0].assign.value, p);
        print_clause("every", e->time, p);
        print_clause("from", e->from, p);
        return;
    }
    print_text(p, words[e->kind]);
    for (bool is_first = true; e; e = e->otherwise, is_first = false) {
        if (!is_first) {
            print_indent(depth, p);
            print_text(p, "elsewhen ");
        }
        if (e->kind == AST_ON) print_ref(&e->port, p);
        else if (e->kind != AST_REINIT) print_expr(e->kind == AST_WHEN ? e->condition : e->time, p);
        print_clause("from", e->from, p);
        print_clause("after", e->after, p);
        print_clause("priority", e->priority, p);
        for (int i = 0; i < AST_N_EVENT_OPTIONS; i++) {
            if (!(e->options & 1u << i)) continue;
            print_text(p, " ");
            print_text(p, ast_event_options[i]);
        }
        print_text(p, " then\n");
        print_items(e->body, e->n_body, depth + 1, p);
    }
    print_indent(depth, p);
    print_text(p, "end");
}

static void print_branches(const AstItem *item, int depth, Printer *p)
{
    print_text(p, "if ");
    for (bool is_first = true; item; item = item->branch.otherwise, is_first = false) {
        if (!is_first) {
            print_indent(depth, p);
            print_text(p, item->branch.condition ? "elseif " : "else\n");
        }
        if (item->branch.condition) {
            print_expr(item->branch.condition, p);
            print_text(p, " then\n");
        }
        print_items(item->branch.items, item->branch.n_items, depth + 1, p);
    }
    print_indent(depth, p);
    print_text(p, "end");
}

static void print_island(const AstIsland *island, Printer *p)
{
    if (island->solver) {
        print_text(p, " solver ");
        print_text(p, island->solver);
    }
    for (uint32_t i = 0; i < island->n_options; i++) {
        const AstRef *target = &island->options[i].target;
        print_char(p, ' ');
        print_text(p, strcmp(target->parts[0].name, "period") == 0 ? "output every" : target->parts[0].name);
        print_char(p, ' ');
        if (target->n_parts > 1) {
            const AstRef state = { target->parts + 1, target->n_parts - 1, target->primes };
            print_ref(&state, p);
            print_text(p, " = ");
        }
        print_expr(island->options[i].value, p);
    }
    if (island->synchronised) print_text(p, " synchronised");
    if (island->gradients) print_text(p, " gradients");
}

static void print_component(const AstItem *item, Printer *p)
{
    if (item->component.written) item = item->component.written;
    if (item->component.island) print_text(p, "island ");
    print_name(item->component.name, p);
    print_sizes(item->component.sizes, item->component.n_sizes, p);
    print_text(p, " : ");
    print_name(item->component.model, p);
    if (item->component.n_overrides > 0) {
        print_char(p, '(');
        print_settings(item->component.overrides, item->component.n_overrides, p);
        print_char(p, ')');
    }
    if (item->component.island) print_island(item->component.island, p);
}

static void print_loop(const AstItem *item, int depth, Printer *p)
{
    print_text(p, "for ");
    print_name(item->loop.index, p);
    print_text(p, " in ");
    print_expr(item->loop.first, p);
    print_text(p, "..");
    print_expr(item->loop.last, p);
    print_char(p, '\n');
    print_items(item->loop.items, item->loop.n_items, depth + 1, p);
    print_indent(depth, p);
    print_text(p, "end");
}

static void print_reaction(const AstReaction *reaction, Printer *p)
{
    print_text(p, "reaction ");
    print_name(reaction->name, p);
    print_text(p, " :");
    for (uint32_t i = 0; i <= reaction->n_species; i++) {
        if (i == reaction->n_left) print_text(p, " ->");
        if (i == reaction->n_species) break;
        print_text(p, i > 0 && i != reaction->n_left ? " + " : " ");
        if (reaction->species[i].number != 1) print_format(p, "%.15g ", reaction->species[i].number);
        print_ref(&reaction->species[i].ref, p);
    }
    print_text(p, " rate ");
    print_expr(reaction->rate, p);
}

static void print_item(const AstItem *item, int depth, Printer *p)
{
    switch (item->kind) {
    case AST_DECL:
        print_decl(&item->decl, p);
        break;
    case AST_EQUATION:
        print_equation(item, p);
        break;
    case AST_INITIAL:
        print_text(p, "initial ");
        print_equation(item, p);
        break;
    case AST_ASSERT:
        print_text(p, "assert ");
        print_expr(item->assertion.condition, p);
        print_doc(item->assertion.text, p);
        break;
    case AST_PREFER:
        print_text(p, "prefer ");
        print_ref(&item->prefer, p);
        break;
    case AST_COMPONENT:
        print_component(item, p);
        break;
    case AST_ARROW:
        print_ref(&item->arrow.from, p);
        print_text(p, " -> ");
        print_ref(&item->arrow.to, p);
        print_clause("when", item->arrow.when, p);
        break;
    case AST_CONNECT:
        print_ref(&item->arrow.from, p);
        print_text(p, " -- ");
        print_ref(&item->arrow.to, p);
        break;
    case AST_FOR:
        print_loop(item, depth, p);
        break;
    case AST_TIME_UNIT:
        print_format(p, "time [%s]", item->time_unit);
        break;
    case AST_FUNCTION:
        print_function(&item->function, depth, p);
        break;
    case AST_ASSIGN:
        print_ref(&item->assign.target, p);
        print_text(p, " := ");
        print_expr(item->assign.value, p);
        break;
    case AST_RERUN:
        print_text(p, "rerun when ");
        print_expr(item->rerun.condition, p);
        if (!item->rerun.at_most) break;
        print_text(p, " at most ");
        print_expr(item->rerun.at_most, p);
        break;
    case AST_TERMINAL:
        print_text(p, "terminal\n");
        print_items(item->terminal.items, item->terminal.n_items, depth + 1, p);
        print_indent(depth, p);
        print_text(p, "end");
        break;
    case AST_EVENT:
        print_event(item->event, depth, p);
        break;
    case AST_BRANCH:
        print_branches(item, depth, p);
        break;
    case AST_TERMINATE:
        print_text(p, "terminate");
        print_doc(item->terminate, p);
        break;
    case AST_PRESENT:
        print_text(p, "present ");
        print_ref(&item->present.part, p);
        if (item->present.anew) print_text(p, " anew");
        print_clause("when", item->present.condition, p);
        break;
    case AST_REACTION:
        print_reaction(item->reaction, p);
        break;
    case AST_SEND:
        print_text(p, "send ");
        print_ref(&item->send.port, p);
        if (item->send.n_values == 0) break;
        print_char(p, '(');
        print_list(item->send.values, item->send.n_values, p);
        print_char(p, ')');
        break;
    }
}

static void print_items(const AstItem *items, uint32_t n, int depth, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        print_indent(depth, p);
        print_item(&items[i], depth, p);
        print_char(p, '\n');
    }
}

void print_model(const char *word, const AstModel *model, Printer *p)
{
    print_format(p, "%s ", word);
    print_name(model->name, p);
    print_doc(model->doc, p);
    print_char(p, '\n');
    print_items(model->items, model->n_items, 1, p);
    print_text(p, "end\n");
}
