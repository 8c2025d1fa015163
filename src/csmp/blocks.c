// src/csmp/blocks.c: every kind of block, once: what `orrery blocks` prints and what the reader obeys.
//
// Parameters come before inputs, as in I and W; only FUNCTION has its table last. The first eight are those
// of the classic time-slicing simulator; the named ones follow the function library of CSMP III, whose names
// are synonyms.
#include "csmp/csmp.h"
#include "orrery/model.h"    // orr_block
#include <assert.h>

// clang-format off
const CsmpBlock csmp_blocks[] = {
    { "W", "", CSMP_VALUE, "W, n, P1, e1[, P2, e2[, P3, e3]]", "P1*e1 + P2*e2 + P3*e3", "",
      "weighted sum of one to three inputs", "W, 3, 2.5, 1, -1, 2" },
    { "+", "", CSMP_VALUE, "+, n, P1, e1[, P2, e2[, P3, e3]]", "sign(P1)*e1 + sign(P2)*e2 + sign(P3)*e3", "",
      "sum of one to three inputs; only the signs of the parameters are used", "+, 3, 1, 1, -1, 2" },
    { "I", "INTGRL", CSMP_STATE, "I, n, IC, e1", "INTEG(e1, IC)", "",
      "integral of the input, from the initial condition IC", "I, 3, 0, 1" },
    { "-", "", CSMP_VALUE, "-, n, e1", "-e1", "",
      "sign inverter", "-, 3, 1" },
    { "X", "*", CSMP_VALUE, "X, n, e1, e2", "e1*e2", "",
      "product", "X, 3, 1, 2" },
    { "/", "", CSMP_VALUE, "/, n, e1, e2", "e1/e2", "",
      "quotient", "/, 3, 1, 2" },
    { "K", "", CSMP_CONSTANT, "K, n, P1", "P1", "",
      "constant; --set b3=value changes it for a run", "K, 3, 9.81" },
    { "O", "", CSMP_OUTPUT, "O, n, e1", "e1", "",
      "output: (time, input) is written at every communication point", "O, 3, 1" },

    { "GAIN", "G", CSMP_VALUE, "GAIN, n, P1, e1", "P1*e1", "",
      "input times a number", "GAIN, 3, 2.5, 1" },
    { "OFFSET", "", CSMP_VALUE, "OFFSET, n, P1, e1", "e1 + P1", "",
      "input plus a number", "OFFSET, 3, -4.5, 1" },
    { "POW", "", CSMP_VALUE, "POW, n, e1, e2", "e1^e2", "",
      "e1 to the power e2", "POW, 3, 1, 2" },
    { "MIN", "AMIN1", CSMP_VALUE, "MIN, n, e1, e2", "min(e1, e2)", "",
      "the smaller of two inputs", "MIN, 3, 1, 2" },
    { "MAX", "AMAX1", CSMP_VALUE, "MAX, n, e1, e2", "max(e1, e2)", "",
      "the larger of two inputs", "MAX, 3, 1, 2" },
    { "ABS", "", CSMP_VALUE, "ABS, n, e1", "abs(e1)", "",
      "absolute value", "ABS, 3, 1" },
    { "SIGN", "", CSMP_VALUE, "SIGN, n, e1", "sign(e1)", "",
      "-1, 0 or 1 for a negative, zero or positive input", "SIGN, 3, 1" },
    { "SQRT", "", CSMP_VALUE, "SQRT, n, e1", "sqrt(e1)", "",
      "square root", "SQRT, 3, 1" },
    { "EXP", "", CSMP_VALUE, "EXP, n, e1", "exp(e1)", "",
      "exponential", "EXP, 3, 1" },
    { "LOG", "ALOG LN", CSMP_VALUE, "LOG, n, e1", "log(e1)", "",
      "natural logarithm", "LOG, 3, 1" },
    { "LOG10", "ALOG10", CSMP_VALUE, "LOG10, n, e1", "log10(e1)", "",
      "decimal logarithm", "LOG10, 3, 1" },
    { "SIN", "", CSMP_VALUE, "SIN, n, e1", "sin(e1)", "",
      "sine of an angle in radians", "SIN, 3, 1" },
    { "COS", "", CSMP_VALUE, "COS, n, e1", "cos(e1)", "",
      "cosine of an angle in radians", "COS, 3, 1" },
    { "TAN", "", CSMP_VALUE, "TAN, n, e1", "tan(e1)", "",
      "tangent of an angle in radians", "TAN, 3, 1" },
    { "ASIN", "ARSIN", CSMP_VALUE, "ASIN, n, e1", "asin(e1)", "",
      "arc sine, in radians", "ASIN, 3, 1" },
    { "ACOS", "ARCOS", CSMP_VALUE, "ACOS, n, e1", "acos(e1)", "",
      "arc cosine, in radians", "ACOS, 3, 1" },
    { "ATAN", "ARCTAN", CSMP_VALUE, "ATAN, n, e1", "atan(e1)", "",
      "arc tangent, in radians", "ATAN, 3, 1" },
    { "ATAN2", "", CSMP_VALUE, "ATAN2, n, e1, e2", "atan2(e1, e2)", "",
      "angle of the point (e2, e1), in radians", "ATAN2, 3, 1, 2" },
    { "SINH", "", CSMP_VALUE, "SINH, n, e1", "sinh(e1)", "",
      "hyperbolic sine", "SINH, 3, 1" },
    { "COSH", "", CSMP_VALUE, "COSH, n, e1", "cosh(e1)", "",
      "hyperbolic cosine", "COSH, 3, 1" },
    { "TANH", "", CSMP_VALUE, "TANH, n, e1", "tanh(e1)", "",
      "hyperbolic tangent", "TANH, 3, 1" },
    { "FLOOR", "", CSMP_VALUE, "FLOOR, n, e1", "floor(e1)", "",
      "largest whole number not above the input", "FLOOR, 3, 1" },
    { "CEIL", "", CSMP_VALUE, "CEIL, n, e1", "ceil(e1)", "",
      "smallest whole number not below the input", "CEIL, 3, 1" },
    { "ROUND", "", CSMP_VALUE, "ROUND, n, e1", "round(e1)", "",
      "nearest whole number", "ROUND, 3, 1" },
    { "MOD", "AMOD", CSMP_VALUE, "MOD, n, e1, e2", "mod(e1, e2)", "",
      "remainder of e1 / e2, with the sign of e2", "MOD, 3, 1, 2" },

    { "LIMIT", "", CSMP_VALUE, "LIMIT, n, low, high, e1", "limit(e1, low, high)", "low <= high",
      "input, kept between two bounds", "LIMIT, 3, -1, 1, 2" },
    { "DEADSPACE", "DEADSP", CSMP_VALUE, "DEADSPACE, n, low, high, e1", "deadspace(e1, low, high)",
      "low <= high",
      "zero between two bounds, outside the distance to the nearer one", "DEADSPACE, 3, -0.5, 0.5, 2" },
    { "QUANTIZE", "QNTZR", CSMP_VALUE, "QUANTIZE, n, P1, e1", "P1*floor(e1/P1 + 0.5)", "0 < P1",
      "nearest multiple of P1", "QUANTIZE, 3, 0.25, 1" },
    { "RELAY", "INSW", CSMP_VALUE, "RELAY, n, e1, e2, e3", "if e1 < 0 then e2 else e3", "",
      "e2 while e1 is negative, else e3", "RELAY, 4, 1, 2, 3" },
    { "FCNSW", "", CSMP_VALUE, "FCNSW, n, e1, e2, e3, e4",
      "if e1 < 0 then e2 else if 0 < e1 then e4 else e3", "",
      "e2, e3 or e4 while e1 is negative, zero or positive", "FCNSW, 5, 1, 2, 3, 4" },
    { "COMPAR", "", CSMP_VALUE, "COMPAR, n, e1, e2", "if e1 < e2 then 0 else 1", "",
      "comparator: 0 while e1 is less than e2, else 1", "COMPAR, 3, 1, 2" },
    { "AND", "", CSMP_VALUE, "AND, n, e1, e2", "if 0 < e1 then (if 0 < e2 then 1 else 0) else 0", "",
      "1 while both inputs are positive, else 0", "AND, 3, 1, 2" },
    { "OR", "IOR", CSMP_VALUE, "OR, n, e1, e2", "if 0 < e1 then 1 else if 0 < e2 then 1 else 0", "",
      "1 while an input is positive, else 0", "OR, 3, 1, 2" },
    { "NOT", "", CSMP_VALUE, "NOT, n, e1", "if 0 < e1 then 0 else 1", "",
      "0 while the input is positive, else 1", "NOT, 3, 1" },
    { "FUNCTION", "AFGEN", CSMP_VALUE, "FUNCTION, n, e1, x1, y1, x2, y2[, x3, y3, ...]", "table(e1, ...)", "",
      "piecewise linear through the points (x, y), constant outside", "FUNCTION, 3, 1, 0, 0, 1, 2, 4, 3" },

    { "TIME", "", CSMP_VALUE, "TIME, n", "t", "",
      "the time", "TIME, 3" },
    { "STEP", "", CSMP_VALUE, "STEP, n, start", "step(start)", "",
      "0 before the start, 1 from then on", "STEP, 3, 1" },
    { "RAMP", "", CSMP_VALUE, "RAMP, n, start", "ramp(start)", "",
      "0 before the start, then the time since", "RAMP, 3, 1" },
    { "PULSE", "", CSMP_VALUE, "PULSE, n, start, width[, period]", "pulse(start, width, period)",
      "0 < width, width <= period",
      "1 for a width from the start on, and again in every period if there is one, else 0",
      "PULSE, 3, 1, 0.5, 2" },
    { "DELAY", "", CSMP_VALUE, "DELAY, n, tau, e1", "delay(e1, tau)", "0 < tau",
      "the input as it was tau ago; before that, as it was at the start", "DELAY, 3, 0.5, 1" },
    { "LAG", "REALPL", CSMP_STATE, "LAG, n, IC, tau, e1", "INTEG((e1 - self)/tau, IC)", "0 < tau",
      "first-order lag: tau*y' + y = e1, from the initial condition IC", "LAG, 3, 0, 2.5, 1" },
    { "ZDELAY", "", CSMP_DISCRETE, "ZDELAY, n, IC, T, e1", "e1", "0 < T",
      "z-delay: IC at first; every T, the input as it was just before; all of them at once",
      "ZDELAY, 3, 0, 0.1, 1" },
};
// clang-format on
const size_t csmp_n_blocks = sizeof csmp_blocks / sizeof *csmp_blocks;

bool orr_block_at(size_t i, orr_block *block)
{
    if (i >= csmp_n_blocks) return false;
    const CsmpBlock *b = &csmp_blocks[i];
    *block = (orr_block){ .name = b->name, .form = b->form, .summary = b->summary, .example = b->example };
    return true;
}

CsmpShape csmp_shape(const CsmpBlock *block)
{
    CsmpShape s = { 0 };
    uint32_t group = 0;                              // first argument of the latest []
    const char *p = strchr(block->form, ',') + 1;    // behind the name
    for (p += strcspn(p, ","); *p;) {                // behind the number
        if (*p == '[') {
            s.may_end[s.n] = true;
            group = s.n;
        }
        if (*p == '.') {
            s.repeat = s.n - group;
            break;
        }
        if (strchr(" ,[]", *p)) {
            p++;
            continue;
        }
        const size_t length = strcspn(p, " ,[]");
        assert(s.n < CSMP_SHAPE_MAX);
        s.names[s.n] = (Text){ p, length };
        s.is_input[s.n] = p[0] == 'e' && length > 1 && p[1] >= '1' && p[1] <= '9';
        s.n++;
        p += length;
    }
    s.may_end[s.n] = true;
    return s;
}

bool csmp_shape_allows(const CsmpShape *shape, size_t n_args)
{
    if (n_args <= shape->n) return shape->may_end[n_args];
    return shape->repeat > 0 && (n_args - shape->n) % shape->repeat == 0;
}

uint32_t csmp_shape_slot(const CsmpShape *shape, size_t i)
{
    if (i < shape->n || shape->repeat == 0) return (uint32_t)i;
    return shape->n - shape->repeat + (uint32_t)((i - shape->n) % shape->repeat);
}
