// src/export/c/engine.c: the engine in an exported program: its text, and what it knows of the model.
#include "code/emit.h"
#include "code/label.h"
#include "engine/adaptive_c_text.h"
#include "engine/adaptive_text.h"
#include "engine/contact_c_text.h"
#include "engine/domain_c_text.h"
#include "engine/drive_c_text.h"
#include "engine/due_c_text.h"
#include "engine/engine_text.h"
#include "engine/event_c_text.h"
#include "engine/history_c_text.h"
#include "engine/island_c_text.h"
#include "engine/look_c_text.h"
#include "engine/nominal_c_text.h"
#include "engine/radau_c_text.h"
#include "engine/radau_text.h"
#include "engine/shifted_c_text.h"
#include "engine/shifted_text.h"
#include "engine/slice_c_text.h"
#include "engine/slice_text.h"
#include "engine/slide_c_text.h"
#include "engine/stuck_text.h"
#include "engine/surface_c_text.h"
#include "export/c/net.h"
#include "export/runtime/engine_text.h"
#include "num/adaptive_step_text.h"
#include "num/calendar_c_text.h"
#include "num/calendar_text.h"
#include "num/instant_text.h"
#include "num/hermite_text.h"
#include "num/itp_text.h"
#include "num/lu_c_text.h"
#include "num/lu_text.h"
#include "num/step_math_text.h"
#include "num/tableau_text.h"
#include "num/turn_text.h"
#include <math.h>

// ---- Text

static void add_texts(const CExport *c, StrBuf *s, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) c_add_private(c, s, texts[i], "");
}

static void add_method(const CExport *c, StrBuf *s)
{
    static const char *const fixed[] = { TEXT_NUM_HERMITE_H, TEXT_ENGINE_SLICE_H, TEXT_ENGINE_SLICE_C },
                      *const adaptive[] = { TEXT_NUM_STEP_MATH_H, TEXT_NUM_ADAPTIVE_STEP_H,
                                            TEXT_ENGINE_ADAPTIVE_H, TEXT_ENGINE_ADAPTIVE_C },
                      *const radau[] = { TEXT_ENGINE_STUCK_H, TEXT_ENGINE_SHIFTED_H, TEXT_ENGINE_SHIFTED_C,
                                         TEXT_ENGINE_RADAU_H, TEXT_ENGINE_RADAU_C };
    const bool is_fixed = c->loop < CODE_N_LOOPS, is_adaptive = c_is_on(c, TEXT("HAS_ADAPTIVE"));
    if (is_fixed || is_adaptive) c_add_private(c, s, TEXT_NUM_TABLEAU_H, "");
    if (is_fixed) add_texts(c, s, fixed, sizeof fixed / sizeof *fixed);
    if (is_adaptive) add_texts(c, s, adaptive, sizeof adaptive / sizeof *adaptive);
    if (is_adaptive || c->loop < CODE_IN_PLACE) c_add_method(c, s);
    if (c->is_radau) add_texts(c, s, radau, sizeof radau / sizeof *radau);
}

// ---- Tables

static void add_number(StrBuf *s, uint32_t number, const char *end)
{
    if (number == ENGINE_NONE) str_add(s, "ENGINE_NONE");
    else if (number == ENGINE_MANY) str_add(s, "ENGINE_MANY");
    else str_addf(s, "%u", number);
    str_add(s, end);
}

static void add_relations(const CExport *c, StrBuf *s)
{
    const EngineTables *tables = &c->model->tables;
    str_add(s, "static const EngineRelation engine_relations[] = {\n");
    for (uint32_t i = 0; i < tables->n_relations; i++) {
        const EngineRelation *r = &tables->relations[i];
        str_addf(s, "    { %d, ", r->in_equation);
        add_number(s, r->reader, ", ");
        add_number(s, r->zero, ", ");
        add_number(s, r->negated, ", ");
        add_number(s, r->left, ", ");
        add_number(s, r->right, ", ");
        str_addf(s, "%d },\n", r->at_zero);
    }
    str_add(s, "};\n\n");
}

static void add_events(const CExport *c, StrBuf *s)
{
    static const char *const kinds[] = { [ENGINE_WHEN] = "ENGINE_WHEN", [ENGINE_AT] = "ENGINE_AT",
                                         [ENGINE_EVERY] = "ENGINE_EVERY", [ENGINE_ON] = "ENGINE_ON",
                                         [ENGINE_REINIT] = "ENGINE_REINIT", [ENGINE_ASK] = "ENGINE_ASK",
                                         [ENGINE_RATE] = "ENGINE_RATE" };
    const EngineTables *tables = &c->model->tables;
    str_add(s, "static const EngineEvent engine_events[] = {\n");
    for (uint32_t i = 0; i < tables->n_events; i++) {
        const EngineEvent *e = &tables->events[i];
        str_addf(s, "    { %s, %d, %d, %d, %d, %d, %d, %u, %u, ", kinds[e->kind], e->at_start, e->has_from,
                 e->has_after, e->affects, e->lapses, e->settles, e->chain, e->rank);
        add_number(s, e->relation, ", ");
        str_addf(s, "%u, %u, %u, %u, ", e->first_action, e->n_actions, e->counter, e->n_draws);
        add_number(s, e->asks, ", ");
        add_number(s, e->order, ", ");
        str_addf(s, "%u, %u, %u, ", e->clock, e->first_reader, e->n_readers);
        add_number(s, e->luck, ", ");
        str_addf(s, "%.17g },    /* ", e->priority);
        label_text(s, event_cause(c->run, i));
        str_add(s, " */\n");
    }
    str_add(s, "};\n\n");
    if (tables->n_actions == 0) return;
    str_add(s, "static const EngineAction engine_actions[] = {\n");
    for (uint32_t i = 0; i < tables->n_actions; i++) {
        str_add(s, "    { ");
        add_number(s, tables->actions[i].state, ", ");
        str_addf(s, "%u, ", tables->actions[i].place);
        if (tables->actions[i].ends) c_add_quoted(s, tables->actions[i].ends);
        else str_add(s, "NULL");
        str_addf(s, ", %d, %d },\n", tables->actions[i].may_be_infinite, tables->actions[i].is_kept);
    }
    str_add(s, "};\n\n");
}

static void add_spans(StrBuf *s, const char *name, const EngineSpan *spans, uint32_t n)
{
    if (n == 0) return;
    str_addf(s, "static const EngineSpan %s[] = {\n", name);
    for (uint32_t i = 0; i < n; i++)
        str_addf(s, "    { %u, %u, %u, %u },\n", spans[i].place, spans[i].n, spans[i].state, spans[i].step);
    str_add(s, "};\n\n");
}

static void add_setting(StrBuf *s, const char *name, double value)
{
    str_addf(s, "    .%s = ", name);
    if (isinf(value)) str_add(s, "INFINITY");
    else gen_number(s, value);
    str_add(s, ",\n");
}

static void add_of_states(StrBuf *s, const char *name, const double *values, uint32_t n)
{
    if (!values) return;
    str_addf(s, "static const double %s[] = {\n", name);
    for (uint32_t i = 0; i < n; i++) {
        str_add(s, "    ");
        gen_number(s, values[i]);
        str_add(s, ",\n");
    }
    str_add(s, "};\n\n");
}

static void add_tables(const CExport *c, StrBuf *s)
{
    const EngineTables *t = &c->model->tables;
    const SolverOptions *o = &c->run->island.options;
    if (t->n_relations) add_relations(c, s);
    if (t->n_events) add_events(c, s);
    add_of_states(s, "engine_nominal", t->nominal, t->n_states);
    add_of_states(s, "engine_absolutes", o->absolutes, t->n_states);
    if (t->n_readers) {
        str_add(s, "static const uint32_t engine_readers[] = {");
        for (uint32_t i = 0; i < t->n_readers; i++)
            str_addf(s, "%s%u,", i % 20 ? " " : "\n    ", t->readers[i]);
        str_add(s, "\n};\n\n");
    }
    if (t->n_positive) str_add(s, "static const uint32_t engine_positive[] = {\n");
    for (uint32_t i = 0; i < t->n_positive; i++) str_addf(s, "    %u,\n", t->positive[i]);
    if (t->n_positive) str_add(s, "};\n\n");
    add_spans(s, "engine_rates", t->rates, t->n_rates);
    add_spans(s, "engine_mixed", t->mixed, t->n_mixed);
    if (t->n_delays) {
        str_add(s, "static const bool engine_before[] = {");
        for (uint32_t i = 0; i < t->n_delays; i++) str_addf(s, "%s%d", i ? ", " : " ", t->has_before[i]);
        str_add(s, " };\nstatic const uint32_t engine_moving[] = { ");
        for (uint32_t i = 0; i < t->n_delays; i++) add_number(s, t->moving[i], ", ");
        str_add(s, "};\n\n");
    }
    str_addf(s,
             "static const EngineTables tables = {\n"
             "    .n_states = %u, .n_params = %u, .n_relations = %u, .n_events = %u, .n_actions = %u,\n"
             "    .n_delays = %u, .n_guesses = %u, .first_mode = %u, .first_var = %u, .first_guess = %u,\n"
             "    .n_kept = %u, .n_sources = %u, .has_pre = %d, .is_neutral = %d,\n"
             "    .n_rates = %u, .n_mixed = %u, .has_asks = %d, .n_asked = %u, .n_conditions = %u,\n"
             "    .n_readers = %u, .first_open = %u, .has_domain = %d,\n"
             "    .initial_flag = ",
             t->n_states, t->n_params, t->n_relations, t->n_events, t->n_actions, t->n_delays, t->n_guesses,
             t->first_mode, t->first_var, t->first_guess, t->n_kept, (unsigned)c->inputs.n + 1, t->has_pre,
             t->is_neutral, t->n_rates, t->n_mixed, t->has_asks, t->n_asked, t->n_conditions,
             t->n_readers, t->first_open, t->has_domain);
    add_number(s, t->initial_flag, ",\n");
    const struct { const char *name; uint32_t n; } lists[] = {
        { "relations", t->n_relations }, { "events", t->n_events },  { "actions", t->n_actions },
        { "rates", t->n_rates },         { "mixed", t->n_mixed },  { "readers", t->n_readers },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].n) str_addf(s, "    .%s = engine_%s,\n", lists[i].name, lists[i].name);
    if (t->n_delays) str_add(s, "    .has_before = engine_before,\n    .moving = engine_moving,\n");
    if (t->nominal) str_add(s, "    .nominal = engine_nominal,\n");
    if (t->n_positive) str_addf(s, "    .positive = engine_positive, .n_positive = %u,\n", t->n_positive);
    str_add(s, "};\n\nstatic const SolverOptions options = {\n");
    add_setting(s, "step", o->step);
    add_setting(s, "tolerance", o->tolerance);
    add_setting(s, "absolute", o->absolute);
    if (o->has_absolute) str_add(s, "    .has_absolute = true,\n");
    if (o->absolutes) str_add(s, "    .absolutes = engine_absolutes,\n");
    add_setting(s, "max_step", o->max_step);
    add_setting(s, "t_end", o->t_end);
    str_add(s, "};\n\n");
}

void c_add_engine(const CExport *c, StrBuf *s)
{
    static const char *const before[] = { TEXT_NUM_CALENDAR_H, TEXT_NUM_INSTANT_H, TEXT_ENGINE_ENGINE_H },
                      *const texts[] = { TEXT_NUM_CALENDAR_C, TEXT_NUM_LU_H, TEXT_NUM_LU_C, TEXT_NUM_ITP_H,
                                         TEXT_NUM_TURN_H, TEXT_ENGINE_ISLAND_C, TEXT_ENGINE_NOMINAL_C,
                                         TEXT_ENGINE_DOMAIN_C,
                                         TEXT_ENGINE_SURFACE_C,
                                         TEXT_ENGINE_SLIDE_C, TEXT_ENGINE_CONTACT_C, TEXT_ENGINE_DUE_C,
                                         TEXT_ENGINE_HISTORY_C,
                                         TEXT_ENGINE_EVENT_C, TEXT_ENGINE_LOOK_C, TEXT_ENGINE_DRIVE_C };
    str_add(s, "// ---- The engine: what happens in a run\n\n"
               "typedef struct orr_env CodeEnv;\n"
               "typedef enum orr_status {\n"
               "    ORR_STATUS_OK = 0, ORR_STATUS_FAILED = 3, ORR_STATUS_CANCELLED = 5,\n"
               "    ORR_STATUS_TERMINATED = 7\n"
               "} orr_status;\n\n");
    add_texts(c, s, before, sizeof before / sizeof *before);
    c_add_template(c, s, TEXT_ENGINE);
    add_texts(c, s, texts, sizeof texts / sizeof *texts);
    add_method(c, s);
    add_tables(c, s);
}
