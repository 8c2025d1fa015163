// src/base/text.h: slices of text, UTF-8, near misses of names, and a string builder.
#pragma once
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// A piece of text somebody else owns; not NUL-terminated.
typedef struct Text {
    const char *p;
    size_t      n;    // bytes
} Text;

#define TEXT(literal) ((Text){ (literal), sizeof(literal) - 1 })    // of a string literal

static inline Text text_from(const char *s) { return (Text){ s, s ? strlen(s) : 0 }; }
static inline bool text_equal(Text a, Text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool text_is(Text a, const char *s) { return text_equal(a, text_from(s)); }
static inline Text text_part(Text a, size_t from, size_t to) { return (Text){ a.p + from, to - from }; }
bool text_starts(Text a, const char *prefix);
Text text_trim(Text a);                          // without white space at both ends
char *text_copy(Arena *arena, Text a);           // NUL-terminated

// The code point at *i, which moves past it. An ill-formed byte gives -1 and is passed alone.
// Precondition: *i < a.n. Overlong forms, surrogates and values above U+10FFFF are ill-formed.
int32_t text_utf8_next(Text a, size_t *i);
bool    text_is_utf8(Text a, size_t *bad);       // *bad (may be NULL): offset of the first ill-formed byte
int     text_width(int32_t code_point);          // terminal cells: 0 combining, 2 wide, else 1
size_t  text_cells(Text a);                      // terminal cells of the whole text

// A character that moves the cursor, changes the terminal or the direction of writing must not reach it; nor
// what is no character (-1).
bool text_is_unsafe(int32_t code_point);
// Text for people, made safe for a terminal: '?' instead of unsafe characters; line ends and tabs stay. Up to
// a.n bytes to `safe`, which may be a.p; their number. A character that is cut off at the end is left to the
// next piece: *used are the bytes of a that were looked at; NULL: nothing follows.
size_t text_make_safe(Text a, char *safe, size_t *used);

// Edits (insert, delete, replace, swap of neighbours) from a to b, in bytes; above `limit`: limit + 1.
size_t text_distance(Text a, Text b, size_t limit);

// The name nearest to `wanted` for a "did you mean", or NULL if none is close enough. Differences of
// case alone count as nearest; among equals the first wins. For n names of any length O(n).
const char *text_closest(const char *wanted, const char *const *names, size_t n);
bool text_is_close(Text wanted, Text name);      // the test text_closest applies

// A growing string, on the heap (arena NULL) or in an arena. {0} is an empty heap string.
typedef struct StrBuf {
    Arena *arena;       // borrowed; NULL: heap
    char  *p;           // NUL-terminated once anything was added
    size_t n;           // bytes without the NUL
    size_t capacity;
} StrBuf;
void  str_addf(StrBuf *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void  str_vaddf(StrBuf *s, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
// room for n bytes at the end; then add to s->n what was used
char *str_room(StrBuf *s, size_t n);
// here, because lengths of literals are then known, and generated code consists of short pieces
static inline void str_add_text(StrBuf *s, Text text)
{
    char *p = text.n < s->capacity - s->n ? s->p + s->n : str_room(s, text.n);
    if (text.n) memcpy(p, text.p, text.n);
    s->n += text.n;
    s->p[s->n] = 0;
}
static inline void str_add(StrBuf *s, const char *text) { str_add_text(s, text_from(text)); }
static inline void str_add_char(StrBuf *s, char c) { str_add_text(s, (Text){ &c, 1 }); }
// the text, never NULL; s is empty again, a heap text is the caller's to free()
char *str_finish(StrBuf *s);
void  str_free(StrBuf *s);                       // drop a heap string
