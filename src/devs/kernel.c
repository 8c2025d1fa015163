// src/devs/kernel.c: the loop of Parallel DEVS.
//
// One turn is one bag at one instant:
//
//     who is due     those with time advance 0, kept in a list, or the earliest of the agenda
//     output         each of them, in the order of names, puts messages into one buffer
//     bags           messages were counted by receiver as they came; where there are several they are now
//                    placed side by side, in the order they were sent; values are not copied again
//     transitions    internal or confluent for those that were due, external for the other receivers; then
//                    each says when it is due next
//
// Nothing is allocated unless a bag is larger than all before it. Lists of components are nearly always in
// order already, since all loops go in the order of names (sort.c). [Chow & Zeigler 1994; Chow 1996]
#include "devs/devs.h"
#include "num/instant.h"
#include <stdlib.h>
#include <string.h>

static void *larger(orr_devs_run *run, void *p, size_t *capacity, size_t wanted, size_t size)
{
    const size_t n = kernel_more(*capacity, wanted);
    void *q = devs_resize(run, p, n * size);
    *capacity = n;
    return q;
}

// ---- Output

// Values stay where they are while a bag is handled, since bags point to them: a full chunk is kept, and
// the next one is larger.
static void add_chunk(orr_devs_run *run, size_t words)
{
    const size_t n = kernel_more(run->chunk ? run->chunk->n_words : 64, words);
    DevsChunk *chunk = devs_resize(run, NULL, sizeof *chunk + n * sizeof *chunk->words);
    chunk->older = run->chunk;
    chunk->n_words = n;
    run->chunk = chunk;
    run->words_capacity = n;
    run->n_words = 0;
}

static void drop_old_chunks(orr_devs_run *run)
{
    while (run->chunk && run->chunk->older) {
        DevsChunk *old = run->chunk->older;
        run->chunk->older = old->older;
        free(old);
    }
}

static void grow_receivers(orr_devs_run *run)
{
    run->receivers = larger(run, run->receivers, &run->receivers_capacity, run->n_receivers + 1,
                            sizeof *run->receivers);
    if (run->bags_capacity < run->receivers_capacity)
        run->bags = larger(run, run->bags, &run->bags_capacity, run->receivers_capacity, sizeof *run->bags);
}

static inline void put_into_bag(orr_devs_run *run, const DevsTarget *target, const void *value,
                                uint32_t sender)
{
    DevsActor *actor = actor_at(run, target->word);
#if HAS_SWITCHES
    if (run->switches && !switches_can_reach(run, target, actor->component)) {
        run->n_received--;
        return;
    }
#endif
    // the first one is put into a bag at once: with luck it is the only one
    if (actor->n_bag++ > 0) return;
    const size_t n = run->n_receivers++;
    if (n == run->receivers_capacity) {
        run->n_receivers = n;
        grow_receivers(run);
        run->n_receivers = n + 1;
    }
    actor->bag = (uint32_t)n;
    run->bags[n] = (orr_devs_event){ value, target->port, sender };
    run->receivers[n] = target->word;
}

static void make_room(orr_devs_run *run, size_t words)
{
    if (run->n_messages == run->messages_capacity)
        run->messages = larger(run, run->messages, &run->messages_capacity, run->n_messages + 1,
                               sizeof *run->messages);
    if (!run->chunk || run->n_words + words > run->chunk->n_words) add_chunk(run, words);
}

// Keep a message and count it where it will arrive.
static inline void add_message(orr_devs_run *run, uint32_t output, uint32_t sender, const void *value,
                               size_t size)
{
    const size_t words = (size + 7) / 8;
    if (run->n_messages == run->messages_capacity || run->n_words + words > run->words_capacity)
        make_room(run, words);
    uint64_t *copy = &run->chunk->words[run->n_words];
    run->n_words += words;
    if (size == 8) memcpy(copy, value, 8);
    else if (size > 0) memcpy(copy, value, size);
    run->messages[run->n_messages++] = (DevsMessage){ copy, output, sender };

    const DevsTarget *only = &run->model->outputs[output];
    if (!(only->port & DEVS_SEVERAL)) {
        run->n_received++;
        put_into_bag(run, only, copy, sender);
        return;
    }
    const DevsTarget *end;
    const DevsTarget *target = devs_targets(run->model, output, &end);
    run->n_received += (size_t)(end - target);
    for (; target < end; target++) put_into_bag(run, target, copy, sender);
}

void orr_devs_send(const orr_devs_call *call, uint32_t port, const void *value)
{
    orr_devs_run *run = call->run;
    const orr_atomic *sender = run->sender;
    const char *wrong = NULL;
    if (!sender) wrong = "it sends from another function than its output function";
    else if (port >= sender->n_outputs) wrong = "it sends at a port it does not have";
    else if (run->n_received > DEVS_BAG_MAX) wrong = "more messages are sent at one instant than are allowed";
    if (wrong) orr_devs_fail(call, wrong);
    else add_message(run, run->sender_output + port, call->component, value, sender->outputs[port].size);
}

static void take_from_outside(orr_devs_run *run, double t)
{
    const orr_devs *model = run->model;
    while (inputs_first(&run->inputs) <= t) {
        const DevsInput input = inputs_take(&run->inputs);
        add_message(run, model->first_input + input.port, ORR_DEVS_OUTSIDE,
                    &run->inputs.values[(size_t)input.slot * run->inputs.slot_words],
                    model->input_sizes[input.port]);
    }
}

// Messages of one sender, by port; those at one port stay in the order of sending. Merging pieces of twice
// the length each time.
static void order_by_port(orr_devs_run *run, DevsMessage *messages, size_t n)
{
    size_t sorted = 1;
    while (sorted < n && messages[sorted - 1].output <= messages[sorted].output) sorted++;
    if (sorted == n) return;
    DevsMessage *other = devs_resize(run, NULL, n * sizeof *other);
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t from = 0; from < n; from += 2 * width) {
            const size_t middle = from + width < n ? from + width : n;
            const size_t end = from + 2 * width < n ? from + 2 * width : n;
            size_t a = from;
            size_t b = middle;
            for (size_t k = from; k < end; k++) {
                const bool first = a < middle && (b == end || messages[a].output <= messages[b].output);
                other[k] = messages[first ? a++ : b++];
            }
        }
        memcpy(messages, other, n * sizeof *other);
    }
    free(other);
}

// In large models most of the time is spent waiting for memory: who comes soon is fetched meanwhile.
enum { AHEAD = 8 };
static inline void fetch_ahead(const orr_devs_run *run, const uint32_t *words, size_t i, size_t n)
{
    if (i + AHEAD >= n) return;
    const char *actor = (const char *)actor_at(run, words[i + AHEAD]);
    __builtin_prefetch(actor);
    __builtin_prefetch(actor + 64);
}

static void ask_for_output(orr_devs_run *run, size_t n_imminent)
{
    for (size_t i = 0; i < n_imminent; i++) {
        fetch_ahead(run, run->imminent, i, n_imminent);
        const DevsActor *actor = actor_at(run, run->imminent[i]);
        const orr_atomic *type = run->types[actor->type];
        if (!type->output) continue;
        run->sender = type;
        run->sender_output = run->model->spots[actor->component].first_output;
        run->call.component = actor->component;
        const size_t before = run->n_messages;
        type->output(actor + 1, &run->call);
        const size_t n = run->n_messages - before;
        if (n > 1) order_by_port(run, run->messages + before, n);
    }
    run->sender = NULL;
}

// ---- Bags

// Who gets more than one message gets a new place, behind the single ones, where they are put side by side.
static void place_many(orr_devs_run *run)
{
    size_t end = run->n_receivers;
    for (size_t i = 0; i < run->n_receivers; i++) {
        DevsActor *actor = actor_at(run, run->receivers[i]);
        if (actor->n_bag == 1) continue;
        actor->bag = (uint32_t)end;
        end += actor->n_bag;
        actor->n_bag = 0;
    }
    if (end > run->bags_capacity)
        run->bags = larger(run, run->bags, &run->bags_capacity, end, sizeof *run->bags);
    for (size_t m = 0; m < run->n_messages; m++) {
        const DevsMessage *message = &run->messages[m];
        const DevsTarget *last;
        for (const DevsTarget *to = devs_targets(run->model, message->output, &last); to < last; to++) {
            DevsActor *actor = actor_at(run, to->word);
#if HAS_SWITCHES
            if (run->switches && !switches_can_reach(run, to, actor->component)) continue;
#endif
            if (actor->bag < run->n_receivers) continue;
            run->bags[actor->bag + actor->n_bag++] =
                (orr_devs_event){ message->value, to->port, message->sender };
        }
    }
}

// ---- Transitions

// t + ta, with what that lacks to the exact sum: sums of one period meet those of another where they should.
static inline double due_after(const orr_devs_call *call, double ta)
{
    if (ta == 0) return call->t;
    const double sum = call->t + ta;
    const double added = sum - call->t;
    const double rest = call->t - (sum - added) + (ta - added) + call->rest;
    const double due = sum + rest;
    *call->due_rest = rest - (due - sum);
    return due;
}

// Ask a component when it is due next. Who is due at once goes to the list, and may stay in the agenda:
// the next bag comes from the list, and then it is asked again.
static inline double plan_next(orr_devs_run *run, uint32_t word, DevsActor *actor, const orr_atomic *type,
                              double t)
{
    const bool is_absolute = type->traits & ORR_ATOMIC_ABSOLUTE;
    const double ta = type->advance(actor + 1, &run->call);
    const double due = is_absolute || !(ta < (double)INFINITY) ? ta : due_after(&run->call, ta);
    if (due > t && (is_absolute || ta >= 0)) {
        if (due != actor->due) {
            actor->rest = run->due_rest;
            agenda_set(&run->agenda, word, due);
        }
        run->due_rest = 0;
        return due;
    }
    // a due time that is kept may be of this instant
    if (!(is_absolute ? instant_reach(due) >= t : ta >= 0)) {
        agenda_set(&run->agenda, word, (double)INFINITY);
        devs_bad_advance(run, ta, is_absolute);
        return (double)INFINITY;
    }
    run->zero[run->clock->n_zero++] = word;
    run->due_rest = 0;
    return t;
}

// Returns how many had messages.
static size_t move_imminent(orr_devs_run *run, size_t n_imminent, double t)
{
    size_t n_confluent = 0;
    for (size_t i = 0; i < n_imminent; i++) {
        fetch_ahead(run, run->imminent, i, n_imminent);
        DevsActor *actor = actor_at(run, run->imminent[i]);
        const orr_atomic *type = run->types[actor->type];
        void *state = actor + 1;
        const uint32_t n = actor->n_bag;
        run->call.component = actor->component;
        if (n == 0) {
            if (type->internal) type->internal(state, &run->call);
        } else {
            const orr_devs_event *bag = run->bags + actor->bag;
            actor->n_bag = 0;
            n_confluent++;
            if (type->confluent) type->confluent(state, &run->call, bag, n);
            else {
                if (type->internal) type->internal(state, &run->call);
                if (type->external) type->external(state, &run->call, 0, bag, n);
            }
        }
#if IS_ENGINE
        const double elapsed = t - actor->last;
        actor->last = t;
        const double due = plan_next(run, run->imminent[i], actor, type, t);
        if (run->is_observed)
            devs_saw_transition(run, n ? ORR_DEVS_CONFLUENT : ORR_DEVS_INTERNAL, elapsed, due, n);
#else
        actor->last = t;
        plan_next(run, run->imminent[i], actor, type, t);
#endif
    }
    run->clock->n_internal += n_imminent;
    run->clock->n_external += n_confluent;
    run->clock->n_confluent += n_confluent;
    return n_confluent;
}

static void move_receivers(orr_devs_run *run, double t)
{
    uint64_t n_external = 0;
    sort_ids(run, run->receivers, run->n_receivers);
    for (size_t i = 0; i < run->n_receivers; i++) {
        fetch_ahead(run, run->receivers, i, run->n_receivers);
        DevsActor *actor = actor_at(run, run->receivers[i]);
        const uint32_t n = actor->n_bag;
        if (n == 0) continue;    // was due, and has had them
        const orr_devs_event *bag = run->bags + actor->bag;
        actor->n_bag = 0;
        if (actor->component == run->model->n_components) {
            devs_arrived(run, t, bag, n);
            continue;
        }
        const orr_atomic *type = run->types[actor->type];
        void *state = actor + 1;
        run->call.component = actor->component;
        const double elapsed = t - actor->last;
        actor->last = t;
        if (type->external) type->external(state, &run->call, elapsed, bag, n);
        n_external++;
#if IS_ENGINE
        const double due = plan_next(run, run->receivers[i], actor, type, t);
        if (run->is_observed) devs_saw_transition(run, ORR_DEVS_EXTERNAL, elapsed, due, n);
#else
        plan_next(run, run->receivers[i], actor, type, t);
#endif
    }
    run->clock->n_external += n_external;
}

// ---- One bag

double kernel_next(const orr_devs_run *run)
{
    const double due = agenda_first(&run->agenda);
    const double input = inputs_first(&run->inputs);
    if (run->clock->n_zero > 0) return run->clock->now;
    if (input > due) return input <= run->agenda.limit ? input : due;
    return due <= instant_reach(input) ? due : input;
}

static size_t find_imminent(orr_devs_run *run, double t)
{
    size_t n = run->clock->n_zero;
    if (n > 0) {
        memcpy(run->imminent, run->zero, n * sizeof *run->zero);
        run->clock->n_zero = 0;
    } else if (agenda_first(&run->agenda) <= t) {
        n = agenda_due(&run->agenda, run->imminent);
        const DevsActor *latest = actor_at(run, run->imminent[0]);
        for (size_t i = 1; i < n; i++) {
            const DevsActor *other = actor_at(run, run->imminent[i]);
            if (other->due > latest->due) latest = other;
        }
        if (run->clock->bag == 0) run->clock->rest = latest->due - t + latest->rest;
    }
    sort_ids(run, run->imminent, n);
    return n;
}

void kernel_bag(orr_devs_run *run, double t)
{
    DevsClock *clock = run->clock;
    if (t > clock->now) {
        clock->now = t;
        clock->bag = 0;
        clock->rest = 0;
    }
    if (clock->bag == 0) clock->n_instants++;
    run->call.t = t;
    run->n_messages = run->n_words = run->n_receivers = run->n_received = 0;
    drop_old_chunks(run);
    const size_t n_imminent = find_imminent(run, t);
    run->call.rest = clock->rest;
    if (run->inputs.n) take_from_outside(run, t);
    ask_for_output(run, n_imminent);
#if IS_ENGINE
    if (run->is_observed) devs_saw_messages(run);
#endif
    if (run->n_received > run->n_receivers) place_many(run);
    run->is_moving = true;
    if (move_imminent(run, n_imminent, t) < run->n_receivers) move_receivers(run, t);
    run->is_moving = false;
#if HAS_SWITCHES
    if (run->switches && run->switches->n_asked) switches_apply(run);
#endif
    agenda_settle(&run->agenda, run->model);
    clock->n_messages += run->n_messages;
    clock->n_received += run->n_received;
    clock->n_bags++;
    if (++clock->bag >= run->max_bags) devs_is_endless(run, n_imminent);
}

void kernel_wait(orr_devs_run *run, double t)
{
    if (!(t > run->clock->now)) return;
    run->clock->now = run->call.t = t;
    run->clock->rest = run->call.rest = 0;
    run->clock->bag = 0;
}

// ---- A run begins and ends

void kernel_init(orr_devs_run *run, uint32_t component)
{
    DevsActor *actor = actor_of(run, component);
    const orr_atomic *type = run->model->types[actor->type];
    run->call.component = component;
    if (type->init) type->init(actor + 1, devs_params(run, component), &run->call);
}

#if HAS_SWITCHES
void kernel_schedule(orr_devs_run *run, uint32_t component)
{
    DevsActor *actor = actor_of(run, component);
    const orr_atomic *type = run->types[actor->type];
    run->call.component = component;
    actor->last = run->call.t;
    // a point in time may have passed meanwhile
    if (type->traits & ORR_ATOMIC_ABSOLUTE && type->advance(actor + 1, &run->call) < run->call.t)
        run->zero[run->clock->n_zero++] = run->model->spots[component].word;
    else plan_next(run, run->model->spots[component].word, actor, type, run->call.t);
}

#endif
void kernel_begin(orr_devs_run *run)
{
    for (uint32_t i = 0; i < run->model->n_components; i++) {
        run->n_begun = i + 1;
        kernel_init(run, i);
        DevsActor *actor = actor_of(run, i);
#if HAS_SWITCHES
        if (run->switches && run->switches->is_off[i]) continue;
#endif
        plan_next(run, run->model->spots[i].word, actor, run->types[actor->type], run->call.t);
    }
    agenda_settle(&run->agenda, run->model);
}

// All that changes in one block: the clock, who is due at once, then actors with their states.
static void make_block(orr_devs_run *run)
{
    const size_t line = 63;    // of the cache
    const size_t zero = (sizeof(DevsClock) + line) & ~line;
    const size_t states = zero + ((run->model->n_components * sizeof(uint32_t) + line) & ~line);
    run->block_size = states + ((run->model->state_words * 8 + line) & ~line);
    run->block = devs_zeroed(run, run->block_size);
    run->clock = (DevsClock *)(void *)run->block;
    run->zero = (uint32_t *)(void *)(run->block + zero);
    run->states = run->block + states;
}

void kernel_create(orr_devs_run *run, const orr_devs *model, double t)
{
    run->model = model;
    run->types = devs_zeroed(run, (model->n_types + 1) * sizeof *run->types);
    for (uint32_t i = 0; i < model->n_types; i++) run->types[i] = model->types[i];
    make_block(run);
    agenda_init(&run->agenda, run, run->states, model->n_components);
    run->imminent = devs_zeroed(run, (model->n_components + 1) * sizeof *run->imminent);
    for (uint32_t r = 0; r < model->n_ranges; r++) {
        const DevsRange *range = &model->ranges[r];
        for (uint32_t i = 0; i < range->n; i++)
            *actor_of(run, range->component + i) = (DevsActor){ .type = range->type,
                                                                .component = range->component + i,
                                                                .last = t,
                                                                .due = (double)INFINITY };
    }
    actor_of(run, model->n_components)->component = model->n_components;
    run->inputs.slot_words = model->input_words;
    run->clock->now = t;
    run->call = (orr_devs_call){ .t = t, .run = run, .due_rest = &run->due_rest };
}

void kernel_free(orr_devs_run *run)
{
    free(run->types);
    free(run->pool);
#if HAS_SWITCHES
    switches_free(run);
#endif
    inputs_free(&run->inputs);
    agenda_free(&run->agenda);
    free(run->imminent);
    free(run->receivers);
    free(run->scratch);
    free(run->messages);
    while (run->chunk) {
        DevsChunk *older = run->chunk->older;
        free(run->chunk);
        run->chunk = older;
    }
    free(run->bags);
    free(run->block);
}
