// src/base/reads.h: which files are read, and files that are read from memory instead.
//
// What decides a run are the files that the program reads: models, what they use, tables, data. Whoever keeps
// a run notes them; whoever repeats it serves them from what was kept, wherever they were. Both hold for the
// whole process, since a model opens its data by many threads.
#pragma once
#include "base/arena.h"
#include "base/text.h"
#include <stdbool.h>

typedef struct ReadFile {
    const char *folder;    // see os_read_file; NULL: the user chose the path
    const char *path;      // as it was asked for
    const char *name;      // the same, but of the library of components: "library:NAME"
    Text        text;      // of one that is served
} ReadFile;

void reads_note(void);                                   // from now on, note what is read
// What was noted, each once, in the order of reading; in the arena. The number of files.
size_t reads_noted(Arena *arena, ReadFile **files);
void reads_serve(const ReadFile *files, size_t n);       // borrowed, by name; n 0: no more

// ---- For os_linux.c. A file opened from what is served, or -1; *is_served tells them apart.
int  reads_open(const char *folder, const char *path, bool *is_served);
bool reads_has(const char *path);                        // it is served
