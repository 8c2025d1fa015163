// src/base/os.h: what differs between operating systems. All `#ifdef`s for platforms live in os_*.c.
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include "orrery/base.h"
#include <stdbool.h>
#include <stdint.h>

uint64_t os_now_ns(void);    // monotonic clock
void     os_sleep_ns(uint64_t ns);    // or a little longer; a signal ends it

// The text of an errno value, in `buffer` or static; safe in threads.
const char *os_error_text(int error, char *buffer, size_t n);

// Read a whole file ("-": standard input) into the arena; a NUL follows, not counted. Missing, unreadable,
// a directory or larger than `limit` bytes: false and a message (E001 to E004). Any bytes are accepted.
// `folder`: the text of a model names the file, so it must lie there or below, also with all links followed,
// and be a plain file (E009, E028); NULL: whoever calls chose the path.
bool os_read_file(Arena *arena, const char *folder, const char *path, size_t limit, Text *out,
                  orr_diag *diag);

// Open a file ("-": standard input, 0) to read it piece by piece; -1, with the same messages, if that is
// refused.
int os_open_to_read(const char *folder, const char *path, orr_diag *diag);

// The one way to open a file that the text of a model names: a plain file in the folder or below, `path`
// beginning with the folder. -1 and errno: EXDEV if it leads out, ENXIO if it is a FIFO, a device, a socket.
int os_open_below(const char *folder, const char *path, int flags);

bool  os_make_folders(const char *path, orr_diag *diag);    // mkdir -p
bool  os_file_exists(const char *path);
bool  os_is_folder(const char *path);
char *os_path_folder(Arena *arena, const char *path);       // "a/b.orr" → "a", "b.orr" → "."
char *os_path_join(Arena *arena, const char *folder, const char *name);    // an absolute name stays as it is
// The path without the folder it begins with.
const char *os_name_below(const char *folder, const char *path);
// By its text alone: does a path that begins with the folder lead out of it?
bool  os_path_leaves(const char *folder, const char *path);
char *os_path_stem(Arena *arena, const char *path);         // "a/b.orr" → "b"
const char *os_path_suffix(const char *path);               // "a/b.orr" → ".orr", "" without one

// Where compiled models are kept: $ORRERY_CACHE, $XDG_CACHE_HOME/orrery, ~/.cache/orrery or, without a
// home, a folder of the user's own in /tmp. Not created.
char *os_cache_folder(Arena *arena);
// The folder `name` in it (NULL: itself), made if it is not there. It and the cache belong to this user, and
// nobody else may write to them; else NULL and a message.
char *os_private_folder(Arena *arena, const char *name, orr_diag *diag);

// Where the library of components is: share/orrery/lib beside the folder of the program, or else as it was
// installed. NULL if there is none.
char *os_library_folder(Arena *arena);

// Memory for large tables that are read here and there: zeroed, aligned to 64 bytes, in large pages where
// the system has them, which saves most of the cost of finding a page. Never NULL. Free with free().
void *os_large_alloc(size_t bytes);

int  os_processors(void);                          // that this process may use, at least 1
