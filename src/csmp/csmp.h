// src/csmp/csmp.h: the kinds of block a CSMP diagram is made of.
//
// A diagram is a set of lines `KIND, number, arguments`, each computing one value from parameters and from
// the outputs of other blocks. One table says all there is to know of a kind, as text that people read too:
// its arguments give the shape of a line, its rule the equation it stands for.
#pragma once
#include "base/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum CsmpRole {
    CSMP_VALUE,       // an equation
    CSMP_STATE,       // an equation with an integral: the block has a state
    CSMP_DISCRETE,    // takes over the value of its rule every T, from IC on
    CSMP_CONSTANT,    // a parameter of the model
    CSMP_OUTPUT,      // a recorded output
} CsmpRole;

typedef struct CsmpBlock {
    const char *name;         // "W", "LIMIT"; read in any case
    const char *synonyms;     // other names, separated by spaces
    CsmpRole    role;
    const char *form;         // of a line, n being the number: "W, n, P1, e1[, P2, e2]"; e1, e2, … are
                              // numbers of other blocks, all else is a parameter; [] may be left out, ...
                              // repeats the last []
    const char *rule;         // the output, in the language; `self` is the block's own output, terms whose
                              // arguments were left out vanish
    const char *needs;        // conditions on the parameters, such as "low <= high", separated by commas
    const char *summary;      // one line
    const char *example;      // a line that can be read
} CsmpBlock;

extern const CsmpBlock csmp_blocks[];
extern const size_t    csmp_n_blocks;

// A block number, and so the b<number> of its variable.
enum { CSMP_NUMBER_MAX = 999999999, CSMP_BLOCKS_MAX = 50000000 };

// The arguments of a kind, ready for checking lines.
enum { CSMP_SHAPE_MAX = 8 };
typedef struct CsmpShape {
    Text     names[CSMP_SHAPE_MAX];       // [n]
    bool     is_input[CSMP_SHAPE_MAX];    // [n]
    bool     may_end[CSMP_SHAPE_MAX + 1]; // a line may have this many arguments
    uint32_t n;
    uint32_t repeat;                      // the last `repeat` arguments may come again and again; 0: none
} CsmpShape;
CsmpShape csmp_shape(const CsmpBlock *block);
bool      csmp_shape_allows(const CsmpShape *shape, size_t n_args);
uint32_t  csmp_shape_slot(const CsmpShape *shape, size_t i);    // which of names[] the i-th argument is
