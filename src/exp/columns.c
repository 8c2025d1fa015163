// src/exp/columns.c: what an experiment records: as written, or what is most likely wanted.
#include "exp/columns.h"
#include "base/map.h"
#include "exp/names.h"
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 1000, ELEMENTS_FEW = 11, MEMBERS_MAX = 100, NAMES_SHOWN = 12 };    // in a hint

static void add_column(Columns *c, size_t variable)
{
    if (c->is_chosen[variable]) return;
    c->is_chosen[variable] = true;
    const orr_variable v = orr_model_variable(c->model, variable);
    vec_push(c->arena, &c->variables, variable);
    vec_push(c->arena, &c->names, v.name);
    vec_push(c->arena, &c->units, v.unit);
}

// The elements of an array named as a whole: u stands for u[1], u[2], … False if there is none.
static bool add_array(Columns *c, const char *name)
{
    const Flat *flat = &c->model->flat;
    const size_t n = strlen(name);
    bool found = false;
    const uint32_t *kept = text_map_find(&flat->array_by_name, text_from(name));
    for (uint32_t i = 0; kept && i < flat->arrays.items[*kept].n; i++)
        add_column(c, flat->vars.n + flat->arrays.items[*kept].first + i);
    if (kept) return true;
    for (size_t i = 0; i < flat->vars.n; i++) {
        const char *element = flat->vars.items[i].name;
        if (strncmp(element, name, n) != 0 || element[n] != '[') continue;
        const char *end = strchr(element + n, ']');
        if (!end || end[1] != '\0') continue;
        add_column(c, i);
        found = true;
    }
    return found;
}

bool columns_report_unknown(const orr_model *model, const char *name, Place place, orr_diag *diag)
{
    diag_report(diag, DIAG_RECORD_UNKNOWN, place, name);
    const char *closest = orr_model_closest(model, name);
    if (closest) return diag_suggest(diag, name, closest), false;
    StrBuf names = { 0 };
    size_t n = 0;
    for (size_t i = 0; i < orr_model_n_variables(model) && n <= NAMES_SHOWN; i++) {
        const orr_variable v = orr_model_variable(model, i);
        if (v.is_hidden || v.kind == ORR_KIND_RESULT) continue;
        if (n++ < NAMES_SHOWN) str_addf(&names, "%s%s", n > 1 ? ", " : "", v.name);
    }
    if (n > 0) diag_hint(diag, "there are %s%s", names.p, n > NAMES_SHOWN ? ", …" : "");
    str_free(&names);
    return false;
}

static bool report_unknown(const Columns *c, const char *name, Place place)
{
    return columns_report_unknown(c->model, name, place, c->diag);
}

typedef struct Written {
    Columns *columns;
    Place    place;
} Written;

// A variable, or the elements of an array.
static bool add_one(void *context, const char *name)
{
    const Written *written = context;
    Columns *c = written->columns;
    const size_t variable = orr_model_find(c->model, name);
    if (variable != (size_t)-1) return add_column(c, variable), true;
    return add_array(c, name) || report_unknown(c, name, written->place);
}

typedef enum Wanted { WANTED_OUTPUTS, WANTED_STATES, WANTED_ALL } Wanted;

static bool is_wanted(const Columns *c, size_t variable, Wanted wanted)
{
    const orr_variable v = orr_model_variable(c->model, variable);
    const bool is_fixed = v.kind == ORR_KIND_PARAM || v.kind == ORR_KIND_INPUT;
    if (v.is_hidden || is_fixed || v.kind == ORR_KIND_RESULT) return false;
    return wanted == WANTED_OUTPUTS ? v.is_output : wanted == WANTED_STATES ? v.kind == ORR_KIND_STATE : true;
}

// "rod.u" of "rod.u[3]"; empty if it is no element.
static Text array_name(const char *name)
{
    const char *end = strrchr(name, ']'), *open = strrchr(name, '[');
    const size_t n_primes = end ? strspn(end + 1, "'") : 0;
    return end && open && end[1 + n_primes] == '\0' ? (Text){ name, (size_t)(open - name) } : (Text){ "", 0 };
}

// The elements [first, first + n) of an array; of a very long one a few, evenly spread, with its ends.
static void add_elements(Columns *c, size_t first, size_t n)
{
    const size_t shown = n > ELEMENTS_MAX ? ELEMENTS_FEW : n;
    for (size_t i = 0; i < shown; i++) add_column(c, first + (shown == n ? i : i * (n - 1) / (shown - 1)));
    if (shown == n) return;
    const Text name = array_name(orr_model_variable(c->model, first).name);
    diag_report(c->diag, DIAG_RECORD_FEW, (Place){ 0 }, shown, n, (int)name.n, name.p);
    diag_hint(c->diag, "say what to record: %.*s for all of it, or single elements", (int)name.n, name.p);
}

// How many variables from this one on are elements of one array, as single variables.
static size_t stretch(const Flat *flat, size_t first)
{
    const FlatVar *vars = flat->vars.items;
    const Text name = array_name(vars[first].name);
    size_t n = 1;
    while (name.n > 0 && first + n < flat->vars.n && vars[first + n].place.offset == vars[first].place.offset
           && text_equal(array_name(vars[first + n].name), name))
        n++;
    return n;
}

// What atomic components show, of each its state and its variables.
static void add_shown(Columns *c)
{
    const Network *net = c->model->network;
    const size_t first = c->model->flat.vars.n + c->model->flat.n_elements;
    for (size_t i = 0; net && i < net->flat->parts.n; i++) {
        const NetPart *part = &net->parts[i];
        const uint32_t n = part->flat->n, n_shown = part->kind->n_readables;
        const uint32_t members = n > MEMBERS_MAX ? ELEMENTS_FEW : n;
        for (uint32_t k = 0; k < members; k++)
            for (uint32_t r = 0; r < n_shown; r++)
                if (part->kind->readables[r].is_main) {
                    const size_t member = members == n ? k : (size_t)k * (n - 1) / (members - 1);
                    add_column(c, first + part->first_variable + member * n_shown + r);
                }
        if (members == n || n_shown == 0) continue;
        diag_report(c->diag, DIAG_RECORD_FEW, (Place){ 0 }, (size_t)members, (size_t)n,
                    (int)strlen(part->flat->name), part->flat->name);
        diag_hint(c->diag, "say what to record: %s.%s", flat_member_name(part->flat, 0, c->arena),
                  part->kind->readables[0].name);
    }
}

// The outputs; without any the states; without those everything that is computed.
static void add_default(Columns *c)
{
    const Flat *flat = &c->model->flat;
    for (Wanted wanted = WANTED_OUTPUTS; wanted <= WANTED_ALL && c->variables.n == 0; wanted++) {
        for (size_t i = 0, n; i < flat->vars.n; i += n) {
            n = 1;
            if (!is_wanted(c, i, wanted)) continue;
            n = stretch(flat, i);
            add_elements(c, i, n);
        }
        for (size_t a = 0; a < flat->arrays.n; a++) {
            const size_t first = flat->vars.n + flat->arrays.items[a].first;
            if (is_wanted(c, first, wanted)) add_elements(c, first, flat->arrays.items[a].n);
        }
        if (wanted == WANTED_ALL || (wanted == WANTED_STATES && c->variables.n > 0)) add_shown(c);
    }
}

// A name as the experiment has it.
static bool add_written(Columns *c, const char *name)
{
    const size_t variable = orr_model_find(c->model, name);
    if (variable != (size_t)-1) return add_column(c, variable), true;
    Written written = { c, run_written(&c->experiment->run, name, c->diag) };
    return names_each(name, add_one, &written);
}

// A column that is no variable of the model; its name gives way to one that is.
static void add_own(Columns *c, const char *name, const char *other)
{
    vec_push(c->arena, &c->names, orr_model_find(c->model, name) == (size_t)-1 ? name : other);
    vec_push(c->arena, &c->units, NULL);
}

bool columns_choose(Columns *c)
{
    const orr_experiment *e = c->experiment;
    bool ok = true;
    c->is_chosen = ARENA_ARRAY(c->arena, bool, orr_model_n_variables(c->model));
    for (size_t i = 0; i < e->n_records; i++) ok = add_written(c, e->records[i]) && ok;
    if (e->n_records == 0) add_default(c);
    for (size_t i = 0; i < e->n_plots; i++) {
        if (e->plots[i].is_histogram) continue;
        for (size_t k = 0; k < e->plots[i].n_ys; k++) ok = add_written(c, e->plots[i].ys[k]) && ok;
        if (e->plots[i].over) ok = add_written(c, e->plots[i].over) && ok;
    }
    c->jumps = ARENA_ARRAY(c->arena, bool, c->variables.n);
    for (size_t i = 0; i < c->variables.n; i++)
        c->jumps[i] = orr_model_variable(c->model, c->variables.items[i]).kind == ORR_KIND_DISCRETE;
    if (c->model->ir.n_reruns > 0) add_own(c, "run", "run number");
    if (e->frame) add_own(c, "in_frame", "in frame");
    return ok;
}
