// src/export/registry.c: the forms a model can be written in.
#include "base/diag.h"
#include "base/file.h"
#include "base/os.h"
#include "export/exporter.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTERS(E) E(csmp) E(c)

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
    if (!exporter || !exporter->write) {
        diag_report(diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "export", "a form of one file such as csmp",
                    form);
        return NULL;
    }
    char *text = NULL;
    FILE *memory = open_memstream(&text, n);
    if (!memory) arena_no_memory(0);
    const bool ok = exporter->write(model, experiment, memory, diag);
    memory_close(memory, &text);
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

// ---- Several files

void exporter_add_file(ExportFiles *files, const char *name, Text text)
{
    vec_push(files->arena, &files->files, ((ExportFile){ name, text }));
}

// Is there a file that somebody else wrote? Ours say so in their first line.
static bool is_foreign(const char *path)
{
    char line[256] = "";
    FILE *file = os_file_exists(path) ? fopen(path, "r") : NULL;
    if (!file) return os_file_exists(path);
    const bool is_ours = fgets(line, sizeof line, file) && strstr(line, EXPORT_MARK);
    fclose(file);
    return !is_ours;
}

// Nothing is written unless everything may be.
static bool may_write(const ExportFiles *files, const char *folder, bool force, orr_diag *diag)
{
    bool ok = true;
    for (size_t i = 0; i < files->files.n && !force; i++) {
        const char *path = os_path_join(files->arena, folder, files->files.items[i].name);
        if (!is_foreign(path)) continue;
        diag_report(diag, DIAG_FILE_FOREIGN, (Place){ 0 }, path);
        diag_hint(diag, "choose another folder, or say --force to replace it");
        ok = false;
    }
    return ok;
}

static bool write_all(const ExportFiles *files, const char *folder, orr_diag *diag)
{
    for (size_t i = 0; i < files->files.n; i++) {
        const ExportFile *file = &files->files.items[i];
        FileOut out;
        if (!file_open(&out, os_path_join(files->arena, folder, file->name), FILE_REPLACE, diag))
            return false;
        file_write(&out, file->text.p, file->text.n);
        if (!file_close(&out, diag)) return false;
    }
    return true;
}

bool orr_model_export_folder(const orr_model *model, const orr_experiment *experiment, const char *form,
                             const char *folder, bool force, orr_diag *diag)
{
    const Exporter *exporter = exporter_find(form);
    if (!exporter || !exporter->write_files) {
        diag_report(diag, DIAG_USAGE_OPTION_VALUE, (Place){ 0 }, "export",
                    "a form of several files such as c", form);
        return false;
    }
    Arena arena = { 0 };
    ExportFiles files = { .arena = &arena };
    const bool ok = exporter->write_files(model, experiment, &files, diag) && os_make_folders(folder, diag)
                    && may_write(&files, folder, force, diag) && write_all(&files, folder, diag);
    arena_free(&arena);
    return ok;
}
