// src/solve/qss/shared.c: see shared.h.
#include "solve/qss/shared.h"
#include "num/lu.h"
#include "solve/qss/parts.h"
#include <float.h>
#include <math.h>
#include <string.h>

#if HAS_LOOPS
enum { NEWTON_STEPS = 60, NEWTON_HALVINGS = 14 };
#define SMALL     1e-8    // of a last step: the next would be below rounding
#define SMALL_ABS 1e-14
#define ROUNDING  1e-12    // of residuals, beside what their terms amount to

// ---- Places

// The unknowns of a loop stand behind the states, among q for rates and among x for relations: value, slope
// and half the second derivative at the time of QSS_Q_TIME.
static double *unknown_at(const Qss *m, const IrLoopTerms *loop, bool of_x, uint32_t i)
{
    const size_t index = (size_t)m->n + loop->first + i;
    return of_x ? m->x + m->n_x * index : m->q + QSS_Q * index;
}

#endif
static void call(const Qss *m, const Island *island, const CodeTerm *functions, uint32_t term, double t,
                 double *out)
{
    const IrQuantised *ir = m->ir;
    const uint32_t shape = ir->shape_of[term];
    functions[shape](t, ir->shapes[shape].reads_x ? m->x : m->q, island->env.v, ir->rows + ir->row_of[term],
                     ir->numbers, out);
}

#if HAS_PARTS
// Has it a place among the parts?
static bool moves(const IrSlot *slot)
{
    return slot->kind == IR_SLOT_STATE || slot->kind == IR_SLOT_SHARED || slot->kind == IR_SLOT_UNKNOWN;
}

QssLoops *shared_make(const Qss *m, Arena *arena)
{
    const IrQuantised *ir = m->ir;
    uint32_t most_slots = 0;
    for (uint32_t i = 0; i < ir->n_shapes; i++)
        if (ir->shapes[i].n_slots > most_slots) most_slots = ir->shapes[i].n_slots;
    QssLoops *loops = ARENA_NEW(arena, QssLoops);
    loops->parts = ARENA_ARRAY(arena, double, most_slots);
    loops->own = ARENA_ARRAY(arena, double, ir->n_shared);
#if HAS_LOOPS
    uint32_t largest = 0;
    loops->of_q = ARENA_ARRAY(arena, QssLoop, ir->n_loops);
    loops->of_x = ARENA_ARRAY(arena, QssLoop, ir->n_loops);
    for (uint32_t l = 0; l < ir->n_loops; l++) {
        const IrLoopTerms *loop = &ir->loops[l];
        QssLoop *const sides[] = { &loops->of_q[l], &loops->of_x[l] };
        for (int k = 0; k < 2; k++) {
            if (loop->residuals[k] == FLAT_NONE) continue;
            sides[k]->lu = ARENA_ARRAY(arena, double, (size_t)loop->n * loop->n);
            sides[k]->matrix = ARENA_ARRAY(arena, double, (size_t)loop->n * loop->n);
            sides[k]->pivots = ARENA_ARRAY(arena, size_t, loop->n);
        }
        if (loop->n > largest) largest = loop->n;
    }
    double **const vectors[] = { &loops->step, &loops->before, &loops->weight, &loops->rest };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = ARENA_ARRAY(arena, double, largest);
    loops->matrix = ARENA_ARRAY(arena, double, (size_t)largest * largest);
    loops->last = ARENA_ARRAY(arena, double, 4 * (size_t)largest);
#endif
    return loops;
}

#endif
#if HAS_LOOPS
// ---- Loops

// F_z, row after row.
static void matrix_of(const Qss *m, const Island *island, const IrLoopTerms *loop, bool of_x, double t,
                      double *a)
{
    const IrQuantised *ir = m->ir;
    const uint32_t n = loop->n, first = m->n + loop->first;
    memset(a, 0, (size_t)n * n * sizeof *a);
    for (uint32_t i = 0; i < n; i++, a += n) {
        const uint32_t term = loop->residuals[of_x] + i;
        const IrShape *shape = &ir->shapes[ir->shape_of[term]];
        const uint32_t *row = ir->rows + ir->row_of[term];
        call(m, island, m->code->parts, term, t, m->loops->parts);
        const double *part = m->loops->parts;
        for (uint32_t k = 0; k < shape->n_slots; k++) {
            const IrSlot *slot = &shape->slots[k];
            if (slot->kind == IR_SLOT_UNKNOWN)
                a[(slot->moves ? row[slot->column] : slot->index) - first] += *part;
            part += moves(slot);
        }
    }
}

// A derivative of the residuals by time, 0 for their values.
static bool residuals_of(const Qss *m, const Island *island, const IrLoopTerms *loop, bool of_x, double t,
                         int derivative, double *r)
{
    for (uint32_t i = 0; i < loop->n; i++) {
        double out[4];
        call(m, island, m->terms, loop->residuals[of_x] + i, t, out);
        r[i] = out[derivative];
        if (!isfinite(r[i])) return false;
    }
    return true;
}

static double weighed(const double *r, const double *weight, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(r[i]) / weight[i]);
    return most;
}

// How much each residual changes if an unknown changes by its own size.
static void weigh(const Qss *m, const IrLoopTerms *loop, bool of_x, const double *a, double *weight)
{
    for (uint32_t i = 0; i < loop->n; i++) {
        weight[i] = DBL_MIN;
        for (uint32_t k = 0; k < loop->n; k++)
            weight[i] = fmax(weight[i],
                             fabs(a[(size_t)i * loop->n + k]) * (1 + fabs(*unknown_at(m, loop, of_x, k))));
    }
}

// That of a linear loop is mostly the one before.
static bool factor(QssLoop *state, const double *matrix, uint32_t n)
{
    const size_t size = (size_t)n * n * sizeof *matrix;
    if (state->is_factored && memcmp(state->matrix, matrix, size) == 0) return true;
    memcpy(state->matrix, matrix, size);
    memcpy(state->lu, matrix, size);
    return state->is_factored = lu_factor(state->lu, n, state->pivots, NULL);
}

// Damped Newton steps from the values that are there. Leaves the factored matrix of the last step, which is
// so small that the matrix is that of the solution.
static bool find_zero(const Qss *m, const Island *island, const IrLoopTerms *loop, QssLoop *state, bool of_x,
                      double t)
{
    const uint32_t n = loop->n;
    double *step = m->loops->step, *before = m->loops->before, *rest = m->loops->rest,
           *weight = m->loops->weight;
    if (!residuals_of(m, island, loop, of_x, t, 0, rest)) return false;
    for (int tries = 0; tries < NEWTON_STEPS; tries++) {
        matrix_of(m, island, loop, of_x, t, m->loops->matrix);
        weigh(m, loop, of_x, m->loops->matrix, weight);
        if (!factor(state, m->loops->matrix, n)) return false;
        const double merit = weighed(rest, weight, n);
        bool is_small = true;
        for (uint32_t i = 0; i < n; i++) {
            before[i] = *unknown_at(m, loop, of_x, i);
            step[i] = -rest[i];
        }
        lu_solve(state->lu, n, state->pivots, step);
        for (uint32_t i = 0; i < n; i++) is_small &= fabs(step[i]) <= SMALL * fabs(before[i]) + SMALL_ABS;
        double part = 1;
        for (int halvings = 0;; halvings++, part *= 0.5) {
            for (uint32_t i = 0; i < n; i++) *unknown_at(m, loop, of_x, i) = before[i] + part * step[i];
            if (is_small || loop->is_linear) return true;
            const bool is_finite = residuals_of(m, island, loop, of_x, t, 0, rest);
            if (is_finite && weighed(rest, weight, n) <= (1 - 0.25 * part) * merit) break;
            if (halvings < NEWTON_HALVINGS) continue;
            for (uint32_t i = 0; i < n; i++) *unknown_at(m, loop, of_x, i) = before[i];
            return merit <= ROUNDING;    // there is nothing better
        }
    }
    return false;
}

// Derivatives by time of the unknowns, as many as the polynomials have.
static void find_slopes(const Qss *m, const Island *island, const IrLoopTerms *loop, const QssLoop *state,
                        bool of_x, double t)
{
    const int n_slopes = of_x ? 2 : m->order - 1;
    double *rest = m->loops->rest;
    for (int k = 1; k <= n_slopes; k++) {
        if (!residuals_of(m, island, loop, of_x, t, k, rest)) memset(rest, 0, loop->n * sizeof *rest);
        lu_solve(state->lu, loop->n, state->pivots, rest);
        for (uint32_t i = 0; i < loop->n; i++) unknown_at(m, loop, of_x, i)[k] = -rest[i] / k;
    }
}

// A guess: 0 where the unknowns were heading, 1 where they were, 2 what the run knows of them.
static void guess(const Qss *m, const Island *island, const IrLoopTerms *loop, bool of_x, const double *last,
                  double t, int kind)
{
    for (uint32_t i = 0; i < loop->n; i++) {
        double *z = unknown_at(m, loop, of_x, i);
        const double *was = last + 4 * (size_t)i, d = t - was[QSS_Q_TIME];
        z[0] = kind == 0   ? was[0] + d * (was[1] + d * was[2])
               : kind == 1 ? was[0]
                           : island->env.v[m->guess_from[loop->first + i]];
        if (!isfinite(z[0])) z[0] = 0;
        z[1] = z[2] = 0;
        z[QSS_Q_TIME] = t;
    }
}

static bool solve_loop(const Qss *m, const Island *island, uint32_t number, bool of_x, double t)
{
    const IrLoopTerms *loop = &m->ir->loops[number];
    QssLoop *state = of_x ? &m->loops->of_x[number] : &m->loops->of_q[number];
    double *last = m->loops->last;
    for (uint32_t i = 0; i < loop->n; i++)
        memcpy(last + 4 * (size_t)i, unknown_at(m, loop, of_x, i), 4 * sizeof *last);
    for (int kind = state->is_known ? 0 : 2; kind < 3; kind++) {
        guess(m, island, loop, of_x, last, t, kind);
        if (!find_zero(m, island, loop, state, of_x, t)) continue;
        find_slopes(m, island, loop, state, of_x, t);
        state->is_known = true;
        return true;
    }
    for (uint32_t i = 0; i < loop->n; i++)
        memcpy(unknown_at(m, loop, of_x, i), last + 4 * (size_t)i, 4 * sizeof *last);
    return false;
}

// What the model's own code starts from, for values and events.
static void keep_guesses(const Qss *m, const Island *island, const IrLoopTerms *loop)
{
    for (uint32_t i = 0; i < loop->n; i++) {
        const uint32_t place = m->guess_kept[loop->first + i];
        if (place != FLAT_NONE) island->env.v[place] = *unknown_at(m, loop, false, i);
    }
}

#endif
// ---- All that a rate or a relation reads

void shared_compute(Qss *m, const Island *island, uint32_t i, double t)
{
    const IrQuantised *ir = m->ir;
    for (uint32_t k = ir->shared_of.start[i]; k < ir->shared_of.start[i + 1]; k++) {
        const uint32_t s = ir->shared_of.item[k];
        if (m->shared_at[s] == m->event) continue;
        m->shared_at[s] = m->event;
#if HAS_LOOPS
        const uint32_t loop = ir->loop_of[s];
        if (loop != FLAT_NONE) {
            if (s != ir->loops[loop].first) continue;    // its unknowns come together
            if (solve_loop(m, island, loop, false, t)) {
                keep_guesses(m, island, &ir->loops[loop]);
            } else if (!m->failed) {
                m->failed = true;
                m->failed_loop = ir->loops[loop].block;
            }
            continue;
        }
#endif
        double out[4] = { 0 }, *q = m->q + QSS_Q * ((size_t)m->n + s);
        call(m, island, m->terms, m->n + s, t, out);
        q[0] = out[0];
        q[1] = out[1];
        q[2] = 0.5 * out[2];
        q[QSS_Q_TIME] = t;
    }
}

#if HAS_LOOPS
#if HAS_RELATIONS
// Several relations may read a loop at one instant.
static bool solve_for(const Qss *m, const Island *island, uint32_t number, double t)
{
    QssLoop *state = &m->loops->of_x[number];
    if (state->version == m->version && state->t == t) return true;
    state->version = 0;
    if (!solve_loop(m, island, number, true, t)) return false;
    state->version = m->version;
    state->t = t;
    return true;
}

bool shared_compute_for(const Qss *m, const Island *island, uint32_t k, double t)
{
    const IrLists *lists = &m->ir->loops_of;
    for (uint32_t i = lists->start[k]; i < lists->start[k + 1]; i++)
        if (!solve_for(m, island, lists->item[i], t)) return false;
    return true;
}

#endif
#endif
#if HAS_OWN
// The derivative of a term by a state, with those of the shared variables it reads in m->loops->own; its
// own loop's unknowns are held.
static double own_part(const Qss *m, const Island *island, uint32_t term, uint32_t state, double t)
{
    const IrQuantised *ir = m->ir;
    const IrShape *shape = &ir->shapes[ir->shape_of[term]];
    const uint32_t *row = ir->rows + ir->row_of[term];
    const double *part = m->loops->parts;
    double sum = 0;
    call(m, island, m->code->parts, term, t, m->loops->parts);
    for (uint32_t k = 0; k < shape->n_slots; k++) {
        const IrSlot *slot = &shape->slots[k];
        const uint32_t index = slot->moves ? row[slot->column] : slot->index;
        if (slot->kind == IR_SLOT_STATE && index == state) sum += *part;
        if (slot->kind == IR_SLOT_SHARED) sum += *part * m->loops->own[index - m->n];
        part += moves(slot);
    }
    return sum;
}

double shared_own(const Qss *m, const Island *island, uint32_t i, double t)
{
    const IrQuantised *ir = m->ir;
    double *own = m->loops->own;
    for (uint32_t k = ir->shared_of.start[i]; k < ir->shared_of.start[i + 1]; k++) {
        const uint32_t s = ir->shared_of.item[k];
#if HAS_LOOPS
        if (ir->loop_of[s] != FLAT_NONE) {
            const IrLoopTerms *loop = &ir->loops[ir->loop_of[s]];
            const QssLoop *state = &m->loops->of_q[ir->loop_of[s]];
            if (s != loop->first) continue;
            for (uint32_t r = 0; r < loop->n; r++)
                own[s + r] = -own_part(m, island, loop->residuals[0] + r, i, t);
            lu_solve(state->lu, loop->n, state->pivots, own + s);
            continue;
        }
#endif
        own[s] = own_part(m, island, m->n + s, i, t);
    }
    return own_part(m, island, i, i, t);
}

#endif
#if IS_ENGINE
// Matrices are made and factored anew, from the same numbers.
void shared_pass(Qss *m, RunSaved *saved)
{
    for (uint32_t l = 0; l < 2 * m->ir->n_loops; l++) {
        QssLoop *loop = l % 2 ? &m->loops->of_x[l / 2] : &m->loops->of_q[l / 2];
        saved_flags(saved, &loop->is_known, 1);
        saved_pass(saved, &loop->version, sizeof loop->version);
        saved_pass(saved, &loop->t, sizeof loop->t);
        loop->is_factored = false;
    }
}
#endif
