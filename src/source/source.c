// src/source/source.c: reading a model file and all the files it uses.
//
// A model is data: what it uses must lie in the folder of the first file or below, and is named relative to
// the file that uses it; or it is a part of the library that is installed, by its name alone. Files are read
// from a list that grows while they are parsed, each once, so it does not matter who uses whom or whether
// they use each other.
#include "source/source.h"
#include "atomic/atomic.h"
#include "base/guard.h"
#include "base/map.h"
#include "base/os.h"
#include "machine/embed.h"
#include "source/tables.h"
#include <assert.h>
#include <stdlib.h>
#include <strings.h>

#define FRONT_ENDS(F) \
    F(orrery)         \
    F(csmp)

#define F(name) extern const FrontEnd frontend_##name;
FRONT_ENDS(F)
#undef F
#define F(name) &frontend_##name,
static const FrontEnd *const front_ends[] = { FRONT_ENDS(F) };
#undef F
enum { N_FRONT_ENDS = sizeof front_ends / sizeof *front_ends };

typedef struct Reader {
    orr_source *source;
    orr_diag   *diag;
    Arena       work;              // owns all below
    const char *root;              // folder of the first file
    const char *library;           // that of the library; NULL: there is none
    Names       files;             // paths inside `root`, in the order found
    VEC(uint32_t) users;           // [uses of the Ast] the file in which each stands
    VEC(uint32_t) tabled;          // [tables of the Ast] likewise
    bool        ok;
} Reader;

const FrontEnd *source_front_end(const char *path, bool in_memory, Place place, orr_diag *diag)
{
    const char *suffix = os_path_suffix(path);
    if (strcmp(path, "-") == 0 || (in_memory && suffix[0] == '\0')) return &frontend_orrery;
    StrBuf known = { 0 };
    const FrontEnd *found = NULL;
    for (size_t i = 0; i < N_FRONT_ENDS && !found; i++) {
        if (strcasecmp(suffix, front_ends[i]->suffix) == 0) found = front_ends[i];
        str_addf(&known, "%s%s", i == 0 ? "" : i + 1 == N_FRONT_ENDS ? " and " : ", ", front_ends[i]->suffix);
    }
    if (!found) diag_report(diag, DIAG_FILE_KIND_UNKNOWN, place, path, known.p);
    str_free(&known);
    return found;
}

bool source_accept(const char *path, Text text, uint32_t *file, orr_diag *diag)
{
    const char *zero = text.n > 0 ? memchr(text.p, '\0', text.n) : NULL;
    if (zero) {
        diag_report(diag, DIAG_FILE_BINARY, (Place){ 0 }, path, (size_t)(zero - text.p), 0u);
        return false;
    }
    *file = diag_add_source(diag, path, text.p, text.n);
    size_t bad;
    if (text_is_utf8(text, &bad)) return true;
    const Place place = { *file, (uint32_t)bad, 1 };
    diag_report(diag, DIAG_FILE_NOT_UTF8, place, path, (unsigned)(unsigned char)text.p[bad]);
    diag_hint(diag, "save the file as UTF-8");
    return false;
}

// ---- Paths

// A path inside the root for `name` as used by the file `user`; NULL if it leads out.
static const char *resolve(Reader *r, const char *user, const char *name)
{
    if (name[0] == '/') return NULL;
    VEC(Text) parts = { 0 };
    const char *const paths[] = { os_path_folder(&r->work, user), name };
    for (size_t i = 0; i < 2; i++) {
        for (const char *at = paths[i], *end; *at; at = *end ? end + 1 : end) {
            end = strchr(at, '/');
            if (!end) end = at + strlen(at);
            const Text part = { at, (size_t)(end - at) };
            if (part.n == 0 || text_is(part, ".")) continue;
            if (!text_is(part, "..")) {
                vec_push(&r->work, &parts, part);
            } else {
                if (parts.n == 0) return NULL;
                (void)vec_pop(&parts);
            }
        }
    }
    StrBuf path = { .arena = &r->work };
    for (size_t i = 0; i < parts.n; i++) {
        if (i > 0) str_add_char(&path, '/');
        str_add_text(&path, parts.items[i]);
    }
    return str_finish(&path);
}

// ---- Files

// `use` is where a file other than the first is asked for.
static void parse_one(Reader *r, uint32_t number, const char *path, Text text, const FrontEnd *front_end,
                      const Place *use)
{
    Ast *ast = &r->source->ast;
    uint32_t file;
    if (!source_accept(path, text, &file, r->diag)) {
        if (use) diag_note(r->diag, *use, "it is used here");
        r->ok = false;
        return;
    }
    if (number == 0) r->source->first = file;
    if (!front_end->parse(ast, file, path, text.p, text.n, r->diag)) r->ok = false;
    while (r->users.n < ast->uses.n) vec_push(&r->work, &r->users, number);
    while (r->tabled.n < ast->tables.n) vec_push(&r->work, &r->tabled, number);
}

// Names of files of the library begin with this among those read: they are relative to its folder.
enum { OF_LIBRARY = ':' };

// `use "electrical"` means electrical.orr: beside the model, or else of the library that is installed.
static bool is_plain(const char *name) { return !strpbrk(name, "/.") && *name; }

// A file as a file of this root uses it; NULL, reported, if it lies outside.
static const char *locate(Reader *r, const AstUse *use, const char *root, const char *user,
                          const char *name, const char **inside)
{
    *inside = resolve(r, user, name);
    const char *path = *inside ? os_path_join(&r->source->arena, root, *inside) : NULL;
    if (path) return path;
    diag_report(r->diag, DIAG_FILE_OUTSIDE, use->place, use->path);
    diag_hint(r->diag, "a model uses files beside it and in folders below");
    r->ok = false;
    return NULL;
}

static bool is_of_library(Reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    return r->library && os_file_exists(os_path_join(&r->work, r->library, slash ? slash + 1 : path));
}

static void read_used(Reader *r, size_t i)
{
    const AstUse use = r->source->ast.uses.items[i];
    const char *user = names_text(&r->files, r->users.items[i]);
    bool of_library = user[0] == OF_LIBRARY;
    const char *name = is_plain(use.path) ? arena_printf(&r->work, "%s.orr", use.path) : use.path;
    const char *inside;
    const char *path = locate(r, &use, of_library ? r->library : r->root, user + of_library, name, &inside);
    if (!path) return;
    if (is_plain(use.path) && !of_library && !os_file_exists(path) && is_of_library(r, path)) {
        of_library = true;
        path = locate(r, &use, r->library, "", name, &inside);
        if (!path) return;
    }
    if (of_library) inside = arena_printf(&r->work, "%c%s", OF_LIBRARY, inside);
    const size_t known = r->files.n;
    const uint32_t number = names_intern(&r->files, text_from(inside));
    if (r->files.n == known) return;    // read already

    const FrontEnd *front_end = source_front_end(path, false, use.place, r->diag);
    Text text;
    if (!front_end) {
        r->ok = false;
    } else if (!os_read_file(&r->source->arena, of_library ? r->library : r->root, path, SOURCE_BYTES_MAX,
                             &text, r->diag)) {
        if (is_plain(use.path)) diag_hint(r->diag, "it is neither beside the model nor in the library");
        else if (is_of_library(r, path))
            diag_hint(r->diag, "it comes with Orrery: write use \"%s\"", os_path_stem(&r->work, path));
        diag_note(r->diag, use.place, "it is used here");
        r->ok = false;
    } else {
        parse_one(r, number, path, text, front_end, &use.place);
    }
}

// The points of a table, from a file in the folder of the model unless they are written there.
static void read_table(Reader *r, size_t i)
{
    AstTable *table = &r->source->ast.tables.items[i];
    if (table->file) {
        const char *user = names_text(&r->files, r->tabled.items[i]);
        const bool of_library = user[0] == OF_LIBRARY;
        const char *root = of_library ? r->library : r->root;
        const char *inside = resolve(r, user + of_library, table->file);
        const char *path = inside ? os_path_join(&r->source->arena, root, inside) : NULL;
        if (!path) {
            diag_report(r->diag, DIAG_FILE_OUTSIDE, table->file_place, table->file);
            diag_hint(r->diag, "the data of a table lie beside the model or in folders below");
            r->ok = false;
            return;
        }
        if (!tables_read(&r->source->ast, table, root, path, r->diag)) {
            r->ok = false;
            return;
        }
    }
    if (!tables_check(table, r->diag)) r->ok = false;
}

// Of experiments of equal names in several files the first file read has its own; the others are hidden.
static void hide_experiments(Ast *ast, Arena *work)
{
    TextMap first;
    text_map_init(&first, work);
    size_t n = 0;
    for (size_t i = 0; i < ast->experiments.n; i++) {
        const AstExperiment e = ast->experiments.items[i];
        text_map_put(&first, text_from(e.name), e.place.file);
        if (*text_map_find(&first, text_from(e.name)) == e.place.file) ast->experiments.items[n++] = e;
    }
    ast->experiments.n = n;
}

// The first file is at hand; read all it uses.
static orr_source *read_all(orr_source *source, const char *path, Text text, const FrontEnd *front_end,
                            orr_diag *diag)
{
    Reader r = { .source = source, .diag = diag, .ok = true };
    source->path = arena_copy_text(&source->arena, path, strlen(path));
    source->ast.arena = &source->arena;
    r.root = os_path_folder(&r.work, path);
    r.library = os_library_folder(&r.work);
    names_init(&r.files, &r.work);
    const char *slash = strrchr(path, '/');
    const uint32_t first = names_intern(&r.files, text_from(slash ? slash + 1 : path));
    parse_one(&r, first, path, text, front_end, NULL);

    // the list of uses grows as files are parsed
    for (size_t i = 0; i < source->ast.uses.n; i++) {
        read_used(&r, i);
        if (r.files.n > SOURCE_FILES_MAX) {
            diag_report(diag, DIAG_FILES_LIMIT, source->ast.uses.items[i].place, SOURCE_FILES_MAX);
            r.ok = false;
            break;
        }
    }
    for (size_t i = 0; i < source->ast.tables.n; i++) read_table(&r, i);
    hide_experiments(&source->ast, &r.work);
    arena_free(&r.work);
    if (r.ok && machine_embed(&source->ast, diag)) {
        source->n_models = source->ast.models.n;
        atomic_embed(&source->ast);
        if (ast_make_stubs(&source->ast, diag)) return source;
    }
    orr_source_destroy(source);
    return NULL;
}

static orr_source *create(void)
{
    orr_source *source = calloc(1, sizeof *source);
    if (!source) arena_no_memory(sizeof *source);
    return source;
}

typedef struct Opening {
    const char *path;
    Text        text;        // p NULL: in the file
    orr_diag   *diag;
    orr_source *source;      // NULL: it could not be read
} Opening;

static void destroy(void *self)
{
    Opening *o = self;
    orr_source_destroy(o->source);
    o->source = NULL;
}

static void open_file(void *self)
{
    // what is missing or a folder is said before its suffix is judged
    Opening *o = self;
    o->source = create();
    const FrontEnd *front_end = NULL;
    if (os_read_file(&o->source->arena, NULL, o->path, SOURCE_BYTES_MAX, &o->text, o->diag))
        front_end = source_front_end(o->path, false, (Place){ 0 }, o->diag);
    if (front_end) o->source = read_all(o->source, o->path, o->text, front_end, o->diag);
    else destroy(o);
}

static void parse_text(void *self)
{
    Opening *o = self;
    const FrontEnd *front_end = source_front_end(o->path, true, (Place){ 0 }, o->diag);
    if (!front_end) return;
    if (o->text.n > SOURCE_BYTES_MAX) {
        diag_report(o->diag, DIAG_FILE_TOO_LARGE, (Place){ 0 }, o->path, (size_t)SOURCE_BYTES_MAX);
        return;
    }
    o->source = create();
    const char *copy = text_copy(&o->source->arena, o->text);    // front ends may count on a NUL
    o->source = read_all(o->source, o->path, (Text){ copy, o->text.n }, front_end, o->diag);
}

static orr_source *begin(Opening o, void (*work)(void *self))
{
    guard_call(&(GuardLimits){ .undo = destroy, .diag = o.diag }, work, &o);
    return o.source;
}

orr_source *orr_source_open(const char *path, orr_diag *diag)
{
    return begin((Opening){ .path = path, .diag = diag }, open_file);
}

orr_source *orr_source_parse(const char *name, const char *text, size_t length, orr_diag *diag)
{
    return begin((Opening){ .path = name, .text = { text, length }, .diag = diag }, parse_text);
}

// One count, of the owner and the models: whoever is the last frees it.
void source_keep(orr_source *source) { source->n_users++; }

void source_release(void *self)
{
    orr_source *source = self;
    if (source->n_users-- > 0) return;
    for (size_t i = 0; i < source->heap.n; i++) free(source->heap.items[i]);
    arena_free(&source->arena);
    free(source);
}

void orr_source_destroy(orr_source *source)
{
    if (source) source_release(source);
}

// ---- What it contains

void orr_source_print(const orr_source *source, FILE *out) { ast_print(&source->ast, out); }

size_t orr_source_n_models(const orr_source *source) { return source->n_models; }

void orr_source_check(const orr_source *source, orr_diag *diag)
{
    if (strcasecmp(os_path_suffix(source->path), frontend_csmp.suffix) == 0) return;
    ast_report_unused(&source->ast, source->first, diag);
}

size_t orr_source_n_experiments(const orr_source *source) { return source->ast.experiments.n; }

static const AstModel *model_at(const orr_source *source, size_t i)
{
    assert(i < source->ast.models.n);
    return &source->ast.models.items[i];
}

static const AstExperiment *experiment_at(const orr_source *source, size_t i)
{
    assert(i < source->ast.experiments.n);
    return &source->ast.experiments.items[i];
}

const char *orr_source_model_name(const orr_source *source, size_t i) { return model_at(source, i)->name; }

const char *orr_source_model_doc(const orr_source *source, size_t i) { return model_at(source, i)->doc; }

const char *orr_source_experiment_name(const orr_source *source, size_t i)
{
    return experiment_at(source, i)->name;
}

const char *orr_source_experiment_model(const orr_source *source, size_t i)
{
    return experiment_at(source, i)->model;
}

const char *orr_source_experiment_doc(const orr_source *source, size_t i)
{
    return experiment_at(source, i)->doc;
}
