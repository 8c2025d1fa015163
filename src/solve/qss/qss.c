// src/solve/qss/qss.c: the methods of quantised states: QSS1, QSS2, QSS3 and, implicit in their own rate,
// LIQSS1 and LIQSS2.
//
// A step is in steps.inc, written once and compiled for each order; shared variables and loops of equations
// are in shared.c, relations in relations.c. Here is what stands around it: the loop, failures, options.
#include "solve/qss/qss.h"
#include "base/diag.h"
#include "expr/math.h"
#include "solve/qss/bounds.h"
#include "solve/qss/pairs.h"
#include "solve/qss/parts.h"
#include "solve/qss/relations.h"
#include "solve/qss/roots.h"
#include "solve/qss/shared.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 20000,       // steps between two looks at the clock
    WINDOW = 1 << 20,    // steps after which progress is judged
    BURST_MAX = 1000,
    BURST_MANY = 8,
    CACHE_LINE = 64,    // where a calendar likes to begin
};
#define STEPS_MAX  2e10    // that a run may still need
#define BURST_SPAN 1e-9

#define INLINE QSS_INLINE
#define LEAVE3 roots_leave3
#include "solve/qss/steps.inc"

static uint32_t soonest(const Qss *m)
{
    double t;
    return next_state(m, &t);
}

// ---- Where a relation changes

static bool report_endless(Qss *m, Island *island, uint32_t k, double t)
{
    const orr_model *model = island->model;
    const FlatRelation *relation = &model->flat.relations.items[k];
    char *text = run_expr_text(model, relation->relation);
    diag_report(island->diag, DIAG_ZENO, run_place(model, island->diag, relation->place), t, text);
    diag_hint(island->diag, "a small hysteresis, or a smooth function in its place, ends the chattering");
    free(text);
    m->failed = true;
    return false;
}

static bool count_event(Qss *m, Island *island, uint32_t k, double t)
{
    const double t_end = island->options.t_end,
                 scale = fmax(fabs(t), isfinite(t_end) ? t_end - m->burst_start : 1);
    if (m->n_burst == 0 || t - m->burst_start > BURST_SPAN * scale) {
        m->burst_start = t;
        m->n_burst = 0;
    }
    return ++m->n_burst <= BURST_MAX || report_endless(m, island, k, t);
}

// ---- Failures

static void fill(const Qss *m, Island *island, double t)
{
    for (uint32_t i = 0; i < m->n; i++) island->x[i] = qss_x_at(any_x(m, i), m->order, t);
}

static StepResult fail(Qss *m, Island *island, double t)
{
    m->t = island->t = island->t_before = t;
    fill(m, island, t);
    if (m->n_burst > BURST_MAX) return STEP_FAILED;    // said already
    Arena scratch = { 0 };
    double *q = ARENA_ARRAY(&scratch, double, m->n);
    for (uint32_t i = 0; i < m->n; i++) {
        const double *from = q_of(m, i), d = t - from[QSS_Q_TIME];
        q[i] = from[0] + (m->order > 1 ? d * (from[1] + (m->order > 2 ? d * from[2] : 0)) : 0);
    }
    const bool is_loop = m->failed_loop != FLAT_NONE;
    island_fault(island, is_loop ? FAULT_LOOP : FAULT_VALUE, is_loop ? m->failed_loop : 0, t, q);
    arena_free(&scratch);
    fault_report(island);
    return STEP_FAILED;
}

// Is the end in sight? At the present pace, the run may need no more than so many steps.
static bool is_stuck(Qss *m, Island *island, uint32_t i, double t)
{
    const double progress = t - m->t_since;
    const double t_end = isfinite(island->options.t_end) ? island->options.t_end : t + 1;
    const double needed = (t_end - t) / progress * (double)m->n_since;
    m->n_since = 0;
    m->t_since = t;
    if (!(needed > STEPS_MAX * fmax(1, m->n / 1000.0))) return false;
    const orr_model *model = island->model;
    if (progress == 0) {    // it runs away, and quanta that grow with it cannot follow
        fill(m, island, t);
        fault_report_step(island, 0);
        return true;
    }
    diag_report(island->diag, DIAG_QUANTUM_STALL, (Place){ 0 }, island->solver->name, t,
                model_state_name(model, i), progress / (double)m->window);
    if (m->order == 1)
        diag_hint(island->diag,
                  "in first order each quantum is a step: '%s' takes far fewer; or take a larger quantum",
                  m->is_implicit ? "solver liqss2" : "solver qss2");
    else if (m->is_implicit) diag_hint(island->diag, "take a larger quantum, or 'solver bdf'");
    else
        diag_hint(island->diag, "the model may be stiff: 'solver liqss2' or 'solver bdf' "
                                "is made for that; or take a larger quantum");
    return true;
}

// ---- The engine

// Small models without relations: the same steps, with nothing to be looked up on the way. Goes through
// n_max steps at most; returns how many.
INLINE long loop_small(Qss *m, Island *island, double t_want, long n_max, const int order,
                       const bool implicit)
{
    const IrQuantised *ir = m->ir;
    const uint32_t n_x = (uint32_t)QSS_X(order, implicit), n_states = m->n,
                   n_out = (uint32_t)order + implicit;
    double *const xs = m->x, *const qs = m->q, *const again = m->again;
    const QssQuantum *const quanta = m->quanta;
    const double *const v = island->env.v, *const numbers = ir->numbers;
    const double least_wait = m->least_wait;
    const uint32_t *const affected = ir->affects.item, *const start = ir->affects.start;
    const CodeTerm *const updates = m->code->updates;
    const bool *const bends = m->bends, *const wild = m->wild;
    double t = m->t, out[4 * CODE_UPDATES_MAX];
    size_t n_rates = 0;
    int failed = 0;
    long n = 0;
    for (; n < n_max && !failed; n++) {
        uint32_t i = 0;
        double due = xs[QSS_DUE(order)];
        for (uint32_t k = 1; k < n_states; k++) {
            const double other = (xs + n_x * k)[QSS_DUE(order)];
            if (other < due) due = other, i = k;
        }
        if (due > t_want) break;
        bool is_again = false;
        for (uint32_t k = 0; bends && k < n_states; k++) is_again |= again[2 * k] < due;
        if (is_again) break;
        t = due;
        qss_move(xs + n_x * i, order, t);
        qss_renew(xs + n_x * i, qs + QSS_Q * i, quanta + i, order, implicit, t);
        updates[i](order == 1 ? m->held : t, qs, v, NULL, numbers, out);
        bool is_own = false;
        const uint32_t first = start[i], end = start[i + 1];
        n_rates += end - first;
        for (uint32_t k = first; k < end; k++) {
            const uint32_t r = affected[k];
            double *x = xs + n_x * r, *o = out + (k - first) * n_out;
            const bool is_near = bends && bends[r];
            if (is_near && !wild[r]) qss_doubt(x, again + 2 * r, order, t, o[0], least_wait);
            qss_begin(x, o, order, implicit, t, &failed);
            if (is_near && wild[r]) bounds_trust(m, island, xs, qs, again + 2 * r, r, t);
            x[QSS_DUE(order)] = qss_due(x, qs + QSS_Q * r, order, implicit, t, roots_leave3);
            is_own |= r == i;
        }
        if (is_own) continue;
        double *x = xs + n_x * i;
        x[QSS_DUE(order)] = qss_due(x, qs + QSS_Q * i, order, implicit, t, roots_leave3);
    }
    m->t = t;
    m->failed |= failed;
    island->n_rates += n_rates;
    return n;
}

typedef struct Owner {
    const Qss *m;
    const Island *island;
} Owner;

static void trust(const void *self, const double *x, const double *q, double *again, unsigned i, double t)
{
    const Owner *owner = self;
    bounds_trust(owner->m, owner->island, x, q, again, i, t);
}

static long loop_native(Qss *m, Island *island, double t_want, long n_max)
{
    const Owner owner = { m, island };
    QssSmall small = { .x = m->x,
                       .q = m->q,
                       .again = m->again,
                       .v = island->env.v,
                       .numbers = m->ir->numbers,
                       .quanta = m->quanta,
                       .t = m->t,
                       .t_want = t_want,
                       .least_wait = m->least_wait,
                       .held = m->held,
                       .n_max = n_max,
                       .leave3 = roots_leave3,
                       .trust = trust,
                       .self = &owner };
    m->code->loop(&small);
    m->t = small.t;
    m->failed |= small.failed;
    island->n_rates += (size_t)small.n_rates;
    return small.n_steps;
}

// To t_want or through a chunk of steps; returns the time reached.
INLINE double run_small(Qss *m, Island *island, double t_want, const int order, const bool implicit)
{
    for (long n = 0; n < CHUNK && !m->failed; n++) {    // a look at one rate, or what remains
        const long done = m->code->loop ? loop_native(m, island, t_want, CHUNK - n)
                                        : loop_small(m, island, t_want, CHUNK - n, order, implicit);
        n += done;
        island->n_steps += (size_t)done;
        m->n_since += (size_t)done;
        if (m->failed || n == CHUNK) break;
        double due;
        const uint32_t i = next_state(m, &due);
        if (due > t_want) return t_want;
        m->t = due;
        look_again(m, island, i, due, order, implicit);
        m->n_since++;
    }
    return m->t;
}

INLINE StepResult run(Qss *m, Island *island, double t_want, long n_max, const int order, const bool implicit)
{
    const bool has_relations = m->ir->n_relations > 0;
    const bool is_single = n_max == 1;
    double t = m->t;
    if (m->is_small && !is_single && !island->on_piece) {
        t = run_small(m, island, t_want, order, implicit);
        if (m->failed) return fail(m, island, t);
        if (m->n_since >= m->window && is_stuck(m, island, soonest(m), t)) {
            m->t = t;
            fill(m, island, t);
            island->t = island->t_before = t;
            return STEP_FAILED;
        }
        m->t = island->t = island->t_before = t;
        fill(m, island, t);
        return STEP_OK;
    }
    if (m->has_left) take_back(m, island, t);
    size_t n = is_single ? SIZE_MAX : (size_t)(m->n > CHUNK ? m->n : CHUNK);
    island->t_before = t;
    for (; n > 0; n--) {
        double due;
        const uint32_t i = next_state(m, &due);
        const bool crosses = has_relations && calendar_first(&m->crossings) < due;
        if (crosses) due = calendar_first(&m->crossings);
        if (due > t_want) {
            t = t_want;
            break;
        }
        if (due < t) due = t;
        if (is_single && due > t) {    // what is due there happens when we go on
            t = due;
            if (!crosses) break;
        }
        t = due;
        m->event++;
        if (crosses) {
            const uint32_t k = calendar_first_id(&m->crossings);
            const double at = relations_confirm(m, island, k, t);
            if (isnan(at)) {
                relations_watch(m, island, k, t);
                if (calendar_first_id(&m->crossings) == k && calendar_first(&m->crossings) <= t)
                    relations_put_off(m, island, k, t);
                continue;
            }
            t = at;
            if (!count_event(m, island, k, t)) return fail(m, island, t);
            // one after the other, without end: the driver knows surfaces
            if (m->leaves_events || m->n_burst > BURST_MANY) {
                calendar_set(&m->crossings, k, INFINITY);
                m->has_left = true;
                m->left = k;
                m->t = island->t = t;
                fill(m, island, t);
                return STEP_RELATION;
            }
            m->modes[k] = m->modes[k] == 0;
            island->n_events++;
            follow_mode(m, island, k, t);
            if (island->on_mode && !island->on_mode(island->mode_context, k, t, m->modes[k] != 0)) {
                m->t = island->t = island->t_before = t;
                fill(m, island, t);
                return STEP_FAILED;
            }
            if (is_single && !m->failed) break;
        } else {
            take_step(m, island, i, t, order, implicit);
            if (m->n_to_watch) relations_watch_noted(m, island, t);
            if (++m->n_since >= m->window && is_stuck(m, island, i, t)) {
                m->t = t;
                fill(m, island, t);
                island->t = island->t_before = t;
                return STEP_FAILED;
            }
        }
        if (m->failed) return fail(m, island, t);
    }
    m->t = island->t = t;
    if (!is_single) island->t_before = t;
    fill(m, island, t);
    return STEP_OK;
}

// Native code takes over between two steps: it works on the same arrays and gives the same bits.
static void take_better_code(Qss *m)
{
    const CodeQuantised *better = atomic_load_explicit(&m->made->better, memory_order_acquire);
    if (!better || better == m->code) return;
    m->code = better;
    m->terms = better->terms;
}

StepResult qss_advance(Island *island, double t_want, long n_max)
{
    Qss *m = island->memory;
    take_better_code(m);
    if (m->is_implicit) {
        if (m->order == 1) return run(m, island, t_want, n_max, 1, true);
        return run(m, island, t_want, n_max, 2, true);
    }
    if (m->order == 1) return run(m, island, t_want, n_max, 1, false);
    if (m->order == 2) return run(m, island, t_want, n_max, 2, false);
    return run(m, island, t_want, n_max, 3, false);
}

// ---- Beginning, and beginning again

static void begin(Qss *m, Island *island)
{
    begin_all(m, island);
    m->t_since = m->t;
    m->n_since = 0;
}

static void restart(Island *island)
{
    Qss *m = island->memory;
    if (island->t < m->t) {
        m->t_since = island->t;
        m->n_since = 0;
    }
    if (!m->touched) {    // most runs have no events
        m->touched = ARENA_ARRAY(island->arena, uint32_t, m->n);
        m->touched_at = ARENA_ARRAY(island->arena, uint64_t, m->n);
    }
    begin_anew(m, island);
}

// What the user said of the quanta, for each state.
static void choose_quanta(Qss *m, const Island *island, Arena *arena)
{
    const SolverOptions *o = &island->options;
    static const double by_order[] = { 1e-3, 1e-4, 1e-5 };    // what each order does in reasonable time
    const double relative = by_order[m->order - 1];
    QssQuantum all = { .least = 1e-3 * relative, .relative = relative, .most = INFINITY };
    if (o->has_tolerance)
        all = (QssQuantum){ .least = o->absolute, .relative = o->tolerance, .most = INFINITY };
    if (o->quantum > 0) all = (QssQuantum){ .least = o->quantum, .relative = 0, .most = INFINITY };
    if (o->relative > 0) {
        all.relative = o->relative;
        all.least = o->least > 0 ? o->least : 1e-3 * o->relative;
        all.most = o->quantum > 0 ? o->quantum : INFINITY;
        if (all.least > all.most) all.least = all.most;
    }
    // a least quantum that nobody gave follows the size of the state
    const bool by_size = !(o->quantum > 0 || o->least > 0);
    bool any_size = false;
    for (uint32_t i = 0; i < m->n; i++) any_size |= by_size && island->absolute[i] != o->absolute;
    m->has_own_quanta = o->quanta || m->is_small || any_size;
    m->quanta = ARENA_ARRAY(arena, QssQuantum, m->has_own_quanta ? m->n : 1);
    if (!m->has_own_quanta) m->quanta[0] = all;
    for (uint32_t i = 0; m->has_own_quanta && i < m->n; i++) {
        m->quanta[i] = all;
        if (by_size) m->quanta[i].least *= island->absolute[i] / o->absolute;
        if (o->quanta && o->quanta[i] > 0)
            m->quanta[i] = (QssQuantum){ .least = o->quanta[i], .most = INFINITY };
    }
}

static Calendar new_calendar(uint32_t n, Arena *arena)
{
    const size_t bytes = calendar_bytes(n) + CACHE_LINE;
    const uintptr_t at = (uintptr_t)arena_alloc(arena, bytes, 1);
    return calendar_init((void *)((at + CACHE_LINE - 1) & ~(uintptr_t)(CACHE_LINE - 1)), n);
}

// The unknowns of loops in the values of the model.
static void find_guesses(Qss *m, const orr_model *model, Arena *arena)
{
    const IrLayout *layout = &model->ir.layout;
    m->guess_from = ARENA_ARRAY(arena, uint32_t, m->ir->n_shared);
    m->guess_kept = ARENA_ARRAY(arena, uint32_t, m->ir->n_shared);
    for (uint32_t l = 0; l < m->ir->n_loops; l++) {
        const IrLoopTerms *loop = &m->ir->loops[l];
        for (uint32_t i = 0; i < loop->n; i++) {
            const uint32_t unknown = model->blocks.dynamic.blocks[loop->block].unknowns[i];
            const uint32_t place = m->guess_kept[loop->first + i] = layout->guess[unknown];
            m->guess_from[loop->first + i] = place != FLAT_NONE ? place : layout->place[unknown];
        }
    }
}

static bool init(Island *island, Arena *arena, orr_diag *diag, int order, CodeOwn own)
{
    const orr_model *model = island->model;
    const bool is_implicit = own != CODE_PLAIN;
    const CodeQuantised *code = code_quantised(&model->code, order, own, island->solver->name, diag);
    if (!code) return false;
    const IrQuantised *ir = code->ir;
    Qss *m = ARENA_NEW(arena, Qss);
    *m = (Qss){ .made = code,
                .code = code,
                .ir = ir,
                .terms = code->terms,
                .order = order,
                .is_implicit = is_implicit,
                .n = ir->n_states };
    m->n_x = (uint32_t)QSS_X(order, is_implicit);
    m->x = ARENA_ARRAY(arena, double, m->n_x *((size_t)m->n + (ir->n_loops ? ir->n_shared : 0)));
    m->q = ARENA_ARRAY(arena, double, QSS_Q *((size_t)m->n + ir->n_shared));
    m->scans = m->n <= CODE_UPDATES_MAX;
    if (!m->scans) m->due = new_calendar(m->n, arena);
    m->shared_at = ARENA_ARRAY(arena, uint64_t, ir->n_shared);
    if (ir->n_shared) m->loops = shared_make(m, arena);
    find_guesses(m, model, arena);
    m->failed_loop = FLAT_NONE;
    m->modes = island_modes(island);
    m->modes_seen = ARENA_ARRAY(arena, double, ir->n_relations);
    m->changed_at = ARENA_ARRAY(arena, double, ir->n_relations);
    m->crossings = new_calendar(ir->n_relations, arena);
    m->is_noted = ARENA_ARRAY(arena, bool, ir->n_relations);
    m->to_watch = ARENA_ARRAY(arena, uint32_t, ir->n_relations);
    m->n_params = model->ir.layout.n_params;
    m->params_seen = ARENA_ARRAY(arena, double, m->n_params);
    m->places_seen = ARENA_ARRAY(arena, double, ir->n_places);
    m->window = WINDOW;
    if (m->window < 64 * (size_t)m->n) m->window = 64 * (size_t)m->n;
    m->leaves_events = model->n_events > 0;
    if (own == CODE_WITH_SLOPES) m->pairs = pairs_make(ir, arena);
    m->is_small = code->updates && ir->n_relations == 0 && !m->pairs && !ir->has_opaque;
    const bool *bends = code_bends(ir, order);
    for (uint32_t i = 0; i < m->n && !m->bends; i++)
        if (bends[i]) m->bends = bends;
    m->wild = order == 1 ? ir->moves_in_time : ir->is_wild;
    m->opaque = m->bends && ir->has_opaque ? ir->is_opaque : NULL;
    m->bounds.nodes = ARENA_ARRAY(arena, Jet, ir_most_records(ir));
    m->bounds.shared = ARENA_ARRAY(arena, Jet, ir->n_shared);
    const double span = island->options.t_end - island->t;
    m->least_wait = isfinite(span) && span > 0 ? 1e-9 * span : 1e-9;
    m->looks = ARENA_ARRAY(arena, double, 2 * (size_t)ir->n_relations);
    if (m->bends) {
        m->again = ARENA_ARRAY(arena, double, 2 * (size_t)m->n);
        for (uint32_t i = 0; i < m->n; i++) {
            m->again[2 * i] = INFINITY;
            m->again[2 * i + 1] = 1e4 * m->least_wait;
        }
    }
    choose_quanta(m, island, arena);
    island->memory = m;
    begin(m, island);
    if (!m->failed) return true;
    fail(m, island, m->t);
    return false;
}

static bool init_qss1(Island *island, Arena *arena, orr_diag *diag)
{
    return init(island, arena, diag, 1, CODE_PLAIN);
}
static bool init_qss2(Island *island, Arena *arena, orr_diag *diag)
{
    return init(island, arena, diag, 2, CODE_PLAIN);
}
static bool init_qss3(Island *island, Arena *arena, orr_diag *diag)
{
    return init(island, arena, diag, 3, CODE_PLAIN);
}
static bool init_liqss1(Island *island, Arena *arena, orr_diag *diag)
{
    return init(island, arena, diag, 1, CODE_WITH_OWN);
}
static bool init_liqss2(Island *island, Arena *arena, orr_diag *diag)
{
    return init(island, arena, diag, 2, CODE_WITH_OWN);
}
static bool init_mliqss2(Island *island, Arena *arena, orr_diag *diag)
{
    return init(island, arena, diag, 2, CODE_WITH_SLOPES);
}

// One instant at which something happens.
static StepResult step(Island *island, double t_limit) { return qss_advance(island, t_limit, 1); }

static void state_at(Island *island, double t, double *x)
{
    const Qss *m = island->memory;
    for (uint32_t i = 0; i < m->n; i++) x[i] = qss_x_at(any_x(m, i), m->order, t);
}

static double native_ms(const Island *island)
{
    const Qss *m = island->memory;
    return code_quantised_native_ms(&island->model->code, m->made);
}

static void improve(const Island *island)
{
    const Qss *m = island->memory;
    code_quantised_improve(&island->model->code, m->made);
}

static double next_instant(const Island *island)
{
    const Qss *m = island->memory;
    double t;
    next_state(m, &t);
    if (m->ir->n_relations && calendar_first(&m->crossings) < t) t = calendar_first(&m->crossings);
    return t > island->t ? t : island->t;
}

static int polynomial(const Island *island, uint32_t state, double *t, double c[4])
{
    const Qss *m = island->memory;
    const double *x = any_x(m, state);
    *t = x[QSS_TIME(m->order)];
    memcpy(c, x, (size_t)(m->order + 1) * sizeof *c);
    return m->order;
}

static bool quantised(const Island *island, uint32_t state, double t, double *value, double *slope)
{
    const Qss *m = island->memory;
    const double *q = q_of(m, state), d = t - q[QSS_Q_TIME];
    *value = q[0] + (m->order > 1 ? d * (q[1] + (m->order > 2 ? d * q[2] : 0)) : 0);
    *slope = m->order > 1 ? q[1] + (m->order > 2 ? 2 * d * q[2] : 0) : 0;
    return q[QSS_Q_TIME] == t;
}

static void pass(Island *island, RunSaved *saved)
{
    Qss *m = island->memory;
    const IrQuantised *ir = m->ir;
    const size_t number = sizeof(double), count = sizeof(uint64_t);
    double *const numbers[] = { &m->t, &m->held, &m->least_wait, &m->burst_start, &m->t_since };
    size_t *const counts[] = { &m->n_burst, &m->n_since };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) saved_pass(saved, numbers[i], number);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) saved_pass(saved, counts[i], sizeof **counts);
    saved_pass(saved, m->x, m->n_x * ((size_t)m->n + (ir->n_loops ? ir->n_shared : 0)) * number);
    saved_pass(saved, m->q, QSS_Q * ((size_t)m->n + ir->n_shared) * number);
    if (m->again) saved_pass(saved, m->again, 2 * (size_t)m->n * number);
    saved_pass(saved, &m->event, sizeof m->event);
    saved_pass(saved, m->shared_at, ir->n_shared * count);
    saved_pass(saved, m->modes_seen, ir->n_relations * number);
    saved_pass(saved, m->changed_at, ir->n_relations * number);
    saved_pass(saved, m->looks, 2 * ir->n_relations * number);
    saved_pass(saved, &m->version, sizeof m->version);
    shared_pass(m, saved);
    saved_pass(saved, m->params_seen, m->n_params * number);
    saved_pass(saved, m->places_seen, ir->n_places * number);
    if (!m->scans) saved_calendar(saved, &m->due, m->n);
    saved_calendar(saved, &m->crossings, ir->n_relations);
    saved_flags(saved, &m->has_left, 1);
    if (m->has_left) saved_index(saved, &m->left, ir->n_relations);
}

#define QSS(id, text, accuracy, flags)                                                                       \
    const Solver solver_##id = {                                                                             \
        .name = #id,                                                                                         \
        .summary = text,                                                                                     \
        .order = accuracy,                                                                                   \
        .traits = flags,                                                                                     \
        .init = init_##id,                                                                                   \
        .step = step,                                                                                        \
        .restart = restart,                                                                                  \
        .state_at = state_at,                                                                                \
        .advance = qss_advance,                                                                              \
        .next = next_instant,                                                                                \
        .quantised = quantised,                                                                              \
        .polynomial = polynomial,                                                                            \
        .native_ms = native_ms,                                                                              \
        .improve = improve,                                                                                  \
        .pass = pass,                                                                                        \
        .is_quantised = true,                                                                                \
    }

QSS(qss1, "quantised states, first order: for sparse and switching models; option quantum", 1, 0);
QSS(qss2, "quantised states, second order; option quantum", 2, 0);
QSS(qss3, "quantised states, third order; option quantum", 3, 0);
QSS(liqss1, "quantised states, first order, for stiff models; option quantum", 1, SOLVER_IMPLICIT);
QSS(liqss2, "quantised states, second order, for stiff models; option quantum", 2, SOLVER_IMPLICIT);
QSS(mliqss2, "liqss2, where states are stiff in pairs; option quantum", 2, SOLVER_IMPLICIT);
