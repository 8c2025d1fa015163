// src/export/c/source.c: the files of an exported model: NAME.c, NAME.h and README.md.
#include "code/label.h"
#include "code/quantise.h"
#include "export/c/net.h"
#include "exp/times_c_text.h"
#include "exp/times_text.h"
#include "export/runtime/adaptive_text.h"
#include "export/runtime/radau_text.h"
#include "export/runtime/api_text.h"
#include "export/runtime/choose_text.h"
#include "export/runtime/couple_text.h"
#include "export/runtime/draw_text.h"
#include "export/runtime/drive_text.h"
#include "export/runtime/fixed_text.h"
#include "export/runtime/frame_text.h"
#include "export/runtime/initial_text.h"
#include "export/runtime/inputs_text.h"
#include "export/runtime/instants_text.h"
#include "export/runtime/main_text.h"
#include "export/runtime/noise_text.h"
#include "export/runtime/number_text.h"
#include "export/runtime/quantised_text.h"
#include "export/runtime/random_text.h"
#include "export/runtime/readme_text.h"
#include "export/runtime/run_text.h"
#include "export/runtime/services_text.h"
#include "num/gamma_draw_text.h"
#include "num/normal_quantile_text.h"
#include "num/pick_c_text.h"
#include "num/pick_text.h"
#include "num/inverse_draw_text.h"
#include "num/poisson_draw_text.h"
#include "num/random_c_text.h"
#include "num/random_words_text.h"
#include "orrery/orrery.h"
#include <ctype.h>
#include <string.h>

static void add_title(const CExport *c, StrBuf *s, const char *what)
{
    const Flat *flat = &c->model->flat;
    str_addf(s, "/* " EXPORT_MARK " " ORR_VERSION ": %s of model '", what);
    label_text(s, flat->model);
    str_add(s, "'");
    if (flat->doc) {
        str_add(s, ": ");
        label_text(s, flat->doc);
    }
    if (c->experiment->name && c->experiment->name[0]) {
        str_add(s, "; experiment '");
        label_text(s, c->experiment->name);
        str_add(s, "'");
    }
    str_addf(s, ". Unit of time: ");
    label_text(s, orr_model_time_unit(c->model));
    str_add(s, ". */\n");
}

// Every @ in a text is the name of the model.
static void add_named(const CExport *c, StrBuf *s, const char *text)
{
    StrBuf chosen = { .arena = (Arena *)&c->arena };
    c_add_template(c, &chosen, text);
    for (size_t i = 0; i < chosen.n; i++) {
        if (chosen.p[i] == '@') str_add(s, c->name);
        else str_add_char(s, chosen.p[i]);
    }
}

static Text finish(StrBuf *s)
{
    const size_t n = s->n;
    return (Text){ str_finish(s), n };
}

// Elementary functions that random numbers and quantised states need besides those of the equations.
static const char *const *math_of(const CExport *c, const char **names)
{
    size_t n = 0;
    while (names[n]) n++;
    if (c->qss) names[n++] = "orr_pow";
    for (const uint8_t *op = c_bounds_math(c, (Arena *)&c->arena); *op; op++) names[n++] = expr_ops[*op].c;
    if (c_is_on(c, TEXT("HAS_LINES"))) names[n++] = "orr_lookup", names[n++] = "orr_lookup_slope";
    if (c_is_on(c, TEXT("HAS_LEAPS"))) names[n++] = "orr_pieces";
    const bool has_gamma = c_is_on(c, TEXT("HAS_GAMMA")), has_poisson = c_is_on(c, TEXT("HAS_POISSON"));
    if (c_is_on(c, TEXT("HAS_QUANTILE")) || has_poisson) names[n++] = "orr_log";
    if (has_gamma) names[n++] = "orr_pow";
    if (has_poisson) names[n++] = "orr_exp";
    names[n] = NULL;
    return c->net ? c_net_math(c, names, (Arena *)&c->arena) : names;
}

static void add_random(const CExport *c, StrBuf *s)
{
    static const char *const texts[] = { TEXT_NUM_RANDOM_WORDS_INC, TEXT_NUM_NORMAL_QUANTILE_INC,
                                         TEXT_NUM_GAMMA_DRAW_INC,   TEXT_NUM_POISSON_DRAW_INC,
                                         TEXT_NUM_INVERSE_DRAW_INC, TEXT_NUM_RANDOM_C };
    c_add_template(c, s, TEXT_RANDOM);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) c_add_private(c, s, texts[i], "");
    if (c_is_on(c, TEXT("HAS_DRAWS"))) c_add_template(c, s, TEXT_DRAW);
}

static bool is_named(StrBuf *s, const char *names, const char *name, const char *end)
{
    return strstr(names, arena_printf(s->arena, "%.*s ", (int)(end - name), name)) != NULL;
}

void c_add_private(const CExport *c, StrBuf *s, const char *text, const char *unused)
{
    StrBuf chosen = { .arena = s->arena }, remark = { .arena = s->arena };
    c_add_template(c, &chosen, text);
    bool is_left_out = false, is_empty = true;    // the line before
    for (Text rest = { chosen.p, chosen.n }; rest.n;) {
        const char *end = memchr(rest.p, '\n', rest.n);
        const size_t n = end ? (size_t)(end - rest.p) + 1 : rest.n;
        const Text line = text_part(rest, 0, n);
        rest = text_part(rest, n, rest.n);
        if (text_starts(line, "#pragma once")) continue;
        if (text_starts(line, "//") && !is_left_out) {    // belongs to what follows
            str_add_text(&remark, line);
            continue;
        }
        const char *open = isalpha((unsigned char)line.p[0]) ? memchr(line.p, '(', n) : NULL;
        const bool is_function = open && !text_starts(line, "typedef") && !text_starts(line, "enum");
        if (is_function) {
            const char *name = open;
            while (name > line.p && name[-1] != ' ' && name[-1] != '*') name--;
            is_left_out = is_named(s, unused, name, open);
        }
        if (!is_left_out) str_add_text(s, (Text){ remark.p, remark.n });
        if (remark.n && !is_left_out) is_empty = false;
        remark.n = 0;
        if (n == 1 && is_empty) continue;
        if (!is_left_out) is_empty = n == 1;
        const bool is_private = text_starts(line, "static") || text_starts(line, "QSS_INLINE");
        if (is_function && !is_left_out && !is_private) str_add(s, "static ");
        if (!is_left_out) str_add_text(s, line);
        if (text_starts(line, "}") || (is_function && (line.p[n - 2] == '}' || memchr(line.p, ';', n))))
            is_left_out = false;
    }
    str_add_text(s, (Text){ remark.p, remark.n });
    if (!is_empty || remark.n) str_add(s, "\n");
}

// Of the texts between two places only what the file uses.
static Text without_unused(Text all, size_t begin, size_t end, Arena *arena)
{
    const Text before = text_part(all, 0, begin), behind = text_part(all, end, all.n);
    StrBuf text = { .arena = arena };
    str_add_text(&text, before);
    str_add_text(&text, c_prune(before, text_part(all, begin, end), behind, arena));
    str_add_text(&text, behind);
    return finish(&text);
}

static Text source_text(const CExport *c, Arena *arena)
{
    StrBuf text = { .arena = arena }, *s = &text;
    const bool is_fixed = c->solver->fixed_step;
    add_title(c, s, "source");
    str_addf(s,
             "#include \"%s.h\"\n#include <assert.h>\n#include <float.h>\n#include <limits.h>\n"
             "#include <math.h>\n#include <setjmp.h>\n#include <stdbool.h>\n"
             "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
             "#include <string.h>\n\n"
             "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n\n"
             "typedef struct %s_model Model;\n\n",
             c->name, c->name);
    str_add(s, "// ---- Sizes, and the settings of the experiment\n\n");
    c_add_constants(c, s);
    str_add(s, "// ---- The equations\n\n");
    c_add_model(c, s);
    const size_t n_names = CODE_MATH_MAX + expr_n_math + EXPR_WHOLE_POWER_MAX + 48;
    const char **names = ARENA_ARRAY(arena, const char *, n_names);
    Text terms = { 0 };
    if (c->qss) {
        const CodeOwn own = c->qss->pairs         ? CODE_WITH_SLOPES
                            : c->qss->is_implicit ? CODE_WITH_OWN
                                                  : CODE_PLAIN;
        terms = code_quantised_file_text((IrQuantised *)c->qss->ir, c->qss->order, own, names, arena);
    }
    const char *const *math = math_of(c, names);
    const Text equations = code_file_text(&c->model->ir, c->loop, c->is_radau, math, !c_has_names(c), arena);
    c_add_equations(c, s, equations, terms);
    str_add(s, "// ---- Data\n\n");
    c_add_tables(c, s);
    const size_t begin = s->n;
    c_add_engine(c, s);
    c_add_template(c, s, TEXT_NUMBER);
    if (c_is_on(c, TEXT("HAS_RANDOM"))) add_random(c, s);
    if (c->net) c_add_components(c, s);
    if (c->every > 0) {
        c_add_private(c, s, TEXT_EXP_TIMES_H, "");
        c_add_private(c, s, TEXT_EXP_TIMES_C, "");
    }
    const size_t end = s->n;
    if (c->qss) c_add_quanta(c, s);
    c_add_template(c, s, TEXT_RUN);
    if (c->inputs.n) c_add_template(c, s, TEXT_INPUTS);
    if (c->net) c_add_template(c, s, TEXT_COUPLE);
    if (c_is_on(c, TEXT("HAS_CHOICES"))) {
        c_add_private(c, s, TEXT_NUM_PICK_H, "");
        c_add_private(c, s, TEXT_NUM_PICK_C, "");
        c_add_template(c, s, TEXT_CHOOSE);
    }
    if (is_fixed) c_add_template(c, s, c->noise ? TEXT_NOISE : TEXT_FIXED);
    if (c_is_on(c, TEXT("HAS_ADAPTIVE"))) c_add_template(c, s, TEXT_ADAPTIVE);
    if (c->is_radau) c_add_template(c, s, TEXT_RADAU);
    if (c->qss) {
        c_add_template(c, s, TEXT_QUANTISED);
        c_add_template(c, s, TEXT_INSTANTS);
    }
    if (c->has_frame || c_is_on(c, TEXT("HAS_STOP"))) c_add_template(c, s, TEXT_FRAME);
    c_add_template(c, s, TEXT_SERVICES);
    c_add_template(c, s, TEXT_INITIAL);
    c_add_template(c, s, TEXT_DRIVE);
    c_add_template(c, s, TEXT_MAIN);
    str_addf(s, "// ---- What others call: %s.h says what each does\n\nvoid %s_defaults(Model *m)\n{\n",
             c->name, c->name);
    c_add_defaults(c, s);
    str_add(s, "}\n\n");
    add_named(c, s, TEXT_API);
    return without_unused(finish(s), begin, end, arena);
}

static Text header_text(const CExport *c, Arena *arena)
{
    StrBuf text = { .arena = arena }, *s = &text;
    add_title(c, s, "header");
    str_addf(s,
             "#ifndef %s_MODEL_H\n#define %s_MODEL_H\n\n#include <stdint.h>\n#include <stdio.h>\n\n"
             "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
             c->name, c->name);
    c_add_names(c, s);
    c_add_struct(c, s);
    static const char functions[] =
        "\n/* The settings of the experiment; then change given[] and value[]. First of all calls. */\n"
        "void @_defaults(struct @_model *m);\n"
        "/* Parameters, initial values and what happens at t_start. 0: there is no start. */\n"
        "int @_initial(struct @_model *m);\n"
        "/* The rates dx at (t, x). 0: they cannot be computed. */\n"
        "int @_state(struct @_model *m);\n"
        "/* All variables in v and what is recorded in y, at (t, x). 0 likewise. */\n"
        "int @_output(struct @_model *m);\n"
        "/* What happens at t: modes follow the relations, events that "
        "are due or have become true act. *changed: the rates may\n"
        "   jump. 0 if that fails. */\n"
        "int @_event(struct @_model *m, int *changed);\n"
        "/* After a run. *again: another one is wanted, with what is now "
        "in given[] and value[]. 0 likewise. */\n"
        "int @_terminal(struct @_model *m, int *again);\n"
        "/* Carry out the experiment and write its rows as CSV. NULL, or why it ended before its time. */\n"
        "const char *@_run(struct @_model *m, FILE *out);\n";
    add_named(c, s, functions);
    static const char past_functions[] =
        "/* After a step of your own: delays remember a straight line to "
        "what they see now. 0: no memory, or it\n"
        "   cannot be computed. */\n"
        "int @_remember(struct @_model *m);\n";
    static const char net_functions[] =
        "/* When components act next; INFINITY: never. _event makes them "
        "act that are due at t or before. */\n"
        "double @_next(const struct @_model *m);\n";
    static const char free_function[] =
        "/* Give memory back that _initial and others took; _run does so itself. */\n"
        "void @_free(struct @_model *m);\n";
    if (c->model->n_delays) add_named(c, s, past_functions);
    if (c->net) add_named(c, s, net_functions);
    add_named(c, s, free_function);
    str_add(s, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return finish(s);
}

static Text readme_text(const CExport *c, Arena *arena)
{
    StrBuf text = { .arena = arena }, *s = &text;
    str_addf(s, "<!-- " EXPORT_MARK " " ORR_VERSION " -->\n# %s\n\n", c->name);
    add_named(c, s, TEXT_README);
    return finish(s);
}

static bool write_files(const orr_model *model, const orr_experiment *experiment, ExportFiles *files,
                        orr_diag *diag)
{
    const orr_experiment defaults = orr_experiment_default();
    CExport c = { .model = model, .experiment = experiment ? experiment : &defaults, .diag = diag };
    const bool ok = c_check(&c);
    if (ok) {
        Arena *arena = files->arena;
        exporter_add_file(files, arena_printf(arena, "%s.c", c.name), source_text(&c, arena));
        exporter_add_file(files, arena_printf(arena, "%s.h", c.name), header_text(&c, arena));
        exporter_add_file(files, "README.md", readme_text(&c, arena));
    }
    c_free(&c);
    return ok;
}

const Exporter exporter_c = {
    .name = "c",
    .suffix = "",
    .summary = "C99 that stands alone",
    .write_files = write_files,
};
