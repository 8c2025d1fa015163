// src/solve/qss/relations.h: when relations change.
//
// Relations are watched on x, not q: x is one order better, so that a parabola that falls to the ground meets
// it exactly. What their zero functions read has moved: they are noted, and looked at when all of it has.
#pragma once
#include "solve/qss/qss.h"

// When will relation k change? From t on, into the calendar of crossings.
void relations_watch(Qss *m, const Island *island, uint32_t k, double t);

// It has not changed at t, although its polynomial says so, and says so again.
void relations_put_off(Qss *m, const Island *island, uint32_t k, double t);

// The time from t on at which it has really changed; NaN if it has not: the polynomial was not the whole
// truth.
double relations_confirm(const Qss *m, const Island *island, uint32_t k, double t);

static inline void relations_note(Qss *m, uint32_t relation)
{
    if (m->is_noted[relation]) return;
    m->is_noted[relation] = true;
    m->to_watch[m->n_to_watch++] = relation;
}

static inline void relations_note_list(Qss *m, const IrLists *lists, uint32_t i)
{
    for (uint32_t k = lists->start[i]; k < lists->start[i + 1]; k++) relations_note(m, lists->item[k]);
}

static inline void relations_note_readers(Qss *m, uint32_t i)
{
    relations_note_list(m, &m->ir->watched_by, i);
}

void relations_watch_noted(Qss *m, const Island *island, double t);
