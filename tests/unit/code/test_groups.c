// tests/unit/code/test_groups.c: statements gathered into loops give the bits that they give one by one.
#include "random_model.h"

enum { STEPS = 20 };

// Mostly a state: variables, parameters and time live elsewhere, which makes another shape.
static Expr pick(RandomModel *m)
{
    return model_random(m, 10) ? m->states[model_random(m, (uint32_t)m->n_states)] : model_pick(m);
}

// A random expression whose form depends on `form` alone; what it reads is drawn from the model.
static Expr expression_of(RandomModel *m, uint64_t *form, int depth)
{
    Make *make = &m->b.make;
    *form = *form * 6364136223846793005u + 1442695040888963407u;
    const unsigned choice = (unsigned)(*form >> 40) % 10;
    if (depth == 0) {
        if (choice < 3) return make_mul(make, make_number(make, 0.1 + 0.001 * model_random(m, 500)), pick(m));
        return make_call(make, choice < 6 ? EXPR_SIN : EXPR_TANH, pick(m));
    }
    const Expr a = expression_of(m, form, depth - 1), b = expression_of(m, form, depth - 1);
    switch (choice) {
    case 0: return make_mul(make, make_number(make, 0.5), make_add(make, a, b));
    case 1: return make_mul(make, make_number(make, 0.01 + 0.01 * model_random(m, 50)), make_sub(make, a, b));
    case 2: return make_mul(make, make_mul(make, a, b), make_call(make, EXPR_COS, a));
    case 3: return make_op(make, EXPR_MAX, a, b, EXPR_NONE);
    case 4: return make_div(make, a, make_add(make, make_number(make, 1), make_pow(make, b, 2)));
    case 5:
        return make_op(make, EXPR_IF,
                       expr_mode(&make->flat.pool, model_random(m, (uint32_t)make->flat.relations.n)), a, b);
    case 6:
        return make_mul(make, a,
                        make_pow(make,
                                 make_param(make, arena_printf(&make->arena, "q%zu", make->flat.vars.n),
                                            make_number(make, 0.7)),
                                 3));
    default: return make_call(make, EXPR_SIN, make_add(make, a, b));
    }
}

// Algebraic variables of a few forms; with `is_chain` each reads the one before it, so that no order but
// one is possible.
static void grow(RandomModel *m, uint64_t seed, bool is_chain, uint32_t group_from)
{
    memset(m, 0, sizeof *m);
    m->random = seed * 0x9E3779B97F4A7C15u + 1;
    built_init(&m->b);
    m->b.group_from = group_from;
    Make *make = &m->b.make;
    enum { STATES = 40, ALGEBRAIC = 400 };
    m->known = calloc(STATES + ALGEBRAIC + 16, sizeof *m->known);
    m->states = calloc(STATES, sizeof *m->states);
    m->n_states = STATES;
    for (int i = 0; i < 4; i++)
        m->known[m->n_known++] = make_param(make, arena_printf(&make->arena, "p%d", i),
                                            make_number(make, 0.3 + 0.4 * i));
    m->known[m->n_known++] = expr_time(&make->flat.pool);
    for (size_t i = 0; i < STATES; i++) {
        m->states[i] = m->known[m->n_known++] = make_var(make, arena_printf(&make->arena, "x%zu", i));
        make_at(make, m->states[i])->start = make_number(make, 0.1 * (double)model_random(m, 20) - 1);
    }
    for (size_t i = 0; i < 5; i++)
        model_add_relation(m, m->states[i], make_number(make, 0.2 * (double)model_random(m, 10) - 1));
    const uint32_t n_forms = 1 + model_random(m, 5);
    for (size_t i = 0; i < ALGEBRAIC; i++) {
        const Expr y = make_var(make, arena_printf(&make->arena, "y%zu", i));
        uint64_t form = seed * 1000 + model_random(m, n_forms);
        Expr value = expression_of(m, &form, 1 + (int)(form % 2));
        if (is_chain)
            value = make_mul(make, make_number(make, 0.5), make_add(make, value, m->known[m->n_known - 1]));
        make_equation(make, y, value);
        m->known[m->n_known++] = y;
    }
    for (size_t i = 0; i < STATES; i++) {
        uint64_t form = seed * 1000 + 77;
        make_equation(make, make_der(make, m->states[i]), expression_of(m, &form, 1));
    }
}

static void compare(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) assert_same_bits(a[i], b[i]);
}

static void compare_program(Built *a, Built *b, IrProgramId id, double t, size_t n)
{
    double *out_a = calloc(n + 1, sizeof *out_a), *out_b = calloc(n + 1, sizeof *out_b);
    assert_int_equal(built_run(a, id, t, out_a), 0);
    assert_int_equal(built_run(b, id, t, out_b), 0);
    compare(out_a, out_b, n);
    free(out_a);
    free(out_b);
}

static void compare_all(Built *a, Built *b, double t)
{
    const uint32_t n = a->blocks.n_states;
    compare_program(a, b, IR_RATES, t, n);
    compare_program(a, b, IR_RELATIONS, t, 2 * a->ir.layout.n_modes);
    compare_program(a, b, IR_CHANGED, t, 1);
    if (a->ir.has_jacobian) compare_program(a, b, IR_JACOBIAN, t, a->ir.n_jacobian);
    compare_program(a, b, IR_VALUES, t, 0);
    compare(a->v, b->v, a->ir.layout.first_guess);
}

static void build(RandomModel *grouped, RandomModel *single, uint64_t seed, bool is_chain, CodeTier tier)
{
    grow(grouped, seed, is_chain, 20);
    grow(single, seed, is_chain, IR_GROUP_NEVER);
    Built *a = &grouped->b, *b = &single->b;
    built_finish(a, tier);
    built_finish(b, CODE_INSTANT);
    assert_true(a->ir.loops.n > 0);
    assert_int_equal(b->ir.loops.n, 0);
    double *given = calloc(a->blocks.n_params + 1, sizeof *given);
    a->code.programs[IR_PARAMS](0, given, &a->env, NULL);
    b->code.programs[IR_PARAMS](0, given, &b->env, NULL);
    free(given);
    assert_int_equal(a->code.programs[IR_START](0, NULL, &a->env, a->x), 0);
    assert_int_equal(b->code.programs[IR_START](0, NULL, &b->env, b->x), 0);
}

static void test_loops_give_the_same_bits(void **state)
{
    (void)state;
    size_t n_switches = 0, n_runs = 0, n_tables = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RandomModel grouped, single;
        build(&grouped, &single, seed, seed % 2, seed % 7 == 1 ? CODE_NATIVE : CODE_INSTANT);
        Built *a = &grouped.b, *b = &single.b;
        const uint32_t n = a->blocks.n_states;
        for (size_t k = 0; k < a->ir.loops.n; k++) {
            if (a->ir.loops.items[k].codes == FLAT_NONE) n_runs++;
            else n_switches++;
        }
        n_tables += a->ir.tables.n;
        compare(a->x, b->x, n);
        compare_all(a, b, 0);
        for (int method = 0; method < CODE_N_LOOPS; method++) {
            int why_a, why_b;
            const long done = a->code.loops[method](0, 0.01, 0, STEPS, a->x, &a->env, a->scratch, &why_a);
            assert_int_equal(b->code.loops[method](0, 0.01, 0, STEPS, b->x, &b->env, b->scratch, &why_b),
                             done);
            assert_int_equal(why_a, why_b);
            compare(a->x, b->x, n);
            // the other side of the relations
            for (uint32_t k = 0; k < a->ir.layout.n_modes; k++) {
                const uint32_t mode = a->ir.layout.first_mode + k;
                a->v[mode] = b->v[mode] = model_random(&grouped, 2);
            }
            compare_all(a, b, 0.1 * method);
        }
        model_free(&grouped);
        model_free(&single);
    }
    print_message("%zu loops over one shape, %zu over several, %zu indices in tables\n", n_runs, n_switches,
                  n_tables);
    assert_true(n_runs > 100 && n_switches > 10 && n_tables > 1000);
}

// What a program computes before it reads is checked turn by turn.
static void test_verify_finds_a_turn_that_comes_too_early(void **state)
{
    (void)state;
    RandomModel m;
    grow(&m, 3, true, 20);
    built_lower(&m.b);
    assert_true(ir_verify(&m.b.ir));
    Ir *ir = &m.b.ir;
    const IrProgram *rates = &ir->programs[IR_RATES];
    bool is_broken = false;
    for (uint32_t i = 0; i < rates->n_statements && !is_broken; i++) {
        if (rates->statements[i].kind != IR_LOOP) continue;
        IrLoop *loop = &ir->loops.items[rates->statements[i].index];
        IrBody *body = &loop->body[0];
        for (uint32_t k = 0; k < body->n_moving && !is_broken; k++) {
            IrPlace *place = &body->moving[k];
            if (place->memory != IR_IN_W) continue;
            // the first turn reads what the last one computes
            uint32_t computed = body->target.first;
            if (body->target.table != FLAT_NONE)
                computed = ir->tables.items[body->target.table + body->n - 1];
            else computed += (uint32_t)((int64_t)body->target.stride[0] * (body->n - 1));
            if (place->table != FLAT_NONE) ir->tables.items[place->table] = computed;
            else place->first = computed;
            is_broken = true;
        }
    }
    assert_true(is_broken);
    assert_false(ir_verify(ir));
    model_free(&m);
}

// The text of a model of n equal sections, each two states behind the ones before it.
static size_t text_size(uint32_t n)
{
    Built b;
    built_init(&b);
    Make *m = &b.make;
    Expr before = make_param(m, "p", make_number(m, 1));
    for (uint32_t i = 0; i < n; i++) {
        const Expr x = make_var(m, arena_printf(&m->arena, "x%u", i)),
                   y = make_var(m, arena_printf(&m->arena, "y%u", i));
        make_at(m, x)->start = make_number(m, i);
        make_equation(m, make_der(m, x),
                      make_sub(m, make_mul(m, make_number(m, 0.5 + 0.001 * (i % 100)), before), x));
        make_equation(m, y, make_call(m, EXPR_SIN, x));
        before = y;
    }
    built_lower(&b);
    const size_t size = code_text(&b.ir, CODE_PART_CORE, &m->arena).n;
    built_free(&b);
    return size;
}

static void test_the_text_does_not_grow_with_the_model(void **state)
{
    (void)state;
    const size_t small = text_size(1000), large = text_size(30000);
    print_message("%zu bytes for 1,000 sections, %zu for 30,000\n", small, large);
    assert_true(large < small + small / 10);
}

// Defaults, in a loop: those that are given stay.
static void test_defaults_in_a_loop(void **state)
{
    (void)state;
    enum { N = 200 };
    Built b;
    built_init(&b);
    b.group_from = 20;
    Make *m = &b.make;
    Expr sum = make_number(m, 0), p[N];
    for (uint32_t i = 0; i < N; i++) {
        // every other one is twice the one before it
        const Expr start = i % 2 ? make_mul(m, make_number(m, 2), p[i - 1]) : make_number(m, i);
        p[i] = make_param(m, arena_printf(&m->arena, "p%u", i), start);
        sum = make_add(m, sum, p[i]);
    }
    const Expr x = make_var(m, "x");
    make_at(m, x)->start = make_number(m, 1);
    make_equation(m, make_der(m, x), sum);
    built_finish(&b, CODE_INSTANT);
    assert_true(b.ir.loops.n > 0);
    b.given[10] = b.given[11] = b.given[20] = 1;
    b.v[10] = 100;
    b.v[11] = 5;
    b.v[20] = 7;
    assert_int_equal(built_start(&b, 0), 0);
    for (uint32_t i = 0; i < N; i++) {
        const uint32_t base = i / 2 * 2;
        double expected = i % 2        ? 2.0 * (base == 10   ? 100
                                                : base == 20 ? 7
                                                             : base)
                          : base == 10 ? 100
                          : base == 20 ? 7
                                       : base;
        if (i == 11) expected = 5;
        assert_same_bits(*built_value(&b, p[i]), expected);
    }
    built_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_give_the_same_bits),
        cmocka_unit_test(test_verify_finds_a_turn_that_comes_too_early),
        cmocka_unit_test(test_the_text_does_not_grow_with_the_model),
        cmocka_unit_test(test_defaults_in_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
