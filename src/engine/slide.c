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

// Of every variable as much as of the rates, which have been computed.
int slide_values(Island *island, double t, const double *x)
{
    Surface *s = &island->surface;
    const EngineTables *tables = island->tables;
    double *v = island->env.v + tables->first_var, first = 1;
    int failed = 0;
    const bool is_one = s->n_surfaces == 1;
    if (!s->sum) s->sum = island->services->grow(island, NULL, 0, tables->n_kept * sizeof *s->sum);
    if (!s->sum) return 1;
    memset(s->sum, 0, tables->n_kept * sizeof *s->sum);
    if (is_one) first = first_part(s);
    for (size_t k = 0; k < s->n_surfaces && !is_one; k++) first -= clamped(s->part[k]);
    for (size_t side = s->n_surfaces + 1; side-- > 0 && !failed;) {    // the first sides last: they stay in v
        const double part = side == 0 ? first : is_one ? 1 - first : clamped(s->part[side - 1]);
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
static bool sides_hold(Island *island, uint32_t surface, size_t leader, const double *after)
{
    Surface *s = &island->surface;
    const size_t n = island->tables->n_relations;
    double slopes[2];
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
        const uint32_t surface = (uint32_t)s->n_surfaces;
        if (!slide_make_room(island, surface + 1)) break;
        for (size_t k = 0; k < n; k++)    // what jumped with the first one is its
            if (mode_differs(s, after, k) &&
                (is_same_surface(&relations[k], &relations[leader]) || (i == 0 && !s->is_continuous[k])))
                s->surface_of[k] = surface;
        if (sides_hold(island, surface, leader, after)) {
            give_sides(s, surface, s->before, after, n);
            s->leader[s->n_surfaces++] = leader;
        } else {
            give_sides(s, surface, after, after, n);
            for (size_t k = 0; k < n; k++)    // and is not asked about again
                if (s->surface_of[k] == surface) s->surface_of[k] = SURFACE_NONE, s->is_continuous[k] = false;
        }
    }
    bool known;
    s->slides = s->n_surfaces > 0;
    s->is_on = s->slides || s->n_resting > 0;
    if (s->n_surfaces > n_before) {
        s->ends = false;
        if (solve_sides(island, island->t, island->x, &known) == 0)
            for (size_t k = n_before; k < s->n_surfaces; k++)
                island->services->report(island, ENGINE_SLIDES, (uint32_t)k, island->t);
    }
    memcpy(modes, s->modes[0], n * sizeof *modes);
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

