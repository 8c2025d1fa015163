// src/exp/provenance.c: see provenance.h. One list, which files of results and the store write each in its
// way. What was not given is not in it.
#include "exp/provenance.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "model/model.h"
#include "orrery/orrery.h"
#include <math.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

void provenance_text(Provenance *p, const char *name, const char *text)
{
    const Fact fact = { .name = name, .text = text };
    if (text && *text) vec_push(p->arena, &p->facts, fact);
}

static void add_number(Provenance *p, const char *name, double number)
{
    const Fact fact = { .name = name, .number = number };
    vec_push(p->arena, &p->facts, fact);
}

static void add_positive(Provenance *p, const char *name, double number)
{
    if (number > 0) add_number(p, name, number);
}

// "K=2, M=0.5"
static const char *settings_text(const orr_run_options *run, Arena *arena)
{
    StrBuf s = { .arena = arena };
    for (size_t i = 0; i < run->n_settings; i++) {
        char text[NUMBER_MAX + 1];
        text[number_format(run->settings[i].value, text)] = 0;
        str_addf(&s, "%s%s=%s", i ? ", " : "", run->settings[i].name, text);
    }
    return str_finish(&s);
}

// Words of the kind, as they were given: "design=latin, points=64"
static const char *words_text(const orr_experiment *e, Arena *arena)
{
    StrBuf s = { .arena = arena };
    for (size_t i = 0; i < e->n_values; i++)
        str_addf(&s, "%s%s%s%s", i ? ", " : "", e->values[i].word, e->values[i].text ? "=" : "",
                 e->values[i].text ? e->values[i].text : "");
    return str_finish(&s);
}

static const char *recorded_text(const char *const *names, size_t n, Arena *arena)
{
    StrBuf s = { .arena = arena };
    for (size_t i = 0; i < n; i++) str_addf(&s, "%s%s", i ? ", " : "", names[i]);
    return str_finish(&s);
}

void provenance_make(Provenance *p, const orr_model *model, const orr_experiment *e, Arena *arena)
{
    const orr_run_options *run = &e->run;
    *p = (Provenance){ .arena = arena };
    provenance_text(p, "source", "orrery " ORR_VERSION);
    char created[40];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    provenance_text(p, "created", arena_copy_text(arena, created, strlen(created)));
    struct utsname machine;
    if (uname(&machine) == 0)
        provenance_text(p, "machine", arena_printf(arena, "%s %s", machine.sysname, machine.machine));
    provenance_text(p, "title", arena_printf(arena, "%s%s%s", orr_model_name(model), *e->name ? ", " : "",
                                             e->name));
    provenance_text(p, "model", orr_model_name(model));
    provenance_text(p, "experiment", e->name);
    provenance_text(p, "kind", orr_experiment_kind(e)->name);
    provenance_text(p, "settings", settings_text(run, arena));
    provenance_text(p, "given", words_text(e, arena));
    provenance_text(p, "recorded", recorded_text(e->records, e->n_records, arena));
    if (e->frame) provenance_text(p, "frame", e->frame->name);
    provenance_text(p, "time_unit", orr_model_time_unit(model));
    add_number(p, "from", e->from);
    if (!isnan(e->until)) add_number(p, "until", e->until);
    add_positive(p, "every", e->every);
    provenance_text(p, "solver", run->solver ? run->solver : "auto");
    add_positive(p, "step", run->step);
    add_positive(p, "tolerance", run->tolerance);
    add_positive(p, "absolute_tolerance", run->absolute);
    add_positive(p, "largest_step", run->max_step);
    add_positive(p, "quantum", run->quantum);
    add_number(p, "seed", (double)run->seed);    // up to 2^53
    add_number(p, "run", (double)run->number);
    provenance_text(p, "code", orr_model_get_facts(model).code);
}

// ---------------------------------------------------------------------------------------------- JSON

static void put_value(FileOut *f, const char *text, double number)
{
    char digits[NUMBER_MAX];
    if (text) file_json(f, text);
    else if (!isfinite(number)) file_text(f, "null");
    else file_write(f, digits, number_format(number, digits));
}

// "steps: 12\nsolver: rk4\n" as an object; what reads as a number is one.
static void put_stats(FileOut *f, const char *stats, Arena *arena)
{
    file_text(f, "  \"statistics\": {");
    const char *between = "\n";
    for (const char *line = stats, *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        const char *colon = strstr(line, ": ");
        if (!colon || colon > end) continue;
        const char *value = arena_copy_text(arena, colon + 2, (size_t)(end - colon - 2));
        double number = NAN;
        const bool is_number = orr_parse_number(value, &number);
        file_text(f, between);
        file_text(f, "    ");
        file_json(f, arena_copy_text(arena, line, (size_t)(colon - line)));
        file_text(f, ": ");
        put_value(f, is_number ? NULL : value, number);
        between = ",\n";
    }
    file_text(f, "\n  }\n");
}

bool provenance_write(const Provenance *p, const char *stats, const char *path, orr_diag *diag)
{
    FileOut f;
    if (!file_open(&f, path, FILE_REPLACE, diag)) return false;
    file_text(&f, "{\n");
    for (size_t i = 0; i < p->facts.n; i++) {
        const Fact *fact = &p->facts.items[i];
        file_text(&f, "  ");
        file_json(&f, fact->name);
        file_text(&f, ": ");
        put_value(&f, fact->text, fact->number);
        file_text(&f, ",\n");
    }
    put_stats(&f, stats, p->arena);
    file_text(&f, "}\n");
    file_mark(&f);
    return file_close(&f, diag);
}
