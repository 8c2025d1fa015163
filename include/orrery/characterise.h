// include/orrery/characterise.h: what a measured column looks like, as a first step to the structure of a
// model.
#pragma once
#include "orrery/experiment.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum orr_character_shape {
    ORR_CHARACTER_UNKNOWN,        // too few turning points to tell
    ORR_CHARACTER_STEADY,         // oscillates, and its amplitude stays
    ORR_CHARACTER_DAMPED,
    ORR_CHARACTER_GROWING,
    ORR_CHARACTER_CONSTANT,       // the rest does not oscillate
    ORR_CHARACTER_LINE,
    ORR_CHARACTER_EXPONENTIAL,
    ORR_CHARACTER_CURVE,
} orr_character_shape;

typedef struct orr_character {
    orr_character_shape shape;
    size_t n, n_peaks;                    // values that are numbers; maxima
    double mean, trend, trend_r2;         // around what it swings, and how that moves in a unit of time
    double period, period_deviation;      // NaN: none
    double amplitude, amplitude_start;    // half of a swing: on average, and at the first of them
    double decay, decay_r2;               // of an exponential envelope exp(-decay t), and how well it fits
    double amplitude_slope, amplitude_r2; // of a straight envelope
    double rate, rate_r2;                 // of exp(rate t), of what does not oscillate; NaN: it changes sign
    void *reserved[4];
} orr_character;

// Of a column over the first one, which is the time. False if there are fewer than 3 numbers, or times that
// go back.
ORR_API bool orr_characterise(const orr_table *table, size_t column, orr_character *character);

#ifdef __cplusplus
}
#endif
