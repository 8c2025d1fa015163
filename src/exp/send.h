// src/exp/send.h: values that leave while the run goes on: lines `t,y` to a file, a socket, standard output.
#pragma once
#include "orrery/experiment.h"
#include "run/run.h"

typedef struct Sends Sends;

// Find the variables and open everything; NULL, with messages, if that fails. In the arena.
// Files keep what is in them until something is written.
Sends *sends_open(const orr_model *model, const orr_experiment *experiment, Arena *arena, orr_diag *diag);
bool   sends_put(Sends *sends, orr_run *run);    // the present values; false, reported, if they cannot leave
// Messages of event ports are told by the trace of the run: whether any are wanted; one thing that happened;
// and have files contain what happened. What fails here is told by sends_put and sends_close.
bool   sends_have_messages(const Sends *sends);
void   sends_take(Sends *sends, const orr_devs_trace *what);
void   sends_flush(Sends *sends);
// Of checkpoints, as those of orr_sink; of all files: [sends_count] marks. sends_begin: the files that do not
// go on get their header; these only get the first values if the row of that time was still to come.
size_t sends_count(const Sends *sends);          // NULL is allowed
void   sends_mark(Sends *sends, orr_sink_mark *marks);
// false, reported, if one was changed
bool   sends_go_on(Sends *sends, const orr_sink_mark *marks, size_t n);
bool   sends_begin(Sends *sends);
bool   sends_put_first(Sends *sends, orr_run *run, bool is_due);
bool   sends_close(Sends *sends);                // false, reported, if something was not written; NULL is
                                                 // allowed
