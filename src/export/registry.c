// src/export/registry.c: the forms a model can be written in.
#include "base/diag.h"
#include "base/file.h"
#include "export/exporter.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTERS(E) E(csmp)

#define E(name) extern const Exporter exporter_##name;
EXPORTERS(E)
#undef E

static const Exporter *const exporters[] = {
#define E(name) &exporter_##name,
    EXPORTERS(E)
#undef E
};

const Exporter *exporter_find(const char *name)
{
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++)
        if (strcmp(exporters[i]->name, name) == 0) return exporters[i];
    return NULL;
}

// The whole text on the heap, or NULL: nobody gets half a file.
static char *write_text(const orr_model *model, const orr_experiment *experiment, const char *form, size_t *n,
                        orr_diag *diag)
{
    const Exporter *exporter = exporter_find(form);
    if (!exporter) {
        diag_report(diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "export", "a form such as csmp", form);
        return NULL;
    }
    char *text = NULL;
    FILE *memory = open_memstream(&text, n);
    if (!memory) arena_no_memory(0);
    const bool ok = exporter->write(model, experiment, memory, diag);
    fclose(memory);
    if (ok) return text;
    free(text);
    return NULL;
}

bool orr_model_export(const orr_model *model, const orr_experiment *experiment, const char *form, FILE *out,
                      orr_diag *diag)
{
    size_t n = 0;
    char *text = write_text(model, experiment, form, &n, diag);
    if (!text) return false;
    const bool ok = fwrite(text, 1, n, out) == n && fflush(out) == 0;
    if (!ok) diag_report(diag, DIAG_WRITE_FAILED, (Place){ 0 }, "the output", strerror(errno));
    free(text);
    return ok;
}

bool orr_model_export_file(const orr_model *model, const orr_experiment *experiment, const char *form,
                           const char *path, orr_diag *diag)
{
    size_t n = 0;
    char *text = write_text(model, experiment, form, &n, diag);
    if (!text) return false;
    FileOut file;
    bool ok = file_open(&file, path, FILE_REPLACE, diag);
    if (ok) {
        file_write(&file, text, n);
        ok = file_close(&file, diag);
    }
    free(text);
    return ok;
}
