// src/code/lanes.c: fixed-step loops over several members of an ensemble at once.
//
// The statements are those of the scalar loop (loops.c), inside one more loop over the members, which native compilers
// turn into vector instructions: no operation changes, so neither does a bit. Elementary functions are SLEEF's, whose
// vector forms agree with the scalar ones.
#include "code/build.h"
#include "code/cgen.h"
#include "code/prelude.h"

static bool has_solve(const IrProgram *program)
{
    for (uint32_t i = 0; i < program->n_statements; i++)
        if (program->statements[i].kind == IR_SOLVE || program->statements[i].kind == IR_LOOP) return true;
    return false;
}

// NULL text if the model has none.
static Text lanes_text(const Ir *ir, Arena *arena)
{
    // tables lie beside the code, which these loops are not handed
    if (ir->flat->pool.pieces.n > 0) return (Text){ 0 };
    if (ir->flat->delays.n > 0 || has_solve(&ir->programs[IR_RATES]) || has_solve(&ir->programs[IR_CHANGED]))
        return (Text){ 0 };
    Cgen c = { 0 };
    Gen *g = &c.gen;
    gen_init(g, ir);
    g->is_lanes = true;
    c.is_large = !cgen_fits(&c, &ir->programs[IR_RATES]);
    Text result = { 0 };
    if (!c.is_large && loops_print_lanes(&c)) {
        StrBuf text = { .arena = arena };
        prelude_print(g, &text);
        str_add_text(&text, (Text){ g->body.p, g->body.n });
        result.n = text.n;
        result.p = str_finish(&text);
    }
    gen_free(g);
    return result;
}

bool code_can_lanes(const Ir *ir)
{
    Arena work = { 0 };
    const bool can = lanes_text(ir, &work).p != NULL;
    arena_free(&work);
    return can;
}

double code_lanes_ms(const Ir *ir, bool fast)
{
    Arena work = { 0 };
    const double ms = native_ms(lanes_text(ir, &work), fast ? NATIVE_LANES_FAST : NATIVE_LANES);
    arena_free(&work);
    return ms;
}

bool code_build_lanes(CodeLanes *lanes, const Ir *ir, bool fast, orr_diag *diag)
{
    static const struct { const char *name; CodeLoopId id; } symbols[] = {
        { "orr_lanes_euler", CODE_EULER }, { "orr_lanes_heun", CODE_HEUN }, { "orr_lanes_rk4", CODE_RK4 },
    };
    *lanes = (CodeLanes){ 0 };
    Arena work = { 0 };
    const Text text = lanes_text(ir, &work);
    const bool ok = text.p && native_compile(text, fast ? NATIVE_LANES_FAST : NATIVE_LANES, &lanes->unit, NULL, diag);
    for (size_t i = 0; ok && i < sizeof symbols / sizeof *symbols; i++) {
        void *address = native_symbol(&lanes->unit, symbols[i].name);
        lanes->loops[symbols[i].id] = *(CodeLaneLoop *)&address;
    }
    if (ok) {
        void *address = native_symbol(&lanes->unit, "orr_lanes_dopri5");
        lanes->dopri5 = *(CodeLaneAttempts *)&address;
    }
    arena_free(&work);
    return ok;
}

void code_lanes_free(CodeLanes *lanes)
{
    native_free(&lanes->unit);
    *lanes = (CodeLanes){ 0 };
}
