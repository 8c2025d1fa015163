// src/engine/island.c: evaluating the equations of an island, and where its arrays lie.
#include "engine/host.h"

// All exponents at once, without a branch: an infinity or a NaN has all its exponent bits set.
bool island_is_finite(const double *x, size_t n)
{
    const uint64_t exponent = 0x7ff0000000000000u;
    uint64_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (uint64_t)((bits & exponent) == exponent);
    }
    return bad == 0;
}

void island_fault(Island *island, FaultKind kind, uint32_t block, double t, const double *x)
{
    Fault *fault = &island->fault;
    fault->kind = kind;
    fault->block = block;
    fault->t = t;
    memcpy(fault->x, x, island->tables->n_states * sizeof *x);
}

orr_status engine_stop(Island *island)
{
    island->is_failed = true;
    island->values_valid = false;
    return ORR_STATUS_FAILED;
}

orr_status engine_fail(Island *island, EngineNews news, uint32_t number, double value)
{
    island->services->report(island, news, number, value);
    return engine_stop(island);
}

bool island_rates(Island *island, double t, const double *x, double *dx)
{
    island->n_rates++;
    if (island->tables->n_positive) x = domain_seen(island, x);
    int failed = island->surface.is_on ? surface_rates(island, t, x, dx)
                                       : engine_call(island, IR_RATES, t, x, dx);
    if (failed && island->has_guesses_before) {
        // a trial state far away may have led the unknowns of loops astray: once more, as the step began
        memcpy(island->env.v + island->tables->first_guess, island->guesses_before,
               island->tables->n_guesses * sizeof *island->guesses_before);
        failed = island->surface.is_on ? surface_rates(island, t, x, dx)
                                       : engine_call(island, IR_RATES, t, x, dx);
    }
    if (!failed && island_is_finite(dx, island->tables->n_states)) return true;
    island_fault(island, failed ? FAULT_LOOP : FAULT_VALUE, failed ? (uint32_t)failed - 1 : 0, t, x);
    return false;
}

bool island_rates_aside(Island *island, double t, const double *x, double *dx)
{
    double *guesses = island->env.v + island->tables->first_guess;
    const size_t size = island->tables->n_guesses * sizeof *guesses;
    memcpy(island->guesses_aside, guesses, size);
    if (island->tables->n_positive) x = domain_seen(island, x);
    const int failed = island->surface.is_on ? surface_rates(island, t, x, dx)
                                             : engine_call(island, IR_RATES, t, x, dx);
    memcpy(guesses, island->guesses_aside, size);
    return !failed;
}

int island_values(Island *island, double t, const double *x)
{
    return island->surface.is_on ? surface_values(island, t, x) : engine_call(island, IR_VALUES, t, x, NULL);
}

bool island_relations(Island *island, double t, const double *x, double *out)
{
    const bool mixes = island->surface.slides && island->surface.mixes;
    const int failed = mixes ? !slide_relations(island, t, x, out)
                             : engine_call(island, IR_RELATIONS, t, x, out);
    if (island->surface.is_on) surface_patch(island, out);
    if (!failed) return true;
    island_fault(island, FAULT_LOOP, (uint32_t)failed - 1, t, x);
    return false;
}

double *island_modes(const Island *island) { return island->env.v + island->tables->first_mode; }

// ---- Memory

enum {
    DUE_ALIGNED = 64,      // bytes, as the calendar asks for
    PENDING_MAX = 4096,    // delayed firings that wait at the same time
};

static uint32_t count_pending(const EngineTables *tables)
{
    for (uint32_t i = 0; i < tables->n_events; i++)
        if (tables->events[i].has_after) return PENDING_MAX;
    return 0;
}

static uint32_t count_due(const EngineTables *tables)
{
    return tables->n_events + count_pending(tables) + tables->n_sources;
}

size_t engine_state_size(const EngineTables *tables)
{
    return (calendar_bytes(count_due(tables)) + DUE_ALIGNED) / sizeof(double) + 1 +
           count_pending(tables) * (1 + (size_t)tables->n_asked) + 2 * (size_t)tables->n_events;
}

typedef struct Room {
    char  *memory;    // NULL: it is only counted
    size_t at;
} Room;

static void *room_take(Room *room, size_t n, size_t size)
{
    void *taken = room->memory ? room->memory + room->at : NULL;
    room->at += (n * size + 15) / 16 * 16;
    return taken;
}

static size_t lay_out(Island *island, const EngineTables *tables, char *memory)
{
    Room room = { memory, 0 };
    const size_t n = tables->n_states, m = tables->n_relations, events = tables->n_events;
    const size_t number = sizeof(double);
    Surface *s = &island->surface;
    uint32_t most = 0;    // actions
    for (size_t i = 0; i < events; i++)
        if (tables->events[i].n_actions > most) most = tables->events[i].n_actions;
    double **states[] = { &island->x_before, &island->fault.x, &island->x_trial, &island->x_end,
                          &island->x_event, &island->x_seen, &island->absolute };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) *states[i] = room_take(&room, n, number);
    island->guesses_aside = room_take(&room, tables->n_guesses, number);
    island->guesses_before = room_take(&room, tables->n_guesses, number);
    island->history.lag = room_take(&room, tables->n_delays, number);
    island->history.pace = room_take(&room, tables->n_delays, number);
    island->history.first = room_take(&room, tables->n_delays, number);
    island->history.now = room_take(&room, tables->n_delays, number);
    island->history.test = room_take(&room, tables->n_delays, number);
    island->history.x = room_take(&room, tables->n_delays ? n : 0, number);
    island->due = room_take(&room, count_due(tables), sizeof *island->due);
    island->conditions = room_take(&room, events, number);
    island->is_fired = room_take(&room, events, sizeof *island->is_fired);
    island->is_asked = room_take(&room, events, sizeof *island->is_asked);
    island->fired = room_take(&room, events, sizeof *island->fired);
    island->left = room_take(&room, most, number);
    if (m == 0) return room.at;
    double **relations[] = { &island->relations, &island->relations_left, &island->relations_here,
                             &island->samples[0], &island->samples[1], &island->samples[2],
                             &island->samples[3], &island->samples[4], &island->sample_before,
                             &s->relations[0], &s->relations[1] };
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
        *relations[i] = room_take(&room, 2 * m, number);
    double **modes[] = { &s->modes[0], &s->modes[1], &s->before, &s->after, &island->zero_scale };
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) *modes[i] = room_take(&room, m, number);
    double **rates[] = { &s->rates[0], &s->rates[1], &s->x, &s->x2, &s->dx };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) *rates[i] = room_take(&room, n, number);
    island->stays = room_take(&room, m, sizeof *island->stays);
    island->has_stayed = room_take(&room, events, sizeof *island->has_stayed);
    island->differing = room_take(&room, m, sizeof *island->differing);
    island->clock_until = room_take(&room, tables->n_clocks, number);
    island->is_marked = room_take(&room, events, sizeof *island->is_marked);
    island->is_state_marked = room_take(&room, n, sizeof *island->is_state_marked);
    island->zeno = room_take(&room, events, sizeof *island->zeno);
    island->contacts = room_take(&room, events, sizeof *island->contacts);
    s->surface_of = room_take(&room, m, sizeof *s->surface_of);
    s->is_continuous = room_take(&room, m, sizeof *s->is_continuous);
    s->resting = room_take(&room, m, sizeof *s->resting);
    return room.at;
}

size_t engine_size(const EngineTables *tables)
{
    Island island = { 0 };
    return lay_out(&island, tables, NULL);
}

void engine_lay_out(Island *island, double *state, void *memory)
{
    const EngineTables *tables = island->tables;
    lay_out(island, tables, memory);
    island->n_pending = count_pending(tables);
    island->n_due_max = count_due(tables);
    island->first_source = tables->n_events + island->n_pending;
    island->truth_before = state;
    island->pending = island->truth_before + tables->n_events;
    island->asked = island->pending + island->n_pending;
    island->every_k = island->asked + (size_t)island->n_pending * tables->n_asked;
    state = island->every_k + tables->n_events;
    const size_t over = (uintptr_t)state % DUE_ALIGNED;
    island->due_memory = state + (over ? DUE_ALIGNED - over : 0) / sizeof(double);
    island->calendar = calendar_init(island->due_memory, island->n_due_max);
    look_forget(island);
}
