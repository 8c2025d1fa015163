// src/code/instant.c: C text to machine code in memory, by libtcc.
//
// Neither headers nor libraries are read: the text declares what it needs and we hand over the addresses.
// The code goes into a mapping of our own that is writable or executable, never both.
//
// libtcc keeps its state in globals, so one thread at a time uses it. But there are two copies of it: one for
// texts that are compiled ahead, in threads of their own, and one for all others, which may call what the
// former define.
#include "code/build.h"
#include "expr/math.h"
#include <libtcc.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIBTCC_FUNCTIONS(F)                                                                                  \
    F(new) F(delete) F(set_error_func) F(set_options) F(set_output_type) F(add_symbol) F(compile_string)     \
    F(relocate) F(get_symbol)

typedef struct Libtcc {
    pthread_mutex_t *lock;
#define POINTER(NAME) __typeof__(tcc_##NAME) *NAME;
    LIBTCC_FUNCTIONS(POINTER)
} Libtcc;

static pthread_mutex_t lock_of_first = PTHREAD_MUTEX_INITIALIZER;
#define FIRST(NAME) .NAME = tcc_##NAME,
static const Libtcc for_all = { .lock = &lock_of_first, LIBTCC_FUNCTIONS(FIRST) };

#ifdef ORRERY_SECOND_LIBTCC
#define DECLARATION(NAME) __typeof__(tcc_##NAME) second_tcc_##NAME;
LIBTCC_FUNCTIONS(DECLARATION)
static pthread_mutex_t lock_of_second = PTHREAD_MUTEX_INITIALIZER;
#define SECOND(NAME) .NAME = second_tcc_##NAME,
static const Libtcc for_ahead = { .lock = &lock_of_second, LIBTCC_FUNCTIONS(SECOND) };
#endif

typedef struct Errors { char text[512]; } Errors;

static void keep_error(void *opaque, const char *message)
{
    Errors *errors = opaque;
    if (errors->text[0] == 0) {
        strncpy(errors->text, message, sizeof errors->text - 1);
        errors->text[sizeof errors->text - 1] = 0;
    }
}

// One text on its way.
typedef struct Compilation {
    const Libtcc *tcc;
    TCCState     *state;
    Errors       *errors;
    CodeUnit     *unit;      // the result
} Compilation;

static bool add_symbol(const Compilation *c, const char *name, const void *address)
{
    return c->tcc->add_symbol(c->state, name, address) >= 0;
}

// What every text may call.
static bool add_functions(const Compilation *c)
{
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (math->library_symbol && !add_symbol(c, math->c_name, math->function)) return false;
        if (!math->each) continue;
        char name[40];
        void *each;
        memcpy(&each, &math->each, sizeof each);    // from a function pointer: POSIX says how
        snprintf(name, sizeof name, "%s_each", math->c_name);
        if (!add_symbol(c, name, each)) return false;
    }
    // what libtcc itself calls to set and copy local arrays
    return add_symbol(c, "memset", (void *)memset) && add_symbol(c, "memcpy", (void *)memcpy) &&
           add_symbol(c, "memmove", (void *)memmove);
}

static bool translate(const Compilation *c, const char *text)
{
    c->tcc->set_error_func(c->state, c->errors, keep_error);
    c->tcc->set_options(c->state, "-nostdlib -nostdinc -w");
    c->tcc->set_output_type(c->state, TCC_OUTPUT_MEMORY);
    return add_functions(c) && c->tcc->compile_string(c->state, text) >= 0;
}

static bool place_code(const Compilation *c)
{
    const int size = c->tcc->relocate(c->state, NULL);
    if (size < 0) return false;
    CodeUnit *unit = c->unit;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unit->size = ((size_t)size + page) / page * page;
    unit->memory = mmap(NULL, unit->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (unit->memory == MAP_FAILED) {
        unit->memory = NULL;
        keep_error(c->errors, "no memory for machine code");
        return false;
    }
    if (c->tcc->relocate(c->state, unit->memory) < 0) return false;
    if (mprotect(unit->memory, unit->size, PROT_READ | PROT_EXEC) == 0) return true;
    keep_error(c->errors, "the system does not allow code made at run time");
    return false;
}

// Compile a text with one of the copies: `work` does it, between the copy's beginning and end.
static bool with_libtcc(const Libtcc *tcc, bool (*work)(const Compilation *c, void *job), void *job,
                        CodeUnit *unit, Errors *errors)
{
    pthread_mutex_lock(tcc->lock);
    // libtcc reads numbers with strtod, which a locale would teach decimal commas
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    const Compilation c = { .tcc = tcc, .state = tcc->new(), .errors = errors, .unit = unit };
    bool ok = false;
    if (c.state) {
        ok = work(&c, job);
        tcc->delete(c.state);
    }
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    pthread_mutex_unlock(tcc->lock);
    if (!ok) instant_free(unit);
    return ok;
}

// ---- Ahead

struct InstantAhead {
    Text        text;
    const char *stem;
    uint32_t    n;
    void      **addresses;    // [n] of what it defines
    CodeUnit    unit;
    Errors      errors;
    bool        ok;
    bool        has_thread;   // that nobody has waited for
    pthread_t   thread;
};

static const char *function_name(const InstantAhead *ahead, uint32_t i, char name[static 64])
{
    snprintf(name, 64, "%s_%u", ahead->stem, i + 1);
    return name;
}

static bool find_functions(const Compilation *c, void *job)
{
    InstantAhead *ahead = job;
    char name[64];
    if (!translate(c, ahead->text.p) || !place_code(c)) return false;
    for (uint32_t i = 0; i < ahead->n; i++)
        ahead->addresses[i] = c->tcc->get_symbol(c->state, function_name(ahead, i, name));
    return true;
}

#ifdef ORRERY_SECOND_LIBTCC
static void *compile_ahead(void *self)
{
    InstantAhead *ahead = self;
    ahead->ok = with_libtcc(&for_ahead, find_functions, ahead, &ahead->unit, &ahead->errors);
    return NULL;
}
#endif

InstantAhead *instant_ahead(Text text, const char *stem, uint32_t n, Arena *arena)
{
    InstantAhead *ahead = ARENA_NEW(arena, InstantAhead);
    ahead->text = text;
    ahead->stem = stem;
    ahead->n = n;
    ahead->addresses = ARENA_ARRAY(arena, void *, n);
#ifdef ORRERY_SECOND_LIBTCC
    ahead->has_thread = pthread_create(&ahead->thread, NULL, compile_ahead, ahead) == 0;
#endif
    if (!ahead->has_thread)
        ahead->ok = with_libtcc(&for_all, find_functions, ahead, &ahead->unit, &ahead->errors);
    return ahead;
}

CodeUnit instant_ahead_end(InstantAhead *ahead)
{
    if (ahead->has_thread) pthread_join(ahead->thread, NULL);
    ahead->has_thread = false;
    return ahead->unit;
}

static bool add_ahead(const Compilation *c, InstantAhead *ahead)
{
    char name[64];
    instant_ahead_end(ahead);
    if (!ahead->ok) *c->errors = ahead->errors;
    for (uint32_t i = 0; ahead->ok && i < ahead->n; i++)
        if (!add_symbol(c, function_name(ahead, i, name), ahead->addresses[i])) return false;
    return ahead->ok;
}

// ---- What a model has, or one name

typedef struct Wanted {
    const char   *text;
    InstantAhead *ahead;            // NULL: the text stands alone
    Code         *code;             // NULL: one name
    const char   *name;
    void         *address;
    const char   *given;            // a name that the text declares and the caller defines
    const void   *given_address;
} Wanted;

static bool find_wanted(const Compilation *c, void *job)
{
    Wanted *wanted = job;
    if (wanted->given && !add_symbol(c, wanted->given, wanted->given_address)) return false;
    if (!translate(c, wanted->text)) return false;
    if (wanted->ahead && !add_ahead(c, wanted->ahead)) return false;
    if (!place_code(c)) return false;
    if (!wanted->code) return (wanted->address = c->tcc->get_symbol(c->state, wanted->name)) != NULL;
    for (const BuildSymbol *symbol = build_symbols; symbol->name; symbol++) {
        void *address = c->tcc->get_symbol(c->state, symbol->name);
        if (address) build_set(wanted->code, symbol, address);
    }
    return true;
}

static bool compile(Wanted *wanted, CodeUnit *unit, orr_diag *diag)
{
    Errors errors = { { 0 } };
    if (with_libtcc(&for_all, find_wanted, wanted, unit, &errors)) return true;
    if (strstr(errors.text, "memory full")) arena_no_memory(strlen(wanted->text));
    diag_report(diag, DIAG_INSTANT_FAILED, (Place){ 0 },
                errors.text[0] ? errors.text : "libtcc gave no reason");
    diag_hint(diag, "this is a mistake of the program, not of the model; --code native may still work");
    return false;
}

bool instant_compile(Code *code, Text text, InstantAhead *ahead, CodeUnit *unit, orr_diag *diag)
{
    return compile(&(Wanted){ .text = text.p, .ahead = ahead, .code = code }, unit, diag);
}

void *instant_compile_one(Text text, const char *name, const char *given, const void *given_address,
                          CodeUnit *unit, orr_diag *diag)
{
    Wanted wanted = { .text = text.p, .name = name, .given = given, .given_address = given_address };
    return compile(&wanted, unit, diag) ? wanted.address : NULL;
}

void instant_free(CodeUnit *unit)
{
    if (unit->memory) munmap(unit->memory, unit->size);
    *unit = (CodeUnit){ 0 };
}
