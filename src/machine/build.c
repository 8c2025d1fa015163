// src/machine/build.c: from a machine as written to its tables.
//
// Names with ranges stand for families: `state S[0..5]` is S[0] … S[5]. A rule `S[i] on I[j] -> S[i+j]` is
// read for every member of its families; an index that is a name not known as a constant is bound by the
// pattern. Statements are taken by how special they are: first those that name state and input, then those
// with one `*`, then those with two.
#include "machine/build.h"
#include "base/map.h"
#include "front/front.h"
#include "machine/draft.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIMENSIONS_MAX = 8, BOUND_MAX = 2 * DIMENSIONS_MAX };

typedef struct Family {
    uint32_t first;    // number of its first member
    uint32_t n;        // members
    uint32_t n_ranges;
    int64_t from[DIMENSIONS_MAX];     // [n_ranges] first value of each index
    uint32_t size[DIMENSIONS_MAX];    // [n_ranges] how many values
    Place place;
} Family;

typedef struct Set {     // of states, inputs or outputs
    const char *word;    // "a state"
    TextMap by_name;     // family
    VEC(Family) families;
} Set;

typedef struct Binding {
    const char *name;
    double value;
} Binding;

typedef struct Builder {
    Arena *arena;             // borrowed; owns all below
    orr_diag *diag;           // borrowed
    const AstMachine *ast;    // borrowed
    Draft draft;
    Set states, inputs, outputs;
    TextMap const_by_name;    // place in `consts`
    VEC(Binding) consts;
    Binding bound[BOUND_MAX];    // by the pattern under way
    uint32_t n_bound;
    bool failed;        // the expression under way has been reported
    bool sets_known;    // false: what is in them cannot be told
} Builder;

// ---- Whole numbers known when the machine is read

static double fail(Builder *b, const AstExpr *e, const char *what)
{
    if (!b->failed) {
        diag_report(b->diag, DIAG_MACHINE_INDEX, e->place, what);
        diag_hint(b->diag, "an index is computed from numbers, constants and the indices of the rule, with "
                           "+ - * / mod min max abs floor");
    }
    b->failed = true;
    b->draft.ok = false;
    return NAN;
}

static double look_up(void *builder, const AstExpr *e)
{
    const Builder *b = builder;
    const AstRef *ref = &e->ref;
    double value;
    bool is_truth;
    if (ref->n_parts != 1 || ref->primes > 0 || ref->parts[0].n_indices > 0)
        return fail(builder, e, "this is not a number here");
    const char *name = ref->parts[0].name;
    for (uint32_t i = 0; i < b->n_bound; i++)
        if (strcmp(b->bound[i].name, name) == 0) return b->bound[i].value;
    const uint32_t *at = text_map_find(&b->const_by_name, text_from(name));
    if (at) return b->consts.items[*at].value;
    if (front_constant(name, &value, &is_truth)) return value;
    return fail(builder, e, arena_printf(b->arena, "nothing here gives '%s' a value", name));
}

static double refuse(void *builder, const AstExpr *e, const char *takes)
{
    Builder *b = builder;
    if (e->kind != AST_CALL) return fail(b, e, "this is not a number here");
    const char *name = e->call.function;
    return fail(b, e, takes ? arena_printf(b->arena, "'%s' takes %s", name, takes)
                            : arena_printf(b->arena, "'%s' is not known here", name));
}

static double no_value(void *builder, const AstExpr *e)
{
    const bool divides = e->kind == AST_BINARY || strcmp(e->call.function, "mod") == 0;
    return fail(builder, e, divides ? "division by zero" : "this function has no value there");
}

static double evaluate(Builder *b, const AstExpr *e)
{
    return front_evaluate(&(FrontNumbers){ look_up, NULL, refuse, no_value, b }, e);
}

// A whole number of moderate size. False after a message.
static bool whole(Builder *b, const AstExpr *e, int64_t *out)
{
    b->failed = false;
    const double value = evaluate(b, e);
    if (b->failed) return false;
    if (!(fabs(value) <= 1e15) || value != floor(value)) {
        fail(b, e, arena_printf(b->arena, "this is %g, not a whole number", value));
        return false;
    }
    *out = (int64_t)value;
    return true;
}

// ---- Declaring

static const char *member_name(Builder *b, const char *family, const int64_t *index, uint32_t n)
{
    if (n == 0) return family;
    StrBuf s = { .arena = b->arena };
    str_addf(&s, "%s[", family);
    for (uint32_t i = 0; i < n; i++) str_addf(&s, "%s%lld", i ? "," : "", (long long)index[i]);
    str_add_char(&s, ']');
    return str_finish(&s);
}

static bool read_ranges(Builder *b, const AstFamily *ast, Family *family)
{
    uint64_t n = 1;
    if (ast->n_ranges > DIMENSIONS_MAX) {
        diag_report(b->diag, DIAG_MACHINE_INDEX, ast->place, "there are more than 8 indices");
        return b->draft.ok = false;
    }
    for (uint32_t i = 0; i < ast->n_ranges; i++) {
        int64_t first = 1, last;
        if (ast->ranges[i].first && !whole(b, ast->ranges[i].first, &first)) return false;
        if (!whole(b, ast->ranges[i].last, &last)) return false;
        if (last < first) {
            diag_report(b->diag, DIAG_MACHINE_INDEX, ast->ranges[i].last->place,
                        arena_printf(b->arena, "the range from %lld to %lld is empty", (long long)first,
                                     (long long)last));
            return b->draft.ok = false;
        }
        family->from[i] = first;
        const uint64_t size = (uint64_t)(last - first) + 1;
        if (size > MACHINE_CELLS_MAX / n) {
            diag_report(b->diag, DIAG_MODEL_TOO_LARGE, ast->place, (size_t)(n * size),
                        arena_printf(b->arena, "members of '%s'", ast->name), (size_t)MACHINE_CELLS_MAX);
            return b->draft.ok = false;
        }
        n *= size;
        family->size[i] = (uint32_t)size;
    }
    family->n_ranges = ast->n_ranges;
    family->n = (uint32_t)n;
    return true;
}

// The indices of member k.
static void member_index(const Family *f, uint32_t k, int64_t *index)
{
    for (uint32_t i = f->n_ranges; i-- > 0;) {
        index[i] = f->from[i] + k % f->size[i];
        k /= f->size[i];
    }
}

static uint32_t add_member(Builder *b, const Set *set, Text name, Place place)
{
    if (set == &b->states) return draft_add_state(&b->draft, name, place);
    if (set == &b->inputs) return draft_add_input(&b->draft, name, place);
    return draft_add_output(&b->draft, name);
}

static void declare(Builder *b, Set *set, const AstFamily *ast)
{
    Family family = { .n = 1, .place = ast->place };
    if (!read_ranges(b, ast, &family)) {
        b->sets_known = false;
        return;
    }
    const uint32_t *known = text_map_find(&set->by_name, text_from(ast->name));
    if (known) {
        diag_report(b->diag, DIAG_NAME_TWICE, ast->place, ast->name);
        diag_note(b->diag, set->families.items[*known].place, "it is %s already", set->word);
        b->draft.ok = false;
        return;
    }
    for (uint32_t k = 0; k < family.n; k++) {
        int64_t index[DIMENSIONS_MAX];
        member_index(&family, k, index);
        const uint32_t id =
            add_member(b, set, text_from(member_name(b, ast->name, index, family.n_ranges)), ast->place);
        if (k == 0) family.first = id;
        if (id != family.first + k) b->sets_known = false;    // one of them has another's name
    }
    text_map_put(&set->by_name, text_from(ast->name), (uint32_t)set->families.n);
    vec_push(b->arena, &set->families, family);
}

static void declare_const(Builder *b, const AstMachineItem *item)
{
    b->failed = false;
    const double value = evaluate(b, item->value);
    if (b->failed) return;
    if (!text_map_put(&b->const_by_name, text_from(item->family.name), (uint32_t)b->consts.n)) {
        diag_report(b->diag, DIAG_NAME_TWICE, item->family.place, item->family.name);
        b->draft.ok = false;
        return;
    }
    vec_push(b->arena, &b->consts, (Binding){ item->family.name, value });
}

// ---- Using

static const Family *family_of(const Set *set, const char *name)
{
    const uint32_t *at = text_map_find(&set->by_name, text_from(name));
    return at ? &set->families.items[*at] : NULL;
}

// The one that holds of a choice.
static const AstSymbol *choose(Builder *b, const AstSymbol *symbol)
{
    while (symbol->condition) {
        b->failed = false;
        const double holds = evaluate(b, symbol->condition);
        if (b->failed) return NULL;
        symbol = holds != 0 ? symbol->yes : symbol->no;
    }
    return symbol;
}

typedef enum Found { FOUND, FOUND_NOT, FOUND_ERROR } Found;

// The number of what a symbol stands for now; *name is set if it stands for nothing.
static Found resolve(Builder *b, const Set *set, const AstSymbol *symbol, uint32_t *id, const char **name)
{
    int64_t index[DIMENSIONS_MAX] = { 0 };
    const uint32_t n = symbol->n_indices;
    if (n > DIMENSIONS_MAX) {
        diag_report(b->diag, DIAG_MACHINE_INDEX, symbol->place, "there are more than 8 indices");
        b->draft.ok = false;
        return FOUND_ERROR;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!whole(b, symbol->indices[i], &index[i])) return FOUND_ERROR;
    const Family *family = family_of(set, symbol->name);
    if (family && family->n_ranges != n) {
        diag_report(b->diag, DIAG_INDEX_COUNT, symbol->place, symbol->name, n, family->n_ranges);
        diag_note(b->diag, family->place, "it is declared here");
        b->draft.ok = false;
        return FOUND_ERROR;
    }
    uint64_t at = 0;
    bool inside = family != NULL;
    for (uint32_t i = 0; inside && i < n; i++) {
        inside = index[i] >= family->from[i] && index[i] - family->from[i] < family->size[i];
        at = at * family->size[i] + (uint64_t)(index[i] - family->from[i]);
    }
    if (inside) return *id = family->first + (uint32_t)at, FOUND;
    *name = member_name(b, symbol->name, index, n);
    return FOUND_NOT;
}

// One member by name, as `"S[3]"` in quotes means it.
static uint32_t find_by_name(const Builder *b, const Set *set, const char *name)
{
    const Names *names = set == &b->states   ? &b->draft.states
                         : set == &b->inputs ? &b->draft.inputs
                                             : &b->draft.outputs;
    return names_find(names, text_from(name));
}

static uint32_t use_output(Builder *b, const AstSymbol *symbol)
{
    symbol = choose(b, symbol);
    if (!symbol) return DRAFT_UNKNOWN;
    uint32_t id;
    const char *name;
    switch (resolve(b, &b->outputs, symbol, &id, &name)) {
    case FOUND: return id;
    case FOUND_ERROR: return DRAFT_UNKNOWN;
    case FOUND_NOT: break;
    }
    // an index of the rule shows its value: F[a,b] / b
    for (uint32_t i = 0; symbol->n_indices == 0 && i < b->n_bound; i++)
        if (strcmp(b->bound[i].name, symbol->name) == 0)
            name = arena_printf(b->arena, "%lld", (long long)b->bound[i].value);
    if (!b->draft.outputs_declared) return draft_add_output(&b->draft, text_from(name));
    id = find_by_name(b, &b->outputs, name);
    if (id != NAMES_NONE) return id;
    const Names *names = &b->draft.outputs;
    const char **known = ARENA_ARRAY(b->arena, const char *, names->n);
    for (uint32_t i = 0; i < names->n; i++) known[i] = names_text(names, i);
    diag_report(b->diag, DIAG_MACHINE_OUTPUT_UNKNOWN, symbol->place, name);
    if (!diag_suggest(b->diag, name, text_closest(name, known, names->n)))
        diag_hint(b->diag, "add it to the line 'output', or leave that line out");
    b->draft.ok = false;
    return DRAFT_UNKNOWN;
}

// ---- Patterns
//
// A pattern is a plain symbol, a family with indices to bind or compare, or `*`. It is gone through member by
// member; binding stops at the first index that does not fit.

static bool binds(const Builder *b, const AstExpr *e)
{
    return e->kind == AST_REF && e->ref.n_parts == 1 && e->ref.primes == 0 &&
           e->ref.parts[0].n_indices == 0 &&
           !text_map_find(&b->const_by_name, text_from(e->ref.parts[0].name));
}

// Whether member k fits, with names bound on the way. b->n_bound grows; the caller takes it back.
static bool fits(Builder *b, const AstSymbol *pattern, const Family *family, uint32_t k, bool *error)
{
    int64_t index[DIMENSIONS_MAX];
    if (!pattern->name) return true;
    member_index(family, k, index);
    for (uint32_t i = 0; i < pattern->n_indices; i++) {
        const AstExpr *e = pattern->indices[i];
        if (!binds(b, e)) {
            int64_t value;
            if (!whole(b, e, &value)) return *error = true, false;
            if (value != index[i]) return false;
            continue;
        }
        const char *name = e->ref.parts[0].name;
        uint32_t at = 0;
        while (at < b->n_bound && strcmp(b->bound[at].name, name) != 0) at++;
        if (at < b->n_bound && b->bound[at].value != (double)index[i]) return false;
        if (at == b->n_bound) b->bound[b->n_bound++] = (Binding){ name, (double)index[i] };
    }
    return true;
}

typedef struct Pattern {
    const AstSymbol *symbol;
    Family family;    // of `*`: all of them
} Pattern;

static void report_not_found(Builder *b, const Set *set, const AstSymbol *symbol)
{
    const TextMap *map = &set->by_name;
    const char **known = ARENA_ARRAY(b->arena, const char *, text_map_count(map));
    for (uint32_t i = 0; i < text_map_count(map); i++) known[i] = names_text(&map->names, i);
    const char *closest = text_closest(symbol->name, known, text_map_count(map));
    diag_report(b->diag, DIAG_MACHINE_SYMBOL_UNKNOWN, symbol->place, symbol->name, set->word, b->ast->name);
    if (closest) diag_suggest(b->diag, symbol->name, closest);
    else if (set == &b->inputs) diag_hint(b->diag, "add it to the line 'input'");
    else diag_hint(b->diag, "declare it: state %s", symbol->name);
    b->draft.ok = false;
}

static bool open_pattern(Builder *b, const Set *set, const AstSymbol *symbol, Pattern *pattern)
{
    *pattern = (Pattern){ .symbol = symbol };
    if (!symbol->name) {
        pattern->family.n = (uint32_t)(set == &b->states ? b->draft.states.n : b->draft.inputs.n);
        return true;
    }
    const Family *family = family_of(set, symbol->name);
    const uint32_t id = family ? 0 : find_by_name(b, set, symbol->name);
    if (!family && id != NAMES_NONE && symbol->n_indices == 0) {
        pattern->family = (Family){ .first = id, .n = 1 };
        return true;
    }
    if (!family) {
        report_not_found(b, set, symbol);
        return false;
    }
    if (family->n_ranges != symbol->n_indices) {
        diag_report(b->diag, DIAG_INDEX_COUNT, symbol->place, symbol->name, symbol->n_indices,
                    family->n_ranges);
        diag_hint(b->diag, "a rule for all of them names its indices: %s[i] on …", symbol->name);
        diag_note(b->diag, family->place, "it is declared here");
        b->draft.ok = false;
        return false;
    }
    pattern->family = *family;
    return true;
}

// ---- Moves and outputs

// For an index that leaves its range; NULL if it has none.
static const char *range_advice(Builder *b, const AstSymbol *symbol)
{
    const Family *f = family_of(&b->states, symbol->name);
    if (!f || f->n_ranges == 0) return NULL;
    StrBuf s = { .arena = b->arena };
    str_addf(&s, "there is %s[", symbol->name);
    for (uint32_t i = 0; i < f->n_ranges; i++)
        str_addf(&s, "%s%lld..%lld", i ? ", " : "", (long long)f->from[i],
                 (long long)(f->from[i] + f->size[i] - 1));
    str_add(&s, "]; keep the index inside with min, max or mod, or say what happens: if … then … else …");
    return str_finish(&s);
}

// The transition of one cell; false stops the statement after an error that would only be repeated.
static bool set_cell(Builder *b, const AstMove *move, uint32_t state, uint32_t input, uint32_t source)
{
    DraftBranch few[8], *branches = few;
    if (move->n_branches > 8) branches = ARENA_ARRAY(b->arena, DraftBranch, move->n_branches);
    bool ok = true;
    for (uint32_t i = 0; i < move->n_branches; i++) {
        const AstBranch *branch = &move->branches[i];
        branches[i] = (DraftBranch){ DRAFT_UNKNOWN, 1 };
        b->failed = false;
        if (branch->probability) branches[i].probability = evaluate(b, branch->probability);
        ok &= !b->failed;
        const AstSymbol *to = choose(b, branch->to);
        const char *name = NULL;
        const Found found = to ? resolve(b, &b->states, to, &branches[i].to, &name) : FOUND_ERROR;
        if (found == FOUND_NOT) {
            const uint32_t id = find_by_name(b, &b->states, name);
            if (id != NAMES_NONE) branches[i].to = id;
            else {
                const bool all = !move->input->name;
                draft_stray(&b->draft, names_text(&b->draft.states, state),
                            all ? NULL : names_text(&b->draft.inputs, input), name, to->place,
                            range_advice(b, to));
            }
        }
        ok &= found != FOUND_ERROR;
    }
    draft_move(&b->draft, state, input, branches, move->n_branches, source);
    if (move->output) draft_set_output(&b->draft, state, input, use_output(b, move->output), source);
    return ok;
}

static DraftLevel level_of(const AstSymbol *states, const AstSymbol *input)
{
    const int stars = (states && !states->name) + (input && !input->name);
    return stars == 0 ? DRAFT_NAMED : stars == 1 ? DRAFT_STAR : DRAFT_STARS;
}

// A move for all states of a pattern (NULL symbol: those of a family just declared).
static void add_move(Builder *b, const Pattern *states, const AstMove *move, DraftLevel level)
{
    Pattern inputs;
    if (!open_pattern(b, &b->inputs, move->input, &inputs)) {
        draft_doubt(&b->draft, states->family.first, states->family.n);
        return;
    }
    const uint32_t source = draft_source(&b->draft, move->place, level);
    bool error = false;
    for (uint32_t s = 0; s < states->family.n && !error; s++) {
        b->n_bound = 0;
        if (states->symbol && !fits(b, states->symbol, &states->family, s, &error)) continue;
        const uint32_t n_bound = b->n_bound;
        for (uint32_t i = 0; i < inputs.family.n && !error; i++) {
            b->n_bound = n_bound;
            if (draft_has_move(&b->draft, states->family.first + s, inputs.family.first + i, source))
                continue;
            if (!fits(b, inputs.symbol, &inputs.family, i, &error)) continue;
            error = !set_cell(b, move, states->family.first + s, inputs.family.first + i, source);
        }
    }
    if (error) draft_doubt(&b->draft, states->family.first, states->family.n);
    b->n_bound = 0;
}

static void add_output(Builder *b, const Pattern *states, const AstSymbol *output, Place place,
                       DraftLevel level)
{
    const uint32_t source = draft_source(&b->draft, place, level);
    bool error = false;
    for (uint32_t s = 0; s < states->family.n && !error; s++) {
        b->n_bound = 0;
        if (states->symbol && !fits(b, states->symbol, &states->family, s, &error)) continue;
        if (draft_has_output(&b->draft, states->family.first + s, source)) continue;
        const uint32_t id = use_output(b, output);
        draft_set_output(&b->draft, states->family.first + s, 0, id, source);
        error |= id == DRAFT_UNKNOWN;
    }
    if (error) draft_doubt(&b->draft, states->family.first, states->family.n);
    b->n_bound = 0;
}

static void add_item(Builder *b, const AstMachineItem *item, DraftLevel level)
{
    Pattern states = { 0 };
    if (item->kind == AST_MACHINE_STATE) {
        states.family = *family_of(&b->states, item->family.name);
        if (states.family.place.offset != item->family.place.offset ||
            states.family.place.file != item->family.place.file)
            return;    // declared twice: said already
    } else {
        bool wanted = item->output && level_of(item->symbol, NULL) == level;
        for (uint32_t i = 0; i < item->n_moves; i++)
            wanted |= level_of(item->symbol, item->moves[i].input) == level;
        if (!wanted) return;
        if (!open_pattern(b, &b->states, item->symbol, &states)) {
            draft_doubt(&b->draft, 0,
                        (uint32_t)b->draft.states.n);    // it may have been meant for any of them
            return;
        }
    }
    if (item->output && level_of(item->symbol, NULL) == level)
        add_output(b, &states, item->output, item->output->place, level);
    for (uint32_t i = 0; i < item->n_moves; i++)
        if (level_of(item->symbol, item->moves[i].input) == level)
            add_move(b, &states, &item->moves[i], level);
}

static uint32_t find_start(Builder *b)
{
    const AstMachineItem *start = NULL;
    uint32_t id = MACHINE_NONE;
    for (uint32_t i = 0; i < b->ast->n_items; i++) {
        const AstMachineItem *item = &b->ast->items[i];
        if (item->kind != AST_MACHINE_START) continue;
        if (start) {
            diag_report(b->diag, DIAG_STATEMENT_TWICE, item->place, "start");
            diag_note(b->diag, start->place, "the other one is here");
            b->draft.ok = false;
            continue;
        }
        start = item;
        const AstSymbol *symbol = choose(b, item->symbol);
        const char *name = NULL;
        if (!symbol || resolve(b, &b->states, symbol, &id, &name) != FOUND_NOT) continue;
        id = find_by_name(b, &b->states, name);
        if (id == NAMES_NONE) report_not_found(b, &b->states, symbol);
    }
    return id;
}

// Whether outputs belong to states or to moves; both at once is one message.
static MachineKind kind_of(Builder *b)
{
    const AstSymbol *at_state = NULL, *at_move = NULL;
    for (uint32_t i = 0; i < b->ast->n_items; i++) {
        const AstMachineItem *item = &b->ast->items[i];
        if (item->output && !at_state) at_state = item->output;
        for (uint32_t k = 0; k < item->n_moves && !at_move; k++) at_move = item->moves[k].output;
    }
    if (at_state && at_move) {
        diag_report(b->diag, DIAG_MACHINE_MIXED, at_move->place, b->ast->name);
        diag_hint(b->diag, "a machine has its outputs either at its states or at its moves");
        diag_note(b->diag, at_state->place, "this one is at a state");
        b->draft.ok = b->sets_known = false;
    }
    return at_move && !at_state ? MACHINE_MEALY : MACHINE_MOORE;
}

static void init_set(Set *set, const char *word, Arena *arena)
{
    set->word = word;
    text_map_init(&set->by_name, arena);
}

Machine *machine_build(Arena *arena, const AstMachine *ast, orr_diag *diag)
{
    Builder b = { .arena = arena, .diag = diag, .ast = ast, .sets_known = true };
    draft_begin(&b.draft, arena, ast->name, ast->place, diag);
    b.draft.advice_before = "say where to: ";
    b.draft.advice_behind = " -> STATE";
    b.draft.advice_all = "*";
    b.draft.advice_output = "state … / OUTPUT";
    init_set(&b.states, "a state", arena);
    init_set(&b.inputs, "an input", arena);
    init_set(&b.outputs, "an output", arena);
    text_map_init(&b.const_by_name, arena);

    // constants may be used in all lines; then the sets, then what happens
    for (uint32_t i = 0; i < ast->n_items; i++)
        if (ast->items[i].kind == AST_MACHINE_CONST) declare_const(&b, &ast->items[i]);
    for (uint32_t i = 0; i < ast->n_items; i++) {
        const AstMachineItem *item = &ast->items[i];
        if (item->kind == AST_MACHINE_INPUT) declare(&b, &b.inputs, &item->family);
        if (item->kind == AST_MACHINE_STATE) declare(&b, &b.states, &item->family);
        if (item->kind == AST_MACHINE_OUTPUT) declare(&b, &b.outputs, &item->family);
        b.draft.outputs_declared |= item->kind == AST_MACHINE_OUTPUT;
    }
    const MachineKind kind = kind_of(&b);
    Machine *machine = NULL;
    // without its sets nothing more can be said about a machine
    if (b.sets_known && draft_seal(&b.draft, kind)) {
        const uint32_t start = find_start(&b);
        for (int level = DRAFT_NAMED; level <= DRAFT_STARS; level++)
            for (uint32_t i = 0; i < ast->n_items; i++)
                if (ast->items[i].kind >= AST_MACHINE_STATE) add_item(&b, &ast->items[i], (DraftLevel)level);
        machine = draft_finish(&b.draft, start);
    }
    return machine;
}
