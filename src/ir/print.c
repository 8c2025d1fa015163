// src/ir/print.c: an Ir for people: each program as a list of statements.
#include "ir/ir.h"

typedef struct Printer {
    const Ir *ir;
    ExprNames names;
    FILE     *out;
} Printer;

static const char *name_of(const Printer *p, uint32_t variable)
{
    return p->ir->flat->vars.items[variable].name;
}

static void print_unknowns(const Printer *p, const Block *block)
{
    for (uint32_t i = 0; i < block->n; i++)
        fprintf(p->out, "%s%s", i ? ", " : "", name_of(p, block->unknowns[i]));
}

static void print_solve(const Printer *p, const Block *block)
{
    fprintf(p->out, "    ");
    print_unknowns(p, block);
    if (block->kind == BLOCK_LINEAR) fprintf(p->out, " := solution of %u linear equations\n", block->n);
    else fprintf(p->out, " := solution by Newton in %u of %u unknowns\n", block->n_torn, block->n);
}

static void print_statement(const Printer *p, const IrProgram *program, const IrStatement *s);

static const char *memory_text(IrMemory memory)
{
    switch (memory) {
    case IR_IN_X: return "x";
    case IR_IN_V: return "v";
    case IR_IN_W: return "w";
    case IR_IN_OUT: return "out";
    case IR_IN_NUMBERS: return "numbers";
    }
    return "";
}

static void print_family(const Printer *p, const IrLoop *loop)
{
    const IrPlace *target = &loop->body[0].target;
    const ExprLoops *loops = &loop->loops;
    ExprNames names = p->names;
    names.loops = loops;
    fputs("    ", p->out);
    for (uint32_t k = 0; k < loops->n; k++)
        fprintf(p->out, "%s%s in %d..%lld", k ? ", " : "for ", loops->index[k], (int)loops->first[k],
                (long long)loops->first[k] + loops->count[k] - 1);
    fprintf(p->out, "%s%s[%u …] := ", loops->n ? ": " : "", memory_text(target->memory), target->first);
    expr_print(&p->ir->flat->pool, loop->body[0].statement.value, &names, p->out);
    fputc('\n', p->out);
}

// The first turn, and how many follow.
static void print_loop(const Printer *p, const IrProgram *program, const IrLoop *loop)
{
    size_t n = 1;
    for (uint32_t k = 0; k < loop->n_nested; k++) n *= loop->count[k];
    if (loop->is_family) {
        print_family(p, loop);
        return;
    }
    fprintf(p->out, "    loop, %zu turns%s\n", n, loop->codes == FLAT_NONE ? "" : " of one of these");
    for (uint32_t k = 0; k < loop->n_body; k++) {
        fputs("    ", p->out);
        print_statement(p, program, &loop->body[k].statement);
    }
}

static void print_statement(const Printer *p, const IrProgram *program, const IrStatement *s)
{
    switch (s->kind) {
    case IR_LOOP: print_loop(p, program, &p->ir->loops.items[s->index]); return;
    case IR_LOCAL: fprintf(p->out, "    %s := ", name_of(p, s->index)); break;
    case IR_KEEP: fprintf(p->out, "    keep %s := ", name_of(p, s->index)); break;
    case IR_OUT: fprintf(p->out, "    out[%u] := ", s->index); break;
    case IR_PARAM: fprintf(p->out, "    %s, unless given, := ", name_of(p, s->index)); break;
    case IR_GUESS:
        fprintf(p->out, "    guess of %s := ", name_of(p, s->index));
        if (s->value == EXPR_NONE) fprintf(p->out, "its value");
        break;
    case IR_RERUN: fprintf(p->out, "    out[%u], or out[0] too, := ", s->index + 1); break;
    case IR_SOLVE: print_solve(p, &program->system->blocks[s->index]); return;
    case IR_CALL: fprintf(p->out, "    %s at (t, out)", p->ir->programs[s->index].name); break;
    }
    if (s->value != EXPR_NONE) expr_print(&p->ir->flat->pool, s->value, &p->names, p->out);
    fputc('\n', p->out);
}

static void print_program(const Printer *p, const IrProgram *program)
{
    for (uint32_t i = 0; i < program->n_statements; i++) print_statement(p, program, &program->statements[i]);
}

void ir_print(const Ir *ir, FILE *out)
{
    const Printer p = { ir, flat_names(ir->flat), out };
    const IrLayout *layout = &ir->layout;
    fprintf(out, "values: %u parameters, %u modes, %zu variables, %u guesses, %u in all\n", layout->n_params,
            layout->n_modes, ir->flat->vars.n, layout->n_guesses, layout->n_values);
    fprintf(out, "states:");
    for (uint32_t i = 0; i < ir->blocks->n_states; i++)
        fprintf(out, " %s", name_of(&p, ir->blocks->states[i]));
    fputc('\n', out);

    for (size_t i = 0; i < IR_N_PROGRAMS; i++) {
        const IrProgram *program = &ir->programs[i];
        if (program->n_statements == 0) continue;
        fprintf(out, "\nprogram %s%s\n", program->name, program->keeps ? ", keeping all" : "");
        print_program(&p, program);
    }
    for (uint32_t i = 0; i < ir->flat->events.n; i++) {
        fprintf(out, "\nevent %u\n", i);
        print_program(&p, &ir->events[i]);
    }
    for (uint32_t i = 0; ir->one_rate && i < ir->blocks->n_states; i++) {
        fprintf(out, "\nin place, before %s\n", name_of(&p, ir->blocks->states[i]));
        print_program(&p, &ir->one_rate[i]);
    }
    if (ir->has_pattern) {
        fprintf(out, "\n%u of %llu derivatives by states", ir->pattern.n,
                (unsigned long long)ir->blocks->n_states * ir->blocks->n_states);
        fprintf(out, ir->has_jacobian ? ", as expressions\n" : ", by differences\n");
    }
}
