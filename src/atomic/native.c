// src/atomic/native.c: atomics whose functions are C code, linked in or from a file that the user named.
//
// A file is loaded because it was asked for, never because a model says so: a model alone runs nothing
// foreign.
#include "atomic/host.h"
#include "base/map.h"
#include "base/os.h"
#include <dlfcn.h>

enum { OBJECT_BYTES_MAX = 1 << 30 };

#define ENTRY_NAME "orr_native_atomics"

static const Place no_place = { 0 };

typedef struct Native {
    const orr_native *table;
    const char *name;    // of its file, for messages
    uint64_t code;       // a hash of the file; 0: it is part of the program
} Native;

typedef struct Binder {
    AtomicSet *set;
    orr_diag *diag;
    Arena work;    // owns what only binding needs
    VEC(Native) natives;
    const Native *native;    // the atomic under way, where it was found
    const orr_native_atomic *found;
    AtomicKind *kind;
} Binder;

// ---------------------------------------------------------------------------------------------- loading

static bool check_version(Binder *b, const char *name, unsigned version)
{
    if (version == ORR_DEVS_VERSION) return true;
    diag_report(b->diag, DIAG_NATIVE_VERSION, no_place, name, version, (unsigned)ORR_DEVS_VERSION);
    diag_hint(b->diag, "compile it again with the headers of this version");
    return false;
}

static bool take_table(Binder *b, const char *name, uint64_t code, const orr_native *table)
{
    if (!table || (table->n_atomics > 0 && !table->atomics)) {
        diag_report(b->diag, DIAG_NATIVE_OBJECT, no_place, name, "its table of atomics is missing");
        return false;
    }
    if (!check_version(b, name, table->version)) return false;
    for (uint32_t i = 0; i < table->n_atomics; i++) {
        const orr_atomic *atomic = table->atomics[i].atomic;
        if (atomic && !check_version(b, name, atomic->version)) return false;
        if (atomic && atomic->name) continue;
        diag_report(b->diag, DIAG_NATIVE_OBJECT, no_place, name, "an atomic has no table or no name");
        return false;
    }
    vec_push(&b->work, &b->natives, (Native){ table, name, code });
    return true;
}

// Without a '/' the system would look through its own folders.
static bool load_file(Binder *b, const char *file)
{
    const char *path = strchr(file, '/') ? file : arena_printf(&b->work, "./%s", file);
    Text code;
    if (!os_read_file(&b->work, NULL, path, OBJECT_BYTES_MAX, &code, b->diag)) return false;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        const char *reason = dlerror();
        const size_t n = strlen(path);
        if (!reason) reason = "no reason is given";
        if (strncmp(reason, path, n) == 0 && strncmp(reason + n, ": ", 2) == 0) reason += n + 2;
        diag_report(b->diag, DIAG_NATIVE_OBJECT, no_place, file, reason);
        diag_hint(b->diag, "build it so: cc -shared -fPIC -o filter.so filter.c");
        return false;
    }
    b->set->objects[b->set->n_objects++] = object;
    const orr_native *(*entry)(void);
    *(void **)&entry = dlsym(object, ENTRY_NAME);    // as POSIX has it: C knows no such conversion
    if (entry) return take_table(b, file, hash_bytes(code.p, code.n), entry());
    diag_report(b->diag, DIAG_NATIVE_OBJECT, no_place, file, "it has no function " ENTRY_NAME);
    diag_hint(b->diag, "write one: const orr_native *" ENTRY_NAME "(void) { return &table; }");
    return false;
}

void native_unload(AtomicSet *set)
{
    for (uint32_t i = 0; i < set->n_objects; i++) dlclose(set->objects[i]);
    set->n_objects = 0;
}

// ---------------------------------------------------------------------------------------------- fitting

static bool unfit(Binder *b, const char *why)
{
    diag_report(b->diag, DIAG_NATIVE_UNFIT, b->kind->ast->place, b->kind->name, b->native->name, why);
    diag_hint(b->diag, "change this declaration, or the table in C");
    return false;
}

static bool is_called(const char *name, const char *wanted) { return name && strcmp(name, wanted) == 0; }
static const char *shown(const char *name) { return name ? name : ""; }

static bool params_fit(Binder *b)
{
    const AtomicKind *kind = b->kind;
    const orr_native_atomic *found = b->found;
    if (found->n_params != kind->n_params)
        return unfit(b, arena_printf(&b->work, "it has %u parameters there, %u here", found->n_params,
                                     kind->n_params));
    for (uint32_t i = 0; i < kind->n_params; i++) {
        const char *name = found->params ? found->params[i] : NULL;
        if (!is_called(name, kind->params[i].name))
            return unfit(b, arena_printf(&b->work, "parameter %u is '%s' there, '%s' here", i + 1,
                                         shown(name), kind->params[i].name));
    }
    if (found->atomic->params_size == kind->table.params_size) return true;
    return unfit(b, arena_printf(&b->work, "its parameters are %zu bytes there, %zu here",
                                 found->atomic->params_size, kind->table.params_size));
}

static bool ports_fit(Binder *b, const char *word, const orr_devs_port *there, uint32_t n_there,
                      const orr_devs_port *here, uint32_t n_here)
{
    if (n_there != n_here || (n_there > 0 && !there))
        return unfit(b, arena_printf(&b->work, "it has %u %s events there, %u here", there ? n_there : 0,
                                     word, n_here));
    for (uint32_t i = 0; i < n_here; i++) {
        const orr_devs_port *x = &there[i], *y = &here[i];
        if (!is_called(x->name, y->name) || !is_called(x->type, y->type))
            return unfit(b, arena_printf(&b->work, "%s event %u is '%s : %s' there, '%s : %s' here", word,
                                         i + 1, shown(x->name), shown(x->type), y->name, y->type));
        if (x->size != y->size)
            return unfit(b, arena_printf(&b->work, "a message of '%s' has %u bytes there, %u here", y->name,
                                         x->size, y->size));
    }
    return true;
}

static bool variables_fit(Binder *b)
{
    const orr_native_atomic *found = b->found;
    for (uint32_t i = 0; i < b->kind->n_readables; i++) {
        AtomicReadable *readable = &b->kind->readables[i];
        const orr_native_variable *variable = NULL;
        for (uint32_t k = 0; k < found->n_variables && found->variables && !variable; k++)
            if (is_called(found->variables[k].name, readable->name)) variable = &found->variables[k];
        if (!variable)
            return unfit(b, arena_printf(&b->work, "it has no variable '%s' there", readable->name));
        if (variable->offset % 8 != 0 || found->atomic->state_size < 8 ||
            variable->offset > found->atomic->state_size - 8)
            return unfit(
                b, arena_printf(&b->work, "its variable '%s' is no double inside its state", readable->name));
        readable->slot = (uint32_t)(variable->offset / 8);
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- binding

// False if it is nowhere, or in two places.
static bool find_atomic(Binder *b, const char *name)
{
    b->found = NULL;
    for (size_t i = 0; i < b->natives.n; i++) {
        const Native *native = &b->natives.items[i];
        for (uint32_t k = 0; k < native->table->n_atomics; k++) {
            if (strcmp(native->table->atomics[k].atomic->name, name) != 0) continue;
            if (b->found) {
                diag_report(b->diag, DIAG_NATIVE_TWICE, b->kind->ast->place, name, b->native->name,
                            native->name);
                diag_hint(b->diag, "name only one of them");
                return false;
            }
            b->found = &native->table->atomics[k];
            b->native = native;
        }
    }
    if (b->found) return true;
    if (b->natives.n == 0) {
        diag_report(b->diag, DIAG_NATIVE_NONE, b->kind->ast->place, name, "no native object was given");
        diag_hint(b->diag, "name the file with its C code, if you trust it: --native %s.so", name);
        return false;
    }
    VEC(const char *) names = { 0 };
    for (size_t i = 0; i < b->natives.n; i++)
        for (uint32_t k = 0; k < b->natives.items[i].table->n_atomics; k++)
            vec_push(&b->work, &names, b->natives.items[i].table->atomics[k].atomic->name);
    diag_report(b->diag, DIAG_NATIVE_NONE, b->kind->ast->place, name,
                "none of the native objects given has it");
    const char *closest = text_closest(name, names.items, names.n);
    if (closest) diag_hint(b->diag, "there is '%s': names must be the same", closest);
    else if (names.n > 0)
        diag_hint(b->diag, "there is '%s'%s", names.items[0], names.n > 1 ? " and others" : "");
    else diag_hint(b->diag, "they have no atomics at all");
    return false;
}

static bool bind_kind(Binder *b, AtomicKind *kind)
{
    b->kind = kind;
    if (!find_atomic(b, kind->name)) return false;
    const orr_atomic *atomic = b->found->atomic;
    orr_atomic *table = &kind->table;
    if (!params_fit(b) ||
        !ports_fit(b, "input", atomic->inputs, atomic->n_inputs, table->inputs, table->n_inputs) ||
        !ports_fit(b, "output", atomic->outputs, atomic->n_outputs, table->outputs, table->n_outputs) ||
        !variables_fit(b))
        return false;
    // names, types and what must be coupled are the model's, which outlive an object
    const orr_atomic own = *table;
    *table = *atomic;
    table->name = own.name;
    table->inputs = own.inputs;
    table->outputs = own.outputs;
    kind->code = b->native->code;
    return true;
}

bool atomic_bind(AtomicSet *set, const AtomicNatives *natives, const bool *is_used, orr_diag *diag)
{
    Binder b = { .set = set, .diag = diag };
    bool ok = true;
    set->objects = ARENA_ARRAY(set->arena, void *, natives->n_files);
    for (size_t i = 0; i < natives->n_linked; i++)
        ok = take_table(&b, "the program", 0, natives->linked[i]) && ok;
    for (size_t i = 0; i < natives->n_files; i++) ok = load_file(&b, natives->files[i]) && ok;
    const bool all_there = ok;    // else what is missing may be in the one that failed
    for (uint32_t i = 0; all_there && i < set->n_kinds; i++)
        if (set->kinds[i].is_native && is_used[i]) ok = bind_kind(&b, &set->kinds[i]) && ok;
    arena_free(&b.work);
    return ok;
}
