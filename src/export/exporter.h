// src/export/exporter.h: writes a compiled model in another form. One table for each, listed in registry.c.
#pragma once
#include "base/vec.h"
#include "model/model.h"
#include "orrery/experiment.h"
#include <stdio.h>

// The files of a form that takes several.
typedef struct ExportFile {
    const char *name;
    Text        text;
} ExportFile;

typedef struct ExportFiles {
    Arena *arena;           // borrowed; owns names and texts
    VEC(ExportFile) files;
} ExportFiles;

// In the first line of each such file: it may be overwritten.
#define EXPORT_MARK "Written by orrery export"

typedef struct Exporter {
    const char *name;       // "csmp": the form's name in orr_model_export
    const char *suffix;     // ".csmp"
    const char *summary;    // one line
    // Write everything to `out`. False, with the reasons in `diag`, if the model has no such form; what was
    // written so far is then thrown away by the caller. `experiment` may be NULL.
    bool (*write)(const orr_model *model, const orr_experiment *experiment, FILE *out, orr_diag *diag);
    // The same for a form of several files, instead.
    bool (*write_files)(const orr_model *model, const orr_experiment *experiment, ExportFiles *files,
                        orr_diag *diag);
} Exporter;

const Exporter *exporter_find(const char *name);    // NULL if unknown
void exporter_add_file(ExportFiles *files, const char *name, Text text);
