// src/code/build.c: building the parts of a model's code, by either compiler.
#include "code/build.h"
#include "base/guard.h"
#include "base/os.h"
#include "code/quantise.h"
#include <assert.h>
#include <string.h>

enum { SMALL_STATEMENTS = 500 };    // of all programs together: built whole

const BuildSymbol build_symbols[] = {
    { "orr_params", false, IR_PARAMS },       { "orr_start", false, IR_START },
    { "orr_rates", false, IR_RATES },         { "orr_values", false, IR_VALUES },
    { "orr_relations", false, IR_RELATIONS }, { "orr_changed", false, IR_CHANGED },
    { "orr_asserts", false, IR_ASSERTS },     { "orr_terminal", false, IR_TERMINAL },
    { "orr_jacobian", false, IR_JACOBIAN },   { "orr_histories", false, IR_HISTORIES },
    { "orr_choices", false, IR_CHOICES },     { "orr_residuals", false, IR_RESIDUALS },
    { "orr_conditions", false, IR_CONDITIONS }, { "orr_pres", false, IR_PRES },
    { "orr_event", false, IR_EVENT },         { "orr_noise", false, IR_NOISE },
#define FIXED(name, ...) { "orr_" #name, true, FIXED_##name },
#include "num/fixed.def"
#undef FIXED
    { "orr_in_place", true, CODE_IN_PLACE },
    { "orr_quantised", false, BUILD_QUANTISED },
    { NULL, false, 0 },
};

void build_set(Code *code, const BuildSymbol *symbol, void *address)
{
    // a function pointer from an object pointer: POSIX says how
    CodeLoop loop;
    CodeProgram program;
    memcpy(&loop, &address, sizeof address);
    memcpy(&program, &address, sizeof address);
    if (symbol->id == BUILD_QUANTISED) code->quantised_built = address;
    else if (symbol->is_loop) atomic_store(&code->loops[symbol->id], loop);
    else atomic_store(&code->programs[symbol->id], program);
}

void build_set_native(Code *code, const CodeUnit *unit)
{
    for (const BuildSymbol *symbol = build_symbols; symbol->name; symbol++) {
        void *address = native_symbol(unit, symbol->name);
        if (address) build_set(code, symbol, address);
    }
}

static void add_unit(Code *code, CodeUnit unit)
{
    assert(code->n_units < sizeof code->units / sizeof *code->units);
    code->units[code->n_units++] = unit;
}

static bool build_native(Code *code, unsigned parts, Arena *work, orr_diag *diag)
{
    const Text text = code_text(code->ir, parts, work);
    CodeUnit unit = { 0 };
    if (!native_compile(text, native_flavour(code, text), &unit, NULL, diag)) return false;
    build_set_native(code, &unit);
    add_unit(code, unit);
    return true;
}

// The first half of a large text is compiled while the second is printed and compiled.
typedef struct Halves {
    Arena        *work;
    InstantAhead *first;    // NULL: one text
} Halves;

static void take_first(void *self, Text first, const char *stem, uint32_t n)
{
    Halves *halves = self;
    halves->first = instant_ahead(first, stem, n, halves->work);
}

static void end_first(void *self)
{
    Halves *halves = self;
    CodeUnit first = halves->first ? instant_ahead_end(halves->first) : (CodeUnit){ 0 };
    instant_free(&first);
}

static bool build_instant(Code *code, unsigned parts, Arena *work, orr_diag *diag)
{
    Halves halves = { .work = work };
    Cleanup cleanup;
    guard_begin(&cleanup, end_first, &halves);
    const Text text = code_text_cut(code->ir, parts, &(CodeCut){ take_first, &halves }, work);
    CodeUnit unit = { 0 };
    const bool ok = instant_compile(code, text, halves.first, &unit, diag);
    guard_done(&cleanup);
    if (!ok) {
        end_first(&halves);
        return false;
    }
    add_unit(code, unit);
    if (halves.first) add_unit(code, instant_ahead_end(halves.first));
    return true;
}

// Build parts that are not there yet.
static bool build_parts(Code *code, unsigned parts, orr_diag *diag)
{
    const uint64_t began = os_now_ns();
    Arena work = { 0 };
    const bool ok = code->tier == CODE_NATIVE ? build_native(code, parts, &work, diag)
                                              : build_instant(code, parts, &work, diag);
    arena_free(&work);
    if (!ok) return false;
    code->parts |= parts;
    code->compile_ms += (double)(os_now_ns() - began) * 1e-6;
    return true;
}

static bool is_small(const Ir *ir)
{
    size_t n = 0;
    for (size_t i = 0; i < IR_N_PROGRAMS; i++) n += ir->programs[i].n_statements;
    for (uint32_t i = 0; ir->one_rate && i < ir->blocks->n_states; i++) n += ir->one_rate[i].n_statements;
    for (uint32_t i = 0; i < ir->flat->events.n; i++) n += ir->events[i].n_statements;
    return n <= SMALL_STATEMENTS;
}

bool code_build(Code *code, const Ir *ir, CodeTier tier, orr_diag *diag)
{
    memset(code, 0, sizeof *code);
    code->tier = tier;
    code->ir = ir;
    pthread_mutex_init(&code->lock, NULL);
    if (build_parts(code, is_small(ir) ? CODE_PART_ALL : CODE_PART_CORE, diag)) return true;
    code_free(code);
    return false;
}

bool code_require(const Code *const_code, unsigned parts, orr_diag *diag)
{
    Code *code = (Code *)const_code;    // completed under its lock; what is there already does not change
    Cleanup lock;
    guard_lock(&lock, &code->lock);
    const unsigned missing = parts & ~code->parts;
    const bool ok = missing == 0 || build_parts(code, missing, diag);
    guard_unlock(&lock);
    return ok;
}

void code_free(Code *code)
{
    background_end(code->background);
    code_free_quantised(code);
    for (uint32_t i = 0; i < code->n_units; i++) {
        if (code->tier == CODE_NATIVE) native_free(&code->units[i]);
        else instant_free(&code->units[i]);
    }
    pthread_mutex_destroy(&code->lock);
    memset(code, 0, sizeof *code);
}
