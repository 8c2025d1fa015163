// src/exp/send.h: values that leave while the run goes on: lines `t,y` to a file, a socket, standard output.
#pragma once
#include "orrery/experiment.h"
#include "run/run.h"

typedef struct Sends Sends;

// Find the variables and open everything; NULL, with messages, if that fails. In the arena.
Sends *sends_open(const orr_model *model, const orr_experiment *experiment, Arena *arena, orr_diag *diag);
bool   sends_put(Sends *sends, orr_run *run);    // the present values; false, reported, if they cannot leave
// Messages of event ports are told by the trace of the run: whether any are wanted; one thing that happened; and have
// files contain what happened. What fails here is told by sends_put and sends_close.
bool   sends_have_messages(const Sends *sends);
void   sends_take(Sends *sends, const orr_devs_trace *what);
void   sends_flush(Sends *sends);
bool   sends_close(Sends *sends);                // false, reported, if something was not written; NULL is allowed
