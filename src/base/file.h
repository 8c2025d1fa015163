// src/base/file.h: a buffered writer that never loses an error.
//
// Results are streamed in place: each write(2) ends at a whole record (file_mark), so a run killed at any
// moment leaves readable rows; when the disk is full the file is cut back to whole lines. Small files that
// must be whole or absent (plots, reports) go to a temporary file that is renamed on close.
// The first failure is kept, later output is dropped, and file_close reports it with path and reason.
#pragma once
#include "base/arena.h"
#include "orrery/base.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum FileMode { FILE_IN_PLACE, FILE_REPLACE } FileMode;

typedef struct FileOut {
    int      fd;            // -1: not open
    FileMode mode;
    bool     owns_fd;       // false: standard output
    char    *path;          // heap; as given, for messages
    char    *target, *temp; // heap; only for FILE_REPLACE: where it goes, where it grows
    char    *buffer;        // heap [capacity]
    size_t   used;          // bytes in the buffer
    size_t   whole;         // of these, in finished records
    size_t   capacity;
    uint64_t written;       // bytes of whole records on disk
    int      error;         // errno of the first failure, 0: none
} FileOut;

// "-" is standard output, in place. False, with a message, if it cannot be opened; then f is closed.
bool file_open(FileOut *f, const char *path, FileMode mode, orr_diag *diag);

// Room for n bytes at the end of the buffer; file_use says how many were filled. Never NULL, also after a
// failure.
char *file_room(FileOut *f, size_t n);
static inline void file_use(FileOut *f, size_t n) { f->used += n; }

void file_write(FileOut *f, const void *bytes, size_t n);
void file_text(FileOut *f, const char *text);
void file_printf(FileOut *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void file_mark(FileOut *f) { f->whole = f->used; }    // a record ends here

bool file_flush(FileOut *f);                      // write the whole records; false after any failure
// write everything; false, with a message, after any failure
bool file_close(FileOut *f, orr_diag *diag);
// close; a temporary file is removed. Closed already: nothing
void file_abandon(FileOut *f);
