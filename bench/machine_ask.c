// bench/machine_ask.c: questions about machines with a million states and four inputs. Prints, for each kind
// of machine, the seconds that minimising takes; then those of comparing two machines of a million states
// that are equivalent.
#include "orrery/orrery.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { INPUTS = 4 };

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*seed >> 33);
}

static orr_machine *read_table(const uint32_t *next, const uint32_t *out, uint32_t n)
{
    char *text = NULL;
    size_t length = 0;
    FILE *table = open_memstream(&text, &length);
    fprintf(table, "state,a,b,c,d,output\n");
    for (uint32_t s = 0; s < n; s++)
        fprintf(table, "s%u,s%u,s%u,s%u,s%u,o%u\n", s, next[4 * s], next[4 * s + 1], next[4 * s + 2],
                next[4 * s + 3], out[s]);
    fclose(table);
    orr_diag *diag = orr_diag_create();
    orr_machine *machine = orr_machine_parse("bench.csv", text, length, NULL, diag);
    if (!machine) orr_diag_print(diag, stderr, 0);
    if (!machine) exit(1);
    orr_diag_destroy(diag);
    free(text);
    return machine;
}

static void minimise(const char *name, const uint32_t *next, const uint32_t *out, uint32_t n)
{
    orr_machine *machine = read_table(next, out, n);
    const double start = now();
    orr_machine *small = orr_machine_minimise(machine, false, NULL, NULL);
    printf("%s %u %.3f\n", name, orr_machine_count(small, ORR_MACHINE_STATES), now() - start);
    orr_machine_destroy(small);
    orr_machine_destroy(machine);
}

int main(int argc, char **argv)
{
    const uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000, core = n / 4;
    uint32_t *next = calloc((size_t)n * INPUTS, sizeof *next), *out = calloc(n, sizeof *out);
    uint64_t seed = 1;
    for (size_t i = 0; i < (size_t)n * INPUTS; i++) next[i] = next_random(&seed) % n;
    for (uint32_t s = 0; s < n; s++) out[s] = s < 2 ? s : next_random(&seed) % 2;
    minimise("random", next, out, n);

    // a line, walked in both directions and by leaps: only its end is different, and news of that spreads
    // slowly
    for (uint32_t s = 0; s < n; s++) {
        next[4 * s] = s + 1 < n ? s + 1 : s;
        next[4 * s + 1] = s / 2;
        next[4 * s + 2] = (uint32_t)((uint64_t)s * 7919 % n);
        next[4 * s + 3] = s > 0 ? s - 1 : s;
        out[s] = s == n - 1;
    }
    minimise("line", next, out, n);

    // copies of a random machine a quarter as large, twice, with moves spread over the copies in different
    // ways
    uint32_t *small = calloc((size_t)core * INPUTS, sizeof *small);
    for (size_t i = 0; i < (size_t)core * INPUTS; i++) small[i] = next_random(&seed) % core;
    orr_machine *two[2];
    for (int k = 0; k < 2; k++) {
        for (uint32_t s = 0; s < n; s++) {
            for (uint32_t i = 0; i < INPUTS; i++)
                next[4 * s + i] = (small[4 * (s % core) + i] + core * (next_random(&seed) % 4)) % n;
            out[s] = s % core * 2654435761u >> 31;
        }
        if (k == 0) minimise("copies", next, out, n);
        two[k] = read_table(next, out, n);
    }
    const double start = now();
    orr_comparison c = orr_machine_compare(two[0], 0, two[1], 0, NULL);
    printf("compare %d %.3f\n", c.are_equivalent, now() - start);
    orr_comparison_free(&c);
    for (int k = 0; k < 2; k++) orr_machine_destroy(two[k]);
    free(small);
    free(next);
    free(out);
    return 0;
}
