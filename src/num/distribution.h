// src/num/distribution.h: what can be drawn, once: names, arguments and what these must be.
//
// All that reads or writes the language asks this table: flattening, atomics, units, messages, the documents.
// A draw is a call with its arguments in an array, whatever the distribution, so generated code needs one
// function for all of them:
//
//     double a[2] = { 3, 0.5 };
//     distribution_draw(distribution_number("normal"), &stream, a, 2)
//
// Arguments that make no sense give NaN, and the stream moves on by one all the same; distribution_fault then
// says what was wrong with them.
#pragma once
#include "num/random.h"
#include <stdbool.h>

enum { DISTRIBUTION_ARGUMENTS = 3, DISTRIBUTION_NONE = -1, DISTRIBUTION_MANY_MAX = 1000000 };

// What an argument must be, besides a number.
typedef enum DistributionRule {
    DISTRIBUTION_ANY,         // any finite number
    DISTRIBUTION_NOT_NEGATIVE,
    DISTRIBUTION_POSITIVE,
    DISTRIBUTION_NOT_LESS,    // than the argument before it
} DistributionRule;

typedef struct DistributionArgument {
    const char      *name;    // "deviation"
    DistributionRule rule;
    bool             is_pure; // a plain number; else it has the unit of what is drawn
} DistributionArgument;

typedef struct Distribution {
    const char *name;         // as written in the language
    const char *summary;      // one line
    DistributionArgument arguments[DISTRIBUTION_ARGUMENTS];
    int         n_arguments;  // 0: any number of them from 1 on, all like arguments[0]
    bool        is_pure;      // what is drawn is a plain number: a count, an index
    bool        is_whole;     // and a whole one
    bool        is_data;      // the arguments are measurements in ascending order, written as one name
} Distribution;

extern const Distribution distributions[];
extern const int          n_distributions;

int distribution_number(const char *name);    // DISTRIBUTION_NONE if there is none
// One draw from distributions[number]; n is the number of arguments.
double distribution_draw(int number, RandomStream *stream, const double *arguments, size_t n);
// The first argument that makes no sense, from 0, or -1 if all do. *must is what it must be, for people
// ("must not be negative"); NULL: not asked for.
int distribution_fault(int number, const double *arguments, size_t n, const char **must);
// Its arguments as a text for messages: "mean, deviation", "weight, …".
const char *distribution_takes(int number);
