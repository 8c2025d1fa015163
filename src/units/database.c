// src/units/database.c: names of units in the database of UDUNITS-2.
//
// UDUNITS-2 keeps its error handler, its status and its parser in globals, so one thread at a time uses it,
// and whoever else in the process uses it finds its handler as it was.
#include "units/lookup.h"
#include <pthread.h>
#include <udunits2.h>

static pthread_mutex_t udunits_lock = PTHREAD_MUTEX_INITIALIZER;

// ---- What a unit of theirs is in ours: a walk by their visitor

typedef struct Build {
    const ut_visitor *visitor;
    Unit unit;
    bool is_linear;
} Build;

static void multiply_base(Build *build, const ut_unit *basic, int power)
{
    const char *symbol = ut_get_symbol(basic, UT_ASCII);
    if (symbol && strcmp(symbol, "rad") == 0) return;    // a pure number
    for (int i = 0; symbol && i < UNIT_SI; i++) {
        if (strcmp(symbol, unit_si_names[i]) != 0) continue;
        const Unit base = unit_base(i), raised = unit_pow(&base, ratio_whole(power));
        build->unit = unit_mul(&build->unit, &raised);
        return;
    }
    build->is_linear = false;
}

static ut_status visit_basic(const ut_unit *unit, void *arg)
{
    multiply_base(arg, unit, 1);
    return UT_SUCCESS;
}

static ut_status visit_product(const ut_unit *unit, int count, const ut_unit *const *basics,
                               const int *powers, void *arg)
{
    (void)unit;
    for (int i = 0; i < count; i++) multiply_base(arg, basics[i], powers[i]);
    return UT_SUCCESS;
}

// A value v of this unit is scale (v + origin) of the underlying one.
static ut_status visit_galilean(const ut_unit *unit, double scale, const ut_unit *underlying, double origin,
                                void *arg)
{
    (void)unit;
    Build *build = arg;
    const ut_status status = ut_accept_visitor(underlying, build->visitor, build);
    build->unit.offset += (long double)origin * scale * build->unit.scale;
    build->unit.scale *= scale;
    return status;
}

static ut_status visit_timestamp(const ut_unit *unit, const ut_unit *time, double origin, void *arg)
{
    (void)unit, (void)time, (void)origin;
    ((Build *)arg)->is_linear = false;
    return UT_SUCCESS;
}

static ut_status visit_logarithmic(const ut_unit *unit, double base, const ut_unit *reference, void *arg)
{
    (void)unit, (void)base, (void)reference;
    ((Build *)arg)->is_linear = false;
    return UT_SUCCESS;
}

static const ut_visitor visitor = { visit_basic, visit_product, visit_galilean, visit_timestamp,
                                    visit_logarithmic };

// ---- Asking for a name

static LookupResult ask(UnitSystem *system, const char *name, Unit *unit)
{
    if (!system->database && !system->has_no_database) {
        system->database = ut_read_xml(NULL);
        system->has_no_database = !system->database;
    }
    if (!system->database) return LOOKUP_UNKNOWN;
    ut_unit *found = ut_parse(system->database, name, UT_UTF8);
    if (!found) return LOOKUP_UNKNOWN;
    Build build = { &visitor, unit_one(), true };
    const bool ok = ut_accept_visitor(found, &visitor, &build) == UT_SUCCESS && build.is_linear;
    ut_free(found);
    *unit = build.unit;
    return ok ? LOOKUP_FOUND : LOOKUP_NOT_LINEAR;
}

LookupResult lookup_database(UnitSystem *system, Text name, Unit *unit)
{
    const char *copy = text_copy(system->arena, name);    // not behind the lock: there may be no memory
    pthread_mutex_lock(&udunits_lock);
    const ut_error_message_handler theirs = ut_set_error_message_handler(ut_ignore);
    const LookupResult result = ask(system, copy, unit);
    ut_set_error_message_handler(theirs);
    pthread_mutex_unlock(&udunits_lock);
    return result;
}

void lookup_close(UnitSystem *system)
{
    if (!system->database) return;
    pthread_mutex_lock(&udunits_lock);
    ut_free_system(system->database);
    system->database = NULL;
    pthread_mutex_unlock(&udunits_lock);
}
