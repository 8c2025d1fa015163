// tests/fuzz/fuzz_store.c: a store of runs, or a capsule, in which any bytes are others: it is read or
// refused, never a crash, and whoever is refused gets a message.
//
// The input is a list of changes of four bytes each: where (three), and the byte that is put there. The first
// byte of the input says which of the two is changed.
#include "orrery/orrery.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char text[] =
    "atomic Source\n  output event job\n  state waiting for 0.3\n    after send job(t) -> waiting\nend\n"
    "model M\n  param K = 1\n  source : Source\n  var x = 1\n  discrete n = 0\n  x' = -K*x\n"
    "  on source.job then n := n + 1 end\nend\n"
    "experiment e of M\n  until 1\n  every 0.1\n  observe peak = max of x\nend\n"
    "model S\n  param K = 1\n  var x = 1\n  x' = -K*x\nend\n"
    "experiment s of S\n  until 1\n  every 0.25\n  sweep K over 1, 2, 3\nend\n";

static struct {
    char     folder[40], store[60], capsule[60], model[60];
    uint8_t *images[2];
    size_t   sizes[2];
} base;

static uint8_t *load(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) abort();
    uint8_t *bytes = malloc(1 << 22);
    if (!bytes) abort();
    *n = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    return bytes;
}

static void save(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n) abort();
    fclose(f);
}

static void keep(orr_store *store, const char *name, orr_diag *diag)
{
    orr_experiment e;
    orr_keep_notes();
    orr_source *source = orr_source_open(base.model, diag);
    if (!source || !orr_experiment_get(source, name, &e, diag)) abort();
    orr_model *model = orr_experiment_compile(source, &e, NULL, diag);
    const orr_keep_request request = { .file = base.model, .experiment = name, .is_quiet = true };
    orr_keep *k = model ? orr_keep_begin(store, model, &e, &request, diag) : NULL;
    if (!k) abort();
    const orr_call call = { .is_quiet = true, .keeper = orr_keep_keeper(k) };
    orr_result result = orr_carry_out(model, &e, &call, diag);
    if (!orr_keep_end(k, &result)) abort();
    orr_result_free(&result);
    orr_model_destroy(model);
    orr_source_destroy(source);
}

static void clean(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", base.folder);
    if (system(command) != 0) abort();
}

static void prepare(void)
{
    strcpy(base.folder, "/tmp/fuzz_store.XXXXXX");
    if (!mkdtemp(base.folder)) abort();
    snprintf(base.store, sizeof base.store, "%s/m.runs", base.folder);
    snprintf(base.capsule, sizeof base.capsule, "%s/m.zip", base.folder);
    snprintf(base.model, sizeof base.model, "%s/m.orr", base.folder);
    save(base.model, (const uint8_t *)text, sizeof text - 1);
    orr_diag *diag = orr_diag_create();
    orr_store *store = orr_store_open(base.store, ORR_STORE_KEEP, diag);
    if (!store) abort();
    keep(store, "e", diag);
    keep(store, "s", diag);
    if (!orr_store_export(store, 2, base.capsule, diag)) abort();
    orr_store_close(store);
    orr_diag_destroy(diag);
    base.images[0] = load(base.store, &base.sizes[0]);
    base.images[1] = load(base.capsule, &base.sizes[1]);
    atexit(clean);
}

// What somebody may do with a store.
static void use(orr_store *store, orr_diag *diag)
{
    orr_kept *all = NULL;
    size_t n = 0;
    orr_store_list(store, &(orr_kept_filter){ .value = NAN }, &all, &n, diag);
    for (size_t i = 0; i < n && i < 4; i++) {
        orr_keep_request request;
        orr_difference d = { 0 };
        free(orr_store_describe(store, all[i].number, diag));
        orr_table_destroy(orr_store_table(store, all[i].number, NAN, NAN, diag));
        orr_store_compare(store, all[i].number, store, all[0].number, &d, diag);
        free(d.text);
        if (orr_store_serve(store, all[i].number, &request, diag)) {
            orr_source *source = orr_source_open(request.file, diag);
            orr_source_destroy(source);
        }
        orr_store_serve(store, 0, NULL, diag);
    }
    free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.images[0]) prepare();
    if (size == 0) return 0;
    const int which = data[0] & 1;
    const size_t n = base.sizes[which];
    uint8_t *changed = malloc(n);
    if (!changed) abort();
    memcpy(changed, base.images[which], n);
    for (size_t i = 1; i + 4 <= size; i += 4)
        changed[((size_t)data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % n] = data[i + 3];
    orr_diag *diag = orr_diag_create();
    if (which == 0) save(base.store, changed, n);
    else save(base.capsule, changed, n);
    size_t number;
    orr_store *store = which == 0 ? orr_store_open(base.store, ORR_STORE_READ, diag)
                                  : orr_store_open(NULL, ORR_STORE_MEMORY, diag);
    bool ok = store != NULL;
    if (ok && which == 1) ok = orr_store_import(store, base.capsule, &number, diag);
    if (!ok && orr_diag_errors(diag) == 0) abort();
    if (ok) use(store, diag);
    orr_store_close(store);
    orr_diag_destroy(diag);
    free(changed);
    return 0;
}
