// src/code/lane_noise.c: loops over lanes for equations with noise.
//
// The methods of solve/noise, with their bits, over arrays x[state][lane] as those of large models
// (lane_arrays.c): what noise costs is drawing it, which is done for all members at once (lane_draws.inc).
//
//     paths of the step → rates and strengths at some times and states → y, the new state
#include "code/lanes.h"
#include "expr/math.h"
#include <string.h>

typedef enum NoiseOpKind {
    OP_RATES,         // out := rates at (time, state)
    OP_STRENGTHS,     // out := strengths at (time, state)
    OP_STATES,        // a statement for each number j of a state
    OP_PATHS,         // the same of the paths
    OP_ENTRIES,       // a statement for each lane l and each strength (G0 … G3), of the state that it moves
                      // (Y) and the path that moves it (W and its integral Z)
} NoiseOpKind;

typedef struct NoiseOp {
    NoiseOpKind kind;
    const char *time, *state, *out;
    const char *statement;
} NoiseOp;

enum { OPS_MAX = 20, STRENGTHS_MAX = 4 };

typedef struct NoiseLoop {
    const char *name;
    bool        has_integrals;
    NoiseOp     ops[OPS_MAX];     // up to the first without anything
} NoiseLoop;

#define RATES(TIME, STATE, OUT)     { OP_RATES, TIME, STATE, OUT, NULL }
#define STRENGTHS(TIME, STATE, OUT) { OP_STRENGTHS, TIME, STATE, OUT, NULL }
#define DO(KIND, STATEMENT)         { KIND, NULL, NULL, NULL, STATEMENT }

// As euler_maruyama.c, and step_additive and step_diagonal of srk.c.
static const NoiseLoop loops[] = {
    { "euler_maruyama", false,
      {
          RATES("t", "x", "k0"),
          STRENGTHS("t", "x", "g0"),
          DO(OP_STATES, "y[j] = x[j] + h*k0[j];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + G0[l]*W[l];"),
      } },
    { "srk_additive", true,
      {
          RATES("t", "x", "k0"),
          STRENGTHS("t", "x", "g0"),
          STRENGTHS("t_end", "x", "g1"),
          DO(OP_PATHS, "dz[j] = dz[j]*(1.5/h);"),
          DO(OP_STATES, "y[j] = x[j] + 0.75*h*k0[j];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + G1[l]*Z[l];"),
          RATES("t_far", "y", "k1"),
          DO(OP_STATES, "y[j] = x[j] + h*(k0[j] + 2.0*k1[j])/3.0;"),
          DO(OP_PATHS, "{ dz[j] = dz[j]/1.5; dw[j] = dw[j] - dz[j]; }"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + G1[l]*W[l];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + G0[l]*Z[l];"),
      } },
    { "srk_diagonal", true,
      {
          RATES("t", "x", "k0"),
          STRENGTHS("t", "x", "g0"),
          DO(OP_STATES, "y[j] = x[j] + 0.75*h*k0[j];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + 1.5*G0[l]*Z[l]/h;"),
          RATES("t_far", "y", "k1"),
          DO(OP_STATES, "y[j] = x[j] + 0.25*h*k0[j];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + 0.5*root*G0[l];"),
          STRENGTHS("t_near", "y", "g1"),
          DO(OP_STATES, "y[j] = x[j] + h*k0[j];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] - root*G0[l];"),
          STRENGTHS("t_end", "y", "g2"),
          DO(OP_STATES, "y[j] = x[j] + 0.25*h*k0[j];"),
          DO(OP_ENTRIES, "Y[l] = Y[l] + root*(-5.0*G0[l] + 3.0*G1[l] + 0.5*G2[l]);"),
          STRENGTHS("t_near", "y", "g3"),
          DO(OP_STATES, "y[j] = x[j] + h*(k0[j] + 2.0*k1[j])/3.0;"),
          DO(OP_ENTRIES,
             "{\n"
             "                const double w1 = W[l], wz = Z[l]/h;\n"
             "                const double ww = (w1*w1 - h)/(2.0*root);\n"
             "                const double www = (w1*w1*w1 - 3.0*h*w1)/(6.0*h);\n"
             "                Y[l] = Y[l] + ((-w1 - ww + 2.0*wz - 2.0*www)*G0[l] +\n"
             "                    (4.0*w1 + 4.0*ww - 4.0*wz + 5.0*www)/3.0*G1[l] +\n"
             "                    (2.0*w1 - ww - 2.0*wz - 2.0*www)/3.0*G2[l] + www*G3[l]);\n"
             "            }"),
      } },
};

static const NoiseLoop *loop_of(CodeLaneFamily family) { return &loops[family - CODE_LANES_EULER_MARUYAMA]; }

size_t lanes_noise_scratch(const Ir *ir)
{
    enum { WORK = 3 };
    return STRENGTHS_MAX * (size_t)ir->n_noise + 2 * ir->flat->noises.n + WORK;
}

// Which state and which path each strength has.
static void print_entries(const Ir *ir, StrBuf *s)
{
    for (int k = 0; k < 2; k++) {
        str_addf(s, "static const unsigned orr_%s[%u] = {", k ? "columns" : "rows", ir->n_noise);
        for (uint32_t i = 0; i < ir->n_noise; i++)
            str_addf(s, "%s%u", i == 0 ? " " : i % 16 ? ", " : ",\n    ",
                     k ? ir->noise[i].column : ir->noise[i].row);
        str_add(s, " };\n");
    }
}

static void print_statement(const LaneArrays *a, const NoiseOp *op)
{
    const Ir *ir = a->c->gen.ir;
    const uint32_t width = a->width;
    if (op->kind != OP_ENTRIES) {
        const uint32_t n = op->kind == OP_STATES ? a->n : (uint32_t)ir->flat->noises.n * width;
        str_addf(a->s, "        for (long j = 0; j < %u; j++) %s\n", n, op->statement);
        return;
    }
    if (ir->n_noise == 0) return;
    str_addf(a->s,
             "        for (long e = 0; e < %u; e++) {\n"
             "            double *const restrict Y = y + %u*orr_rows[e];\n"
             "            const double *const W = dw + %u*orr_columns[e];\n"
             "            const double *const Z = dz + %u*orr_columns[e];\n",
             ir->n_noise, width, width, width);
    for (uint32_t i = 0; i < STRENGTHS_MAX; i++)
        str_addf(a->s, "            const double *const G%u = g%u + %u*e;\n", i, i, width);
    str_addf(a->s,
             "            ORR_LANES\n            for (int l = 0; l < %u; l++) %s\n        }\n",
             width, op->statement);
}

// Memory and paths of a step, behind what all loops over arrays have.
static void print_paths(const LaneArrays *a, const NoiseLoop *loop)
{
    const Ir *ir = a->c->gen.ir;
    const uint32_t width = a->width, n_noises = (uint32_t)ir->flat->noises.n;
    for (uint32_t i = 0; i < STRENGTHS_MAX; i++)
        str_addf(a->s, "        double *const g%u = more + %u;\n", i, i * ir->n_noise * width);
    str_addf(a->s, "        double *const dw = more + %u, *const dz = dw + %u;\n",
             STRENGTHS_MAX * ir->n_noise * width, n_noises * width);
    str_addf(a->s, "        double t_near[%u], t_far[%u], t_end[%u];\n", width, width, width);
    str_addf(a->s, "        unsigned long long first[%u];\n", width);
    str_addf(a->s,
             "        for (int l = 0; l < %u; l++) {\n"
             "            first[l] = (unsigned long long)(%s)*paths->n_cells;\n"
             "            t_near[l] = t[l] + 0.25*h;\n            t_far[l] = t[l] + 0.75*h;\n"
             "            t_end[l] = t[l] + h;\n        }\n",
             width, a->is_watched ? "K[l]" : "k + i");
    str_addf(a->s, "        orr_follow(%u, %u, paths, first, dw, %s, dz + %u);\n", width, n_noises,
             loop->has_integrals ? "dz" : "(double *)0", n_noises * width);
}

void lanes_print_noise(Cgen *c, CodeLaneFamily family)
{
    Gen *g = &c->gen;
    const Ir *ir = g->ir;
    const NoiseLoop *loop = loop_of(family);
    const LaneArrays a = lanes_begin_arrays(c, 2);
    g->uses_paths = true;
    for (size_t i = 0; i < expr_n_math; i++)
        if (strcmp(expr_math[i].c_name, "orr_log") == 0) g->uses_math[i] = true;
    if (ir->n_noise) {
        lanes_print_program(c, IR_NOISE, "orr_lane_strengths");
        print_entries(ir, a.s);
    }
    lanes_print_head(&a, loop->name, "    const struct orr_paths *const paths = env->streams;\n"
                                     "    const double root = __builtin_sqrt(h);\n    (void)root;\n",
                     NULL);
    print_paths(&a, loop);
    for (int i = 0; i < OPS_MAX; i++) {
        const NoiseOp *op = &loop->ops[i];
        if (op->statement) print_statement(&a, op);
        else if (op->time && (op->kind == OP_RATES || ir->n_noise))
            lanes_print_call(&a, op->kind == OP_RATES ? "rates" : "strengths", op->time, op->state, op->out);
    }
    lanes_print_end(&a, "y[j]");
}
