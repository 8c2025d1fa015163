// src/export/c/names.c: the generated equations with the names of the model.
//
// Generated text knows places by numbers. Here each of them that has a name gets it, word by word:
//
//     v[5]    v[P_tau], v[V_level], v[MODE_0], v[G_level]    parameter, variable, mode, first guess of a loop
//     x[2] x[X_level] state; so are results of functions that give rates or states
//     x2 p5 a7 m0    x_level, p_tau, v_level, mode_0         locals
//
// Names are made of letters and digits of the model's own, told apart by numbers. Models with very many
// variables keep numbers, and comments.
#include "base/map.h"
#include "code/label.h"
#include "export/c/c.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 2000 };

typedef struct Named {
    const char *name;         // NULL: none
    const char *remark;       // as the model says it; NULL: the same
    bool        is_used;
} Named;

typedef struct Naming {
    const CExport *c;
    Arena    work;
    Named   *values;          // [first_guess + n_guesses] of places in v
    Named   *states;          // [n_states]
    Named   *arrays[2];       // [n_arrays] in v, and among the states
    const char *function;     // whose text this is; from its name on
    size_t   n_function;
    bool     keeps_locals;    // they are of another kind
    StrBuf  *s;
} Naming;

bool c_has_names(const CExport *c)
{
    return c->model->flat.vars.n + c->model->flat.arrays.n <= NAMED_MOST;
}

// ---- Which names there are

static const char *unique(Naming *n, TextMap *taken, const char *name)
{
    // the rate x' of x is x_rate; nothing else that is no letter and no digit leaves more than one _
    StrBuf plain = { .arena = &n->work };
    for (const char *p = name; *p; p++) {
        if (*p == '\'') str_add(&plain, "_rate");
        else if (isalnum((unsigned char)*p) || *p == '_') str_add_char(&plain, *p);
        else if (plain.n && plain.p[plain.n - 1] != '_' && p[1]) str_add_char(&plain, '_');
    }
    const char *wanted = c_identifier(&n->work, str_finish(&plain)), *found = wanted;
    for (uint32_t k = 2; !text_map_put(taken, text_from(found), 0); k++)
        found = arena_printf(&n->work, "%s_%u", wanted, k);
    return found;
}

static void find_names(Naming *n)
{
    const orr_model *model = n->c->model;
    const Flat *flat = &model->flat;
    const IrLayout *layout = &model->ir.layout;
    TextMap taken[2];
    for (int i = 0; i < 2; i++) text_map_init(&taken[i], &n->work);
    text_map_put(&taken[0], TEXT("tmpdir"), 0);    // P_tmpdir is something else in <stdio.h>
    n->values = ARENA_ARRAY(&n->work, Named, layout->first_guess + layout->n_guesses);
    n->states = ARENA_ARRAY(&n->work, Named, model->n_states);
    for (int i = 0; i < 2; i++) n->arrays[i] = ARENA_ARRAY(&n->work, Named, flat->arrays.n);
    for (uint32_t i = 0; i < flat->vars.n; i++) {
        const FlatVar *var = &flat->vars.items[i];
        const char *name = unique(n, &taken[0], var->name);
        const bool is_param = layout->place[i] < model->n_params;
        n->values[layout->place[i]] = (Named){ arena_printf(&n->work, "%c_%s", is_param ? 'P' : 'V', name),
                                               var->name, false };
        if (layout->guess[i] != FLAT_NONE)
            n->values[layout->guess[i]] = (Named){ arena_printf(&n->work, "G_%s", name), var->name, false };
        if (layout->state_of[i] != FLAT_NONE)
            n->states[layout->state_of[i]] =
                (Named){ arena_printf(&n->work, "X_%s", unique(n, &taken[1], var->name)), var->name, false };
    }
    for (uint32_t k = 0; k < model->n_relations; k++) {
        char *text = run_expr_text(model, flat->relations.items[k].relation);
        n->values[layout->first_mode + k] = (Named){ arena_printf(&n->work, "MODE_%u", k),
                                                     arena_printf(&n->work, "%s", text), false };
        free(text);
    }
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        const char *name = flat->arrays.items[a].name;
        n->arrays[0][a] = (Named){ arena_printf(&n->work, "V_%s", unique(n, &taken[0], name)), name, false };
        if (layout->array_state[a] != FLAT_NONE)
            n->arrays[1][a] = (Named){ arena_printf(&n->work, "X_%s", unique(n, &taken[1], name)), name,
                                       false };
    }
}

// ---- Words

static Text next_word(Text rest)
{
    size_t n = 0;
    while (n < rest.n && (isalnum((unsigned char)rest.p[n]) || rest.p[n] == '_')) n++;
    return text_part(rest, 0, n);
}

static bool function_starts(const Naming *n, const char *start)
{
    return text_starts((Text){ n->function, n->n_function }, start);
}

static bool is_stepping(const Naming *n)
{
    return function_starts(n, "orr_euler") || function_starts(n, "orr_heun") || function_starts(n, "orr_rk4")
           || function_starts(n, "orr_in_place");
}

// A letter and a number.
static bool is_numbered(Text word, char *letter, uint32_t *number)
{
    if (word.n < 2 || word.n > 9) return false;
    *number = 0;
    for (size_t i = 1; i < word.n; i++) {
        if (!isdigit((unsigned char)word.p[i])) return false;
        *number = 10 * *number + (uint32_t)(word.p[i] - '0');
    }
    *letter = word.p[0];
    return true;
}

static const char *bare(const char *name) { return strchr(name, '_') + 1; }

// A local: x2, y2, p5, m0, a7, v12. False: it is another word.
static bool add_local(Naming *n, Text word)
{
    const orr_model *model = n->c->model;
    const IrLayout *layout = &model->ir.layout;
    char letter;
    uint32_t k;
    const Named *named = NULL;
    const char *prefix = NULL;
    if (!is_numbered(word, &letter, &k)) return false;
    if (letter == 'x' || (is_stepping(n) && strchr("yzwfgq", letter))) {
        if (k < model->n_states) named = &n->states[k];
        prefix = arena_printf(&n->work, "%c_", letter);
    } else if (letter == 'p' && k < model->n_params) {
        named = &n->values[k];
        prefix = "p_";
    } else if (letter == 'm' && k < model->n_relations) {
        str_addf(n->s, "mode_%u", k);
        return true;
    } else if (letter == 'a' && k < model->flat.vars.n) {
        named = &n->values[layout->place[k]];
        prefix = "v_";
    } else if (letter == 'v' && k < layout->first_guess) {
        named = &n->values[k];
        prefix = "kept_";
    }
    if (!named || !named->name) return false;
    str_addf(n->s, "%s%s", prefix, bare(named->name));
    return true;
}

static bool add_element(Naming *n, int of, const uint32_t *first, const uint32_t *step, uint32_t k)
{
    const Flat *flat = &n->c->model->flat;
    for (uint32_t a = 0; a < flat->arrays.n; a++) {
        Named *named = &n->arrays[of][a];
        if (!named->name || k < first[a] || k >= first[a] + flat->arrays.items[a].n * (step ? step[a] : 1))
            continue;
        named->is_used = true;
        str_add(n->s, named->name);
        if (k > first[a]) str_addf(n->s, " + %u", k - first[a]);
        return true;
    }
    return false;
}

// What stands between brackets, or at their beginning: the place `k` of v, x or out. False: it has no name.
static bool add_place(Naming *n, Text array, uint32_t k)
{
    const orr_model *model = n->c->model;
    const IrLayout *layout = &model->ir.layout;
    const bool is_given = text_is(array, "x") && function_starts(n, "orr_params");
    const bool gives_states = function_starts(n, "orr_rates") || function_starts(n, "orr_start")
                              || function_starts(n, "orr_event_") || function_starts(n, "orr_common");
    Named *named = NULL;
    if (text_is(array, "v") || is_given) {
        if (k < layout->first_guess + layout->n_guesses) named = &n->values[k];
        if (named && !named->name) return add_element(n, 0, layout->array_place, NULL, k);
    } else if (text_is(array, "x") || (text_is(array, "out") && gives_states)) {
        const bool is_of_loop = function_starts(n, "orr_start_e") || function_starts(n, "orr_start_l")
                                || function_starts(n, "orr_start_c");
        if (is_of_loop || k >= model->n_states) return false;
        named = &n->states[k];
        if (!named->name) return add_element(n, 1, layout->array_state, layout->array_step, k);
    }
    if (!named || !named->name) return false;
    named->is_used = true;
    str_add(n->s, named->name);
    return true;
}

// Of the functions of a loop of equations: what it is solved for.
static void add_purpose_of_loop(const Naming *n)
{
    enum { SHOWN = 8 };
    const Blocks *blocks = &n->c->model->blocks;
    static const char *const functions[] = { "orr_loop_", "orr_eval_", "orr_start_loop_", "orr_start_eval_" };
    for (int i = 0; i < 4; i++) {
        const size_t start = strlen(functions[i]);
        if (!function_starts(n, functions[i]) || memchr(n->function + start, '_', n->n_function - start))
            continue;
        const Ordered *system = i < 2 ? &blocks->dynamic : &blocks->start;
        const Block *block = &system->blocks[strtoul(n->function + start, NULL, 10)];
        const bool is_linear = block->kind == BLOCK_LINEAR;
        if (i % 2) str_add(n->s, is_linear ? "// Matrix m and right-hand side r of the loop of "
                                           : "// Residuals r and their derivatives m of the loop of ");
        else str_add(n->s, is_linear ? "// z, solved for: " : "// z, solved for by Newton's method: ");
        for (uint32_t k = 0; k < block->n && k < SHOWN; k++) {
            if (k) str_add(n->s, ", ");
            c_add_remark(n->s, n->c->model->flat.vars.items[block->unknowns[k]].name);
        }
        str_add(n->s, block->n > SHOWN ? ", ...\n" : "\n");
    }
}

// What a shape of terms computes, before its function.
static void add_purpose_of_term(const Naming *n, const char *prefix)
{
    enum { SHOWN = 4 };
    const IrQuantised *ir = n->c->qss->ir;
    const orr_model *model = n->c->model;
    const uint32_t shape = (uint32_t)strtoul(n->function + strlen(prefix), NULL, 10);
    const uint32_t first = ir->n_states + ir->n_shared;
    size_t found = 0;
    str_add(n->s, strcmp(prefix, "orr_term_") == 0 ? "// " : "// Derivatives by what it reads: ");
    for (uint32_t i = 0; i < first + ir->n_relations && found <= SHOWN; i++) {
        if (ir->shape_of[i] != shape || (i >= ir->n_states && i < first)) continue;
        const bool is_rate = i < ir->n_states;
        str_add(n->s, found ? ", " : is_rate ? "The rate of " : "What changes sign where a mode changes: ");
        if (found++ >= SHOWN) {
            str_add(n->s, "...");
        } else if (is_rate) {
            c_add_remark(n->s, model_state_name(model, i));
        } else {
            char *text = run_expr_text(model, model->flat.relations.items[i - first].relation);
            c_add_remark(n->s, text);
            free(text);
        }
    }
    if (!found)
        str_add(n->s, ir->shapes[shape].is_residual ? "a residual of a loop of equations"
                                                    : "a variable that several rates read");
    str_add(n->s, "\n");
}

// What each function does: before its definition.
static void add_purpose(const Naming *n)
{
    static const char *const purposes[][2] = {
        { "orr_rates", "The rates of all states: out." },
        { "orr_values", "All variables, into v." },
        { "orr_params",
          "Parameters that are not given, and first guesses of loops, into v. x: 1 if one is given." },
        { "orr_start", "The states at the start: out. Then all variables, into v." },
        { "orr_relations", "Zero function and truth of each relation." },
        { "orr_changed", "Does any relation differ from its mode?" },
        { "orr_asserts", "What the model claims: 1 where it holds." },
        { "orr_terminal", "After a run: what it assigns, and whether it asks for another one." },
        { "orr_histories", "What each delay remembers." },
        { "orr_lags", "How long each delay is." },
        { "orr_noise", "How strongly each path moves a state." },
        { "orr_choices", "Derivatives of constraints by variables, where states are chosen." },
        { "orr_start_choices", "The same from the variables in v, at the start." },
        { "orr_times", "When events act: three numbers each, time or period, first time, delay." },
        { "orr_conditions", "Truth of the condition of each event." },
        { "orr_pres", "What `pre` means at the next event, into v." },
        { "orr_euler", "n steps of Euler's method from grid point k on; how many were made." },
        { "orr_in_place",
          "n steps of Euler's method, one state after the other, from grid point k on; how many were made." },
        { "orr_heun", "n steps of Heun's method from grid point k on; how many were made." },
        { "orr_rk4",
          "n steps of the classical Runge-Kutta method from grid point k on; how many were made." },
    };
    const Text function = { n->function, n->n_function };
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++)
        if (text_is(function, purposes[i][0])) str_addf(n->s, "// %s\n", purposes[i][1]);
    add_purpose_of_loop(n);
    static const char *const terms[] = { "orr_term_", "orr_slopes_", "orr_parts_" };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (function_starts(n, terms[i])) add_purpose_of_term(n, terms[i]);
    if (function_starts(n, "orr_before_"))
        str_addf(n->s, "// What delay%lu was before the start.\n",
                 strtoul(n->function + strlen("orr_before_"), NULL, 10));
    if (!function_starts(n, "orr_event_")) return;
    const uint32_t event = (uint32_t)strtoul(n->function + strlen("orr_event_"), NULL, 10);
    const char *cause = event_cause(n->c->run, event);
    str_add(n->s, "// ");
    c_add_remark(n->s, cause);
    str_add(n->s, "\n");
}

// A line that begins a definition names the function that follows.
static void look_at_line(Naming *n, Text rest)
{
    const char *end = memchr(rest.p, '\n', rest.n);
    const Text line = text_part(rest, 0, end ? (size_t)(end - rest.p) : rest.n);
    if (!text_starts(line, "static int orr_") && !text_starts(line, "static void orr_")
        && !text_starts(line, "static long orr_")) return;
    const char *start = memchr(line.p, '_', line.n);
    const char *open = memchr(line.p, '(', line.n);
    if (!open || line.p[line.n - 1] == ';') return;
    while (start > line.p && start[-1] != ' ') start--;
    n->function = start;
    n->n_function = (size_t)(open - start);
    add_purpose(n);
}

static size_t comment_end(Text rest)
{
    for (size_t i = 2; i + 1 < rest.n; i++)
        if (rest.p[i] == '*' && rest.p[i + 1] == '/') return i + 2;
    return rest.n;
}

static void rename_all(Naming *n, Text text)
{
    Text rest = text;
    bool is_line_start = true;
    while (rest.n) {
        if (is_line_start) look_at_line(n, rest);
        is_line_start = rest.p[0] == '\n';
        size_t taken = 1;
        const Text word = next_word(rest);
        uint32_t k = 0;
        if (text_starts(rest, "/*")) {
            taken = comment_end(rest);
            str_add_text(n->s, text_part(rest, 0, taken));
        } else if (word.n == 0) {
            str_add_char(n->s, rest.p[0]);
        } else if (isdigit((unsigned char)word.p[0]) || n->keeps_locals || !add_local(n, word)) {
            taken = word.n;
            str_add_text(n->s, word);
            // v[12], out[3 + i]
            size_t i = taken + 1;
            if (taken < rest.n && rest.p[taken] == '[') {
                for (; i < rest.n && isdigit((unsigned char)rest.p[i]); i++)
                    k = 10 * k + (uint32_t)(rest.p[i] - '0');
                const bool is_place = i > taken + 1 && i < rest.n && (rest.p[i] == ']' || rest.p[i] == ' ');
                if (is_place) {
                    str_add_char(n->s, '[');
                    if (add_place(n, word, k)) taken = i;
                    else n->s->n--;
                }
            }
        } else {
            taken = word.n;
        }
        rest = text_part(rest, taken, rest.n);
    }
}

// ---- All of it

static void add_enumerators(StrBuf *s, const Named *named, size_t n, const char *title, bool *is_open)
{
    for (size_t i = 0; i < n; i++) {
        if (!named[i].is_used) continue;
        if (!*is_open) str_addf(s, "// %s\nenum {\n", title);
        *is_open = true;
        str_addf(s, "    %s = %zu,", named[i].name, i);
        if (strcmp(bare(named[i].name), named[i].remark) != 0) {
            str_add(s, "    // ");
            c_add_remark(s, named[i].remark);
        }
        str_add(s, "\n");
    }
}

static void add_arrays(StrBuf *s, const Named *named, size_t n, const uint32_t *first, const char *title,
                       bool *is_open)
{
    for (size_t i = 0; i < n; i++) {
        if (!named[i].is_used) continue;
        if (!*is_open) str_addf(s, "// %s\nenum {\n", title);
        *is_open = true;
        str_addf(s, "    %s = %u,    // and its elements behind it\n", named[i].name, first[i]);
    }
}

static const char terms_title[] =
    "// ---- The rates one by one, with their derivatives by time\n//\n"
    "// a, b, c are values and derivatives of states by time, d is how "
    "long ago they were renewed. Where several rates have the\n"
    "// same shape, r says which states and numbers they read.\n\n";

void c_add_equations(const CExport *c, StrBuf *s, Text generated, Text terms)
{
    if (!c_has_names(c)) {
        str_add_text(s, generated);
        if (terms.n) str_add(s, terms_title);
        str_add_text(s, terms);
        return;
    }
    const IrLayout *layout = &c->model->ir.layout;
    const size_t n_arrays = c->model->flat.arrays.n;
    Naming n = { .c = c, .function = "" };
    StrBuf text = { .arena = &n.work };
    n.s = &text;
    find_names(&n);
    rename_all(&n, generated);
    if (terms.n) str_add(n.s, terms_title);
    n.keeps_locals = true;
    rename_all(&n, terms);
    bool is_open = false;
    const char *title = "States: places in x, and in out of functions that give rates or states.";
    add_enumerators(s, n.states, c->model->n_states, title, &is_open);
    add_arrays(s, n.arrays[1], n_arrays, layout->array_state, title, &is_open);
    if (is_open) str_add(s, "};\n\n");
    is_open = false;
    title = "Places in v: parameters and discrete variables, modes of relations, variables, first guesses.";
    add_enumerators(s, n.values, layout->first_guess + layout->n_guesses, title, &is_open);
    add_arrays(s, n.arrays[0], n_arrays, layout->array_place, title, &is_open);
    if (is_open) str_add(s, "};\n\n");
    str_add_text(s, (Text){ text.p, text.n });
    arena_free(&n.work);
}

// ---- The model as it was written

static void add_lines(StrBuf *s, const char *title, char *text, size_t *n)
{
    if ((*n)++ == 0) str_add(s, title);
    str_add(s, "//     ");
    c_add_remark(s, text);
    str_add(s, "\n");
    free(text);
}

void c_add_model(const CExport *c, StrBuf *s)
{
    enum { SHOWN = 100 };
    const Flat *flat = &c->model->flat;
    const Reduction *r = c->model->blocks.reduction;
    const size_t n_written = r ? r->n_written : flat->equations.n;
    size_t n = 0;
    for (size_t i = 0; i < n_written && n < SHOWN; i++)
        add_lines(s, "// As the model says them:\n//\n",
                  run_equation_text(c->model, &flat->equations.items[i]), &n);
    if (n_written > SHOWN) str_addf(s, "//     ... %zu more\n", n_written - SHOWN);
    n = 0;
    for (size_t i = 0; i < flat->initial.n && n < SHOWN; i++)
        add_lines(s, "//\n// and at the start:\n//\n", run_equation_text(c->model, &flat->initial.items[i]),
                  &n);
    for (uint32_t k = 0; k < flat->delays.n && k < SHOWN; k++) {
        char *text = run_expr_text(c->model, flat->delays.items[k].source);
        str_addf(s, "%s//     delay%u remembers ", k == 0 ? "//\n" : "", k);
        c_add_remark(s, text);
        str_add(s, "\n");
        free(text);
    }
    if (n_written) str_add(s, "\n");
}
