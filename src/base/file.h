// src/base/file.h: a buffered writer that never loses an error.
//
// Results are streamed in place: each write(2) ends at a whole record (file_mark), so a run killed at any
// moment leaves readable rows; when the disk is full the file is cut back to whole lines. Small files that
// must be whole or absent (plots, reports) go to a temporary file that is renamed on close.
// What stood in a file is thrown away with the first write, not before: until then its owner may go on where
// an earlier run left it (file_go_on).
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
    bool     is_terminal;   // what is written is made safe for it
    char    *path;          // heap; as given, for messages
    char    *target, *temp; // heap; only for FILE_REPLACE: where it goes, where it grows
    char    *buffer;        // heap [capacity]
    size_t   used;          // bytes in the buffer
    size_t   whole;         // of these, in finished records
    size_t   capacity;
    uint64_t written;       // bytes of whole records on disk
    int      error;         // errno of the first failure, 0: none
    bool     is_old;        // what stood in the file is still there
    bool     is_noted;      // among the files that runs have written
    bool     is_new;        // there was none before
    bool     syncs;         // what was written survives a loss of power; by the owner, as the next one
    bool     keeps;         // and stays there if nothing is written
    bool     drops;         // a new file in which nothing was written is removed
} FileOut;

// "-" is standard output, in place. False, with a message, if it cannot be opened; then f is closed.
bool file_open(FileOut *f, const char *path, FileMode mode, orr_diag *diag);
// The text of a model names the file, in place: it lies in the folder or below, is called as results are, and
// is new or what an earlier run wrote (written.h). Else false, with a message.
bool file_open_result(FileOut *f, const char *folder, const char *path, orr_diag *diag);

// Room for n bytes at the end of the buffer; file_use says how many were filled. Never NULL, also after a
// failure.
char *file_room(FileOut *f, size_t n);
static inline void file_use(FileOut *f, size_t n) { f->used += n; }

void file_write(FileOut *f, const void *bytes, size_t n);
void file_text(FileOut *f, const char *text);
void file_json(FileOut *f, const char *text);    // as a text of JSON, quoted
void file_printf(FileOut *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void file_mark(FileOut *f) { f->whole = f->used; }    // a record ends here

// A place in a file, to recognise it by.
typedef struct FilePoint {
    uint64_t file, position, hash;    // its name, bytes, and the last of them; position 0: none
} FilePoint;
typedef enum FileGoesOn { FILE_IS_OTHER, FILE_GOES_ON, FILE_WAS_CHANGED } FileGoesOn;

void       file_begin(FileOut *f);    // throw away what stood there, now
// Where the whole records end, which are on disk now. None of what is not a file.
FilePoint  file_point(FileOut *f);
// Nothing was written yet: go on at the point of this file among n; what follows it is cut off. WAS_CHANGED,
// and left as it is: what stands before that point is not what stood there.
FileGoesOn file_go_on(FileOut *f, const FilePoint *points, size_t n);
bool file_flush(FileOut *f);                      // write the whole records; false after any failure
// write everything; false, with a message, after any failure
bool file_close(FileOut *f, orr_diag *diag);
// close; a temporary file is removed. Closed already: nothing
void file_abandon(FileOut *f);
