// src/code/instant.c: C text to machine code in memory, by libtcc.
//
// Neither headers nor libraries are read: the text declares what it needs and we hand over the addresses.
// The code goes into a mapping of our own that is writable or executable, never both. libtcc keeps its
// state in globals, so one thread at a time uses it.
#include "code/build.h"
#include "expr/math.h"
#include <libtcc.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t libtcc_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct Errors { char text[512]; } Errors;

static void keep_error(void *opaque, const char *message)
{
    Errors *errors = opaque;
    if (errors->text[0] == 0) {
        strncpy(errors->text, message, sizeof errors->text - 1);
        errors->text[sizeof errors->text - 1] = 0;
    }
}

static bool add_symbols(TCCState *tcc)
{
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (math->library_symbol && tcc_add_symbol(tcc, math->c_name, math->function) < 0) return false;
        if (!math->each) continue;
        char name[40];
        void *each;
        memcpy(&each, &math->each, sizeof each);    // from a function pointer: POSIX says how
        snprintf(name, sizeof name, "%s_each", math->c_name);
        if (tcc_add_symbol(tcc, name, each) < 0) return false;
    }
    // what libtcc itself calls to set and copy local arrays
    return tcc_add_symbol(tcc, "memset", (void *)memset) >= 0 &&
           tcc_add_symbol(tcc, "memcpy", (void *)memcpy) >= 0 &&
           tcc_add_symbol(tcc, "memmove", (void *)memmove) >= 0;
}

static bool place_code(TCCState *tcc, CodeUnit *unit, Errors *errors)
{
    const int size = tcc_relocate(tcc, NULL);
    if (size < 0) return false;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unit->size = ((size_t)size + page) / page * page;
    unit->memory = mmap(NULL, unit->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (unit->memory == MAP_FAILED) {
        unit->memory = NULL;
        keep_error(errors, "no memory for machine code");
        return false;
    }
    return tcc_relocate(tcc, unit->memory) >= 0;
}

// What is looked for in the machine code: all that a model has, or one name.
typedef struct Wanted {
    Code       *code;      // NULL: one name
    const char *name;
    void      **address;
    const char *given;     // a name that the text declares and the caller defines
    const void *given_address;
} Wanted;

static bool find_symbols(TCCState *tcc, const Wanted *wanted)
{
    if (!wanted->code) return (*wanted->address = tcc_get_symbol(tcc, wanted->name)) != NULL;
    for (const BuildSymbol *symbol = build_symbols; symbol->name; symbol++) {
        void *address = tcc_get_symbol(tcc, symbol->name);
        if (address) build_set(wanted->code, symbol, address);
    }
    return true;
}

static bool compile(TCCState *tcc, const Wanted *wanted, const char *text, CodeUnit *unit, Errors *errors)
{
    tcc_set_error_func(tcc, errors, keep_error);
    tcc_set_options(tcc, "-nostdlib -nostdinc -w");
    tcc_set_output_type(tcc, TCC_OUTPUT_MEMORY);
    if (wanted->given && tcc_add_symbol(tcc, wanted->given, wanted->given_address) < 0) return false;
    if (!add_symbols(tcc) || tcc_compile_string(tcc, text) < 0 || !place_code(tcc, unit, errors))
        return false;
    if (mprotect(unit->memory, unit->size, PROT_READ | PROT_EXEC) != 0) {
        keep_error(errors, "the system does not allow code made at run time");
        return false;
    }
    return find_symbols(tcc, wanted);
}

static bool compile_text(const Wanted *wanted, Text text, CodeUnit *unit, orr_diag *diag)
{
    Errors errors = { { 0 } };
    pthread_mutex_lock(&libtcc_lock);
    // libtcc reads numbers with strtod, which a locale would teach decimal commas
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain ? uselocale(plain) : (locale_t)0;
    TCCState *tcc = tcc_new();
    bool ok = false;
    if (tcc) {
        ok = compile(tcc, wanted, text.p, unit, &errors);
        tcc_delete(tcc);
    }
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    pthread_mutex_unlock(&libtcc_lock);
    if (ok) return true;
    instant_free(unit);
    diag_report(diag, DIAG_INSTANT_FAILED, (Place){ 0 },
                errors.text[0] ? errors.text : "libtcc gave no reason");
    diag_hint(diag, "this is a mistake of the program, not of the model; --code native may still work");
    return false;
}

bool instant_compile(Code *code, Text text, CodeUnit *unit, orr_diag *diag)
{
    return compile_text(&(Wanted){ .code = code }, text, unit, diag);
}

void *instant_compile_one(Text text, const char *name, const char *given, const void *given_address,
                          CodeUnit *unit, orr_diag *diag)
{
    void *address = NULL;
    const Wanted wanted = { .name = name, .address = &address, .given = given,
                            .given_address = given_address };
    return compile_text(&wanted, text, unit, diag) ? address : NULL;
}

void instant_free(CodeUnit *unit)
{
    if (unit->memory) munmap(unit->memory, unit->size);
    *unit = (CodeUnit){ 0 };
}
