// src/run/save_engine.c: the engine's part of a checkpoint: surfaces, rests, histories.
#include "run/run.h"

static void pass_surfaces(Island *island, RunSaved *saved)
{
    Surface *s = &island->surface;
    const uint32_t n = island->tables->n_relations;
    uint32_t n_surfaces = (uint32_t)s->n_surfaces;
    saved_index(saved, &n_surfaces, SURFACES_MAX + 1);
    if (saved->is_bad) return;
    s->n_surfaces = n_surfaces;
    slide_make_room(island, n_surfaces);
    for (uint32_t k = 0; k < n_surfaces && !saved->is_bad; k++) {
        uint32_t leader = (uint32_t)s->leader[k];
        saved_index(saved, &leader, n);
        s->leader[k] = leader;
        saved_pass(saved, &s->part[k], sizeof s->part[k]);
    }
    for (uint32_t k = 0; k < n && !saved->is_bad; k++) {
        saved_pass(saved, &s->surface_of[k], sizeof s->surface_of[k]);
        if (s->surface_of[k] >= n_surfaces && s->surface_of[k] != SURFACE_NONE) saved->is_bad = true;
    }
    saved_pass(saved, s->before, n * sizeof *s->before);
    saved_pass(saved, island->zero_scale, n * sizeof *island->zero_scale);
}

void surface_pass(orr_run *run, RunSaved *saved)
{
    Island *island = &run->island;
    Surface *s = &island->surface;
    const orr_model *model = run->model;
    const uint32_t n = model->n_relations;
    if (n == 0) return;
    if (saved->is_loading) look_forget_clocks(island);
    saved_pass(saved, island->zeno, model->n_events * sizeof *island->zeno);
    saved_index(saved, &island->n_contacts, model->n_events + 1);
    if (saved->is_bad || !contact_make_room(island, island->n_contacts)) return;
    s->n_resting = 0;
    for (uint32_t i = 0; i < island->n_contacts && !saved->is_bad; i++) {
        Contact *c = &island->contacts[i];
        saved_index(saved, &c->event, model->n_events);
        saved_index(saved, &c->relation, n);
        saved_flags(saved, &c->rests, 1);
        saved_pass(saved, &c->inward, sizeof c->inward);
        saved_pass(saved, &c->speed, sizeof c->speed);
        saved_pass(saved, s->directions + i * model->n_states, model->n_states * sizeof *s->directions);
        s->contact_relations[i] = c->relation;
        s->n_resting += c->rests;
    }
    saved_flags(saved, &s->is_on, 1);
    saved_flags(saved, &s->slides, 1);
    saved_flags(saved, &s->ends, 1);
    saved_flags(saved, &s->mixes, 1);
    pass_surfaces(island, saved);
    saved_pass(saved, &s->probe, sizeof s->probe);
    saved_pass(saved, &s->contact_probe, sizeof s->contact_probe);
    saved_flags(saved, s->resting, n);
    for (int i = 0; i < 2; i++) saved_pass(saved, s->modes[i], n * sizeof *s->modes[i]);
}


void history_pass(orr_run *run, RunSaved *saved)
{
    Island *island = &run->island;
    History *h = &island->history;
    const size_t n_delays = run->model->n_delays;
    if (n_delays == 0) return;
    size_t n = h->n_segments - h->dropped;
    saved_pass(saved, &n, sizeof n);
    saved_flags(saved, &h->known, 1);
    saved_pass(saved, h->first, n_delays * sizeof *h->first);
    if (h->moves) {
        saved_pass(saved, h->lag, n_delays * sizeof *h->lag);
        saved_pass(saved, h->pace, n_delays * sizeof *h->pace);
    }
    size_t n_breaks = h->n_breaks;
    saved_pass(saved, &n_breaks, sizeof n_breaks);
    if (saved->is_loading) {
        saved->is_bad = saved->is_bad || n_breaks > (saved->n - saved->at) / sizeof *h->breaks;
        if (saved->is_bad) return;
        saved->is_bad = !history_make_breaks(island, n_breaks);
        if (saved->is_bad) return;
        h->n_breaks = n_breaks;
    }
    saved_pass(saved, h->breaks, n_breaks * sizeof *h->breaks);
    const size_t block = HISTORY_POINTS * n_delays;
    if (saved->is_loading) {
        saved->is_bad = saved->is_bad || n > (saved->n - saved->at) / ((2 + block) * sizeof(double));
        h->n_segments = h->dropped = 0;
        while (h->capacity < n && !saved->is_bad) {
            h->n_segments = h->capacity;    // full: it doubles
            saved->is_bad = !history_make_room(island, -INFINITY);
        }
        h->n_segments = saved->is_bad ? 0 : n;
        if (saved->is_bad) return;
    }
    saved_pass(saved, h->begins + h->dropped, n * sizeof *h->begins);
    saved_pass(saved, h->ends + h->dropped, n * sizeof *h->ends);
    saved_pass(saved, h->values + block * h->dropped, n * block * sizeof *h->values);
}
