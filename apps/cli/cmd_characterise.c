// apps/cli/cmd_characterise.c: `orrery characterise`: what measured columns look like, and which models that
// suggests.
#include "commands.h"
#include "orrery/characterise.h"
#include <math.h>
#include <string.h>

// What such a curve is often a solution of.
static void suggest(const char *name, const orr_character *c)
{
    const double w = 2 * 3.14159265358979323846 / c->period;
    switch (c->shape) {
    case ORR_CHARACTER_STEADY:
        printf("  suggests an ideal oscillator: %s'' = -%.6g*(%s - %.6g)\n", name, w * w, name, c->mean);
        break;
    case ORR_CHARACTER_DAMPED:
        printf("  suggests a damped oscillator: %s'' = -%.6g*%s' - %.6g*(%s - %.6g)\n", name, 2 * c->decay,
               name, w * w + c->decay * c->decay, name, c->mean);
        break;
    case ORR_CHARACTER_GROWING:
        printf("  suggests an oscillator that gains energy, or one that is driven near its own frequency\n");
        break;
    case ORR_CHARACTER_EXPONENTIAL: printf("  suggests %s' = %.6g*%s\n", name, c->rate, name); break;
    case ORR_CHARACTER_LINE: printf("  suggests %s' = %.6g\n", name, c->trend); break;
    case ORR_CHARACTER_CONSTANT: printf("  suggests a parameter: %s = %.6g\n", name, c->mean); break;
    case ORR_CHARACTER_CURVE: printf("  suggests a polynomial, or an approach to a limit\n"); break;
    default: printf("  too few turning points to tell\n"); break;
    }
}

static void print_character(const char *name, const char *unit, const orr_character *c)
{
    printf("%s%s%s%s: %zu values\n", name, unit ? " [" : "", unit ? unit : "", unit ? "]" : "", c->n);
    printf("  mean %.6g, trend %.6g per unit of time\n", c->mean, c->trend);
    if (c->n_peaks == 0) printf("  no peaks\n");
    else printf("  %zu peak%s", c->n_peaks, c->n_peaks == 1 ? "" : "s");
    if (!isnan(c->period)) printf(", period %.6g", c->period);
    if (!isnan(c->period_deviation)) printf(" ± %.2g", c->period_deviation);
    if (c->n_peaks) printf(", amplitude %.6g\n", c->amplitude);
    if (!isnan(c->decay))
        printf("  envelope: exponential %.6g*exp(%.6g*t), R² %.4f; straight, %.6g for each unit of time, "
               "R² %.4f\n",
               c->amplitude_start, -c->decay, c->decay_r2, c->amplitude_slope, c->amplitude_r2);
    if (!isnan(c->rate)) printf("  exponential: exp(%.6g*t), R² %.4f; line: R² %.4f\n", c->rate, c->rate_r2,
                                c->trend_r2);
    suggest(name, c);
}

static int run(const void *settings, const List *arguments, orr_diag *diag)
{
    (void)settings;
    orr_table *table = orr_table_read(arguments->items[0], diag);
    if (!table) return ORR_STATUS_SYSTEM;
    int status = ORR_STATUS_OK;
    size_t n = 0;
    for (size_t c = 1; c < orr_table_n_columns(table); c++) {
        orr_character character;
        if (arguments->n > 1 && strcmp(arguments->items[1], orr_table_name(table, c)) != 0) continue;
        n++;
        if (orr_characterise(table, c, &character)) {
            print_character(orr_table_name(table, c), orr_table_unit(table, c), &character);
        } else {
            usage_error(diag, "E047", "three numbers and times that do not go back are needed",
                        "column '%s' of '%s' cannot be characterised", orr_table_name(table, c),
                        arguments->items[0]);
            status = ORR_STATUS_SYSTEM;
        }
    }
    if (n == 0) {
        usage_error(diag, "E047", NULL, "'%s' has no column%s%s", arguments->items[0],
                    arguments->n > 1 ? " " : "", arguments->n > 1 ? arguments->items[1] : " of values");
        status = ORR_STATUS_SYSTEM;
    }
    orr_table_destroy(table);
    return status;
}

const Command command_characterise = {
    .name = "characterise", .arguments = "DATA.csv [COLUMN]",
    .summary = "Say what measured columns look like: trend, peaks, envelope, and what they suggest",
    .at_least = 1, .at_most = 2, .prints_data = true, .run = run,
    .details = "The first column is the time. A turning point counts if the values turn back by a tenth of "
               "their range.\n\n"
               "Example:\n"
               "  orrery characterise examples/mass_spring/measured.csv\n",
};
