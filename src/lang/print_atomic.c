// src/lang/print_atomic.c: atomics, and the records and enumerations of their messages.
#include "lang/print.h"

static void print_type(const char *type, Printer *p)
{
    if (!type) return;
    print_text(p, " : ");
    print_name(type, p);
}

void print_record(const AstRecord *record, Printer *p)
{
    print_text(p, "record ");
    print_name(record->name, p);
    print_doc(record->doc, p);
    print_char(p, '\n');
    for (uint32_t i = 0; i < record->n_fields; i++) {
        print_text(p, "  ");
        p->at_start = true;
        print_name(record->fields[i].name, p);
        print_unit_of(record->fields[i].unit, p);
        print_type(record->fields[i].type, p);
        print_char(p, '\n');
    }
    print_text(p, "end\n");
}

void print_enum(const AstEnum *e, Printer *p)
{
    print_text(p, "enum ");
    print_name(e->name, p);
    print_doc(e->doc, p);
    print_char(p, ' ');
    for (uint32_t i = 0; i < e->n_values; i++) {
        if (i > 0) print_text(p, ", ");
        print_name(e->values[i], p);
    }
    print_char(p, '\n');
}

static void print_acts(const AstAct *acts, uint32_t n, int depth, Printer *p);

static void print_act(const AstAct *act, int depth, Printer *p)
{
    switch (act->kind) {
    case AST_ACT_ASSIGN:
        p->at_start = true;
        print_ref(&act->target, p);
        print_text(p, " := ");
        print_expr(act->value, p);
        break;
    case AST_ACT_CALL:
        p->at_start = true;
        print_expr(act->value, p);
        break;
    case AST_ACT_IF:
        print_text(p, "if ");
        print_expr(act->value, p);
        print_text(p, " then\n");
        print_acts(act->body, act->n_body, depth + 1, p);
        for (; act->n_other == 1 && act->other->kind == AST_ACT_IF;) {
            act = act->other;
            print_indent(depth, p);
            print_text(p, "elseif ");
            print_expr(act->value, p);
            print_text(p, " then\n");
            print_acts(act->body, act->n_body, depth + 1, p);
        }
        if (act->n_other > 0) {
            print_indent(depth, p);
            print_text(p, "else\n");
            print_acts(act->other, act->n_other, depth + 1, p);
        }
        print_indent(depth, p);
        print_text(p, "end");
        break;
    case AST_ACT_FOR:
        print_text(p, "for ");
        print_name(act->index, p);
        print_text(p, " in ");
        print_expr(act->value, p);
        print_text(p, "..");
        print_expr(act->last, p);
        print_char(p, '\n');
        print_acts(act->body, act->n_body, depth + 1, p);
        print_indent(depth, p);
        print_text(p, "end");
        break;
    case AST_ACT_ON:
        print_text(p, "on ");
        print_name(act->index, p);
        if (act->value) {
            print_text(p, " if ");
            print_expr(act->value, p);
        }
        print_text(p, " do\n");
        print_acts(act->body, act->n_body, depth + 1, p);
        print_indent(depth, p);
        print_text(p, "end");
        break;
    }
}

static void print_acts(const AstAct *acts, uint32_t n, int depth, Printer *p)
{
    for (uint32_t i = 0; i < n; i++) {
        print_indent(depth, p);
        print_act(&acts[i], depth, p);
        print_char(p, '\n');
    }
}

static bool goal_is_empty(const AstGoal *goal)
{
    return goal->n_acts == 0 && !goal->state && !goal->condition && goal->n_chances == 0;
}

static void print_goal(const AstGoal *goal, bool arrow, int depth, Printer *p)
{
    const bool leads = goal->state || goal->condition || goal->n_chances > 0;
    if (goal->n_acts > 0 || !leads) {
        print_text(p, "do\n");
        print_acts(goal->acts, goal->n_acts, depth + 1, p);
        print_indent(depth, p);
        print_text(p, leads ? "-> " : "end");
    } else if (arrow) {
        print_text(p, "-> ");
    }
    if (goal->condition) {
        print_text(p, "if ");
        print_expr(goal->condition, p);
        print_text(p, " then ");
        print_goal(goal->yes, false, depth, p);
        print_text(p, " else ");
        print_goal(goal->no, false, depth, p);
    } else if (goal->n_chances > 0) {
        for (uint32_t i = 0; i < goal->n_chances; i++) {
            if (i > 0) print_text(p, " | ");
            print_chance(goal->chances[i], p);
            print_goal(&goal->cases[i], false, depth, p);
        }
    } else if (goal->state) {
        if (strcmp(goal->state, "do") == 0) print_text(p, "\"do\"");    // else a block would begin
        else print_name(goal->state, p);
        if (goal->keeps) print_text(p, " keeping time");
    }
}

static void print_transition(const AstTransition *transition, int depth, Printer *p)
{
    print_indent(depth, p);
    print_text(p, transition->port ? "on " : "after");
    if (transition->port) print_name(transition->port, p);
    print_sizes((AstExpr *const *)&transition->index, transition->index != NULL, p);
    if (transition->guard) {
        print_text(p, " if ");
        print_expr(transition->guard, p);
    }
    for (uint32_t i = 0; i < transition->n_emits; i++) {
        const AstEmit *emit = &transition->emits[i];
        print_text(p, i > 0 ? ", " : " send ");
        print_name(emit->port, p);
        print_sizes((AstExpr *const *)&emit->index, emit->index != NULL, p);
        if (emit->value) {
            print_char(p, '(');
            print_expr(emit->value, p);
            print_char(p, ')');
        }
        if (emit->condition) {
            print_text(p, " if ");
            print_expr(emit->condition, p);
        }
    }
    if (!transition->port || !goal_is_empty(&transition->goal)) {
        print_char(p, ' ');
        print_goal(&transition->goal, true, depth, p);
    }
    print_char(p, '\n');
}

static void print_port(const AstPort *port, Printer *p)
{
    print_text(p, port->is_output ? "  output event " : "  input event ");
    print_name(port->name, p);
    print_sizes((AstExpr *const *)&port->size, port->size != NULL, p);
    print_unit_of(port->unit, p);
    print_type(port->type, p);
    if (port->is_required) print_text(p, " required");
    print_doc(port->doc, p);
    print_char(p, '\n');
}

static void print_cell(const AstCell *cell, Printer *p)
{
    print_text(p, "  var ");
    print_name(cell->name, p);
    print_sizes(&cell->size, cell->size != NULL, p);
    if (!print_says_unit(cell->value, cell->unit)) print_unit_of(cell->unit, p);
    print_type(cell->type, p);
    if (cell->value) {
        print_text(p, " = ");
        print_expr(cell->value, p);
    }
    print_doc(cell->doc, p);
    print_char(p, '\n');
}

void print_atomic(const AstAtomic *a, Printer *p)
{
    static const char *const words[] = { "internal first", "external first" };
    print_text(p, "atomic ");
    print_name(a->name, p);
    if (a->is_native) print_text(p, " native");
    print_doc(a->doc, p);
    print_char(p, '\n');
    for (uint32_t i = 0; i < a->n_params; i++) {
        print_indent(1, p);
        print_decl(&a->params[i], p);
        print_char(p, '\n');
    }
    for (uint32_t i = 0; i < a->n_ports; i++) print_port(&a->ports[i], p);
    for (uint32_t i = 0; i < a->n_cells; i++) print_cell(&a->cells[i], p);
    if (a->has_start) {
        print_text(p, "  start ");
        print_goal(&a->start, false, 1, p);
        print_char(p, '\n');
    }
    if (a->has_confluent) {
        print_text(p, "  confluent ");
        if (a->confluent == AST_CONFLUENT_OWN) print_goal(&a->confluent_goal, true, 1, p);
        else print_text(p, words[a->confluent]);
        print_char(p, '\n');
    }
    for (uint32_t i = 0; i < a->n_common; i++) print_transition(&a->common[i], 1, p);
    for (uint32_t i = 0; i < a->n_states; i++) {
        const AstState *state = &a->states[i];
        print_text(p, "  state ");
        print_name(state->name, p);
        print_doc(state->doc, p);
        if (state->duration) {
            print_text(p, " for ");
            print_expr(state->duration, p);
        }
        print_char(p, '\n');
        for (uint32_t k = 0; k < state->n_transitions; k++) print_transition(&state->transitions[k], 2, p);
    }
    print_text(p, "end\n");
}
