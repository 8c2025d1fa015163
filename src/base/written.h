// src/base/written.h: which files earlier runs of this user have written: a model may replace these, and no
// others, without consent.
#pragma once
#include <stdbool.h>

// The open file is as a run of ours left it: whole, or cut off because the run was killed.
bool written_is_ours(int fd);
// Remember the open file: as one that is being written, or as finished with what stands in it now.
void written_note(int fd, bool is_whole);
