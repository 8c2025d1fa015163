// src/engine/slide.c: solutions that follow surfaces.
//
// If the rates on both sides of a relation in an equation point to the surface where it changes, the solution
// can only follow it. Then both sides contribute, in the proportion at which the zero function does not
// move [Filippov 1960]. Along several surfaces at once it follows all of them: with f₀ the rates on all first
// sides, f_k those with the second side of surface k, and g the zero functions,
//
//     f = f₀ + Σ b_k (f_k - f₀),    ∇g_j f = 0 for all j,    0 <= b_k <= 1
//
// which is a system of linear equations for b, the equivalent control. (Where modes act on each other, as in
// a product of two switches, this is one of the possible solutions.) A surface whose b_k leaves 0 to 1 is
// left, to the side on which it does, and the others are followed on.
//
// Variables are the same mean of the sides, and other relations are looked at with that mean, not with the
// sides: in `u = sign(s)`, `cost' = abs(u)` the mode of abs is that of the mean u, so that the equations hold
// for what is recorded [Utkin 1977]. Where there is no such mode the relation switches with the surface.
#include "engine/host.h"
#include "num/lu.h"

#define SLIDE_PROBE 1e-6    // how far slopes are looked for, of the scale of time
#define SLIDE_SLACK 1e-9    // of a part: rounding

// ---- Sides

bool slide_make_room(Island *island, size_t n)
{
    Surface *s = &island->surface;
    if (n <= s->capacity) return true;
    const size_t now = s->capacity, larger = n < 4 ? 4 : 2 * n, number = sizeof(double);
    double **const arrays[] = { &s->part, &s->sides, &s->slopes, &s->matrix };
    const size_t sizes[] = { larger, (larger + 1) * island->tables->n_states, (larger + 1) * larger,
                             larger * larger };
    for (int i = 0; i < 4; i++) {
        double *more = island->services->grow(island, *arrays[i], i ? 0 : now * number, sizes[i] * number);
        if (!more) return false;
        *arrays[i] = more;
    }
    size_t **const numbers[] = { &s->leader, &s->pivots };
    for (int i = 0; i < 2; i++) {
        size_t *more = island->services->grow(island, *numbers[i], now * sizeof *more, larger * sizeof *more);
        if (!more) return false;
        *numbers[i] = more;
    }
    s->capacity = larger;
    return true;
}

static void set_side(Island *island, size_t surface, int side)
{
    const Surface *s = &island->surface;
    double *modes = island_modes(island);
    for (size_t k = 0; k < island->tables->n_relations; k++)
        if (s->surface_of[k] == surface) modes[k] = s->modes[side][k];
}

// Rates on all sides, and the part of each second one: *known is false if there is not one solution. The
// modes are the first ones afterwards. Returns as programs do.
static int solve_sides(Island *island, double t, const double *x, bool *known)
{
    Surface *s = &island->surface;
    const size_t m = s->n_surfaces, n = island->tables->n_states;
    int failed = 0;
    memcpy(island_modes(island), s->modes[0], island->tables->n_relations * sizeof(double));
    for (size_t side = 0; side <= m && !failed; side++) {
        double *rates = s->sides + side * n;
        if (side) set_side(island, side - 1, 1);
        failed = surface_plain_rates(island, t, x, rates);
        double *slopes = s->slopes + side * m;
        if (!failed && !surface_slopes(island, t, x, rates, s->leader, m, s->probe, slopes)) failed = 1;
        if (side) set_side(island, side - 1, 0);
    }
    *known = !failed;
    if (failed || m == 0) return failed;
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < m; k++) s->matrix[j * m + k] = s->slopes[(k + 1) * m + j] - s->slopes[j];
        s->part[j] = -s->slopes[j];
    }
    *known = lu_factor(s->matrix, m, s->pivots, NULL);
    if (*known) lu_solve(s->matrix, m, s->pivots, s->part);
    for (size_t k = 0; k < m; k++) *known = *known && isfinite(s->part[k]);
    return 0;
}

static double clamped(double part) { return fmax(0, fmin(1, part)); }

// With one surface: how much of its first side.
static double first_part(const Surface *s) { return clamped(s->slopes[1] / (s->slopes[1] - s->slopes[0])); }

static void blend_sides(const Island *island, double *dx)
{
    const Surface *s = &island->surface;
    const size_t n = island->tables->n_states;
    const double first = s->n_surfaces == 1 ? first_part(s) : 0;
    for (size_t i = 0; i < n && s->n_surfaces == 1; i++)
        dx[i] = first * s->sides[i] + (1 - first) * s->sides[n + i];
    if (s->n_surfaces == 1) return;
    for (size_t i = 0; i < n; i++) {
        dx[i] = s->sides[i];
        for (size_t k = 0; k < s->n_surfaces; k++)
            dx[i] += clamped(s->part[k]) * (s->sides[(k + 1) * n + i] - s->sides[i]);
    }
}

int slide_rates(Island *island, double t, const double *x, double *dx)
{
    Surface *s = &island->surface;
    bool known;
    const int failed = solve_sides(island, t, x, &known);
    if (failed) return failed;
    for (size_t k = 0; k < s->n_surfaces && !known; k++) s->part[k] = 0;
    blend_sides(island, dx);
    return 0;
}

// How much of each side counts: 0: all first ones; else the second of a surface.
static double part_of(const Surface *s, size_t side)
{
    if (s->n_surfaces == 1) return side ? 1 - first_part(s) : first_part(s);
    if (side) return clamped(s->part[side - 1]);
    double first = 1;
    for (size_t k = 0; k < s->n_surfaces; k++) first -= clamped(s->part[k]);
    return first;
}

// Relations with the mean of all sides: zero functions, and truth values as on a side where they have the
// same sign.
bool slide_relations(Island *island, double t, const double *x, double *out)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_relations;
    double *truths = s->relations[1];    // below and above 0
    bool known;
    if (solve_sides(island, t, x, &known) != 0) return false;
    for (size_t k = 0; k < n; k++) truths[2 * k] = truths[2 * k + 1] = s->modes[0][k], out[2 * k] = 0;
    for (size_t side = 0; side <= s->n_surfaces; side++) {
        if (side) set_side(island, side - 1, 1);
        const int failed = engine_call(island, IR_RELATIONS, t, x, s->relations[0]);
        if (side) set_side(island, side - 1, 0);
        if (failed) return false;
        for (size_t k = 0; k < n; k++) {
            const double g = s->relations[0][2 * k];
            if (g != 0) truths[2 * k + (g > 0)] = s->relations[0][2 * k + 1];
            out[2 * k] += part_of(s, side) * g;
        }
    }
    for (size_t k = 0; k < n; k++)
        out[2 * k + 1] = out[2 * k] == 0 ? s->modes[0][k] : truths[2 * k + (out[2 * k] > 0)];
    return true;
}

// Of every variable as much as of the rates, which have been computed.
int slide_values(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const EngineTables *tables = island->tables;
    double *v = island->env.v + tables->first_var;
    int failed = 0;
    if (!s->sum) s->sum = island->services->grow(island, NULL, 0, tables->n_kept * sizeof *s->sum);
    if (!s->sum) return 1;
    memset(s->sum, 0, tables->n_kept * sizeof *s->sum);
    for (size_t side = s->n_surfaces + 1; side-- > 0 && !failed;) {    // the first sides last: they stay in v
        const double part = part_of(s, side);
        if (side) set_side(island, side - 1, 1);
        failed = engine_call(island, IR_VALUES, t, x, NULL);
        if (side) set_side(island, side - 1, 0);
        for (size_t i = 0; i < tables->n_kept && !failed; i++) s->sum[i] += part * v[i];
    }
    for (uint32_t i = 0; i < tables->n_mixed && !failed; i++) {
        const size_t at = tables->mixed[i].place - tables->first_var;
        memcpy(v + at, s->sum + at, tables->mixed[i].n * sizeof *v);
    }
    return failed;
}

// ---- Beginning

void slide_before(Island *island)
{
    Surface *s = &island->surface;
    if (island->tables->n_relations == 0) return;
    memcpy(s->before, island_modes(island), island->tables->n_relations * sizeof *s->before);
}

static bool mode_differs(const Surface *s, const double *after, size_t k)
{
    return s->surface_of[k] == SURFACE_NONE && (s->before[k] != 0) != (after[k] != 0);
}

static void give_sides(Surface *s, size_t surface, const double *first, const double *second, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (s->surface_of[k] != surface) continue;
        s->modes[0][k] = first[k];
        s->modes[1][k] = second[k];
    }
}

// The slope of a zero function on one side of a surface that is not followed yet, along those that are.
static bool slope_on(Island *island, size_t relation, double *slope)
{
    Surface *s = &island->surface;
    bool known;
    if (solve_sides(island, island->t, island->x, &known) != 0 || !known) return false;
    for (size_t k = 0; k < s->n_surfaces; k++)
        if (s->part[k] < -SLIDE_SLACK || s->part[k] > 1 + SLIDE_SLACK) return false;
    blend_sides(island, s->rates[0]);
    return surface_slopes(island, island->t, island->x, s->rates[0], &relation, 1, s->probe, slope);
}

// Relations whose modes are of this surface: do both of its sides lead back to it?
static bool sides_hold(Island *island, uint32_t surface, size_t leader, const double *after, double slopes[2])
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_relations;
    give_sides(s, surface, s->before, s->before, n);
    bool known = slope_on(island, leader, &slopes[0]);
    give_sides(s, surface, after, after, n);
    known = known && slope_on(island, leader, &slopes[1]);
    return known && slopes[0] * slopes[1] < 0 && fabs(slopes[1]) > 1e-9 * fabs(slopes[0]);
}

// Zero functions that are one but for their sign.
static bool is_same_surface(const EngineRelation *p, const EngineRelation *q)
{
    return p->zero == q->zero || p->negated == q->zero || q->negated == p->zero ||
           (p->left != ENGINE_NONE && q->left != ENGINE_NONE && p->left == q->right && p->right == q->left);
}

// Does the zero function not know of the modes that changed? Else it has jumped with them, and is no surface.
static void find_continuous(Island *island)
{
    const Surface *s = &island->surface;
    const size_t n = island->tables->n_relations;
    double *modes = island_modes(island);
    memcpy(modes, s->before, n * sizeof *modes);
    bool ok = engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[0]) == 0;
    memcpy(modes, s->after, n * sizeof *modes);
    ok = ok && engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[1]) == 0;
    for (size_t k = 0; k < n; k++) {
        const double a = s->relations[0][2 * k], b = s->relations[1][2 * k];
        s->is_continuous[k] = ok && fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b));
    }
}

// Do relations jump with the surface that has just been found? Their modes become those of the mean. False:
// there are none that agree with it.
static bool followers_agree(Island *island)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_relations;
    double *now = island->relations_left;
    for (size_t round = 0; round <= 2 * n; round++) {
        bool agree = true;
        if (!slide_relations(island, island->t, island->x, now)) return false;
        for (size_t k = 0; k < n; k++) {
            const double truth = now[2 * k + 1] != 0;
            if (s->surface_of[k] != SURFACE_NONE || s->is_continuous[k] || s->modes[0][k] == truth) continue;
            s->modes[0][k] = s->modes[1][k] = truth;
            agree = false;
        }
        if (agree) return true;
    }
    return false;
}

// What lies between two sides: `sign(x)` is 0 there. Where that is a side of its own the mean is taken of it
// and the one across which it is followed. *slope: of the leader there.
static bool find_middle(Island *island, uint32_t surface, size_t leader, double *middle, double *slope)
{
    const Surface *s = &island->surface;
    const size_t n = island->tables->n_relations;
    bool first = false, second = false;
    for (size_t k = 0; k < n; k++) {
        middle[k] = island->tables->relations[k].at_zero;
        if (s->surface_of[k] != surface) continue;
        first |= middle[k] != s->before[k];
        second |= middle[k] != s->after[k];
    }
    if (!first || !second) return false;    // it is one of them
    give_sides(&island->surface, surface, middle, middle, n);
    return slope_on(island, leader, slope);
}

// Rates for which the mean of the two outer sides, each with all that switches there, is another one.
static void report_other_mean(Island *island, size_t leader)
{
    Surface *s = &island->surface;
    const EngineRelation *relations = island->tables->relations;
    const size_t n = island->tables->n_states;
    const double *from = s->before[leader] != relations[leader].at_zero ? s->before : s->after;
    double slopes[2], *modes = island_modes(island);
    if (s->n_surfaces != 1 || slide_rates(island, island->t, island->x, s->dx) != 0) return;
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < island->tables->n_relations; k++) {
            const bool is_it = is_same_surface(&relations[k], &relations[leader]);
            modes[k] = i ? s->after[k] : s->before[k];
            if (is_it && (from == s->before) == (i == 1)) modes[k] = 1 - from[k];
        }
        if (surface_plain_rates(island, island->t, island->x, s->rates[i]) != 0) return;
        if (!surface_slopes(island, island->t, island->x, s->rates[i], s->leader, 1, s->probe, &slopes[i]))
            return;
    }
    const double first = clamped(slopes[1] / (slopes[1] - slopes[0]));
    for (uint32_t i = 0; i < n; i++) {
        const double mean = first * s->rates[0][i] + (1 - first) * s->rates[1][i];
        if (fabs(mean - s->dx[i]) > 1e-6 * (fabs(s->rates[0][i]) + fabs(s->rates[1][i])))
            island->services->report(island, ENGINE_OTHER_MEAN, i, mean);
    }
}

// A surface with this leader, and what else belongs to it: do both sides lead back?
static bool try_surface(Island *island, size_t leader, bool with_followers)
{
    Surface *s = &island->surface;
    const EngineRelation *relations = island->tables->relations;
    const size_t n = island->tables->n_relations;
    const uint32_t surface = (uint32_t)s->n_surfaces;
    const double *after = s->after;
    bool follow = false;
    for (size_t k = 0; k < n; k++) {
        if (!mode_differs(s, after, k)) continue;
        const bool jumps = !s->is_continuous[k] && !is_same_surface(&relations[k], &relations[leader]);
        if (!jumps && k != leader && !is_same_surface(&relations[k], &relations[leader])) continue;
        follow |= jumps;
        if (!jumps || with_followers) s->surface_of[k] = surface;
    }
    double slopes[2], slope, *middle = s->relations[1];
    bool holds = sides_hold(island, surface, leader, after, slopes);
    if (holds) {
        const bool has_middle = find_middle(island, surface, leader, middle, &slope);
        const double *second = has_middle && slope * slopes[0] < 0 ? middle : after;
        give_sides(s, surface, has_middle && slope * slopes[1] < 0 ? middle : s->before, second, n);
        s->leader[s->n_surfaces++] = leader;
        if (!follow || with_followers) return true;
        if (followers_agree(island)) return true;
        s->n_surfaces--;
        for (size_t k = 0; k < n; k++)
            if (s->surface_of[k] == SURFACE_NONE) s->modes[0][k] = s->modes[1][k] = after[k];
        holds = false;
    }
    give_sides(s, surface, after, after, n);
    for (size_t k = 0; k < n; k++)
        if (s->surface_of[k] == surface) s->surface_of[k] = SURFACE_NONE;
    return false;
}

// Are there relations that are not the same on all sides, besides those of the surfaces?
static bool do_relations_differ(Island *island)
{
    Surface *s = &island->surface;
    bool differ = engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[0]) != 0;
    for (size_t side = 0; side < s->n_surfaces && !differ; side++) {
        set_side(island, side, 1);
        differ = engine_call(island, IR_RELATIONS, island->t, island->x, s->relations[1]) != 0;
        set_side(island, side, 0);
        for (size_t k = 0; k < island->tables->n_relations && !differ; k++)
            differ = s->surface_of[k] == SURFACE_NONE && s->relations[0][2 * k] != s->relations[1][2 * k];
    }
    return differ;
}

bool slide_enter(Island *island)
{
    Surface *s = &island->surface;
    const EngineRelation *relations = island->tables->relations;
    const size_t n = island->tables->n_relations, relation = island->event_relation, n_before = s->n_surfaces;
    double *modes = island_modes(island);
    const double *after = s->after;
    if (n == 0 || !relations[relation].in_equation) return false;
    if (island->tables->has_implicit) return false;    // where loops jump too there is nothing between
    if (!mode_differs(s, modes, relation)) return false;
    s->probe = SLIDE_PROBE * surface_scale(island);
    memcpy(s->after, modes, n * sizeof *modes);
    find_continuous(island);
    s->is_continuous[relation] = true;
    for (size_t k = 0; k < n; k++)
        if (s->surface_of[k] == SURFACE_NONE) s->modes[0][k] = s->modes[1][k] = after[k];
    for (size_t i = 0; i <= n && s->n_surfaces < SURFACES_MAX; i++) {
        const size_t leader = i == 0 ? relation : i - 1;    // that of the event first
        if (!relations[leader].in_equation || !s->is_continuous[leader] || !mode_differs(s, after, leader))
            continue;
        if (!slide_make_room(island, s->n_surfaces + 1)) break;
        // relations that jump with the first one see the mean, or else are its
        if (try_surface(island, leader, false) || (i == 0 && try_surface(island, leader, true))) continue;
        for (size_t k = 0; k < n; k++)    // not asked about again
            if (is_same_surface(&relations[k], &relations[leader])) s->is_continuous[k] = false;
    }
    bool known;
    s->slides = s->n_surfaces > 0;
    s->is_on = s->slides || s->n_resting > 0;
    if (s->n_surfaces > n_before) {
        s->ends = false;
        report_other_mean(island, s->leader[0]);
        if (solve_sides(island, island->t, island->x, &known) == 0)
            for (size_t k = n_before; k < s->n_surfaces; k++)
                island->services->report(island, ENGINE_SLIDES, (uint32_t)k, island->t);
    }
    memcpy(modes, s->modes[0], n * sizeof *modes);
    s->mixes = s->slides && do_relations_differ(island);
    return s->n_surfaces > n_before;
}

// ---- End

bool slide_leaves(Island *island, double t, const double *x)
{
    const Surface *s = &island->surface;
    bool known;
    if (solve_sides(island, t, x, &known) != 0 || !known) return true;
    if (s->n_surfaces == 1) return !(s->slopes[0] * s->slopes[1] < 0);
    for (size_t k = 0; k < s->n_surfaces; k++)
        if (!(s->part[k] >= 0 && s->part[k] <= 1)) return true;
    return false;
}

// From here on one side alone counts.
static void leave_surface(Island *island, size_t surface, int side)
{
    Surface *s = &island->surface;
    const size_t last = --s->n_surfaces;
    s->leader[surface] = s->leader[last];
    for (size_t k = 0; k < island->tables->n_relations; k++) {
        if (s->surface_of[k] == surface) {
            s->modes[1 - side][k] = s->modes[side][k];
            s->surface_of[k] = SURFACE_NONE;
        } else if (s->surface_of[k] == last) {
            s->surface_of[k] = (uint32_t)surface;
        }
    }
}

void slide_exit(Island *island)
{
    Surface *s = &island->surface;
    bool must = s->ends, known;
    while (s->n_surfaces > 0) {
        const bool failed = solve_sides(island, island->t, island->x, &known) != 0;
        size_t worst = 0;
        double out = -INFINITY;
        for (size_t k = 0; k < s->n_surfaces && known; k++)
            if (fmax(-s->part[k], s->part[k] - 1) > out) worst = k, out = fmax(-s->part[k], s->part[k] - 1);
        if (!failed && known && out <= 0 && !must) break;
        int side = !failed && known && s->part[worst] > 0.5 ? 1 : 0;
        if (!failed && s->n_surfaces == 1)    // on goes the side that leads away
            side = !(s->slopes[0] * s->slopes[1] < 0) && fabs(s->slopes[0]) > fabs(s->slopes[1]);
        leave_surface(island, worst, side);
        must = false;
    }
    memcpy(island_modes(island), s->modes[0], island->tables->n_relations * sizeof(double));
    s->ends = false;
    s->slides = s->n_surfaces > 0;
    s->is_on = s->slides || s->n_resting > 0;
}

// Modes that changed beside the sliding ones count on both sides.
bool slide_after_event(Island *island)
{
    Surface *s = &island->surface;
    if (!s->slides) return true;
    const double *modes = island_modes(island);
    for (size_t k = 0; k < island->tables->n_relations; k++)
        if (s->surface_of[k] == SURFACE_NONE) s->modes[0][k] = s->modes[1][k] = modes[k];
    return !slide_leaves(island, island->t, island->x);
}

