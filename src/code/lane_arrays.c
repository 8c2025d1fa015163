// src/code/lane_arrays.c: loops over lanes for large models, and what all such loops have in common.
//
//     static void orr_lane_rates(t, x, v, env, w, s, out)     t[lane], x[state][lane], …
//         for l: statements of a piece;  for i: for l: body of a loop over an array
//     long orr_lanes(…)                                        calls it, and goes over x[…] as one long array
#include "code/lanes.h"

#define RATES_PARAMETERS                                                                          \
    "const double *restrict t, const double *restrict x, const double *restrict v, const struct " \
    "orr_env *env,\n"                                                                             \
    "    double *restrict w, double *restrict s, double *restrict out"

// ---- Members that may have to stop

void lanes_print_vectors(StrBuf *s, uint32_t width, uint32_t n_relations, uint32_t n_asserts)
{
    static const char names[] = "TKLS";
    for (uint32_t i = 0; i < 4; i++)
        str_addf(s, "    double *const restrict %c = lane + %u;\n", names[i], i * width);
    if (n_relations)
        str_addf(s, "    double *const restrict B = lane + %u, *const restrict G = lane + %u;\n",
                 CODE_LANE_RELATIONS * width, (CODE_LANE_RELATIONS + n_relations) * width);
    if (n_asserts)
        str_addf(s, "    const double *const restrict Q = lane + %u;\n",
                 (CODE_LANE_RELATIONS + 2 * n_relations) * width);
}

#define TURNS                                                                                     \
    "        odd = odd + ((side*(slope - 0.5*bend) <= 0.0) & (side*(slope + 1.5*bend) >= 0.0) & " \
    "(side*bend > 0.0) ? 1.0 : 0.0);\n"

// As engine/look.c has it: the truth must be that of the mode, and the parabola through the zero function at
// three ends of steps must not turn round.
void lanes_print_relation(StrBuf *s, uint32_t width, uint32_t k, const char *zero, const char *truth,
                          uint32_t mode)
{
    str_addf(s,
             "    {\n        const double a = B[%u + l], b = G[%u + l], c = "
             "%s, side = b + c < 0.0 ? -1.0 : 1.0;\n",
             k * width, k * width, zero);
    str_add(s, "        const double slope = 0.5*(c - a), bend = c - 2.0*b + a;\n");
    str_addf(s, "        odd = odd + (%s - v[%u + l])*(%s - v[%u + l]);\n" TURNS "    }\n", truth,
             mode * width, truth, mode * width);
}

// One that was broken before asks for nothing any more.
void lanes_print_assert(StrBuf *s, const char *odd, uint32_t width, uint32_t k, const char *truth)
{
    str_addf(s, "    %s = %s + (1.0 - %s)*(1.0 - Q[%u + l]);\n", odd, odd, truth, k * width);
}

void lanes_print_goes(StrBuf *s)
{
    str_add(s, "    const double left = L[l];\n"
               "    const int goes = (left > 0.0) & (odd == 0.0);\n"
               "    S[l] = (left > 0.0) & (odd != 0.0) ? 1.0 : S[l];\n"
               "    L[l] = goes ? left - 1.0 : 0.0;\n"
               "    K[l] = goes ? K[l] + 1.0 : K[l];\n");
}

void lanes_print_shift(StrBuf *s, uint32_t width, uint32_t k, const char *zero)
{
    str_addf(s, "    B[%u + l] = goes ? G[%u + l] : B[%u + l];\n    G[%u + l] = goes ? %s : G[%u + l];\n",
             k * width, k * width, k * width, k * width, zero, k * width);
}

void lanes_print_count(StrBuf *s, uint32_t width)
{
    str_addf(s, "        long moving = 0;\n        for (int l = 0; l < %u; l++) moving += L[l] > 0.0;\n"
                "        if (moving < k) { i++; break; }\n", width);
}

// ---- Large models

size_t lanes_scratch(const Ir *ir, int n_rates)
{
    const IrLayout *layout = &ir->layout;
    return (size_t)(n_rates + 1) * layout->n_states + layout->n_kept + layout->n_scratch +
           2 * (size_t)layout->n_modes + ir->flat->asserts.n + 4;
}

void lanes_print_program(Cgen *c, IrProgramId id, const char *name)
{
    const IrProgram *program = &c->gen.ir->programs[id];
    Routine r = cgen_routine(program);
    r.name = name;
    r.parameters = RATES_PARAMETERS;
    r.arguments = "t, x, v, env, w, s, out";
    r.is_public = r.returns_int = false;
    r.time = "t[l]";
    r.steps = cgen_steps(c, program, ARRAY_OUT, &r.n_steps);
    gen_begin(&c->gen, &r);
    gen_function(&c->gen);
}

LaneArrays lanes_begin_arrays(Cgen *c, int n_rates)
{
    Gen *g = &c->gen;
    const LaneArrays a = { .c = c,
                           .s = &g->body,
                           .width = g->lanes,
                           .n = g->ir->layout.n_states * g->lanes,
                           .n_rates = (uint32_t)n_rates,
                           .n_relations = g->ir->layout.n_modes,
                           .n_asserts = (uint32_t)g->ir->flat->asserts.n,
                           .is_watched = c->is_watched };
    lanes_print_program(c, IR_RATES, "orr_lane_rates");
    if (a.n_relations) lanes_print_program(c, IR_RELATIONS, "orr_lane_relations");
    if (a.n_asserts) lanes_print_program(c, IR_ASSERTS, "orr_lane_asserts");
    return a;
}

void lanes_print_head(const LaneArrays *a, const char *name, const char *constants, const Tableau *method)
{
    const IrLayout *layout = &a->c->gen.ir->layout;
    const uint32_t width = a->width, n = a->n;
    str_addf(a->s, "// %s\nlong orr_lanes(" LANES_PARAMETERS ")\n{\n%s", name, constants);
    for (uint32_t k = 0; k < a->n_rates; k++)
        str_addf(a->s, "    double *const restrict k%u = scratch + %u;\n", k, k * n);
    str_addf(a->s, "    double *const restrict y = scratch + %u, *const restrict w = y + %u;\n",
             a->n_rates * n, n);
    str_addf(a->s, "    double *const restrict s = w + %u;\n", layout->n_kept * width);
    if (a->n_relations) str_addf(a->s, "    double *const restrict r = s + %u;\n", layout->n_scratch * width);
    if (a->n_asserts)
        str_addf(a->s, "    double *const restrict c = s + %u;\n",
                 (layout->n_scratch + 2 * layout->n_modes) * width);
    str_addf(a->s, "    double *const restrict more = s + %u;\n    (void)more;\n",
             (layout->n_scratch + 2 * layout->n_modes + a->n_asserts) * width);
    if (a->is_watched) lanes_print_vectors(a->s, width, a->n_relations, a->n_asserts);
    str_addf(a->s, "    double t[%u], t_next[%u];\n    long i;\n", width, width);
    for (int row = 1; method && row < method->n_stages; row++)
        str_addf(a->s, "    double t_%d[%u];\n    (void)t_%d;\n", row, width, row);
    str_add(a->s, "    (void)t_start, (void)k, (void)y, (void)w, (void)s, (void)lane;\n");
    for (uint32_t k = 0; k < a->n_rates; k++) str_addf(a->s, "    (void)k%u;\n", k);
    str_addf(a->s, "    for (i = 0; i < n; i++) {\n        for (int l = 0; l < %u; l++) {\n", width);
    if (a->is_watched) str_add(a->s, "            const double begin = T[l], now = K[l];\n");
    else str_add(a->s, "            const double begin = t_start, now = (double)(k + i);\n");
    for (int row = 1; method && row < method->n_stages; row++) {
        const double c = method->rows[row].c;
        if (c == 0 || c == 1) continue;
        str_addf(a->s, "            t_%d[l] = begin + (now + ", row);
        gen_number(a->s, c);
        str_add(a->s, ")*h;\n");
    }
    str_add(a->s, "            t[l] = begin + now*h;\n            t_next[l] = begin + (now + 1.0)*h;\n"
                  "        }\n");
}

void lanes_print_call(const LaneArrays *a, const char *what, const char *time, const char *state,
                      const char *out)
{
    str_addf(a->s, "        orr_lane_%s(%s, %s, v, env, w, s, %s);\n", what, time, state, out);
}

static void print_each(const LaneArrays *a, const char *statement)
{
    str_addf(a->s, "        for (long j = 0; j < %u; j++) %s\n", a->n, statement);
}

void lanes_print_end(const LaneArrays *a, const char *value)
{
    StrBuf *s = a->s;
    const uint32_t width = a->width;
    if (!a->is_watched) {
        str_addf(s, "        for (long j = 0; j < %u; j++) x[j] = %s;\n    }\n    return i;\n}\n\n", a->n,
                 value);
        return;
    }
    const uint32_t first_mode = a->c->gen.ir->layout.first_mode;
    str_addf(s, "        for (long j = 0; j < %u; j++) y[j] = %s;\n", a->n, value);
    if (a->n_relations) str_add(s, "        orr_lane_relations(t_next, y, v, env, w, s, r);\n");
    if (a->n_asserts) str_add(s, "        orr_lane_asserts(t_next, y, v, env, w, s, c);\n");
    str_addf(s, "        double odds[%u], go[%u];\n        for (int l = 0; l < %u; l++) odds[l] = 0.0;\n",
             width, width, width);
    str_addf(s,
             "        for (long j = 0; j < %u; j += %u)\n"
             "            for (int l = 0; l < %u; l++) odds[l] = odds[l] + (y[j + l] - y[j + l]);\n",
             a->n, width, width);
    if (a->n_relations) {
        str_addf(s,
                 "        for (long j = 0; j < %u; j++)\n            ORR_LANES\n"
                 "            for (int l = 0; l < %u; l++) {\n"
                 "    const double *const B_ = B + j*%u, *const G_ = G + j*%u, *const r_ = r + 2*j*%u;\n"
                 "    const double a = B_[l], b = G_[l], c = r_[l], side = b + c < 0.0 ? -1.0 : 1.0;\n"
                 "    const double slope = 0.5*(c - a), bend = c - 2.0*b + "
                 "a, apart = r_[%u + l] - v[(%u + j)*%u + l];\n"
                 "    double odd = odds[l] + apart*apart;\n" TURNS "    odds[l] = odd;\n            }\n",
                 a->n_relations, width, width, width, width, width, first_mode, width);
    }
    for (uint32_t k = 0; k < a->n_asserts; k++) {
        str_addf(s, "        for (int l = 0; l < %u; l++)\n        ", width);
        lanes_print_assert(s, "odds[l]", width, k, arena_printf(&a->c->gen.work, "c[%u + l]", k * width));
    }
    str_addf(s,
             "        ORR_LANES\n        for (int l = 0; l < %u; l++) {\n    const double odd = odds[l];\n",
             width);
    lanes_print_goes(s);
    str_add(s, "    go[l] = goes ? 1.0 : 0.0;\n        }\n");
    str_addf(s,
             "        for (long j = 0; j < %u; j += %u)\n"
             "            for (int l = 0; l < %u; l++) x[j + l] = go[l] != 0.0 ? y[j + l] : x[j + l];\n",
             a->n, width, width);
    if (a->n_relations)
        str_addf(s,
                 "        for (long j = 0; j < %u; j++)\n            for (int l = 0; l < %u; l++) {\n"
                 "                B[j*%u + l] = go[l] != 0.0 ? G[j*%u + l] : B[j*%u + l];\n"
                 "                G[j*%u + l] = go[l] != 0.0 ? r[2*j*%u + l] : G[j*%u + l];\n            }\n",
                 a->n_relations, width, width, width, width, width, width, width);
    lanes_print_count(s, width);
    str_add(s, "    }\n    return i;\n}\n\n");
}

void lanes_print_arrays(Cgen *c, const Tableau *m)
{
    Arena *arena = &c->gen.work;
    const LaneArrays a = lanes_begin_arrays(c, array_n_rates(m));
    lanes_print_head(&a, m->name, array_constants(m, arena), m);
    for (int i = 0; i < m->n_stages; i++) {
        const ArrayStage stage = array_stage(m, i, arena);
        lanes_print_call(&a, "rates", stage.time, stage.state, stage.out);
        if (i + 1 < m->n_stages) print_each(&a, stage.each);
        else lanes_print_end(&a, stage.each);
    }
}
