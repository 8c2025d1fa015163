// src/code/background.c: the native compiler at work while a run already goes on in instant code.
//
// Both compilers give the same bits, so nobody has to agree with anybody on a moment to change: when the object is
// ready, its functions take the places of the instant ones, pointer by pointer, and every later call is a fast one.
// If anything goes wrong (no compiler, no room for the cache, a compiler that was killed), the run simply goes on.
#include "code/build.h"
#include <stdlib.h>

// What `cc` takes, measured: a start, then by the length of the text.
#define NATIVE_START_MS    50.0
#define NATIVE_BYTES_A_MS  200.0
#define NATIVE_CACHED_MS   3.0

struct Background {
    Code       *code;        // borrowed: code_free waits for us
    Arena       arena;       // owns the text
    Text        text;
    CodeUnit    unit;
    NativeJob   job;
    atomic_bool is_done;     // and its functions are in place
    pthread_t   thread;
};

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
    return native_is_cached(text, flavour) ? NATIVE_CACHED_MS : NATIVE_START_MS + (double)text.n / NATIVE_BYTES_A_MS;
}

double code_native_ms(const Code *code)
{
    Arena work = { 0 };
    const Text text = present_text(code, &work);
    const double ms = native_ms(text, native_flavour(code, text));
    arena_free(&work);
    return ms;
}

static void *build_native(void *self)
{
    Background *b = self;
    orr_diag *unheard = orr_diag_create();
    if (native_compile(b->text, native_flavour(b->code, b->text), &b->unit, &b->job, unheard)) {
        build_set_native(b->code, &b->unit);
        atomic_store(&b->is_done, true);
    }
    orr_diag_destroy(unheard);
    return NULL;
}

void code_improve(const Code *const_code)
{
    Code *code = (Code *)const_code;    // as code_require: what a pointer means does not change
    if (code->tier == CODE_NATIVE) return;
    Background *b = calloc(1, sizeof *b);
    if (!b) return;
    b->code = code;
    b->text = present_text(code, &b->arena);
    native_job_init(&b->job);
    pthread_mutex_lock(&code->lock);
    const bool is_first = !code->background;
    if (is_first && pthread_create(&b->thread, NULL, build_native, b) == 0) {
        code->background = b;
        b = NULL;
    }
    pthread_mutex_unlock(&code->lock);
    if (!b) return;
    native_job_end(&b->job);
    arena_free(&b->arena);
    free(b);
}

bool code_is_improved(const Code *code)
{
    pthread_mutex_lock((pthread_mutex_t *)&code->lock);
    const bool done = code->background && atomic_load(&code->background->is_done);
    pthread_mutex_unlock((pthread_mutex_t *)&code->lock);
    return done;
}

void background_end(Background *b)
{
    if (!b) return;
    native_job_cancel(&b->job);
    pthread_join(b->thread, NULL);
    native_job_end(&b->job);
    native_free(&b->unit);
    arena_free(&b->arena);
    free(b);
}
