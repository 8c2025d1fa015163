// src/code/background.c: the native compiler at work while a run already goes on in instant code.
//
// Both compilers give the same bits, so nobody has to agree with anybody on a moment to change. Programs and
// loops of the equations are replaced pointer by pointer; whoever keeps tables of functions (quantised
// states, atomics) takes the new ones between two steps or instants. If anything goes wrong (no compiler, no
// room for the cache, a compiler that was killed), the run simply goes on.
//
// One compiler at a time works for a process: a model may have many islands, each with a text of its own.
#include "base/confine.h"
#include "code/build.h"
#include <stdlib.h>
#include <time.h>

enum { TURN_NS = 2000000 };    // between two looks whether it is one's turn

// What `cc` takes, measured: a start, then by the length of the text.
#define NATIVE_START_MS   50.0
#define NATIVE_BYTES_A_MS 200.0
#define NATIVE_CACHED_MS  3.0

struct Background {
    Arena arena;    // owns the text
    Text text;
    NativeFlavour flavour;
    CodeUnit unit;
    NativeJob job;
    void (*arrive)(void *self, const CodeUnit *unit);
    void *self;             // borrowed: its owner ends us first
    atomic_bool is_done;    // and its functions are in place
    pthread_t thread;
};

// ---- One after the other

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

// False: it is not wanted any more.
static bool await_turn(Background *b)
{
    while (pthread_mutex_trylock(&turn) != 0) {
        if (native_job_is_cancelled(&b->job)) return false;
        nanosleep(&(struct timespec){ .tv_nsec = TURN_NS }, NULL);
    }
    return true;
}

// ---- One text

static void *build_native(void *self)
{
    Background *b = self;
    if (!await_turn(b)) return NULL;
    orr_diag *unheard = orr_diag_create();
    if (native_compile(b->text, b->flavour, &b->unit, &b->job, unheard)) {
        b->arrive(b->self, &b->unit);
        atomic_store(&b->is_done, true);
    }
    orr_diag_destroy(unheard);
    pthread_mutex_unlock(&turn);
    return NULL;
}

static void discard(Background *b)
{
    native_job_end(&b->job);
    arena_free(&b->arena);
    free(b);
}

Background *background_start(Arena *arena, Text text, NativeFlavour flavour,
                             void (*arrive)(void *self, const CodeUnit *unit), void *self)
{
    Background *b = calloc(1, sizeof *b);
    if (!b) {
        arena_free(arena);
        return NULL;
    }
    b->arena = *arena;
    *arena = (Arena){ 0 };
    b->text = text;
    b->flavour = flavour;
    b->arrive = arrive;
    b->self = self;
    native_job_init(&b->job);
    if (confine_thread(&b->thread, build_native, b) == 0) return b;
    discard(b);
    return NULL;
}

bool background_is_done(const Background *b) { return b && atomic_load(&b->is_done); }

void background_end(Background *b)
{
    if (!b) return;
    native_job_cancel(&b->job);
    pthread_join(b->thread, NULL);
    native_free(&b->unit);
    discard(b);
}

// ---- Programs and loops of the equations

// The parts built so far, as one text.
static Text present_text(const Code *code, Arena *arena)
{
    pthread_mutex_lock((pthread_mutex_t *)&code->lock);
    const unsigned parts = code->parts;
    pthread_mutex_unlock((pthread_mutex_t *)&code->lock);
    return code_text(code->ir, parts, arena);
}

double native_ms(Text text, NativeFlavour flavour)
{
    return native_is_cached(text, flavour) ? NATIVE_CACHED_MS
                                           : NATIVE_START_MS + (double)text.n / NATIVE_BYTES_A_MS;
}

double code_native_ms(const Code *code)
{
    Arena work = { 0 };
    const Text text = present_text(code, &work);
    const double ms = native_ms(text, native_flavour(code, text));
    arena_free(&work);
    return ms;
}

static void take_programs(void *self, const CodeUnit *unit) { build_set_native(self, unit); }

void code_improve(const Code *const_code)
{
    Code *code = (Code *)const_code;    // as code_require: what a pointer means does not change
    if (code->tier == CODE_NATIVE) return;
    Arena arena = { 0 };
    const Text text = present_text(code, &arena);
    pthread_mutex_lock(&code->lock);
    if (!code->background)
        code->background = background_start(&arena, text, native_flavour(code, text), take_programs, code);
    pthread_mutex_unlock(&code->lock);
    arena_free(&arena);
}

bool code_is_improved(const Code *code)
{
    pthread_mutex_lock((pthread_mutex_t *)&code->lock);
    const bool done = background_is_done(code->background);
    pthread_mutex_unlock((pthread_mutex_t *)&code->lock);
    return done;
}
