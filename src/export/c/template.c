// src/export/c/template.c: texts with parts that only some models need.
//
// Lines `#if HAS_…`, `#if IS_…`, `#else` and `#endif` are resolved here, so that an exported file shows only
// what it uses.
#include "export/c/net.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

static bool has_kept(const CExport *c)
{
    const Flat *flat = &c->model->flat;
    for (size_t i = 0; i < flat->terminal.n; i++) {
        const uint32_t target = flat->terminal.items[i].target;
        if (target == FLAT_NONE) continue;
        const FlatKind kind = flat->vars.items[target].kind;
        if (kind == FLAT_PARAM || kind == FLAT_INPUT) return true;
    }
    return false;
}

static bool has_timed(const Flat *flat)
{
    for (size_t i = 0; i < flat->events.n; i++)
        if (flat->events.items[i].time != EXPR_NONE || flat->events.items[i].after != EXPR_NONE) return true;
    return false;
}

static bool has_starts(const CExport *c)
{
    for (uint32_t i = 0; c->run->given_start && i < c->model->n_states; i++)
        if (!isnan(c->run->given_start[i])) return true;
    return false;
}

static bool has_algebraic(const CExport *c)
{
    for (size_t i = 0; i < c->columns.n; i++) {
        const ModelVariable v = model_variable(c->model, orr_model_find(c->model, c->columns.items[i]));
        if (v.kind == FLAT_VARIABLE && v.state == FLAT_NONE) return true;
    }
    return false;
}

static bool has_before(const Flat *flat)
{
    for (size_t k = 0; k < flat->delays.n; k++)
        if (flat->delays.items[k].before != EXPR_NONE) return true;
    return false;
}

static bool has_claimed_values(const CExport *c)
{
    const orr_run_options *run = &c->experiment->run;
    for (size_t i = 0; i < run->n_claims; i++) {
        const ModelVariable v = model_variable(c->model, orr_model_find(c->model, run->claims[i].name));
        if (v.kind == FLAT_VARIABLE && v.state == FLAT_NONE) return true;
    }
    return false;
}

// Do relations see what jumps?
static bool has_leaps(const Qss *qss)
{
    for (uint32_t k = 0; qss && qss->ir->steps && k < qss->ir->n_relations; k++)
        if (qss->ir->steps[k].table != FLAT_NONE || qss->ir->steps[k].period > 0) return true;
    return false;
}

// Is there anything whose bounds are to be found?
static bool needs_bounds(const Qss *qss)
{
    for (uint32_t i = 0; qss && qss->bends && i < qss->n; i++)
        if (qss->bends[i] && !qss->ir->is_opaque[i]) return true;
    for (uint32_t k = 0; qss && k < qss->ir->n_relations; k++)
        if ((qss->order == 3 || qss->ir->relation_bends[k]) && !qss->ir->relation_is_opaque[k]) return true;
    return false;
}

static bool draws_any(const Flat *flat, ExprDrawKind kind)
{
    for (size_t i = 0; i < flat->pool.draws.n; i++)
        if (flat->pool.draws.items[i].kind == kind) return true;
    return false;
}

static const char *name_of_draw(Text name)
{
    const Text drawn = text_part(name, strlen("DRAWS_"), name.n);
    for (int i = 0; i < n_distributions; i++)
        if (text_is(drawn, distributions[i].name)) return distributions[i].name;
    assert(false && "a distribution");
    return distributions[0].name;
}

static bool net_draws(const CExport *c, const char *name)
{
    return c->net && c->net->draws[distribution_number(name)];
}

bool c_is_on(const CExport *c, Text name)
{
    const orr_model *model = c->model;
    const Flat *flat = &model->flat;
    const bool is_fixed = c->solver->fixed_step;
    const uint32_t n_choices = model->blocks.reduction ? model->blocks.reduction->n_choices : 0;
    const bool has_noise = c->noise != C_NOISE_NONE;
    const bool has_gamma = draws_any(flat, EXPR_DRAW_GAMMA) || net_draws(c, "gamma");
    const bool has_poisson = draws_any(flat, EXPR_DRAW_POISSON) || net_draws(c, "poisson");
    const bool has_arrivals = c->net && c->net->network->reaches;
    const bool has_sources = c->net && (c->net->has_warm_up || c->net->files.n > 0);
    const bool has_stop = c->experiment->run.stop_outside &&
                          flat->asserts.n + c->experiment->run.n_claims > 0;
    const Qss *qss = c->qss;
    const bool has_stand_in = qss && !qss->is_implicit && model->n_relations > 0;
    const bool has_own = qss && qss->is_implicit && qss->ir->n_shared > 0;
    const bool has_parts = qss && (qss->ir->n_loops > 0 || has_own), has_pairs = qss && qss->pairs;
    const bool has_adaptive = (!is_fixed && !c->qss && !c->is_radau) || has_stand_in;
    const bool has_hermite = c->loop < CODE_IN_PLACE && c->solver->order > 1;
    const bool has_bounds = needs_bounds(qss);
    const struct Switch {
        const char *name;
        bool        is_on;
    } switches[] = {
        { "HAS_DELAYS", model->n_delays > 0 },
        { "HAS_BEFORE", has_before(flat) },
        { "HAS_RANDOM", has_noise || flat->pool.draws.n > 0 || (c->net && c->net->has_draws) },
        { "HAS_DRAWS", flat->pool.draws.n > 0 },
        { "HAS_QUANTILE",
          has_noise || draws_any(flat, EXPR_DRAW_NORMAL) || has_gamma || net_draws(c, "normal")
              || net_draws(c, "lognormal") },
        { "HAS_NORMAL", draws_any(flat, EXPR_DRAW_NORMAL) },
        { "HAS_GAMMA", has_gamma },
        { "HAS_POISSON", has_poisson },
        { "HAS_ARGUMENT", has_gamma || has_poisson },
        { "HAS_NOISE", has_noise },
        { "IS_MARUYAMA", c->noise == C_NOISE_MARUYAMA },
        { "IS_SRA", c->noise == C_NOISE_SRA },
        { "IS_SRI", c->noise == C_NOISE_SRI },
        { "HAS_CHOICES", n_choices > 0 },
        { "IS_LOOKED_AT", model->n_relations > 0 || model->n_delays > 0 || n_choices > 0 || has_stop },
        { "HAS_TABLES", model->ir.tables.n > 0 },
        { "HAS_NUMBERS", model->ir.numbers.n > 0 },
        { "HAS_MODEL_IN_ENV", model->n_delays > 0 || flat->pool.draws.n > 0 },
        { "HAS_FIXED", is_fixed },
        { "HAS_ADAPTIVE", has_adaptive },
        { "HAS_RADAU", c->is_radau },
        { "HAS_JACOBIAN", c->is_radau && model->ir.n_jacobian > 0 },
        { "HAS_FREE_STEPS", has_adaptive || c->is_radau },
        { "HAS_STAND_IN", has_stand_in },
        { "HAS_QUANTA", c->qss != NULL },
        { "HAS_SHARED", qss && qss->ir->n_shared > 0 },
        { "HAS_LOOPS", qss && qss->ir->n_loops > 0 },
        { "HAS_OWN", has_own },
        { "HAS_PARTS", has_parts },
        { "HAS_DERIVATIVES", has_parts || has_pairs },
        { "HAS_BENT", qss && qss->bends },
        { "HAS_BOUNDS", has_bounds },
        { "HAS_SLOTS", has_parts || has_bounds },
        { "HAS_SHAPES", has_bounds || (qss && qss->ir->n_shared > 0) },
        { "HAS_LINES", has_bounds && (c_has_record(c, EXPR_LOOKUP) || c_has_record(c, EXPR_SLOPE)) },
        { "HAS_PIECES", has_bounds && (c_has_record(c, EXPR_PIECES) || c_has_record(c, EXPR_NEAR)) },
        { "HAS_STEPPED", has_bounds || has_leaps(qss) },
        { "HAS_OPAQUE", qss && qss->opaque },
        { "HAS_HELD", qss && qss->order == 1 && qss->bends },
        { "HAS_PAIRS", has_pairs },
        { "HAS_LEAPS", has_leaps(qss) },
        { "HAS_PLACES", qss && qss->ir->n_places > 0 },
        { "HAS_RESTARTS", qss && (model->n_relations || model->n_events || c->net || c->inputs.n || n_choices
                                  || model->ir.n_reruns) },
        { "HAS_CALENDAR", qss && !qss->scans },
        { "HAS_CALENDARS", qss && (!qss->scans || model->n_relations > 0) },
        { "IS_SEEN_AT_EACH_STEP", flat->asserts.n > 0 || n_choices > 0 },
        { "IS_ENGINE", false },
        { "HAS_HERMITE", has_hermite },
        { "IS_IN_PLACE", c->loop == CODE_IN_PLACE },
        { "HAS_RELATIONS", model->n_relations > 0 },
        { "HAS_EVENTS", model->n_events > 0 },
        { "HAS_INPUTS", c->inputs.n > 0 },
        { "HAS_JUMPS", c->has_jumps },
        { "HAS_BENDS", c->has_bends },
        { "HAS_TIMED", has_timed(flat) },
        { "HAS_ACTING", c->has_jumps || has_sources },
        { "HAS_BODIES", c->net && (flat->switches.n > 0 || flat->sends.n > 0) },
        { "HAS_LOOP", c->loop < CODE_N_LOOPS },
        { "HAS_NETWORK", c->net != NULL },
        { "HAS_ARRIVALS", has_arrivals },
        { "HAS_SWITCHES", c->net && flat->switches.n > 0 },
        { "HAS_AGAIN", c->net && c->net->has_again },
        { "HAS_WARM_UP", c->net && c->net->has_warm_up },
        { "HAS_RESETS", c->net && c->net->has_resets },
        { "HAS_FILES", c->net && c->net->files.n > 0 },
        { "HAS_SOURCES", has_sources },
        { "HAS_INBOX", c->net && (flat->sends.n > 0 || c->net->files.n > 0) },
        { "HAS_ON", c->net && c->net->has_on },
        { "HAS_SENDS", c->net && flat->sends.n > 0 },
        { "HAS_SHOWN", c->net && c->net->shown.n > 0 },
        { "HAS_STATISTICS", c->net && c->net->has_statistics },
        { "HAS_NET_DRAWS", c->net && c->net->has_draws },
        { "IS_EVENTFUL", c->run->is_eventful },
        { "HAS_PRE", flat->pres.n > 0 },
        { "HAS_GUESSES", model->ir.layout.n_guesses > 0 },
        { "HAS_STARTS", has_starts(c) },
        { "HAS_ALGEBRAIC", has_algebraic(c) },
        { "HAS_ASSERTS", flat->asserts.n > 0 },
        { "HAS_TERMINAL", flat->terminal.n > 0 },
        { "HAS_INFINITY", expr_mentions_infinity(&flat->pool) },
        { "HAS_RERUN", model->ir.n_reruns > 0 },
        { "HAS_KEPT", has_kept(c) },
        { "HAS_TIMES", c->every > 0 },
        { "HAS_FRAME", c->has_frame },
        { "HAS_CLAIMS", c->experiment->run.n_claims > 0 },
        { "HAS_CLAIMED_VALUES", has_claimed_values(c) },
        { "HAS_STOP", has_stop },
    };
    const bool is_not = name.n && name.p[0] == '!';
    if (is_not) name = text_part(name, 1, name.n);
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (text_is(name, switches[i].name)) return switches[i].is_on != is_not;
    if (text_starts(name, "DRAWS_")) return net_draws(c, name_of_draw(name)) != is_not;
    assert(false && "a switch of a text");
    return false;
}

static Text next_line(Text *rest)
{
    const char *end = memchr(rest->p, '\n', rest->n);
    const size_t n = end ? (size_t)(end - rest->p) + 1 : rest->n;
    const Text line = text_part(*rest, 0, n);
    *rest = text_part(*rest, n, rest->n);
    return line;
}

void c_add_template(const CExport *c, StrBuf *s, const char *text)
{
    enum { DEPTH_MAX = 8 };
    bool taken[DEPTH_MAX] = { true };    // of each `#if` around the line
    bool stays[DEPTH_MAX] = { false };    // `#ifdef` and `#ifndef` are left to the compiler
    int depth = 0;
    for (Text rest = text_from(text); rest.n;) {
        const Text line = next_line(&rest);
        const bool outside = taken[depth];
        const bool is_if = text_starts(line, "#if"), is_end = text_starts(line, "#endif");
        const bool is_ours = is_if ? text_starts(line, "#if ") : !stays[depth];
        if (!(is_ours && (is_if || is_end || text_starts(line, "#else"))) && outside) str_add_text(s, line);
        if (is_if) {
            assert(depth + 1 < DEPTH_MAX);
            depth++;
            stays[depth] = !is_ours;
            taken[depth] = outside && (stays[depth] || c_is_on(c, text_trim(text_part(line, 4, line.n))));
        } else if (is_end) {
            assert(depth > 0);
            depth--;
        } else if (text_starts(line, "#else") && is_ours) {
            assert(depth > 0);
            taken[depth] = taken[depth - 1] && !taken[depth];
        }
    }
    assert(depth == 0);
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

const char *c_identifier(Arena *arena, const char *name)
{
    StrBuf s = { .arena = arena };
    if (!is_letter(name[0])) str_add(&s, "m_");
    for (; *name && s.n < 60; name++)
        str_add_char(&s, is_letter(*name) || (*name >= '0' && *name <= '9') ? *name : '_');
    return str_finish(&s);
}

void c_add_remark(StrBuf *s, const char *text)
{
    enum { REMARK_MAX = 300 };
    size_t n = 0;
    for (; *text && n < REMARK_MAX; text++, n++) {
        // nothing that splices lines, as a trigraph may
        const bool is_harmless = *text >= ' ' && *text <= '~' && *text != '\\' && *text != '?';
        str_add_char(s, is_harmless ? *text : '_');
    }
    if (*text) str_add(s, "...");
}

void c_add_quoted(StrBuf *s, const char *text)
{
    str_add_char(s, '"');
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        // octal, so that no byte means anything to a compiler: quotes, backslashes, trigraphs
        if (byte < ' ' || byte > '~' || strchr("\"\\?%", byte)) str_addf(s, "\\%03o", byte);
        else str_add_char(s, (char)byte);
    }
    str_add_char(s, '"');
}
