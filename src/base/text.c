// src/base/text.c: slices, UTF-8, near misses, string builder.
#include "base/text.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool text_starts(Text a, const char *prefix)
{
    const size_t n = strlen(prefix);
    return a.n >= n && memcmp(a.p, prefix, n) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

Text text_trim(Text a)
{
    while (a.n && is_space(a.p[0])) a = (Text){ a.p + 1, a.n - 1 };
    while (a.n && is_space(a.p[a.n - 1])) a.n--;
    return a;
}

char *text_copy(Arena *arena, Text a) { return arena_copy_text(arena, a.p, a.n); }

// ---- UTF-8

int32_t text_utf8_next(Text a, size_t *i)
{
    const unsigned char *p = (const unsigned char *)a.p + *i;
    const size_t left = a.n - *i;
    assert(left > 0);
    (*i)++;
    if (p[0] < 0x80) return p[0];

    // length from the first byte; the smallest value of that length tells overlong forms
    size_t n;
    int32_t c, smallest;
    if (p[0] >= 0xC2 && p[0] <= 0xDF) { n = 2; c = p[0] & 0x1F; smallest = 0x80; }
    else if ((p[0] & 0xF0) == 0xE0)   { n = 3; c = p[0] & 0x0F; smallest = 0x800; }
    else if (p[0] >= 0xF0 && p[0] <= 0xF4) { n = 4; c = p[0] & 0x07; smallest = 0x10000; }
    else return -1;

    if (left < n) return -1;
    for (size_t k = 1; k < n; k++) {
        if ((p[k] & 0xC0) != 0x80) return -1;
        c = c << 6 | (p[k] & 0x3F);
    }
    if (c < smallest || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) return -1;
    *i += n - 1;
    return c;
}

bool text_is_utf8(Text a, size_t *bad)
{
    for (size_t i = 0; i < a.n;) {
        // eight bytes of ASCII at once
        uint64_t bytes;
        if (a.n - i >= sizeof bytes) {
            memcpy(&bytes, a.p + i, sizeof bytes);
            if (!(bytes & UINT64_C(0x8080808080808080))) {
                i += sizeof bytes;
                continue;
            }
        }
        const size_t start = i;
        if (text_utf8_next(a, &i) < 0) {
            if (bad) *bad = start;
            return false;
        }
    }
    return true;
}

typedef struct Range { int32_t first, last; } Range;

static bool in_ranges(int32_t c, const Range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return true;
    return false;
}

int text_width(int32_t c)
{
    // the blocks that occur in practice; a full table would be larger than all else here
    static const Range zero[] = {
        { 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x064B, 0x065F }, { 0x1AB0, 0x1AFF },
        { 0x1DC0, 0x1DFF }, { 0x200B, 0x200F }, { 0x202A, 0x202E }, { 0x2060, 0x2064 }, { 0x20D0, 0x20FF },
        { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xFEFF, 0xFEFF }, { 0xE0100, 0xE01EF },
    };
    static const Range wide[] = {
        { 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0x33FF },   { 0x3400, 0x4DBF },
        { 0x4E00, 0x9FFF },   { 0xA000, 0xA4CF },   { 0xAC00, 0xD7A3 },   { 0xF900, 0xFAFF },
        { 0xFE30, 0xFE6F },   { 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },   { 0x1F300, 0x1F64F },
        { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
    };
    if (c < 0x300) return 1;
    if (in_ranges(c, zero, sizeof zero / sizeof *zero)) return 0;
    return in_ranges(c, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

size_t text_cells(Text a)
{
    size_t cells = 0;
    for (size_t i = 0; i < a.n;) cells += (size_t)text_width(text_utf8_next(a, &i));
    return cells;
}

// ---- Near misses

enum { DISTANCE_BYTES_MAX = 64 };    // longer names are compared by equality only

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

// Damerau–Levenshtein (optimal string alignment): row by row, three rows are enough for the swaps.
static size_t distance(Text a, Text b, size_t limit, bool fold)
{
    const size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > limit) return limit + 1;
    if (a.n > DISTANCE_BYTES_MAX || b.n > DISTANCE_BYTES_MAX) return text_equal(a, b) ? 0 : limit + 1;

    size_t rows[3][DISTANCE_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.n; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t *now = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
        size_t best = now[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            const char x = fold ? lower(a.p[i - 1]) : a.p[i - 1], y = fold ? lower(b.p[j - 1]) : b.p[j - 1];
            size_t d = before[j - 1] + (x != y);
            if (before[j] + 1 < d) d = before[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            if (i > 1 && j > 1) {
                const char u = fold ? lower(a.p[i - 2]) : a.p[i - 2],
                           v = fold ? lower(b.p[j - 2]) : b.p[j - 2];
                if (x == v && u == y && twice[j - 2] + 1 < d) d = twice[j - 2] + 1;
            }
            now[j] = d;
            if (d < best) best = d;
        }
        if (best > limit + 1) return limit + 1;    // one row of slack: a swap reaches two rows back
    }
    const size_t d = rows[a.n % 3][b.n];
    return d > limit ? limit + 1 : d;
}

bool text_is_unsafe(int32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x061C || (c >= 0x200E && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// May these bytes, fewer than four, become a character when more follow?
static bool is_cut_off(Text a)
{
    const unsigned char c = (unsigned char)a.p[0];
    const size_t n = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    for (size_t i = 1; i < a.n; i++)
        if (((unsigned char)a.p[i] & 0xC0) != 0x80) return false;
    return a.n < n;
}

size_t text_make_safe(Text a, char *safe, size_t *used)
{
    size_t n = 0, i = 0;
    while (i < a.n) {
        const size_t start = i;
        const int32_t c = text_utf8_next(a, &i);
        if (c < 0 && used && a.n - start < 4 && is_cut_off(text_part(a, start, a.n))) {
            i = start;
            break;
        }
        if (c == '\n' || c == '\t' || !text_is_unsafe(c)) {
            memmove(safe + n, a.p + start, i - start);
            n += i - start;
        } else safe[n++] = '?';
    }
    if (used) *used = i;
    return n;
}

size_t text_distance(Text a, Text b, size_t limit) { return distance(a, b, limit, false); }

// One slip in a short name, two from six letters on, three in long ones; single letters are never near.
static size_t slips_allowed(size_t n) { return n <= 1 ? 0 : n < 6 ? 1 : n < 12 ? 2 : 3; }

bool text_is_close(Text wanted, Text name)
{
    const size_t limit = slips_allowed(wanted.n < name.n ? name.n : wanted.n);
    return wanted.n && name.n && distance(wanted, name, limit, true) <= limit;
}

const char *text_closest(const char *wanted, const char *const *names, size_t n)
{
    const Text w = text_from(wanted);
    const char *best = NULL;
    size_t best_distance = 0;
    for (size_t i = 0; i < n; i++) {
        const Text name = text_from(names[i]);
        if (text_equal(w, name) || !text_is_close(w, name)) continue;
        const size_t d = distance(w, name, 3, true);    // case alone: 0
        if (!best || d < best_distance) {
            best = names[i];
            best_distance = d;
        }
    }
    return best;
}

// ---- String builder

char *str_room(StrBuf *s, size_t n)
{
    if (n >= SIZE_MAX / 4 - s->n) arena_no_memory(n);
    const size_t wanted = s->n + n + 1;
    if (wanted > s->capacity) {
        size_t capacity = s->capacity < 64 ? 64 : s->capacity * 2;
        if (capacity < wanted) capacity = wanted;
        if (s->arena) {
            s->p = arena_grow(s->arena, s->p, s->capacity, capacity, 1);
        } else {
            char *p = realloc(s->p, capacity);
            if (!p) arena_no_memory(capacity);
            s->p = p;
        }
        s->capacity = capacity;
    }
    return s->p + s->n;
}

void str_vaddf(StrBuf *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    char *p = str_room(s, 64);
    const size_t room = s->capacity - s->n;
    const int n = vsnprintf(p, room, format, args);
    assert(n >= 0);
    if ((size_t)n >= room) vsnprintf(str_room(s, (size_t)n), (size_t)n + 1, format, again);
    va_end(again);
    s->n += (size_t)n;
}

void str_addf(StrBuf *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vaddf(s, format, args);
    va_end(args);
}

char *str_finish(StrBuf *s)
{
    str_room(s, 0);
    s->p[s->n] = 0;
    char *text = s->p;
    *s = (StrBuf){ .arena = s->arena };
    return text;
}

void str_free(StrBuf *s)
{
    if (!s->arena) free(s->p);
    *s = (StrBuf){ .arena = s->arena };
}
