// src/exp/table.h: what figures read from tables besides their rows.
#pragma once
#include "figure/figure.h"
#include "orrery/experiment.h"

// orr_table_read of a file that the text of a model names, see os_read_file.
orr_table *table_read(const char *folder, const char *path, orr_diag *diag);

// The curve of a column over time, in the arena, with gaps between runs. None if it has no pieces.
FigurePath table_curve(const orr_table *table, size_t column, Arena *arena);
