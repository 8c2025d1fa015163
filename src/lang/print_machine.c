// src/lang/print_machine.c: finite-state machines.
#include "lang/print.h"
#include "lang/lex.h"

// At the start of a rule a word that starts another statement is quoted.
static void print_symbol_name(const char *name, Printer *p)
{
    const bool is_word = strcmp(name, "state") == 0 || strcmp(name, "start") == 0;
    if (p->at_start && is_word) print_format(p, "\"%s\"", name);
    else print_name(name, p);
}

static void print_symbol(const AstSymbol *symbol, Printer *p)
{
    for (; symbol->condition; symbol = symbol->no) {
        print_text(p, "if ");
        print_expr(symbol->condition, p);
        print_text(p, " then ");
        print_symbol(symbol->yes, p);
        print_text(p, " else ");
    }
    if (!symbol->name) {
        print_char(p, '*');
        return;
    }
    print_symbol_name(symbol->name, p);
    if (symbol->n_indices == 0) return;
    print_char(p, '[');
    print_list(symbol->indices, symbol->n_indices, p);
    print_char(p, ']');
}

static void print_family(const AstFamily *family, Printer *p)
{
    print_symbol_name(family->name, p);
    for (uint32_t i = 0; i < family->n_ranges; i++) {
        print_text(p, i == 0 ? "[" : ", ");
        if (family->ranges[i].first) {
            print_expr(family->ranges[i].first, p);
            print_text(p, "..");
        }
        print_expr(family->ranges[i].last, p);
    }
    if (family->n_ranges > 0) print_char(p, ']');
}

static void print_move(const AstMove *move, Printer *p)
{
    print_symbol(move->input, p);
    print_text(p, " -> ");
    for (uint32_t i = 0; i < move->n_branches; i++) {
        if (i > 0) print_text(p, " | ");
        if (move->branches[i].probability) print_chance(move->branches[i].probability, p);
        print_symbol(move->branches[i].to, p);
    }
    if (!move->output) return;
    print_text(p, " / ");
    print_symbol(move->output, p);
}

static void print_machine_item(const AstMachineItem *item, Printer *p)
{
    static const char *const words[] = {
        [AST_MACHINE_CONST] = "const ", [AST_MACHINE_INPUT] = "input ", [AST_MACHINE_OUTPUT] = "output ",
        [AST_MACHINE_START] = "start ", [AST_MACHINE_STATE] = "state ", [AST_MACHINE_RULE] = "",
    };
    print_format(p, "  %s", words[item->kind]);
    p->at_start = item->kind == AST_MACHINE_RULE;
    if (item->symbol) print_symbol(item->symbol, p);
    else print_family(&item->family, p);
    if (item->value) {
        print_text(p, " = ");
        print_expr(item->value, p);
    }
    print_doc(item->doc, p);
    if (item->output) {
        print_text(p, " / ");
        print_symbol(item->output, p);
    }
    for (uint32_t i = 0; i < item->n_moves; i++) {
        print_text(p, i > 0 ? ", " : item->kind == AST_MACHINE_RULE ? " on " : " : ");
        print_move(&item->moves[i], p);
    }
    print_char(p, '\n');
}

void print_machine(const AstMachine *machine, Printer *p)
{
    print_text(p, "machine ");
    print_name(machine->name, p);
    print_doc(machine->doc, p);
    print_char(p, '\n');
    for (uint32_t i = 0; i < machine->n_items; i++) print_machine_item(&machine->items[i], p);
    print_text(p, "end\n");
}
