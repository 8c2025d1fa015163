// src/lang/print_table.c: tables, samples, and units of the user's own.
#include "base/number.h"
#include "lang/print.h"

void print_unit(const AstUnit *unit, Printer *p)
{
    char number[NUMBER_MAX];
    print_text(p, "unit ");
    print_name(unit->name, p);
    if (unit->unit) print_format(p, " = %s [%s]", number_text(unit->value, number), unit->unit);
    print_doc(unit->doc, p);
    print_char(p, '\n');
}

static void print_numbers(const double *numbers, uint32_t n, Printer *p)
{
    char text[NUMBER_MAX];
    for (uint32_t i = 0; i < n; i++) print_format(p, "%s%s", i ? ", " : "", number_text(numbers[i], text));
}

void print_table(const AstTable *table, Printer *p)
{
    const bool is_samples = table->n_arguments == 0;
    print_text(p, is_samples ? "samples " : "table ");
    print_name(table->name, p);
    for (uint32_t i = 0; i < table->n_arguments; i++) {
        print_text(p, i ? ", " : "(");
        print_name(table->arguments[i].name, p);
        print_unit_of(table->arguments[i].unit, p);
    }
    if (!is_samples) print_text(p, ")");
    print_unit_of(table->unit, p);
    print_doc(table->doc, p);
    if (table->file) print_format(p, " from \"%s\"", table->file);
    for (uint32_t i = 0; i < table->n_columns; i++)
        print_format(p, "%s\"%s\"", i ? ", " : is_samples ? " column " : " columns ", table->columns[i]);
    if (is_samples) {
        print_char(p, '\n');
        return;
    }
    print_format(p, " %s outside %s\n", ast_between_words[table->between], ast_outside_words[table->outside]);
    if (table->file) return;
    if (table->n_y) {
        print_text(p, "  : ");
        print_numbers(table->y, table->n_y, p);
        print_char(p, '\n');
    }
    const uint32_t n = table->n_y ? table->n_y : 1;
    for (uint32_t i = 0; i < table->n_x; i++) {
        print_text(p, "  ");
        print_numbers(&table->x[i], 1, p);
        print_text(p, " : ");
        print_numbers(&table->z[(size_t)i * n], n, p);
        print_char(p, '\n');
    }
    print_text(p, "end\n");
}
