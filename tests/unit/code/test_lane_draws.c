// tests/unit/code/test_lane_draws.c: what lanes draw has the bits of num/random.c.
#include "check.h"
#include "code/lane_paths.h"
#include "num/random.h"
#include <sleef.h>

// what the text of the draws stands behind in generated code
#define ORR_LANES
#define orr_log Sleef_cinz_logd1_u10purec
#include "num/normal_quantile.inc"
// and the text itself
#include "code/lane_draws.inc"

enum { WIDTH = 8 };

static void test_lanes_draw_what_streams_draw(void **state)
{
    (void)state;
    for (unsigned long long round = 0; round < 2000; round++) {
        const RandomStream key = random_stream(round % 3 ? 1 : 0x9e3779b97f4a7c15u * round, 0,
                                               round % 2 ? "a" : "b");
        unsigned long long runs[WIDTH], first[WIDTH];
        double u[WIDTH], z[WIDTH];
        for (unsigned l = 0; l < WIDTH; l++) {
            runs[l] = round * WIDTH + l + (l == 3 ? 1ull << 60 : 0);
            first[l] = round * round * l;
        }
        orr_normals(WIDTH, key.seed, key.name, runs, first, round % 7, round & 1, u, z);
        for (unsigned l = 0; l < WIDTH; l++) {
            RandomStream stream = key;
            stream.run = runs[l];
            stream.n_draws = 2 * (first[l] + round % 7) + (round & 1);
            RandomStream again = stream;
            assert_same_bits(u[l], random_unit(&again));
            assert_same_bits(z[l], random_normal(&stream, 0, 1));
        }
    }
}

// In the middle, in both tails, where the quotients change, and as far out as numbers go.
static void test_lanes_know_the_quantile_everywhere(void **state)
{
    (void)state;
    static const double edges[] = { 0x1p-53,
                                    3e-16,
                                    1e-13,
                                    1.388794386496402e-11,
                                    1.3887943864964022e-11,
                                    1e-9,
                                    0.01,
                                    0.075,
                                    0.07500000000000001,
                                    0.3,
                                    0.4999999999999999,
                                    0.5 };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        double u[WIDTH], z[WIDTH];
        // one at an edge among others, and all of them
        for (int l = 0; l < WIDTH; l++)
            u[l] = l % 3 == 0 ? edges[i] : l % 3 == 1 ? 1 - edges[i] : 0.1 * (l + 1);
        orr_quantiles(WIDTH, u, z);
        for (int l = 0; l < WIDTH; l++) assert_same_bits(z[l], random_normal_quantile(u[l]));
    }
    for (int i = 1; i < 80000; i++) {
        double u[WIDTH], z[WIDTH];
        for (int l = 0; l < WIDTH; l++) u[l] = (i + (double)l / WIDTH) / 80001;
        orr_quantiles(WIDTH, u, z);
        for (int l = 0; l < WIDTH; l++) assert_same_bits(z[l], random_normal_quantile(u[l]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes_draw_what_streams_draw),
        cmocka_unit_test(test_lanes_know_the_quantile_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
