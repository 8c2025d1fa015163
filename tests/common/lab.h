// tests/common/lab.h: a model compiled from a text in a test.
#pragma once
#include "check.h"
#include "orrery/model.h"
#include <string.h>

typedef struct Lab {
    orr_diag   *diag;
    orr_source *source;
    orr_model  *model;
} Lab;

static inline Lab lab_open(const char *text)
{
    Lab lab = { .diag = orr_diag_create() };
    lab.source = orr_source_parse("test.orr", text, strlen(text), lab.diag);
    if (lab.source) lab.model = orr_model_compile(lab.source, NULL, lab.diag);
    if (!lab.model) orr_diag_print(lab.diag, stderr, 0);
    assert_non_null(lab.model);
    return lab;
}

static inline void lab_close(Lab *lab)
{
    orr_model_destroy(lab->model);
    orr_source_destroy(lab->source);
    orr_diag_destroy(lab->diag);
}
