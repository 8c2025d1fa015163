// src/ir/noise.c: how white noise reaches the rates.
//
// As in jacobian.c, the chain rule goes forward through the assignments, from each noise. What comes out must
// be free of noise: rates are linear in it, dx = f dt + Σ g dW, and f is what the rates are where all noises
// are 0.
#include "base/diag.h"
#include "ir/lower.h"

typedef struct Spread {
    Lower *l;
    orr_diag *diag;
    Expr *total;         // [n_vars] d u / d noise
    uint32_t *column;    // [n_vars] 1 + the noise to which `total` belongs
    uint32_t *met;       // [n_blocks] the same for blocks
    bool *is_noisy;      // [n_vars] some noise reaches it
    bool ok;
} Spread;

static void refuse(Spread *s, Place place, const char *what, const char *hint)
{
    s->ok = false;
    diag_report(s->diag, DIAG_NOISE_MISPLACED, place, what);
    diag_hint(s->diag, "%s", hint);
}

static bool is_zero(const ExprPool *pool, Expr e)
{
    double value;
    return expr_is_const(pool, e, &value) && value == 0;
}

static bool reads_noise(Spread *s, Expr e)
{
    const Ir *ir = s->l->ir;
    Arena scratch = { 0 };
    size_t n;
    const uint32_t *variables = expr_variables(&ir->flat->pool, e, &scratch, &n);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        const uint32_t v = lower_resolve(ir, ir->dynamic_alias, variables[i]);
        found = v != FLAT_NONE && s->is_noisy[v];
    }
    arena_free(&scratch);
    return found;
}

// d u / d noise of the unknown of an assignment.
static Expr total_of(Spread *s, uint32_t b, uint32_t j)
{
    const Ir *ir = s->l->ir;
    ExprPool *pool = &ir->flat->pool;
    const uint32_t first = ir->dynamic_reads.start[b], n = ir->dynamic_reads.start[b + 1] - first;
    const ArenaMark mark = arena_mark(&s->l->work);
    Expr *partials = ARENA_ARRAY(&s->l->work, Expr, n);
    expr_gradient(pool, ir->blocks->dynamic.blocks[b].value, ir->dynamic_reads.var + first, n, partials);
    Expr sum = expr_const(pool, 0);
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t v = lower_resolve(ir, ir->dynamic_alias, ir->dynamic_reads.var[first + k]);
        if (v == FLAT_NONE || s->column[v] != j + 1 || is_zero(pool, partials[k]) ||
            is_zero(pool, s->total[v]))
            continue;
        sum = expr_binary(pool, EXPR_ADD, sum, expr_binary(pool, EXPR_MUL, partials[k], s->total[v]));
    }
    arena_release(&s->l->work, mark);
    return sum;
}

// Follow one noise through the blocks it reaches, in order of evaluation.
static void spread(Spread *s, uint32_t j)
{
    const Ir *ir = s->l->ir;
    const Ordered *system = &ir->blocks->dynamic;
    const FlatNoise *noise = &ir->flat->noises.items[j];
    Numbers blocks = { 0 }, todo = { 0 };
    vec_push(&s->l->work, &todo, noise->variable);
    s->is_noisy[noise->variable] = true;
    while (todo.n) {
        const uint32_t variable = vec_pop(&todo);
        for (uint32_t k = s->l->users_start[variable]; k < s->l->users_start[variable + 1]; k++) {
            const uint32_t b = s->l->users[k];
            if (s->met[b] == j + 1) continue;
            s->met[b] = j + 1;
            if (system->blocks[b].kind != BLOCK_ASSIGN) {
                refuse(s, noise->place, "go through a loop of equations",
                       "solve the equations for the rate it is added to");
                return;
            }
            vec_push(&s->l->work, &blocks, b);
            s->is_noisy[system->blocks[b].unknowns[0]] = true;
            vec_push(&s->l->work, &todo, system->blocks[b].unknowns[0]);
        }
    }
    lower_sort(blocks.items, blocks.n);
    s->total[noise->variable] = expr_const(&ir->flat->pool, 1);
    s->column[noise->variable] = j + 1;
    for (size_t i = 0; i < blocks.n; i++) {
        const uint32_t unknown = system->blocks[blocks.items[i]].unknowns[0];
        s->total[unknown] = total_of(s, blocks.items[i], j);
        s->column[unknown] = j + 1;
    }
}

static void keep_entries(Spread *s, uint32_t j)
{
    Ir *ir = s->l->ir;
    const ExprPool *pool = &ir->flat->pool;
    const FlatNoise *noise = &ir->flat->noises.items[j];
    VEC(BlockEntry) entries = { .items = ir->noise, .n = ir->n_noise, .capacity = ir->n_noise };
    const uint32_t n_before = ir->n_noise;
    for (uint32_t row = 0; row < ir->blocks->n_states; row++) {
        const uint32_t rate = lower_resolve(ir, ir->dynamic_alias, ir->blocks->rates[row]);
        if (rate == FLAT_NONE || s->column[rate] != j + 1 || is_zero(pool, s->total[rate])) continue;
        vec_push(ir->arena, &entries, ((BlockEntry){ row, j, s->total[rate] }));
    }
    ir->noise = entries.items;
    ir->n_noise = (uint32_t)entries.n;
    if (ir->n_noise == n_before)
        refuse(s, noise->place, "be the value of a variable", "add it to a rate: x' = f + noise(sigma)");
}

bool lower_noise(Lower *l, orr_diag *diag)
{
    Ir *ir = l->ir;
    const Flat *flat = ir->flat;
    if (flat->noises.n == 0) return true;
    Spread s = { .l = l, .diag = diag, .ok = true };
    s.total = ARENA_ARRAY(&l->work, Expr, flat->vars.n);
    s.column = ARENA_ARRAY(&l->work, uint32_t, flat->vars.n);
    s.is_noisy = ARENA_ARRAY(&l->work, bool, flat->vars.n);
    s.met = ARENA_ARRAY(&l->work, uint32_t, ir->blocks->dynamic.n_blocks);
    if (ir->blocks->reduction || ir->blocks->n_implicit) {
        refuse(&s, flat->noises.items[0].place, "act on a model with constraints between its states",
               "write it with as many states as it has freedoms");
        return false;
    }
    for (uint32_t j = 0; j < flat->noises.n && s.ok; j++) {
        spread(&s, j);
        if (s.ok) keep_entries(&s, j);
    }
    for (uint32_t k = 0; k < ir->n_noise && s.ok; k++)
        if (reads_noise(&s, ir->noise[k].value))
            refuse(&s, flat->noises.items[ir->noise[k].column].place,
                   "be squared, divided by or go through a function",
                   "rates must be linear in it: x' = f + noise(sigma)");
    for (size_t i = 0; i < flat->relations.n && s.ok; i++)
        if (reads_noise(&s, flat->relations.items[i].relation))
            refuse(&s, flat->relations.items[i].place, "be compared", "compare the state that it moves");
    for (size_t i = 0; i < flat->delays.n && s.ok; i++)
        if (reads_noise(&s, flat->delays.items[i].source))
            refuse(&s, flat->delays.items[i].place, "be delayed", "delay the state that it moves");
    for (size_t i = 0; i < flat->actions.n && s.ok; i++)
        if (reads_noise(&s, flat->actions.items[i].value))
            refuse(&s, flat->actions.items[i].place, "be assigned", "draw a number there: normal(0, 1)");
    return s.ok;
}
