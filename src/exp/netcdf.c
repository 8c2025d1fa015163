// src/exp/netcdf.c: see netcdf.h. The library is loaded when the first file is made: linking it would cost
// every start of the program 10 ms. It opens files by itself, so all calls of it are made outside of what
// confines the model, one at a time (HDF5 below it knows no threads).
//
// Rows are gathered in a block. Of a run a block becomes a part of each variable; of a study it holds several
// members with equally many rows, and becomes a rectangle x(member, t). Members end where the first of the
// study's own columns changes. If members have other times than those before, a variable time(member, t) says
// them all, and t becomes the number of the row.
#include "exp/netcdf.h"
#include "base/confine.h"
#include "base/diag.h"
#include "base/os.h"
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CREATE_NETCDF4 = 0x1000, TYPE_DOUBLE = 6, TYPE_STRING = 12 };    // as netcdf.h has them
enum { GLOBAL = -1, CHUNKED = 0, NAME_IN_USE = -42 };
enum { CHUNK = 8192, BLOCK = 1 << 16, NAME_ROOM = 256 };

static struct Library {
    int (*create)(const char *path, int mode, int *id);
    int (*def_dim)(int id, const char *name, size_t n, int *dim);    // n 0: it grows
    int (*def_var)(int id, const char *name, int type, int n_dims, const int *dims, int *var);
    int (*def_var_chunking)(int id, int var, int storage, const size_t *sizes);
    int (*def_var_fill)(int id, int var, int no_fill, const void *value);
    int (*put_att_text)(int id, int var, const char *name, size_t n, const char *text);
    int (*put_att_double)(int id, int var, const char *name, int type, size_t n, const double *numbers);
    int (*del_att)(int id, int var, const char *name);
    int (*put_vara_double)(int id, int var, const size_t *start, const size_t *count, const double *numbers);
    int (*put_vara_string)(int id, int var, const size_t *start, const size_t *count, const char **texts);
    int (*close)(int id);
    const char *(*strerror)(int error);
} nc_;
static pthread_mutex_t nc_lock = PTHREAD_MUTEX_INITIALIZER;

struct NetCdf {
    Arena       arena;             // names and units
    orr_diag   *diag;              // borrowed
    const Provenance *provenance;  // borrowed; written when the first rows are
    char       *path, *temp;
    int         id, error;         // of the library; 0: none
    size_t      n_own, n;          // columns: of the study, and all without t
    const char **names, **units;   // [n]
    const char *time_unit;
    bool        is_defined;
    int         member_dim, t_dim, t_var, time_var;    // time_var -1: members have the same times
    int        *vars;              // [n]
    double     *rows;              // heap [capacity][n + 1] t and values
    size_t      n_rows, capacity;
    size_t      n_written;         // rows of a run, or members
    // of a study: whole members in the block, each of `length` rows, and the rows of the present one behind
    size_t      n_members, length;
    double     *times;             // heap [n_times] that members have had so far
    size_t      n_times;
};

// ---------------------------------------------------------------------------------------------- the library

static bool load(void)
{
    static const struct {
        const char *name;
        size_t      offset;
    } symbols[] = {
        { "nc_create", offsetof(struct Library, create) },
        { "nc_def_dim", offsetof(struct Library, def_dim) },
        { "nc_def_var", offsetof(struct Library, def_var) },
        { "nc_def_var_chunking", offsetof(struct Library, def_var_chunking) },
        { "nc_def_var_fill", offsetof(struct Library, def_var_fill) },
        { "nc_put_att_text", offsetof(struct Library, put_att_text) },
        { "nc_put_att_double", offsetof(struct Library, put_att_double) },
        { "nc_del_att", offsetof(struct Library, del_att) },
        { "nc_put_vara_double", offsetof(struct Library, put_vara_double) },
        { "nc_put_vara_string", offsetof(struct Library, put_vara_string) },
        { "nc_close", offsetof(struct Library, close) },
        { "nc_strerror", offsetof(struct Library, strerror) },
    };
    if (nc_.strerror) return true;
    static const char *const names[] = { "libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so" };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool ok = library != NULL;
    for (size_t i = 0; ok && i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        // POSIX lets a pointer to data hold a function
        memcpy((char *)&nc_ + symbols[i].offset, &symbol, sizeof symbol);
        ok = symbol != NULL;
    }
    if (!ok) nc_.strerror = NULL;
    return ok;
}

static void check(NetCdf *nc, int error)
{
    if (error && !nc->error) nc->error = error;
}

static void put_text(NetCdf *nc, int var, const char *name, const char *text)
{
    if (text && *text) check(nc, nc_.put_att_text(nc->id, var, name, strlen(text), text));
}

// Names of the format have no '/' and begin with a letter, a digit or '_'; none occurs twice.
static int define(NetCdf *nc, const char *name, const char *unit, int type, int n_dims, const int *dims)
{
    char safe[NAME_ROOM];
    const bool is_odd = !(*name == '_' || (*name & 0x80) || (*name >= '0' && *name <= '9') ||
                          ((*name | 32) >= 'a' && (*name | 32) <= 'z'));
    snprintf(safe, sizeof safe - 8, "%s%s", is_odd ? "_" : "", name);
    for (char *p = safe; *p; p++)
        if (*p == '/' || (unsigned char)*p < ' ') *p = '_';
    size_t n = strlen(safe);
    while (n > 0 && safe[n - 1] == ' ') safe[--n] = 0;
    int var = 0, error = NAME_IN_USE;
    for (int i = 0; i < 7 && error == NAME_IN_USE; i++) {
        error = nc_.def_var(nc->id, safe, type, n_dims, dims, &var);
        if (error == NAME_IN_USE) strcat(safe, "_");
    }
    check(nc, error);
    if (error) return 0;
    if (strcmp(safe, name) != 0) put_text(nc, var, "long_name", name);
    put_text(nc, var, "units", unit);
    return var;
}

static void put_provenance(NetCdf *nc)
{
    for (size_t i = 0; i < nc->provenance->facts.n; i++) {
        const Fact *fact = &nc->provenance->facts.items[i];
        if (fact->text) put_text(nc, GLOBAL, fact->name, fact->text);
        else check(nc, nc_.put_att_double(nc->id, GLOBAL, fact->name, TYPE_DOUBLE, 1, &fact->number));
    }
}

// ---------------------------------------------------------------------------------------------- writing

// Chunks of about CHUNK numbers; several members in one if they have few rows.
static void define_all(NetCdf *nc)
{
    const double nan = NAN;
    const bool is_study = nc->n_own > 0;
    nc->is_defined = true;
    put_provenance(nc);
    const size_t rows = is_study ? (nc->length < 1 ? 1 : nc->length > CHUNK ? CHUNK : nc->length) : CHUNK;
    const size_t chunk[2] = { CHUNK / rows ? CHUNK / rows : 1, rows }, *one = &chunk[1];
    const size_t many = CHUNK;
    if (is_study) check(nc, nc_.def_dim(nc->id, nc->names[0], 0, &nc->member_dim));
    check(nc, nc_.def_dim(nc->id, "t", 0, &nc->t_dim));
    if (nc->error) return;
    nc->t_var = define(nc, "t", nc->time_unit, TYPE_DOUBLE, 1, &nc->t_dim);
    if (!nc->error) check(nc, nc_.def_var_chunking(nc->id, nc->t_var, CHUNKED, one));
    const int dims[2] = { nc->member_dim, nc->t_dim };
    for (size_t i = 0; i < nc->n && !nc->error; i++) {
        const bool is_own = i < nc->n_own;
        const bool is_pair = is_study && !is_own;
        const int *over = is_pair ? dims : is_own ? &nc->member_dim : &nc->t_dim;
        nc->vars[i] = define(nc, nc->names[i], nc->units[i], TYPE_DOUBLE, is_pair ? 2 : 1, over);
        if (nc->error) return;
        check(nc, nc_.def_var_chunking(nc->id, nc->vars[i], CHUNKED, is_pair ? chunk : is_own ? &many : one));
        if (!is_own) check(nc, nc_.def_var_fill(nc->id, nc->vars[i], 0, &nan));
    }
}

// Column `c` of the block (0: t) as one rectangle.
static void put_column(NetCdf *nc, int var, size_t c, size_t every, size_t n, const size_t *start,
                       const size_t *count, double *work)
{
    for (size_t i = 0; i < n; i++) work[i] = nc->rows[i * every * (nc->n + 1) + c];
    if (!nc->error) check(nc, nc_.put_vara_double(nc->id, var, start, count, work));
}

static void write_block(NetCdf *nc)
{
    const bool is_study = nc->n_own > 0;
    const size_t n = is_study ? nc->n_members * nc->length : nc->n_rows;
    if (!nc->is_defined) define_all(nc);
    if (n == 0 || nc->error) return;
    double *work = malloc(n * sizeof *work);
    if (!work) arena_no_memory(n * sizeof *work);
    const size_t start[2] = { nc->n_written, 0 };
    const size_t count[2] = { is_study ? nc->n_members : n, nc->length };
    if (!is_study) put_column(nc, nc->t_var, 0, 1, n, start, count, work);
    if (nc->time_var >= 0) put_column(nc, nc->time_var, 0, 1, n, start, count, work);
    for (size_t i = 0; i < nc->n; i++) {
        const bool is_own = i < nc->n_own;
        put_column(nc, nc->vars[i], i + 1, is_own ? nc->length : 1, is_own ? nc->n_members : n, start, count,
                   work);
    }
    nc->n_written += is_study ? nc->n_members : n;
    free(work);
}

// From now on each member has times of its own; those so far had the same.
static void define_times(NetCdf *nc)
{
    const int dims[2] = { nc->member_dim, nc->t_dim };
    const double nan = NAN;
    if (!nc->is_defined) define_all(nc);
    if (nc->error) return;
    nc->time_var = define(nc, "time", nc->time_unit, TYPE_DOUBLE, 2, dims);
    check(nc, nc_.def_var_fill(nc->id, nc->time_var, 0, &nan));
    for (size_t i = 0; i < nc->n_written && !nc->error; i++) {
        const size_t start[2] = { i, 0 }, count[2] = { 1, nc->n_times };
        check(nc, nc_.put_vara_double(nc->id, nc->time_var, start, count, nc->times));
    }
}

static void finish(NetCdf *nc)
{
    if (!nc->is_defined) define_all(nc);
    const size_t start = 0;
    if (nc->error || nc->n_own == 0 || nc->n_times == 0) return;
    if (nc->time_var >= 0) {
        for (size_t i = 0; i < nc->n_times; i++) nc->times[i] = (double)i;
        if (nc->time_unit && *nc->time_unit) check(nc, nc_.del_att(nc->id, nc->t_var, "units"));
        put_text(nc, nc->t_var, "long_name", "number of the row: the times of members differ, see time");
    }
    check(nc, nc_.put_vara_double(nc->id, nc->t_var, &start, &nc->n_times, nc->times));
}

// ---------------------------------------------------------------------------------------------- outside

static void do_create(void *self)
{
    NetCdf *nc = self;
    pthread_mutex_lock(&nc_lock);
    if (!load()) nc->error = ENOSYS;
    else check(nc, nc_.create(nc->temp, CREATE_NETCDF4, &nc->id));
    pthread_mutex_unlock(&nc_lock);
}

static void do_write(void *self)
{
    pthread_mutex_lock(&nc_lock);
    write_block(self);
    pthread_mutex_unlock(&nc_lock);
}

static void do_define_times(void *self)
{
    pthread_mutex_lock(&nc_lock);
    define_times(self);
    pthread_mutex_unlock(&nc_lock);
}

static void do_close(void *self)
{
    NetCdf *nc = self;
    pthread_mutex_lock(&nc_lock);
    if (!nc->error) finish(nc);
    check(nc, nc_.close(nc->id));
    if (!nc->error && rename(nc->temp, nc->path) != 0) nc->error = errno;    // errors of the system are > 0
    if (nc->error) unlink(nc->temp);
    pthread_mutex_unlock(&nc_lock);
}

static void report(const NetCdf *nc)
{
    diag_report(nc->diag, DIAG_WRITE_FAILED, (Place){ 0 }, nc->path, nc_.strerror(nc->error));
}

void netcdf_study(NetCdf *nc, size_t n_own) { nc->n_own = n_own; }

NetCdf *netcdf_create(const char *path, const Provenance *provenance, orr_diag *diag)
{
    NetCdf *nc = calloc(1, sizeof *nc);
    if (!nc) arena_no_memory(sizeof *nc);
    *nc = (NetCdf){ .diag = diag, .provenance = provenance, .time_var = -1 };
    nc->path = arena_copy_text(&nc->arena, path, strlen(path));
    nc->temp = arena_printf(&nc->arena, "%s.%lx-%llx.tmp", path, (long)getpid(),
                            (unsigned long long)os_now_ns());
    confine_outside(do_create, nc);
    if (!nc->error) return nc;
    if (nc_.strerror) report(nc);
    else {
        diag_report(diag, DIAG_LIBRARY_MISSING, (Place){ 0 }, "libnetcdf.so.19", "NetCDF files");
        diag_hint(diag, "install the package libnetcdf19, or write CSV: -o FILE.csv");
    }
    arena_free(&nc->arena);
    free(nc);
    return NULL;
}

// ---------------------------------------------------------------------------------------------- the sink

static bool begin(void *self, const char *const *names, const char *const *units, size_t n,
                  const char *time_unit)
{
    NetCdf *nc = self;
    nc->n = n;
    nc->names = ARENA_ARRAY(&nc->arena, const char *, n + 1);
    nc->units = ARENA_ARRAY(&nc->arena, const char *, n + 1);
    nc->vars = ARENA_ARRAY(&nc->arena, int, n + 1);
    for (size_t i = 0; i < n; i++) {
        nc->names[i] = arena_copy_text(&nc->arena, names[i], strlen(names[i]));
        if (units && units[i]) nc->units[i] = arena_copy_text(&nc->arena, units[i], strlen(units[i]));
    }
    if (time_unit) nc->time_unit = arena_copy_text(&nc->arena, time_unit, strlen(time_unit));
    return true;
}

static void grow(double **numbers, size_t n)
{
    double *larger = realloc(*numbers, n * sizeof *larger);
    if (!larger) arena_no_memory(n * sizeof *larger);
    *numbers = larger;
}

static bool flush(NetCdf *nc)
{
    confine_outside(do_write, nc);
    return nc->error == 0;
}

// Do the first `n` of the member's rows have the times that members have had?
static bool has_known_times(const NetCdf *nc, const double *rows, size_t n)
{
    for (size_t i = 0; i < n && i < nc->n_times; i++)
        if (rows[i * (nc->n + 1)] != nc->times[i]) return false;
    return true;
}

// The rows behind those of whole members are one more member.
static bool end_member(NetCdf *nc)
{
    const size_t width = nc->n + 1, before = nc->n_members * nc->length, n = nc->n_rows - before;
    if (n == 0) return true;
    double *rows = nc->rows + before * width;
    const bool is_other = nc->time_var < 0 && !has_known_times(nc, rows, n);
    if (nc->n_members > 0 && (is_other || n != nc->length)) {
        if (!flush(nc)) return false;
        memmove(nc->rows, rows, n * width * sizeof *rows);
        rows = nc->rows;
        nc->n_rows = n;
        nc->n_members = 0;
    }
    nc->length = n;
    if (is_other) confine_outside(do_define_times, nc);
    if (n > nc->n_times) grow(&nc->times, n);
    for (; nc->n_times < n; nc->n_times++) nc->times[nc->n_times] = rows[nc->n_times * width];
    nc->n_members++;
    if (nc->n_rows * width < BLOCK) return nc->error == 0;
    const bool ok = flush(nc);
    nc->n_rows = nc->n_members = 0;
    return ok;
}

static bool row(void *self, double t, const double *values, size_t n)
{
    NetCdf *nc = self;
    const size_t width = nc->n + 1, behind = nc->n_members * nc->length;
    const bool is_study = nc->n_own > 0;
    if (is_study && nc->n_rows > behind && nc->rows[(nc->n_rows - 1) * width + 1] != values[0] &&
        !end_member(nc))
        return false;
    if (!is_study && nc->n_rows * width >= BLOCK) {
        if (!flush(nc)) return false;
        nc->n_rows = 0;
    }
    if (nc->n_rows == nc->capacity) {
        nc->capacity = nc->capacity ? 2 * nc->capacity : 64;
        grow(&nc->rows, nc->capacity * width);
    }
    double *to = nc->rows + nc->n_rows++ * width;
    to[0] = t;
    memcpy(to + 1, values, n * sizeof *values);
    return true;
}

static bool end(void *self, orr_status status)
{
    (void)status;
    NetCdf *nc = self;
    if (nc->error || (nc->n_own > 0 && !end_member(nc))) return false;
    const bool ok = flush(nc);
    nc->n_rows = nc->n_members = 0;
    return ok;
}

orr_sink netcdf_sink(NetCdf *nc) { return (orr_sink){ .begin = begin, .row = row, .end = end, .self = nc }; }

static void destroy(NetCdf *nc)
{
    free(nc->rows);
    free(nc->times);
    arena_free(&nc->arena);
    free(nc);
}

bool netcdf_close(NetCdf *nc)
{
    if (!nc->names) nc->error = -1;    // nothing was recorded: no file
    confine_outside(do_close, nc);
    const bool ok = nc->error == 0;
    if (!ok && nc->names) report(nc);
    destroy(nc);
    return ok;
}

// ---------------------------------------------------------------------------------------------- sheets

typedef struct SheetJob {
    NetCdf          *nc;
    const orr_sheet *sheet;
} SheetJob;

static void do_sheet(void *self)
{
    const SheetJob *job = self;
    NetCdf *nc = job->nc;
    const orr_sheet *s = job->sheet;
    const size_t start = 0, n = s->n_rows;
    pthread_mutex_lock(&nc_lock);
    put_provenance(nc);
    check(nc, nc_.def_dim(nc->id, s->name, n, &nc->t_dim));
    for (size_t i = 0; i < s->n_columns && !nc->error; i++) {
        const orr_column *c = &s->columns[i];
        const int var = define(nc, c->name, c->unit, c->texts ? TYPE_STRING : TYPE_DOUBLE, 1, &nc->t_dim);
        if (nc->error || n == 0) continue;
        if (c->texts) check(nc, nc_.put_vara_string(nc->id, var, &start, &n, (const char **)c->texts));
        else check(nc, nc_.put_vara_double(nc->id, var, &start, &n, c->numbers));
    }
    nc->is_defined = true;
    pthread_mutex_unlock(&nc_lock);
}

bool netcdf_sheet(const orr_sheet *sheet, const char *path, const Provenance *provenance, orr_diag *diag)
{
    NetCdf *nc = netcdf_create(path, provenance, diag);
    if (!nc) return false;
    nc->names = ARENA_ARRAY(&nc->arena, const char *, 1);
    confine_outside(do_sheet, &(SheetJob){ nc, sheet });
    return netcdf_close(nc);
}
