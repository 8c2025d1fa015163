// src/island/phases.c: the state graph of an island. Transitions assert that they follow it, and
// docs/decisions/islands.md shows what is printed here.
#include "island/island.h"

#define BIT(phase) (1u << (phase))
enum {
    START = BIT(ISLAND_START),
    WAIT = BIT(ISLAND_WAIT),
    SPREAD = BIT(ISLAND_SPREAD),
    STAND = BIT(ISLAND_STAND),
};

const uint8_t island_graph[ISLAND_PHASES][ISLAND_CAUSES] = {
    [ISLAND_START] = {
        [ISLAND_DUE] = START | WAIT,
        [ISLAND_UPDATE] = START | WAIT,
        [ISLAND_DISCONTINUITY] = SPREAD,
        [ISLAND_KNOWN] = START,
        [ISLAND_END] = STAND,
    },
    [ISLAND_WAIT] = {
        [ISLAND_DUE] = WAIT,
        [ISLAND_UPDATE] = START | WAIT,
        [ISLAND_DISCONTINUITY] = SPREAD,
        [ISLAND_KNOWN] = WAIT,
        [ISLAND_END] = STAND,
    },
    [ISLAND_SPREAD] = {
        [ISLAND_DUE] = WAIT,
        [ISLAND_UPDATE] = SPREAD,
        [ISLAND_DISCONTINUITY] = SPREAD,
        [ISLAND_KNOWN] = SPREAD,
        [ISLAND_END] = STAND,
    },
    [ISLAND_STAND] = {
        [ISLAND_DUE] = STAND,
        [ISLAND_UPDATE] = STAND,
        [ISLAND_DISCONTINUITY] = STAND,
        [ISLAND_KNOWN] = STAND,
        [ISLAND_END] = STAND,
    },
};

static const char *const names[ISLAND_PHASES] = { "start", "wait", "spread", "stand" };

static const char *const causes[ISLAND_CAUSES] = {
    "due", "update", "discontinuity", "known discontinuity", "end",
};

// What each phase waits for, and what it tells then.
static const char *const advances[2][ISLAND_PHASES] = {
    { "now", "the next grid point, or the next period of output", "now", "never" },
    { "now", "a state is renewed, or the next period of output", "now", "never" },
};
static const char *const outputs[2][ISLAND_PHASES] = {
    { "all outputs, if they are news", "all outputs", "all outputs, with <iP, Md and itself>", "nothing" },
    { "all outputs, if they are news", "those that were renewed, with gradients",
      "all outputs, with <iP, Md and itself>", "nothing" },
};

void island_print_graph(bool is_quantised, FILE *out)
{
    const int kind = is_quantised;
    for (int p = 0; p < ISLAND_PHASES; p++) {
        fprintf(out, "%-7s due: %s; tells %s\n", names[p], advances[kind][p], outputs[kind][p]);
        for (int k = 0; k < ISLAND_CAUSES && p != ISLAND_STAND; k++) {
            fprintf(out, "    %-20s ->", causes[k]);
            const char *between = " ";
            for (int to = 0; to < ISLAND_PHASES; to++) {
                if (!(island_graph[p][k] & BIT(to))) continue;
                fprintf(out, "%s%s", between, names[to]);
                between = " or ";
            }
            fprintf(out, "\n");
        }
    }
}
