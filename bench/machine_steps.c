// bench/machine_steps.c: steps of a random machine (1000 states, 8 inputs, outputs kept), once by a plain
// loop over its table, once by orr_machine_advance. Prints the best time of each in ms.
#include "measure.h"
#include "orrery/orrery.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 1000, INPUTS = 8, OUTPUTS = 4, PIECE = 1 << 14 };

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(*seed >> 33);
}

// The loop anybody would write.
__attribute__((noinline)) static uint32_t by_hand(const uint32_t *next, const uint32_t *out, uint32_t s,
                                                  const uint32_t *inputs, size_t n, uint32_t *outputs)
{
    for (size_t i = 0; i < n; i++) {
        outputs[i] = out[s];
        s = next[s * INPUTS + inputs[i]];
    }
    return s;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000000;
    const int rounds = argc > 2 ? atoi(argv[2]) : 3;
    static uint32_t next[STATES * INPUTS], out[STATES], inputs[PIECE], outputs[PIECE], theirs[PIECE];
    uint64_t seed = 1;
    for (size_t i = 0; i < STATES * INPUTS; i++) next[i] = next_random(&seed) % STATES;
    for (size_t i = 0; i < STATES; i++) out[i] = i < OUTPUTS ? (uint32_t)i : next_random(&seed) % OUTPUTS;
    for (size_t i = 0; i < PIECE; i++) inputs[i] = next_random(&seed) % INPUTS;

    // the same machine as a table in text
    char *text = NULL;
    size_t length = 0;
    FILE *table = open_memstream(&text, &length);
    fprintf(table, "state");
    for (int i = 0; i < INPUTS; i++) fprintf(table, ",i%d", i);
    fprintf(table, ",output\n");
    for (int s = 0; s < STATES; s++) {
        fprintf(table, "s%d", s);
        for (int i = 0; i < INPUTS; i++) fprintf(table, ",s%u", next[s * INPUTS + i]);
        fprintf(table, ",o%u\n", out[s]);
    }
    fclose(table);
    orr_diag *diag = orr_diag_create();
    orr_machine *machine = orr_machine_parse("bench.csv", text, length, NULL, diag);
    orr_diag_print(diag, stderr, 0);
    if (!machine) return 1;

    double hand = 1e300, ours = 1e300;
    for (int round = 0; round < rounds; round++) {
        uint32_t s = 0;
        double start = now_ms();
        for (size_t i = 0; i < n; i += PIECE) s = by_hand(next, out, s, inputs, PIECE, outputs);
        if (now_ms() - start < hand) hand = now_ms() - start;
        orr_walk walk = { 0 };
        start = now_ms();
        for (size_t i = 0; i < n; i += PIECE)
            orr_machine_advance(machine, &walk, inputs, PIECE, NULL, theirs);
        if (now_ms() - start < ours) ours = now_ms() - start;
        if (walk.state != s || memcmp(outputs, theirs, sizeof theirs) != 0) {
            fprintf(stderr, "the two walks differ\n");
            return 1;
        }
    }
    printf("%.1f %.1f\n", hand, ours);
    orr_machine_destroy(machine);
    orr_diag_destroy(diag);
    free(text);
    return 0;
}
