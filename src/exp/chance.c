// src/exp/chance.c: see chance.h.
#include "exp/chance.h"
#include "num/design.h"
#include "num/distribution.h"
#include "num/random.h"
#include <math.h>
#include <string.h>

enum { DRAWS_MAX = 64 };

static bool wrong(const char *text, const char *why, Arena *arena, orr_diag *diag)
{
    orr_diag_add(diag, "E022", arena_printf(arena, "option '--set' cannot read '%s': %s", text, why),
                 "write K~normal(2, 0.1), K~uniform(1, 3), lognormal, exponential, triangular or weibull");
    return false;
}

// K~normal(2,0.1)
static bool read_draw(Chance *c, const char *text, const char *tilde, Arena *arena, orr_diag *diag)
{
    const char *open = strchr(tilde, '('), *close = strrchr(tilde, ')');
    ChanceDraw *d = &c->draws[c->n];
    const Text name = text_trim((Text){ text, (size_t)(tilde - text) });
    c->names[c->n] = arena_copy_text(arena, name.p, name.n);
    c->streams[c->n] = arena_printf(arena, "set %s", c->names[c->n]);    // the model has none of this name
    if (!open || !close || close < open) return wrong(text, "a distribution has arguments", arena, diag);
    const Text word = text_trim((Text){ tilde + 1, (size_t)(open - tilde - 1) });
    const char *of = arena_copy_text(arena, word.p, word.n);
    const int number = distribution_number(of);
    d->quantile = random_quantile(of);
    if (number == DISTRIBUTION_NONE || !d->quantile)
        return wrong(text, "no such distribution can be set", arena, diag);
    size_t n = 0;
    for (const char *p = open + 1; p < close; n++) {
        const size_t length = (size_t)(close - p), part = strcspn(p, ",");
        const Text argument = text_trim((Text){ p, part < length ? part : length });
        if (n == 3 || !orr_parse_number(arena_copy_text(arena, argument.p, argument.n), &d->arguments[n]))
            return wrong(text, "arguments are numbers with commas between them", arena, diag);
        p += part < length ? part + 1 : length;
    }
    const char *must = "";
    if (n != (size_t)distributions[number].n_arguments)
        return wrong(text, arena_printf(arena, "it takes %s", distribution_takes(number)), arena, diag);
    const int fault = distribution_fault(number, d->arguments, n, &must);
    if (fault >= 0)
        return wrong(text, arena_printf(arena, "'%s' %s", distributions[number].arguments[fault].name, must),
                     arena, diag);
    if (c->n == DRAWS_MAX) return wrong(text, "no more than 64 things are drawn", arena, diag);
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->names[i], c->names[c->n]) == 0) return wrong(text, "it is given twice", arena, diag);
    c->n++;
    return true;
}

// A,B=R into a matrix that has 1 in its diagonal.
static bool read_correlation(const Chance *c, const char *text, double *matrix, Arena *arena, orr_diag *diag)
{
    const char *comma = strchr(text, ','), *equals = comma ? strchr(comma, '=') : NULL;
    size_t at[2] = { c->n, c->n };
    double r = NAN;
    if (equals) {
        const Text names[] = { text_trim((Text){ text, (size_t)(comma - text) }),
                               text_trim((Text){ comma + 1, (size_t)(equals - comma - 1) }) };
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < c->n; i++)
                if (text_is(names[k], c->names[i])) at[k] = i;
        if (!orr_parse_number(equals + 1, &r)) r = NAN;
    }
    if (at[0] < c->n && at[1] < c->n && at[0] != at[1] && r > -1 && r < 1) {
        matrix[at[0] * c->n + at[1]] = matrix[at[1] * c->n + at[0]] = r;
        return true;
    }
    orr_diag_add(diag, "E022", arena_printf(arena, "option '--correlation' cannot read '%s'", text),
                 "write A,B=0.5: two things that are drawn, and a number between -1 and 1");
    return false;
}

// Cholesky's factor in place. False: no numbers have these correlations.
static bool factorise(double *m, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = m[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= m[i * n + k] * m[j * n + k];
            if (j < i) m[i * n + j] = sum / m[j * n + j];
            else if (sum > 1e-12) m[i * n + i] = sqrt(sum);
            else return false;
        }
    return true;
}

bool chance_read(Chance *c, const orr_experiment *e, Arena *arena, orr_diag *diag)
{
    *c = (Chance){ .names = ARENA_ARRAY(arena, const char *, e->n_values),
                   .streams = ARENA_ARRAY(arena, const char *, e->n_values),
                   .draws = ARENA_ARRAY(arena, ChanceDraw, e->n_values) };
    bool ok = true;
    size_t n_correlations = 0;
    for (size_t i = 0; i < e->n_values; i++) {
        const char *tilde = strcmp(e->values[i].word, "set") == 0 ? strchr(e->values[i].text, '~') : NULL;
        if (tilde) ok = read_draw(c, e->values[i].text, tilde, arena, diag) && ok;
        n_correlations += strcmp(e->values[i].word, "correlation") == 0;
    }
    if (!ok || n_correlations == 0) return ok;
    double *m = ARENA_ARRAY(arena, double, c->n * c->n);
    for (size_t i = 0; i < c->n; i++) m[i * c->n + i] = 1;
    for (size_t i = 0; i < e->n_values; i++)
        if (strcmp(e->values[i].word, "correlation") == 0)
            ok = read_correlation(c, e->values[i].text, m, arena, diag) && ok;
    c->factor = m;
    if (!ok || factorise(m, c->n)) return ok;
    diag_report(diag, DIAG_CORRELATION, (Place){ 0 });
    return false;
}

// Equally likely numbers to what is drawn, in place.
static void shape(const Chance *c, double *u)
{
    double z[DRAWS_MAX];
    if (c->factor) {
        for (size_t i = 0; i < c->n; i++) z[i] = random_normal_quantile(u[i]);
        for (size_t i = 0; i < c->n; i++) {
            double sum = 0;
            for (size_t k = 0; k <= i; k++) sum += c->factor[i * c->n + k] * z[k];
            u[i] = fmin(fmax(0.5 * erfc(-sum * M_SQRT1_2), 0x1p-53), 1 - 0x1p-53);
        }
    }
    for (size_t i = 0; i < c->n; i++) u[i] = c->draws[i].quantile(u[i], c->draws[i].arguments);
}

void chance_draw(const Chance *c, uint64_t seed, uint64_t run, double *values)
{
    for (size_t i = 0; i < c->n; i++) {
        RandomStream stream = random_stream(seed, run, c->streams[i]);
        values[i] = random_unit(&stream);
    }
    shape(c, values);
}

void chance_fill(const Chance *c, const char *sampling, uint64_t seed, uint64_t first, size_t n_members,
                 double *values)
{
    const bool is_latin = sampling && strcmp(sampling, "latin") == 0,
               is_sobol = sampling && strcmp(sampling, "sobol") == 0;
    if (is_latin) design_latin(values, n_members, c->n, seed);
    if (is_sobol) design_sobol(values, n_members, c->n);
    for (size_t i = 0; i < n_members; i++) {
        if (is_latin || is_sobol) shape(c, values + i * c->n);
        else chance_draw(c, seed, first + i, values + i * c->n);
    }
}
