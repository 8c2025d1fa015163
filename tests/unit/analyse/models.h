// tests/unit/analyse/models.h: a model from a text, and its analysis.
#pragma once
#include "lab.h"
#include "orrery/orrery.h"

static inline size_t variable(const Lab *b, const char *name)
{
    const size_t i = orr_model_find(b->model, name);
    if (i == (size_t)-1) print_error("there is no '%s'\n", name);
    assert_true(i != (size_t)-1);
    return i;
}

static inline void assert_status(const Lab *b, orr_status status, orr_status wanted)
{
    if (status != wanted) orr_diag_print(b->diag, stderr, 0);
    assert_int_equal(status, wanted);
}

// Is there a message with this code that contains `part`, in its sentence, hint or notes?
static inline void assert_message(const Lab *b, const char *code, const char *part)
{
    bool inside = false;
    for (size_t i = 0; i < orr_diag_count(b->diag); i++) {
        const orr_message m = orr_diag_get(b->diag, i);
        if (*m.code) inside = strcmp(m.code, code) == 0;
        if (inside && (strstr(m.text, part) || (m.hint && strstr(m.hint, part)))) return;
    }
    print_error("no message %s with '%s' among:\n", code, part);
    orr_diag_print(b->diag, stderr, 0);
    fail();
}
