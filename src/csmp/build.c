// src/csmp/build.c: from the lines of a diagram to a model and an experiment.
//
// Lines are sorted by block number first, so that what is made depends on the numbers alone: updating in
// place follows the equations, and these follow the numbers. Everything but that sort is linear.
#include "base/os.h"
#include "csmp/diagram.h"
#include "csmp/rule.h"
#include "lang/parse.h"
#include <ctype.h>
#include <stdlib.h>

enum { NAME_BYTES = 16 };    // "b999999999" and more

typedef struct Builder {
    CsmpDiagram *d;
    Arena *arena;         // of the Ast
    uint32_t *numbers;    // [d->lines.n] of the blocks, ascending
    AstPart *parts;       // [d->lines.n] their names, each shared by all that refer to it
    AstExpr **args;       // scratch: those of one line
} Builder;

// ---- What one line alone cannot tell

static void check_settings(CsmpDiagram *d)
{
    static const char *const advice[CSMP_N_SETTINGS] = {
        [CSMP_ENDTIME] = "add a line such as $endtime = 100",
        [CSMP_TIMESTEP] = "add a line such as $timestep = 0.01, or $timestep = ? to give it for every run",
    };
    for (int i = 0; i < CSMP_N_SETTINGS; i++) {
        if (!advice[i] || d->settings[i].is_given) continue;
        // two places, for a second message at one place would be taken for the same
        const Place place = { d->file, i == CSMP_ENDTIME ? 0 : (uint32_t)d->text.n, 0 };
        diagram_complain(d, DIAG_CSMP_SETTING_MISSING, place, csmp_setting_names[i]);
        diag_hint(d->diag, "%s", advice[i]);
    }
    const CsmpSetting *start = &d->settings[CSMP_STARTTIME], *end = &d->settings[CSMP_ENDTIME];
    if (d->ok && end->value <= start->value) {
        diagram_complain(d, DIAG_TIME_BAD, end->place, start->value, end->value);
        diag_hint(d->diag, "$endtime must be later than %s",
                  start->is_given ? "$starttime" : "0, where a run starts");
    }
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Put d->lines in the order of their numbers, and report numbers that come twice.
static void sort_lines(Builder *b)
{
    CsmpDiagram *d = b->d;
    const size_t n = d->lines.n;
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++)
        sorted = d->lines.items[i - 1].number <= d->lines.items[i].number;
    if (!sorted) {
        uint64_t *keys = ARENA_ARRAY(&d->arena, uint64_t, n);
        CsmpLine *lines = ARENA_ARRAY(&d->arena, CsmpLine, n);
        for (size_t i = 0; i < n; i++) keys[i] = (uint64_t)d->lines.items[i].number << 32 | i;
        qsort(keys, n, sizeof *keys, compare_keys);
        for (size_t i = 0; i < n; i++) lines[i] = d->lines.items[keys[i] & UINT32_MAX];
        d->lines.items = lines;
        d->lines.capacity = n;
    }
    b->numbers = ARENA_ARRAY(&d->arena, uint32_t, n);
    size_t first = 0;    // of those with this number
    for (size_t i = 0; i < n; i++) {
        const CsmpLine *line = &d->lines.items[i];
        b->numbers[i] = line->number;
        if (line->number != d->lines.items[first].number) first = i;
        if (first == i) continue;
        const CsmpLine *other = &d->lines.items[first];
        diagram_complain(d, DIAG_CSMP_BLOCK_TWICE,
                         ((Place){ d->file, line->number_offset, line->number_length }),
                         (long long)line->number);
        diag_hint(d->diag, "give one of them another number");
        diag_note(d->diag, (Place){ d->file, other->offset, other->length }, "block %lld is defined here",
                  (long long)other->number);
    }
    if (d->broken.n > 1) qsort(d->broken.items, d->broken.n, sizeof(uint32_t), compare_numbers);
}

// The place of a block among the sorted lines, or SIZE_MAX.
static size_t find_block(const Builder *b, uint32_t number)
{
    const size_t n = b->d->lines.n;
    if (n == 0 || number < b->numbers[0]) return SIZE_MAX;
    const size_t guess = number - b->numbers[0];    // right if no number is left out
    if (guess < n && b->numbers[guess] == number) return guess;
    const uint32_t *at = bsearch(&number, b->numbers, n, sizeof number, compare_numbers);
    return at ? (size_t)(at - b->numbers) : SIZE_MAX;
}

static void check_references(Builder *b)
{
    CsmpDiagram *d = b->d;
    for (size_t i = 0; i < d->lines.n; i++) {
        const CsmpLine *line = &d->lines.items[i];
        const CsmpShape *shape = &d->shapes[line->kind];
        for (uint32_t k = 0; k < line->n_args; k++) {
            if (!shape->is_input[csmp_shape_slot(shape, k)]) continue;
            const CsmpArgument *arg = &d->args.items[line->first_arg + k];
            if (find_block(b, arg->number) != SIZE_MAX) continue;
            if (d->broken.n > 0 &&
                bsearch(&arg->number, d->broken.items, d->broken.n, sizeof(uint32_t), compare_numbers))
                continue;
            diagram_complain(d, DIAG_CSMP_BLOCK_MISSING, ((Place){ d->file, arg->offset, arg->length }),
                             (long long)line->number, (long long)arg->number);
            diag_hint(
                d->diag, "add a block %lld, or correct the reference; numbers used go from %lld to %lld",
                (long long)arg->number, (long long)b->numbers[0], (long long)b->numbers[d->lines.n - 1]);
        }
    }
}

// ---- From blocks to the Ast

static AstExpr *make_number(Arena *arena, double value, Place place)
{
    AstExpr *e = ARENA_NEW(arena, AstExpr);
    e->kind = AST_NUMBER;
    e->place = place;
    e->number.value = value;
    return e;
}

static AstExpr *make_reference(Arena *arena, AstPart *part, Place place)
{
    AstExpr *e = ARENA_NEW(arena, AstExpr);
    e->kind = AST_REF;
    e->place = place;
    e->ref = (AstRef){ .parts = part, .n_parts = 1 };
    return e;
}

static AstRef make_name(Arena *arena, const char *name)
{
    AstPart *part = ARENA_NEW(arena, AstPart);
    part->name = name;
    return (AstRef){ .parts = part, .n_parts = 1 };
}

// discrete name = IC; next name = rule every T: the parameters come first, as the form of the block says.
static void make_discrete(Builder *b, const CsmpUse *use, const char *name, Place name_place, AstItem *items)
{
    Arena *arena = b->arena;
    items[0] = (AstItem){ .kind = AST_DECL, .place = use->place };
    items[0].decl = (AstDecl){
        .kind = AST_DISCRETE, .name = name, .value = use->args[0], .place = name_place
    };
    AstEvent *event = ARENA_NEW(arena, AstEvent);
    *event = (AstEvent){ .kind = AST_NEXT, .time = use->args[1], .n_body = 1, .place = use->place };
    event->body = ARENA_NEW(arena, AstItem);
    *event->body = (AstItem){ .kind = AST_ASSIGN, .place = use->place };
    event->body->assign.target = use->self->ref;
    event->body->assign.value = csmp_rule_apply(use, arena);
    items[1] = (AstItem){ .kind = AST_EVENT, .place = use->place };
    items[1].event = event;
}

static uint32_t items_of(const CsmpLine *line)
{
    return csmp_blocks[line->kind].role == CSMP_DISCRETE ? 2 : 1;
}

static void make_item(Builder *b, size_t i, AstItem *item)
{
    const CsmpDiagram *d = b->d;
    Arena *arena = b->arena;
    const CsmpLine *line = &d->lines.items[i];
    const CsmpBlock *block = &csmp_blocks[line->kind];
    const CsmpShape *shape = &d->shapes[line->kind];
    const Place place = { d->file, line->offset, line->length };
    const Place name_place = { d->file, line->number_offset, line->number_length };
    for (uint32_t k = 0; k < line->n_args; k++) {
        const CsmpArgument *arg = &d->args.items[line->first_arg + k];
        const Place at = { d->file, arg->offset, arg->length };
        b->args[k] = shape->is_input[csmp_shape_slot(shape, k)]
                         ? make_reference(arena, &b->parts[find_block(b, arg->number)], at)
                         : make_number(arena, arg->value, at);
    }
    AstExpr *self = make_reference(arena, &b->parts[i], name_place);
    const CsmpUse use = { block, shape, b->args, line->n_args, self, place };
    if (block->role == CSMP_DISCRETE) {
        make_discrete(b, &use, b->parts[i].name, name_place, item);
        return;
    }
    AstExpr *rule = csmp_rule_apply(&use, arena);

    item->place = place;
    if (block->role == CSMP_CONSTANT || block->role == CSMP_OUTPUT) {
        item->kind = AST_DECL;
        item->decl.kind = block->role == CSMP_CONSTANT ? AST_PARAM : AST_OUTPUT;
        item->decl.name = b->parts[i].name;
        item->decl.value = rule;
        item->decl.place = name_place;
        if (line->comment_length > 0)
            item->decl.doc = arena_copy_text(arena, d->text.p + line->comment_offset, line->comment_length);
    } else {
        item->kind = AST_EQUATION;
        item->equation.lhs = self;
        item->equation.rhs = rule;
    }
}

static char *model_name(Arena *arena, const char *path)
{
    char *stem = os_path_stem(arena, path);
    for (char *p = stem; *p; p++)
        if (!isalnum((unsigned char)*p) || (unsigned char)*p >= 0x80) *p = '_';
    return isalpha((unsigned char)stem[0]) ? stem : arena_printf(arena, "model_%s", stem);
}

// The condition of $until, or the end of time.
static AstExpr *end_with(const Builder *b, AstExpr *end)
{
    CsmpDiagram *d = b->d;
    const char *text = arena_copy_text(b->arena, d->settings[CSMP_UNTIL].text.p,
                                       d->settings[CSMP_UNTIL].text.n);
    const uint32_t file = diag_add_source(d->diag, "$until", text, strlen(text));
    AstExpr *condition = parse_expression(b->arena, file, text_from(text), d->diag);
    if (!condition) return d->ok = false, end;
    AstExpr *made = ARENA_ARRAY(b->arena, AstExpr, 3);    // condition or t >= end
    made[0] = (AstExpr){ .kind = AST_BINARY, .op = AST_OR, .place = condition->place,
                         .operands = { condition, &made[1], NULL } };
    made[1] = (AstExpr){ .kind = AST_BINARY, .op = AST_GE, .place = end->place,
                         .operands = { &made[2], end, NULL } };
    made[2] = (AstExpr){ .kind = AST_REF, .place = end->place, .ref = make_name(b->arena, "t") };
    return made;
}

static AstExperiment make_experiment(const Builder *b, const AstModel *model)
{
    const CsmpDiagram *d = b->d;
    Arena *arena = b->arena;
    const Place top = { d->file, 0, 0 };
    const CsmpSetting *s = d->settings;
    AstExperiment x = {
        .name = "csmp", .model = model->name, .place = top, .model_place = top, .solver = { .name = "euler" }
    };
    x.doc = model->doc;
    x.from = make_number(arena, s[CSMP_STARTTIME].value,
                         s[CSMP_STARTTIME].is_given ? s[CSMP_STARTTIME].place : top);
    x.until = make_number(arena, s[CSMP_ENDTIME].value, s[CSMP_ENDTIME].place);
    if (s[CSMP_UNTIL].is_given) x.until = end_with(b, x.until);
    if (s[CSMP_COMMINTERVAL].is_given)
        x.every = make_number(arena, s[CSMP_COMMINTERVAL].value, s[CSMP_COMMINTERVAL].place);
    x.solver.place = s[CSMP_TIMESTEP].place;
    if (s[CSMP_TIMESTEP].is_asked) {
        x.missing = "timestep";
        x.missing_place = s[CSMP_TIMESTEP].place;
    } else {
        x.solver.options = ARENA_NEW(arena, AstSetting);
        x.solver.n_options = 1;
        x.solver.options[0] = (AstSetting){ .target = make_name(arena, "step"),
                                            .value = make_number(arena, s[CSMP_TIMESTEP].value,
                                                                 s[CSMP_TIMESTEP].place),
                                            .place = s[CSMP_TIMESTEP].place };
    }
    return x;
}

// What is written at communication points: the outputs, or without any the states, by number.
static void choose_recorded(const Builder *b, AstExperiment *x)
{
    const CsmpDiagram *d = b->d;
    size_t count[CSMP_OUTPUT + 1] = { 0 };
    for (size_t i = 0; i < d->lines.n; i++) count[csmp_blocks[d->lines.items[i].kind].role]++;
    const CsmpRole role = count[CSMP_OUTPUT] ? CSMP_OUTPUT : CSMP_STATE;
    if (role != CSMP_OUTPUT) {
        diag_report(d->diag, DIAG_CSMP_NO_OUTPUT, (Place){ d->file, (uint32_t)d->text.n, 0 },
                    count[CSMP_STATE] ? "the integrators are" : "every block is");
        diag_hint(d->diag, "choose with lines such as O, %u, %u", b->numbers[d->lines.n - 1] + 1,
                  b->numbers[0]);
    }
    x->records = ARENA_ARRAY(b->arena, AstRef, count[role]);
    x->record_places = ARENA_ARRAY(b->arena, Place, count[role]);
    for (size_t i = 0; i < d->lines.n; i++) {
        const CsmpLine *line = &d->lines.items[i];
        if (csmp_blocks[line->kind].role != role) continue;
        x->records[x->n_records] = (AstRef){ .parts = &b->parts[i], .n_parts = 1 };
        x->record_places[x->n_records++] = (Place){ d->file, line->number_offset, line->number_length };
    }
}

static void make_ast(Builder *b, Ast *ast, const char *path)
{
    const CsmpDiagram *d = b->d;
    const size_t n = d->lines.n;
    AstModel model = { .name = model_name(b->arena, path),
                       .place = { d->file, 0, 0 } };
    for (size_t i = 0; i < n; i++) model.n_items += items_of(&d->lines.items[i]);
    const CsmpSetting *title = &d->settings[CSMP_TITLE];
    if (title->text.n > 0) model.doc = text_copy(b->arena, title->text);
    if (title->is_given) model.place = title->place;

    b->parts = ARENA_ARRAY(b->arena, AstPart, n);
    size_t most = 1;
    for (size_t i = 0; i < n; i++) {
        char name[NAME_BYTES];
        const int length = snprintf(name, sizeof name, "b%u", b->numbers[i]);
        b->parts[i].name = arena_copy_text(b->arena, name, (size_t)length);
        if (d->lines.items[i].n_args > most) most = d->lines.items[i].n_args;
    }
    b->args = ARENA_ARRAY(&b->d->arena, AstExpr *, most);
    model.items = ARENA_ARRAY(b->arena, AstItem, model.n_items);
    AstItem *item = model.items;
    for (size_t i = 0; i < n; i++) {
        make_item(b, i, item);
        item += items_of(&d->lines.items[i]);
    }

    AstExperiment experiment = make_experiment(b, &model);
    choose_recorded(b, &experiment);
    vec_push(b->arena, &ast->models, model);
    vec_push(b->arena, &ast->experiments, experiment);
}

void diagram_build(CsmpDiagram *d, Ast *ast, const char *path)
{
    const Place end = { d->file, (uint32_t)d->text.n, 0 };
    if (d->lines.n + d->broken.n == 0) {
        diagram_complain(d, DIAG_CSMP_NO_BLOCKS, end, path);
        diag_hint(d->diag, "a diagram has at least one line such as I, 1, 0, 3");
        return;
    }
    if (d->lines.n > CSMP_BLOCKS_MAX) {
        diagram_complain(d, DIAG_MODEL_TOO_LARGE, end, d->lines.n, "blocks", (size_t)CSMP_BLOCKS_MAX);
        return;
    }
    Builder b = { .d = d, .arena = ast->arena };
    check_settings(d);
    sort_lines(&b);
    check_references(&b);
    if (d->ok) make_ast(&b, ast, path);
}
