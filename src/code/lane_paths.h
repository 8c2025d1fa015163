// src/code/lane_paths.h: whose Brownian paths the members of an ensemble follow, for generated code.
#pragma once

// What a loop over members needs to know of their luck: env->streams.
struct orr_paths {
    unsigned long long seed;
    const unsigned long long *names;    // [n_noises] of the streams
    unsigned long long *runs;           // [width] number of each member's run
    unsigned long long  n_cells;        // of a path in one step
    double cell;                        // how long they are
};
