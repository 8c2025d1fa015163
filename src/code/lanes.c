// src/code/lanes.c: fixed-step loops over several members of an ensemble at once.
//
// The statements are those of the scalar code (loops.c, emit.c), inside one more loop over the members, which
// native compilers turn into vector instructions: no operation changes, so neither does a bit. Elementary
// functions are SLEEF's, whose vector forms agree with the scalar ones.
#include "code/lanes.h"
#include "code/build.h"
#include "code/prelude.h"

enum {
    WIDTH = 32,             // of small models, whose states are in registers: several vectors hide each
                            // other's delays
    WIDTH_ARRAYS = 8,       // of large ones: what a cache holds counts
    TEXT_MAX = 1 << 18,     // bytes; longer ones take compilers too long
    NUMBERS_MAX = 1 << 16,  // doubles of one member in a large model
};

static bool has_solve(const IrProgram *program)
{
    for (uint32_t i = 0; i < program->n_statements; i++)
        if (program->statements[i].kind == IR_SOLVE) return true;
    return false;
}

// Before anything is printed.
static const char *find_obstacle(const Ir *ir)
{
    static const IrProgramId programs[] = { IR_RATES, IR_RELATIONS, IR_ASSERTS, IR_NOISE };
    if (ir->layout.n_states == 0) return "no states";
    if (ir->flat->delays.n > 0) return "delays";
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (has_solve(&ir->programs[programs[i]])) return "a loop of equations";
    return NULL;
}

static bool has_noise(CodeLanesKind kind) { return kind.family >= CODE_LANES_EULER_MARUYAMA; }

// Print a loop over arrays, with so many members side by side; false if there would be too much in them.
static bool print_arrays(Cgen *c, CodeLanesKind kind, uint32_t width, CodeLanes *lanes)
{
    const Ir *ir = c->gen.ir;
    const size_t n = has_noise(kind) ? lanes_scratch(ir, 2) + lanes_noise_scratch(ir)
                     : kind.family == CODE_LANES_ADAPTIVE
                         ? lanes_adaptive_scratch(ir, kind.method)
                         : lanes_scratch(ir, array_n_rates(kind.method));
    if (n + ir->layout.n_states + ir->layout.first_var > NUMBERS_MAX) return false;
    lanes->width = c->gen.lanes = width;
    lanes->n_scratch = n * width;
    if (has_noise(kind)) lanes_print_noise(c, kind.family);
    else if (kind.family == CODE_LANES_ADAPTIVE) lanes_print_adaptive(c, kind.method);
    else lanes_print_arrays(c, kind.method);
    return true;
}

// NULL text if the model has none, and why.
static Text lanes_text(const Ir *ir, CodeLanesKind kind, Arena *arena, CodeLanes *lanes,
                       const char **obstacle)
{
    *obstacle = find_obstacle(ir);
    if (*obstacle) return (Text){ 0 };
    Cgen c = { .is_watched = kind.is_watched };
    Gen *g = &c.gen;
    gen_init(g, ir);
    g->lanes = WIDTH;
    c.is_large = !cgen_fits(&c, &ir->programs[IR_RATES]);
    *lanes = (CodeLanes){ .width = WIDTH, .is_watched = kind.is_watched };
    bool ok;
    if (has_noise(kind)) ok = print_arrays(&c, kind, c.is_large ? WIDTH_ARRAYS : WIDTH, lanes);
    else ok = !c.is_large && loops_print_lanes(&c, kind);
    if (!ok) ok = print_arrays(&c, kind, WIDTH_ARRAYS, lanes);
    Text result = { 0 };
    // what is drawn, each member draws from streams of its own
    if (g->uses_draw) *obstacle = "draws in its rates";
    else if (!ok || g->body.n > TEXT_MAX) *obstacle = "its size";
    if (!*obstacle) {
        StrBuf text = { .arena = arena };
        prelude_print(g, &text);
        str_add_text(&text, (Text){ g->body.p, g->body.n });
        result.n = text.n;
        result.p = str_finish(&text);
    }
    gen_free(g);
    return result;
}

static NativeFlavour flavour_of(CodeLanesKind kind) { return kind.fast ? NATIVE_LANES_FAST : NATIVE_LANES; }

const char *code_lanes_obstacle(const Ir *ir, CodeLanesKind kind)
{
    Arena work = { 0 };
    CodeLanes lanes;
    const char *obstacle;
    lanes_text(ir, kind, &work, &lanes, &obstacle);
    arena_free(&work);
    return obstacle;
}

double code_lanes_ms(const Ir *ir, CodeLanesKind kind)
{
    Arena work = { 0 };
    CodeLanes lanes;
    const char *obstacle;
    const double ms = native_ms(lanes_text(ir, kind, &work, &lanes, &obstacle), flavour_of(kind));
    arena_free(&work);
    return ms;
}

bool code_build_lanes(CodeLanes *lanes, const Ir *ir, CodeLanesKind kind, orr_diag *diag)
{
    *lanes = (CodeLanes){ 0 };
    Arena work = { 0 };
    const char *obstacle;
    const Text text = lanes_text(ir, kind, &work, lanes, &obstacle);
    const bool ok = text.p && native_compile(text, flavour_of(kind), &lanes->unit, NULL, diag);
    if (ok) {
        void *address = native_symbol(&lanes->unit, "orr_lanes");
        if (kind.family == CODE_LANES_ADAPTIVE) lanes->attempts = *(CodeLaneAttempts *)&address;
        else lanes->loop = *(CodeLaneLoop *)&address;
    }
    arena_free(&work);
    return ok;
}

void code_lanes_free(CodeLanes *lanes)
{
    native_free(&lanes->unit);
    *lanes = (CodeLanes){ 0 };
}
