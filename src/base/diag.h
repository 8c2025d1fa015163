// src/base/diag.h: reporting messages about the user's files, from inside the library.
//
//     diag_report(diag, DIAG_NAME_UNKNOWN, place, name, model);      // arguments checked like printf's
//     diag_suggest(diag, name, closest);
//     diag_note(diag, other_place, "'%s' is declared here", closest);
//
// A collector keeps the first 50 messages and counts the rest; a second message with the same code at the
// same place is dropped (its hint and notes too). A NULL collector is allowed everywhere and forgets.
#pragma once
#include "base/diag_list.h"
#include "base/text.h"
#include "orrery/base.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum DiagId {
#define D(NAME, CODE, FORMAT) DIAG_##NAME,
    DIAG_LIST(D)
#undef D
    DIAG_COUNT
} DiagId;

// Formats as constants of their own, so that the compiler checks the arguments of diag_report.
#define D(NAME, CODE, FORMAT) static const char diag_format_DIAG_##NAME[] __attribute__((unused)) = FORMAT;
DIAG_LIST(D)
#undef D

// A span of a source, by bytes. Line and column are computed only when a message is shown.
// {0} is "no place". In a source added without text, offset is the line and length the column, 0 if unknown.
typedef struct Place {
    uint32_t file;      // from diag_add_source; 0: no place
    uint32_t offset;    // bytes from the start
    uint32_t length;    // bytes; 0 marks a point
} Place;

enum { DIAG_MESSAGES_MAX = 50, DIAG_SOURCE_MAX = 1 << 30 /* bytes */ };

// Make a text known, to point into; path and text are copied. The same path and text again give the same
// number. text NULL: a file without text at hand, see Place. A NULL diag gives 0.
uint32_t diag_add_source(orr_diag *diag, const char *path, const char *text, size_t n);

// The severity follows the code: E error, W warning.
#define diag_report(diag, id, ...) diag_report_as((diag), (id), diag_format_##id, __VA_ARGS__)
void diag_report_as(orr_diag *diag, DiagId id, const char *format, Place place, ...)
    __attribute__((format(printf, 3, 5)));

// Attach to the latest message: a next step (the last hint wins), or a further place with a remark.
void diag_hint(orr_diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Of the latest message: what stands in its place as `wanted` would better be `replacement`. Without effect
// where that word does not stand there once, as in a message that points at a whole statement.
void diag_edit(orr_diag *diag, const char *wanted, const char *replacement);
// The hint and the edit "did you mean 'closest'?". NULL: nothing, and false.
bool diag_suggest(orr_diag *diag, const char *wanted, const char *closest);
void diag_note(orr_diag *diag, Place place, const char *format, ...) __attribute__((format(printf, 3, 4)));

bool diag_is(const orr_message *message, DiagId id);
// A message of another collector, with its place; notes are left behind.
void diag_copy(orr_diag *diag, const orr_message *message);

// Forget all messages since a mark: an attempt was given up, and another will say what is wrong.
typedef struct DiagMark {
    void  *messages[DIAG_MESSAGES_MAX];
    size_t n_messages, n_errors, n_warnings, n_not_shown;
} DiagMark;
DiagMark diag_mark(const orr_diag *diag);
void     diag_rewind(orr_diag *diag, const DiagMark *mark);

// A place as users have it, and back: in the text of the file, if the collector has it, else as a line of the
// file.
Place     diag_place(orr_diag *diag, orr_place where);
orr_place diag_where(const orr_diag *diag, Place place);    // the path belongs to the collector

// Line and column (from 1, column in characters) of a place; zeros if unknown.
void        diag_locate(const orr_diag *diag, Place place, size_t *line, size_t *column);
size_t      diag_line(const orr_diag *diag, Place place);
const char *diag_path(const orr_diag *diag, uint32_t file);    // NULL for no file
Text        diag_text(const orr_diag *diag, Place place);      // what stands there; empty: not at hand

void diag_keep(orr_diag *diag);    // its memory outlives the call that is given up, see guard.h
void diag_set_status(orr_diag *diag, orr_status status);    // how that call ended

static inline Place place_join(Place a, Place b)    // from the start of a to the end of b, same file
{
    if (a.file == 0) return b;
    if (b.file != a.file || b.offset < a.offset) return a;
    const uint32_t end_a = a.offset + a.length, end_b = b.offset + b.length;
    return (Place){ a.file, a.offset, (end_b > end_a ? end_b : end_a) - a.offset };
}
