// src/exp/members.c: see members.h.
#include "exp/members.h"
#include <math.h>
#include <string.h>

enum { FAILURES_SHOWN = 5, LABEL_MAX = 8 };    // messages; things that differ in the words for a member

const char *members_label(const Members *m, size_t member)
{
    StrBuf text = { .arena = m->call->arena };
    for (size_t k = 0; k < m->n_names && k < LABEL_MAX; k++)
        str_addf(&text, "%s%s = %.6g", k ? ", " : "", m->names[k], m->values[member * m->n_names + k]);
    if (m->n_names > LABEL_MAX) str_add(&text, ", …");
    return str_finish(&text);
}

bool members_begin(Members *m, const char *const *names, size_t n, const char *time_unit)
{
    m->n_columns = n;
    if (!m->file.out) return true;
    const size_t n_own = 1 + m->n_names + m->n_observed;
    const char **own = ARENA_ARRAY(m->call->arena, const char *, n_own);
    own[0] = "member";
    memcpy(own + 1, m->names, m->n_names * sizeof *own);
    if (m->n_observed) memcpy(own + 1 + m->n_names, m->observed, m->n_observed * sizeof *own);
    return row_file_begin(&m->file, own, n_own, names, n, time_unit);
}

bool members_has_failed(const orr_member *member)
{
    return member->status != ORR_STATUS_OK && member->status != ORR_STATUS_TERMINATED;
}

static bool write_rows(const Members *m, const orr_member *member, size_t number)
{
    double *row = m->file.row;
    *row++ = (double)number + 1;
    memcpy(row, m->values + number * m->n_names, m->n_names * sizeof *row);
    row += m->n_names;
    for (size_t i = 0; i < m->n_observed; i++) *row++ = member->observed ? member->observed[i] : NAN;
    bool ok = true;
    for (size_t i = 0; ok && i < member->n_rows; i++) {
        memcpy(row, member->rows + i * m->n_columns, m->n_columns * sizeof *row);
        ok = m->file.sink.row(m->file.sink.self, member->times[i], m->file.row, m->file.n);
    }
    return ok;
}

bool members_take(Members *m, const orr_member *member, size_t number)
{
    Call *call = m->call;
    m->n_done++;
    if (members_has_failed(member) && m->n_failed++ < FAILURES_SHOWN)
        orr_diag_add(call->diag, "E509",
                     arena_printf(call->arena, "member %zu (%s) failed at t = %.10g: %s", number + 1,
                                  members_label(m, number), member->t,
                                  member->failure ? member->failure : orr_status_text(member->status)), NULL);
    if (member->n_violations && m->n_violated++ < FAILURES_SHOWN)
        orr_diag_add(call->diag, "W633",
                     arena_printf(call->arena, "in member %zu (%s) a claim does not hold: %s", number + 1,
                                  members_label(m, number), member->violation ? member->violation : ""),
                     NULL);
    return !m->file.out || write_rows(m, member, number);
}

void members_progress(const Members *m)
{
    char text[80];
    snprintf(text, sizeof text, "%zu of %zu members", m->n_done, m->n);
    if (m->call->how->progress)
        m->call->how->progress(m->call->how->self, (double)m->n_done / (double)m->n, text);
}

void members_say_rest(const Members *m)
{
    if (m->n_failed) say(m->call, "  %zu failed\n", m->n_failed);
    if (m->n_violated) say(m->call, "  in %zu a claim does not hold\n", m->n_violated);
    if (m->call->how->output) say(m->call, "  rows in %s\n", m->call->how->output);
}
