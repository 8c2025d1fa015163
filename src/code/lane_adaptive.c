// src/code/lane_adaptive.c: attempts at steps of an adaptive method over lanes: what small models (loops.c)
// and large ones have in common, and the latter.
//
// Each member has its own time and step. What one attempt does is described in engine/adaptive.c;
// here both ways out of it are computed and one is taken. A member that stands still, or whose numbers are
// not finite, is marked as odd.
//
//     for l: t, h → stages: arguments for j, l; rates → error[l], watch[l] → for l: taken? → x, K for j, l
#include "code/lanes.h"
#include "num/adaptive_step.h"
#include "num/turn.h"

static void add_number(StrBuf *s, const char *before, double value, const char *after)
{
    str_add(s, before);
    gen_number(s, value);
    str_add(s, after);
}

void lanes_print_sum(StrBuf *s, const double *weight, int n, const char *rate, uint32_t i, const char *newest)
{
    bool is_first = true;
    for (int j = 0; j < n; j++) {
        if (weight[j] == 0) continue;
        if (!is_first) str_add(s, " + ");
        is_first = false;
        if (weight[j] != 1) {
            gen_number(s, weight[j]);
            str_add_char(s, '*');
        }
        str_add(s, newest && j == n - 1 ? newest : arena_printf(s->arena, rate, j, i));
    }
}

void lanes_print_error(StrBuf *s, const Tableau *m, const char *first, const char *second, uint32_t n)
{
    if (m->n_errors == 1) {
        str_addf(s, "__builtin_sqrt(%s/%u.0)", first, n);
        return;
    }
    str_addf(s, "%s == 0.0 ? 0.0 : %s/__builtin_sqrt((%s + ", first, first, first);
    gen_number(s, STEP_SECOND);
    str_addf(s, "*%s)*%u.0)", second, n);
}

void lanes_print_dense(StrBuf *s, const Tableau *m, const char *suffix)
{
    const int n = STEP_CUBIC + m->n_dense;
    for (int q = 0; q < n - 1; q++) str_addf(s, "(d%d%s + %s*", q, suffix, q % 2 ? "s" : "r");
    str_addf(s, "d%d%s", n - 1, suffix);
    for (int q = 0; q < n - 1; q++) str_add_char(s, ')');
}

void lanes_print_attempts(StrBuf *s, uint32_t width, uint32_t n_states, uint32_t n_relations, bool is_watched)
{
    str_addf(s,
             "long orr_lanes(double t_limit, const double *restrict "
             "control, long n, double *restrict x,\n"
             "    const double *restrict v, const struct orr_env *env, "
             "double *restrict lane, double *restrict scratch)\n{\n"
             "    const double tolerance = control[0], max_step = control[1];\n"
             "    double *const restrict T = lane, *const restrict H = lane "
             "+ %u, *const restrict E = lane + %u,\n"
             "        *const restrict R = lane + %u, *const restrict O = "
             "lane + %u, *const restrict K = lane + %u;\n"
             "    const double *const restrict A = lane + %u;\n"
             "    const double *const restrict numbers = env->numbers;\n    long i;\n"
             "    (void)numbers, (void)scratch;\n",
             width, 2 * width, 3 * width, 4 * width, CODE_LANE_VECTORS * width,
             (CODE_LANE_VECTORS + n_states) * width);
    if (!is_watched) return;
    str_addf(s,
             "    const double *const restrict M = lane + %u, *const restrict P = lane + %u;\n"
             "    double *const restrict G = lane + %u;\n    const double least = control[2];\n"
             "    const double *const restrict Q = lane + %u;\n    (void)G, (void)Q;\n",
             CODE_LANE_LIMIT * width, CODE_LANE_ROW * width, (CODE_LANE_VECTORS + 2 * n_states) * width,
             (CODE_LANE_VECTORS + 2 * n_states + n_relations) * width);
}

void lanes_print_attempt(StrBuf *s, bool is_watched)
{
    if (is_watched) str_add(s, "    const double t_limit = M[l];\n");
    str_add(s, "    const double t = T[l], h_before = H[l], room = t_limit - t;\n"
               "    const double h_most = h_before < max_step ? h_before : max_step;\n");
    add_number(s, "    const int is_last = t + ", STEP_LAST,
               "*h_most >= t_limit;\n    const double h = is_last ? room : h_most;\n");
    if (is_watched) str_add(s, "    const double t_to = is_last ? t_limit : t + h;\n");
}

void lanes_print_turns(StrBuf *s)
{
    enum { N = TURN_LOOKS };
    for (int q = 0; q <= N; q++) {
        str_addf(s, "            const double slope%d = 0.0", q);
        for (int i = 0; i <= N; i++) {
            str_add(s, " + ");
            gen_number(s, turn_slopes[q][i]);
            str_addf(s, "*g%d", i);
        }
        str_add(s, ";\n");
    }
    for (int q = 0; q < N; q++)
        str_addf(s,
                 "            { const double side = g%d + g%d < 0.0 ? -1.0 : 1.0;\n"
                 "              watch = watch + ((side*slope%d < 0.0) & "
                 "(side*slope%d > 0.0) ? 1.0 : 0.0); }\n",
                 q, q + 1, q, q + 1);
}

void lanes_print_control(StrBuf *s, const Tableau *m, bool is_watched)
{
    str_add(s, "        const double before = E[l], rejected = R[l];\n"
               "        const double error_log = dp_log(error > 1e-300 ? error < 1e300 ? error : 1e300 : "
               "1e-300);\n");
    add_number(s, "        double factor = dp_exp(", m->error_power, "*error_log - ");
    add_number(s, "", m->beta, "*before)");
    add_number(s, "/", STEP_SAFETY, ";\n");
    add_number(s, "        factor = factor < ", 1 / m->shrink_most, " ? factor : ");
    add_number(s, "", 1 / m->shrink_most, ";\n");
    add_number(s, "        factor = factor > ", 1 / m->grow_most, " ? factor : ");
    add_number(s, "", 1 / m->grow_most, ";\n");
    str_add(s, "        double h_next = h/factor;\n"
               "        h_next = (rejected != 0.0) & (h_next > h) ? h : h_next;\n");
    add_number(s, "        double h_less = dp_exp(", m->error_power, "*error_log)/");
    add_number(s, "", STEP_SAFETY, ";\n");
    add_number(s, "        h_less = h/(h_less < ", 1 / m->shrink_most, " ? h_less : ");
    add_number(s, "", 1 / m->shrink_most, ");\n");
    // what is left behind an event may be too short for a step: see step_crumb. The sum of numbers keeps gcc
    // from making it a chain of conditions, of which it makes no vectors.
    str_add(s, is_watched ? "        watch = watch + finite + (t_to > P[l] ? 1.0 : 0.0) + (room <= "
                            "3.552713678800501e-15*__builtin_fabs(t) ? 1.0 : 0.0);\n"
                            "        const int active = (t < t_limit) & (O[l] == 0.0);\n"
                          : "        const int active = t < t_limit;\n");
    str_add(s, "        const int sound = (finite == 0.0) & (error <= "
               "1.7976931348623157e308) & (t + 0.1*h != t);\n");
    str_add(s, is_watched ? "        const int taken = active & sound & (error <= 1.0) & (watch == 0.0);\n"
                            "        const int stops = active & (error <= 1.0) & (watch != 0.0);\n"
                          : "        const int taken = active & sound & (error <= 1.0);\n");
    str_add(s, "        const int refused = active & sound & (error > 1.0);\n"
               "        const int keeps = is_last & (rejected == 0.0) & (h < h_before);\n"
               "        T[l] = taken ? is_last ? t_limit : t + h : t;\n"
               "        H[l] = refused ? h_less : taken & (keeps == 0) ? h_next : h_before;\n");
    add_number(s, "        E[l] = taken ? error_log > ", STEP_LOG_LEAST, " ? error_log : ");
    add_number(s, "", STEP_LOG_LEAST, " : before;\n");
    str_add(s, "        R[l] = refused ? 1.0 : taken ? 0.0 : rejected;\n");
    str_add(s, is_watched ? "        O[l] = (active & (sound == 0)) | stops ? 1.0 : O[l];\n"
                          : "        O[l] = active & (sound == 0) ? 1.0 : O[l];\n");
}

void lanes_print_attempts_end(StrBuf *s, uint32_t width, bool is_watched)
{
    if (is_watched)
        str_addf(s,
                 "        long moving = 0;\n"
                 "        for (int l = 0; l < %u; l++) moving += (T[l] < M[l]) & (O[l] == 0.0);\n"
                 "        if (moving < least) break;\n",
                 width);
    str_add(s, "    }\n    return n;\n}\n\n");
}

// ---- Large models

size_t lanes_adaptive_scratch(const Ir *ir, const Tableau *m)
{
    // besides y: rates but the first, which are in K, and z
    return lanes_scratch(ir, m->n_stages + m->n_extra + 1) +
           2 * (TURN_LOOKS - 1) * (size_t)ir->layout.n_modes;
}

// A loop over all numbers of a state: j is that of its first lane.
static void add_each(const LaneArrays *a, const char *statements)
{
    str_addf(a->s,
             "        for (long j = 0; j < %u; j += %u)\n            ORR_LANES\n"
             "            for (int l = 0; l < %u; l++) {\n%s            }\n",
             a->n, a->width, a->width, statements);
}

// Σ of a row of weights times the rates of the stages.
static const char *sum_of(const LaneArrays *a, const double *weight, int n)
{
    StrBuf sum = { .arena = &a->c->gen.work };
    lanes_print_sum(&sum, weight, n, "k%d[j + l]", 0, NULL);
    return str_finish(&sum);
}

static void print_stage(const LaneArrays *a, const Tableau *m, int row, const char *at, const char *bad)
{
    Arena *work = &a->c->gen.work;
    add_each(a, arena_printf(work, "                %s[j + l] = x[j + l] + hs[l]*(%s);\n", at,
                             sum_of(a, m->rows[row].weight, row)));
    str_addf(a->s, "        for (int l = 0; l < %u; l++) ts[l] = T[l] + ", a->width);
    add_number(a->s, "", m->rows[row].c, "*hs[l];\n");
    lanes_print_call(a, "rates", "ts", at, arena_printf(work, "k%d", row));
    add_each(a, arena_printf(work, "                %s[l] = %s[l] + (k%d[j + l] - k%d[j + l]);\n", bad, bad,
                             row, row));
}

static void print_error(const LaneArrays *a, const Tableau *m)
{
    StrBuf each = { .arena = &a->c->gen.work };
    str_add(&each, "                const double low = __builtin_fabs(x[j + l]), high = "
                   "__builtin_fabs(y[j + l]);\n                double off;\n");
    for (int e = 0; e < m->n_errors; e++)
        str_addf(&each,
                 "                off = %s;\n"
                 "                off = hs[l]*off/(A[j + l] + tolerance*(low > high ? low : high));\n"
                 "                sums%d[l] = sums%d[l] + off*off;\n",
                 sum_of(a, m->error[e], m->n_stages + 1), e, e);
    add_each(a, str_finish(&each));
}

// The step as a polynomial of time at place q of it, see step_make_dense and step_state.
static void print_place(const LaneArrays *a, const Tableau *m, int q)
{
    StrBuf each = { .arena = &a->c->gen.work };
    str_addf(a->s,
             "        for (int l = 0; l < %u; l++) {\n"
             "            ts[l] = T[l] + (tos[l] - T[l])*%d.0/%d.0;\n"
             "            parts[l] = (ts[l] - T[l])/hs[l];\n        }\n",
             a->width, q, TURN_LOOKS);
    str_addf(&each,
             "                const double h = hs[l], s = parts[l], r = 1.0 - s, d0 = y[j + l] - x[j + l];\n"
             "                const double d1 = h*k0[j + l] - d0, d2 = d0 - h*k%d[j + l] - d1;\n",
             m->n_stages);
    for (int d = 0; d < m->n_dense; d++)
        str_addf(&each, "                const double d%d = h*(%s);\n", STEP_CUBIC + d,
                 sum_of(a, m->dense[d], m->n_stages + 1 + m->n_extra));
    str_add(&each, "                z[j + l] = x[j + l] + s*");
    lanes_print_dense(&each, m, "");
    str_add(&each, ";\n");
    add_each(a, str_finish(&each));
}

static void print_looks(const LaneArrays *a, const Tableau *m)
{
    enum { N = TURN_LOOKS };
    StrBuf *s = a->s;
    Arena *work = &a->c->gen.work;
    const uint32_t width = a->width, first_mode = a->c->gen.ir->layout.first_mode;
    for (int row = m->n_stages + 1; row <= m->n_stages + m->n_extra; row++)
        print_stage(a, m, row, "z", "watches");
    for (int q = 1; q <= N; q++) {
        const char *time = q < N ? "ts" : "tos", *state = q < N ? "z" : "y";
        if (q < N) print_place(a, m, q);
        if (a->n_relations)
            lanes_print_call(a, "relations", time, state,
                             arena_printf(work, "g + %u", 2 * (uint32_t)(q - 1) * a->n_relations * width));
        if (a->n_asserts) lanes_print_call(a, "asserts", time, state, "c");
        for (uint32_t k = 0; k < a->n_asserts; k++) {
            str_addf(s, "        for (int l = 0; l < %u; l++)\n        ", width);
            lanes_print_assert(s, "watches[l]", width, k, arena_printf(work, "c[%u + l]", k * width));
        }
    }
    if (a->n_relations == 0) return;
    str_addf(s,
             "        for (long j = 0; j < %u; j++)\n            ORR_LANES\n"
             "            for (int l = 0; l < %u; l++) {\n"
             "            const double mode = v[(%u + j)*%u + l], g0 = G[j*%u + l];\n"
             "            double watch = watches[l];\n",
             a->n_relations, width, first_mode, width, width);
    for (int q = 1; q <= N; q++) {
        const uint32_t at = 2 * (uint32_t)(q - 1) * a->n_relations * width;
        str_addf(s, "            const double g%d = g[%u + 2*j*%u + l], is%d = g[%u + 2*j*%u + l];\n", q, at,
                 width, q, at + width, width);
        str_addf(s, "            watch = watch + (is%d - mode)*(is%d - mode);\n", q, q);
    }
    lanes_print_turns(s);
    str_add(s, "            watches[l] = watch;\n            }\n");
}

static void print_memory(const LaneArrays *a, const Tableau *m)
{
    const IrLayout *layout = &a->c->gen.ir->layout;
    StrBuf *s = a->s;
    const uint32_t width = a->width, n_rates = (uint32_t)(m->n_stages + m->n_extra);
    str_add(s, "    double *const restrict k0 = K;\n");
    for (uint32_t j = 1; j <= n_rates; j++)
        str_addf(s, "    double *const restrict k%u = scratch + %u;\n", j, (j - 1) * a->n);
    str_addf(s, "    double *const restrict y = scratch + %u, *const restrict z = scratch + %u;\n",
             n_rates * a->n, (n_rates + 1) * a->n);
    str_addf(s, "    double *const restrict w = scratch + %u, *const restrict s = w + %u;\n",
             (n_rates + 2) * a->n, layout->n_kept * width);
    str_addf(s, "    double *const restrict g = s + %u, *const restrict c = g + %u;\n",
             layout->n_scratch * width, 2 * TURN_LOOKS * a->n_relations * width);
    str_addf(s, "    double ts[%u], hs[%u], tos[%u], parts[%u];\n", width, width, width, width);
    str_addf(s, "    double finites[%u], sums0[%u], sums1[%u], watches[%u], go[%u];\n", width, width, width,
             width, width);
}

void lanes_print_adaptive(Cgen *c, const Tableau *m)
{
    const LaneArrays a = lanes_begin_arrays(c, 0);
    StrBuf *s = a.s;
    const uint32_t width = a.width;
    const bool is_watched = a.is_watched;
    lanes_print_attempts(s, width, c->gen.ir->layout.n_states, a.n_relations, is_watched);
    print_memory(&a, m);
    str_addf(s, "    for (i = 0; i < n; i++) {\n        for (int l = 0; l < %u; l++) {\n", width);
    lanes_print_attempt(s, is_watched);
    str_addf(s,
             "            hs[l] = h;\n"
             "            finites[l] = sums0[l] = sums1[l] = watches[l] = 0.0;\n%s        }\n",
             is_watched ? "            tos[l] = t_to;\n" : "");
    for (int row = 1; row <= m->n_stages; row++) print_stage(&a, m, row, "y", "finites");
    print_error(&a, m);
    if (a.n_relations || a.n_asserts) print_looks(&a, m);
    str_addf(s, "        ORR_LANES\n        for (int l = 0; l < %u; l++) {\n", width);
    lanes_print_attempt(s, is_watched);
    str_add(s, "        const double finite = finites[l], error = ");
    lanes_print_error(s, m, "sums0[l]", "sums1[l]", c->gen.ir->layout.n_states);
    str_add(s, ";\n");
    if (is_watched) str_add(s, "        double watch = watches[l];\n");
    lanes_print_control(s, m, is_watched);
    str_add(s, "        go[l] = taken ? 1.0 : 0.0;\n        }\n");
    add_each(&a, arena_printf(&c->gen.work,
                              "                x[j + l] = go[l] != 0.0 ? y[j + l] : x[j + l];\n"
                              "                k0[j + l] = go[l] != 0.0 ? k%d[j + l] : k0[j + l];\n",
                              m->n_stages));
    if (a.n_relations)
        str_addf(s,
                 "        for (long j = 0; j < %u; j++)\n            for (int l = 0; l < %u; l++)\n"
                 "                G[j*%u + l] = go[l] != 0.0 ? g[%u + 2*j*%u + l] : G[j*%u + l];\n",
                 a.n_relations, width, width, 2 * (TURN_LOOKS - 1) * a.n_relations * width, width, width);
    lanes_print_attempts_end(s, width, is_watched);
}
