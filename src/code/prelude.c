// src/code/prelude.c: what generated code needs and does not compute itself.
//
// The text must do without any header, and compile with libtcc, gcc and clang as C99.
#include "code/prelude.h"
#include "code/lane_draws_text.h"
#include "code/lane_paths_text.h"
#include "num/normal_quantile_text.h"
#include "num/step_math_text.h"
#include <string.h>

static const char environment[] =
    "struct orr_env {\n"
    "    double *v;\n"
    "    double (*history)(const void *histories, int k, double t);\n"
    "    const void *histories;\n"
    "    const unsigned *tables;\n"
    "    const double *numbers;\n"
    "    unsigned event;\n"
    "    double (*draw)(const void *streams, int k, double count, double argument);\n"
    "    const void *streams;\n"
    "};\n\n";

// Of a file that stands alone: only what this model needs.
static void print_file_environment(const Ir *ir, StrBuf *s)
{
    const bool has_past = ir->flat->delays.n > 0, has_draws = ir->flat->pool.draws.n > 0;
    str_add(s, "struct orr_env {\n    double *v;    // values of parameters, modes and variables\n");
    if (ir->tables.n)
        str_add(s, "    const unsigned *tables;    // which elements the turns of loops read and write\n");
    if (ir->numbers.n)
        str_add(s, "    const double *numbers;    // tables of the model, and constants of loops\n");
    str_add(s, "    unsigned event;    // whose body orr_event runs\n");
    if (has_past || has_draws) str_add(s, "    Model *m;\n");
    str_add(s, "};\n\n");
    if (has_past)
        str_add(s, "static double orr_past(Model *m, int k, double t);    // what delay k remembers\n");
    if (has_draws)
        str_add(s,
                "static double orr_draw(Model *m, int k, double count, "
                "double argument);    // of stream k\n");
    if (has_past || has_draws) str_add(s, "\n");
}

// Keeps a loop from being turned into one over vectors.
static const char one_by_one[] =
    "#if defined __TINYC__ || !defined __GNUC__\n"
    "#define ORR_ONE_BY_ONE\n"
    "#else\n"
    "#define ORR_ONE_BY_ONE __asm__ volatile (\"\");\n"
    "#endif\n\n";

// Members do not read each other: the loop over them may become one over vectors.
static const char over_lanes[] =
    "#if defined __clang__\n"
    "#define ORR_LANES _Pragma(\"clang loop vectorize(assume_safety)\")\n"
    "#elif defined __GNUC__\n"
    "#define ORR_LANES _Pragma(\"GCC ivdep\")\n"
    "#else\n"
    "#define ORR_LANES\n"
    "#endif\n\n";

// Gauss elimination with partial pivoting on rows of comparable size. A pivot that is nothing but rounding,
// both beside the other entries of its row and of its column, means that there is no unique solution.
static const char lu[] =
    "/* Solve m y = b; b becomes y, m is overwritten. 0 if there is no "
    "unique solution. work: 2 n places. */\n"
    "static int orr_lu(int n, double *m, double *b, double *work)\n"
    "{\n"
    "    double *const row_max = work, *const column_max = work + n;\n"
    "    int i, j, k;\n"
    "    for (i = 0; i < n; i++) row_max[i] = column_max[i] = 0.0;\n"
    "    for (i = 0; i < n; i++) {\n"
    "        for (j = 0; j < n; j++) {\n"
    "            const double a = m[i*n + j] < 0.0 ? -m[i*n + j] : m[i*n + j];\n"
    "            if (!(a <= 1.7976931348623157e308)) return 0;\n"
    "            if (a > row_max[i]) row_max[i] = a;\n"
    "            if (a > column_max[j]) column_max[j] = a;\n"
    "        }\n"
    "        if (row_max[i] == 0.0) return 0;\n"
    "    }\n"
    "    for (k = 0; k < n; k++) {\n"
    "        double best = 0.0, pivot;\n"
    "        int at = k;\n"
    "        for (i = k; i < n; i++) {\n"
    "            const double a = (m[i*n + k] < 0.0 ? -m[i*n + k] : m[i*n + k])/row_max[i];\n"
    "            if (a > best) {\n"
    "                best = a;\n"
    "                at = i;\n"
    "            }\n"
    "        }\n"
    "        pivot = m[at*n + k] < 0.0 ? -m[at*n + k] : m[at*n + k];\n"
    "        if (!(best > n*2.220446049250313e-16) && !(pivot > "
    "n*2.220446049250313e-16*column_max[k])) return 0;\n"
    "        if (at != k) {\n"
    "            double swap = b[k];\n"
    "            b[k] = b[at];\n"
    "            b[at] = swap;\n"
    "            swap = row_max[k];\n"
    "            row_max[k] = row_max[at];\n"
    "            row_max[at] = swap;\n"
    "            for (j = k; j < n; j++) {\n"
    "                swap = m[k*n + j];\n"
    "                m[k*n + j] = m[at*n + j];\n"
    "                m[at*n + j] = swap;\n"
    "            }\n"
    "        }\n"
    "        for (i = k + 1; i < n; i++) {\n"
    "            const double f = m[i*n + k]/m[k*n + k];\n"
    "            if (f == 0.0) continue;\n"
    "            for (j = k + 1; j < n; j++) m[i*n + j] = m[i*n + j] - f*m[k*n + j];\n"
    "            b[i] = b[i] - f*b[k];\n"
    "        }\n"
    "    }\n"
    "    for (i = n; i-- > 0;) {\n"
    "        double sum = b[i];\n"
    "        for (j = i + 1; j < n; j++) sum = sum - m[i*n + j]*b[j];\n"
    "        b[i] = sum/m[i*n + i];\n"
    "        if (!(b[i] >= -1.7976931348623157e308 && b[i] <= 1.7976931348623157e308)) return 0;\n"
    "    }\n"
    "    return 1;\n"
    "}\n\n";

// Damped Newton. Residuals are weighed by the rows of the matrix, so that neither the scale of an equation
// nor that of an unknown matters. A step is halved until the residuals shrink; it is the last if it changes
// nothing worth mentioning, or if it does not help any more and is small: then only rounding is left.
static const char newton[] =
    "/* Find z with r(z) = 0 from the guess in z; 0 if found. "
    "evaluate gives r and its matrix of derivatives. */\n"
    "static int orr_newton(int n,\n"
    "    void (*evaluate)(double t, const double *in, const struct "
    "orr_env *env, double *z, double *r, double *m),\n"
    "    double t, const double *in, const struct orr_env *env, double *z, double *work)\n"
    "{\n"
    "    double *const m = work, *const r = m + n*n, *const d = r + n, "
    "*const y = d + n, *const weight = y + n;\n"
    "    double merit = 0.0, f = 1.0;\n"
    "    int i, j, tries, steps = 0, nudges = 0, is_last = 0;\n"
    "    for (tries = 0; tries < 200; tries++) {\n"
    "        double now = 0.0;\n"
    "        int is_zero = 1, is_finite = 1;\n"
    "        for (i = 0; i < n*n; i++) m[i] = 0.0;\n"
    "        evaluate(t, in, env, z, r, m);\n"
    "        for (i = 0; i < n; i++) {\n"
    "            if (!(r[i] >= -1.7976931348623157e308 && r[i] <= 1.7976931348623157e308)) is_finite = 0;\n"
    "            if (r[i] != 0.0) is_zero = 0;\n"
    "        }\n"
    "        if (is_zero || (is_last && is_finite)) return 0;\n"
    "        if (steps > 0) {\n"
    "            for (i = 0; i < n; i++) {\n"
    "                const double a = (r[i] < 0.0 ? -r[i] : r[i])/weight[i];\n"
    "                if (a > now) now = a;\n"
    "            }\n"
    "            if (!is_finite || !(now <= (1.0 - 0.25*f)*merit)) {\n"
    "                int is_small = 1;\n"
    "                for (i = 0; i < n; i++) {\n"
    "                    const double size = y[i] < 0.0 ? -y[i] : y[i];\n"
    "                    if ((d[i] < 0.0 ? -d[i] : d[i]) > 1e-8*size + 1e-14) is_small = 0;\n"
    "                }\n"
    "                f = is_small ? 0.0 : 0.5*f;\n"
    "                if (!is_small && f < 1e-4) return 1;\n"
    "                is_last = is_small;\n"
    "                for (i = 0; i < n; i++) z[i] = y[i] + f*d[i];\n"
    "                continue;\n"
    "            }\n"
    "        }\n"
    "        for (i = 0; i < n; i++) {\n"
    "            y[i] = z[i];\n"
    "            d[i] = -r[i];\n"
    "            weight[i] = 0.0;\n"
    "            for (j = 0; j < n; j++) {\n"
    "                const double size = 1.0 + (z[j] < 0.0 ? -z[j] : z[j]);\n"
    "                const double a = (m[i*n + j] < 0.0 ? -m[i*n + j] : m[i*n + j])*size;\n"
    "                if (a > weight[i]) weight[i] = a;\n"
    "            }\n"
    "        }\n"
    "        if (!is_finite || !orr_lu(n, m, d, weight + n)) {\n"
    "            /* nowhere to go from here: try beside it, each unknown by its own amount */\n"
    "            if (++nudges > 4) return 1;\n"
    "            steps = 0;\n"
    "            for (i = 0; i < n; i++)\n"
    "                z[i] = y[i] + 0.0625*nudges*(1.0 + (y[i] < 0.0 ? -y[i] : y[i]))*(1.0 + i/(n + 1.0));\n"
    "            continue;\n"
    "        }\n"
    "        if (++steps > 50) return 1;\n"
    "        merit = 0.0;\n"
    "        is_last = 1;\n"
    "        for (i = 0; i < n; i++) {\n"
    "            const double a = (r[i] < 0.0 ? -r[i] : r[i])/weight[i];\n"
    "            const double size = y[i] < 0.0 ? -y[i] : y[i];\n"
    "            if (a > merit) merit = a;\n"
    "            if ((d[i] < 0.0 ? -d[i] : d[i]) > 1e-12*size) is_last = 0;\n"
    "            z[i] = y[i] + d[i];\n"
    "        }\n"
    "        f = 1.0;\n"
    "    }\n"
    "    return 1;\n"
    "}\n\n";

// ---- Tables in lanes

// The functions of expr/math.c that look things up, with the same bits and without a jump: each member finds
// its own place, by as many steps as the number of points has digits, and gathers what it needs from there. A
// piece of a table reads at most twice as far as its breaks, which is inside of the table.
static const struct LaneText { const char *name, *text;
} lane_texts[] = {
    { "orr_lookup_find",
      "ORR_INLINE long orr_lookup_find(const double *x, long n, double at)\n{\n"
      "    long low = 0;\n    ORR_HALVINGS(low + b < n - 1, x[low + b < n ? low + b : n - 1] <= at)\n"
      "    return low;\n}" },
    { "orr_lookup", "ORR_INLINE double orr_lookup(const double *x, const double *y, long n, double at)\n{\n"
                    "    const double *const x1 = x + 1, *const y1 = y + 1;\n"
                    "    const long i = orr_lookup_find(x, n, at);\n"
                    "    const double inside = y[i] + (y1[i] - y[i])*((at - x[i])/(x1[i] - x[i]));\n"
                    "    const double above = at >= x[n - 1] ? y[n - 1] : inside;\n"
                    "    return at < x[0] ? y[0] : above;\n}" },
    { "orr_lookup_slope",
      "ORR_INLINE double orr_lookup_slope(const double *x, const double *y, long n, double at)\n{\n"
      "    const double *const x1 = x + 1, *const y1 = y + 1;\n"
      "    const long i = orr_lookup_find(x, n, at);\n"
      "    const double inside = (y1[i] - y[i])/(x1[i] - x[i]);\n"
      "    const double known = at == at ? inside : at;\n"
      "    return (at < x[0]) | (at >= x[n - 1]) ? 0.0 : known;\n}" },
    { "orr_piece",
      "ORR_INLINE long orr_piece(const double *breaks, long n, double x)\n{\n"
      "    const double *const last = breaks - 1;\n"
      "    long low = 0;\n    ORR_HALVINGS(low + b <= n, last[low + b] <= x)\n    return low;\n}" },
    { "orr_piece_at",
      "ORR_INLINE double orr_piece_at(const double *table, long n, long i, double x)\n{\n"
      "    const double s = x - table[i > 0 ? i - 1 : 0];\n"
      "    const double *const c0 = table + n, *const c1 = c0 + 1, *const c2 = c0 + 2, *const c3 = c0 + 3;\n"
      "    return c0[4*i] + s*(c1[4*i] + s*(c2[4*i] + s*c3[4*i]));\n}" },
    { "orr_pieces", "ORR_INLINE double orr_pieces(const double *table, long n, double x)\n{\n"
                    "    return orr_piece_at(table, n, orr_piece(table, n, x), x);\n}" },
    { "orr_near",
      "ORR_INLINE double orr_near(const double *table, long n, double x, double code)\n{\n"
      "    const long here = orr_piece(table, n, x);\n"
      "    const long wanted = code < 1.5 ? (code < 0.5 ? 0 : 1) : (code < 2.5 ? 3 : 2);\n"
      "    const long up = here + ((wanted - here) & 3), down = here - ((here - wanted) & 3);\n"
      "    const double low = table[down > 0 ? down : 0], high = table[up > 0 ? up - 1 : 0];\n"
      "    const long ahead = up <= n ? up : here;\n"
      "    return orr_piece_at(table, n, (down >= 0) & ((up > n) | (x - "
      "low < high - x)) ? down : ahead, x);\n}" },
    { "orr_grid",
      "ORR_INLINE double orr_grid_row(const double *c, long at, double r)\n{\n"
      "    const double *const c1 = c + 1, *const c2 = c + 2, *const c3 = c + 3;\n"
      "    return c[at] + r*(c1[at] + r*(c2[at] + r*c3[at]));\n}\n"
      "ORR_INLINE double orr_grid(const double *table, long n, long m, double x, double y)\n{\n"
      "    const double *const breaks = table + n, *const c = breaks + m;\n"
      "    const long i = orr_piece(table, n, x), j = orr_piece(breaks, m, y), at = 16*(i*(m + 1) + j);\n"
      "    const double s = x - table[i > 0 ? i - 1 : 0], r = y - breaks[j > 0 ? j - 1 : 0];\n"
      "    return orr_grid_row(c, at, r) + s*(orr_grid_row(c + 4, at, r) + s*(orr_grid_row(c + 8, at, r) + "
      "s*orr_grid_row(c + 12, at, r)));\n}" },
};

static const char *lane_text(const char *name)
{
    for (size_t i = 0; i < sizeof lane_texts / sizeof *lane_texts; i++)
        if (strcmp(lane_texts[i].name, name) == 0) return lane_texts[i].text;
    return NULL;
}

enum { TABLE_BITS = 23 };    // of the number of points in a table

static void print_halvings(StrBuf *s)
{
    str_add(s,
            "#define ORR_INLINE static inline __attribute__((always_inline))\n"
            "#define ORR_HALF(b_, IN, IS) if (n >= b_) { const long b = "
            "b_; low = (IN) & (IS) ? low + b : low; }\n"
            "#define ORR_HALVINGS(IN, IS)");
    for (int k = TABLE_BITS - 1; k >= 0; k--) str_addf(s, " ORR_HALF(%ld, IN, IS)", 1L << k);
    str_add(s, "\n");
}

// A text of expr/math.c may call what stands before it there.
static void add_what_texts_use(bool *uses)
{
    for (size_t i = expr_n_math; i-- > 0;) {
        if (!uses[i] || !expr_math[i].text) continue;
        for (size_t k = 0; k < i; k++)
            if (strstr(expr_math[i].text, expr_math[k].c_name)) uses[k] = true;
    }
}

// A definition that is one line, for people: a line for each statement.
static void print_unfolded(const char *text, StrBuf *s)
{
    int depth = 0, parentheses = 0;
    for (const char *p = text; *p; p++) {
        if (*p == '(') parentheses++;
        if (*p == ')') parentheses--;
        const bool ends = parentheses == 0 && (*p == ';' || *p == '{' || *p == '}');
        if (*p == '{' && depth == 0) {
            if (s->p[s->n - 1] == ' ') s->n--;
            str_add(s, "\n{");
        } else {
            str_add_char(s, *p);
        }
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        if (!ends || p[1] == '\0') continue;
        while (p[1] == ' ') p++;
        str_add_char(s, '\n');
        for (int i = p[1] == '}' ? 1 : 0; i < depth; i++) str_add(s, "    ");
        if (depth == 0) str_add_char(s, '\n');
    }
    str_add_char(s, '\n');
}

// Of a file that stands alone: libm's functions or, for our bits, SLEEF's.
static void print_file_math(Gen *g, StrBuf *s)
{
    add_what_texts_use(g->uses_math);
    const size_t n_before = s->n;
    StrBuf sleef = { .arena = &g->work }, libm = { .arena = &g->work };
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (!g->uses_math[i] || !math->library_symbol) continue;
        if (!math->stem) {
            str_addf(s, "#define %s %s\n", math->c_name, math->library_symbol);
            continue;
        }
        str_addf(&sleef, "double %s(double%s);\n#define %s %s\n", math->library_symbol,
                 math->arity > 1 ? ", double" : "", math->c_name, math->library_symbol);
        str_addf(&libm, "#define %s %s\n", math->c_name, math->c_name + strlen("orr_"));
    }
    if (sleef.n) {
        str_add(s, "#ifdef ORRERY_SLEEF\n");
        str_add_text(s, (Text){ sleef.p, sleef.n });
        str_add(s, "#else\n");
        str_add_text(s, (Text){ libm.p, libm.n });
        str_add(s, "#endif\n");
    }
    for (size_t i = 0; i < expr_n_math; i++)
        if (g->uses_math[i] && expr_math[i].text) print_unfolded(expr_math[i].text, s);
    if (s->n > n_before) str_add(s, "\n");
}

static void print_math(bool *uses, bool has_lanes, Arena *work, StrBuf *s)
{
    add_what_texts_use(uses);
    if (has_lanes) print_halvings(s);
    // libtcc is handed addresses; other compilers know the functions that have only one right answer, and
    // the linker finds the rest
    StrBuf names = { .arena = work };
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (!uses[i] || !math->library_symbol) continue;
        str_addf(&names, "#define %s %s%s\n", math->c_name, math->stem ? "" : "__builtin_",
                 math->library_symbol);
    }
    if (names.n) {
        str_add(s, "#ifndef __TINYC__\n");
        str_add_text(s, (Text){ names.p, names.n });
        str_add(s, "#endif\n");
    }
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (!uses[i]) continue;
        if (math->text) {
            const char *text = has_lanes ? lane_text(math->c_name) : NULL;
            str_addf(s, "%s\n", text ? text : math->text);
            continue;
        }
        const bool is_builtin = !math->stem;
        if (is_builtin) str_add(s, "#ifdef __TINYC__\n");
        str_addf(s, "double %s(double%s);\n", math->c_name, math->arity > 1 ? ", double" : "");
        if (is_builtin) str_add(s, "#endif\n");
    }
    str_add(s, "\n");
}

void prelude_math(bool *uses, Arena *work, StrBuf *s) { print_math(uses, false, work, s); }

// Which functions compute several values at once, with the bits of the one for a single value: what gcc looks
// for after `simd` (and takes only if the function is `const`), and what SLEEF calls it. Longer registers
// come last.
static const struct VectorForm {
    const char *when, *prefix;
    int         n;
    const char *suffix;
} vector_forms[] = {
    { "__SSE2__", "_ZGVbN2", 2, "sse2" },
    { "__AVX__", "_ZGVcN4", 4, "avx" },
    { "__AVX2__", "_ZGVdN4", 4, "avx" },
    { "__AVX512F__", "_ZGVeN8", 8, "avx512fnofma" },
};

static const char *vector_name(const ExprMath *math, const struct VectorForm *form, Arena *work)
{
    return arena_printf(work, "%sd%d_%s%s", math->stem, form->n, math->accuracy, form->suffix);
}

static void print_vector_math(const Gen *g, StrBuf *s)
{
    for (size_t i = 0; i < expr_n_math; i++) {
        const ExprMath *math = &expr_math[i];
        if (!g->uses_math[i] || !math->stem) continue;
        const bool two = math->arity > 1;
        str_addf(s, "__attribute__((const, simd(\"notinbranch\"))) double %s(double%s);\n",
                 math->library_symbol, two ? ", double" : "");
        for (size_t k = 0; k < sizeof vector_forms / sizeof *vector_forms; k++) {
            const struct VectorForm *form = &vector_forms[k];
            const char *of_many = vector_name(math, form, (Arena *)&g->work);
            str_addf(s, "#ifdef %s\norr_d%d %s(orr_d%d%s);\n", form->when, form->n, of_many, form->n,
                     two ? arena_printf((Arena *)&g->work, ", orr_d%d", form->n) : "");
            str_addf(s, "orr_d%d %s%s_%s(orr_d%d a%s) { return %s(a%s); }\n#endif\n", form->n, form->prefix,
                     two ? "vv" : "v", math->library_symbol, form->n,
                     two ? arena_printf((Arena *)&g->work, ", orr_d%d b", form->n) : "", of_many,
                     two ? ", b" : "");
        }
    }
    str_add(s, "\n");
}

// Functions for several numbers at once. libtcc is handed ours; other compilers call SLEEF's vector functions
// if they are told that it is there. The last numbers are padded with one of their own, so that no lane takes
// a slow way.
static void print_each(const Gen *g, StrBuf *s)
{
    bool is_first = true;
    for (size_t i = 0; i < expr_n_math; i++) {
        if (!g->uses_each[i]) continue;
        const ExprMath *math = &expr_math[i];
        if (is_first)
            str_add(s, "#ifdef ORR_VECTORS\n"
                       "#if defined __AVX512F__\n#define ORR_WIDTH 8\n"
                       "#elif defined __AVX__\n#define ORR_WIDTH 4\n"
                       "#elif defined __SSE2__\n#define ORR_WIDTH 2\n#endif\n#endif\n"
                       "#ifdef ORR_WIDTH\n"
                       "typedef double orr_lanes __attribute__((vector_size(8*ORR_WIDTH)));\n"
                       "typedef orr_lanes orr_vector __attribute__((aligned(8), may_alias));\n#endif\n\n");
        is_first = false;
        str_addf(s, "#ifdef __TINYC__\nvoid %s_each(double *f, int n);\n#else\n", math->c_name);
        str_add(s, "#ifdef ORR_WIDTH\n");
        for (size_t k = 0; k < sizeof vector_forms / sizeof *vector_forms; k++) {
            const struct VectorForm *form = &vector_forms[k];
            if (strcmp(form->when, "__AVX2__") == 0) continue;    // as __AVX__
            str_addf(s, "#%s ORR_WIDTH == %d\n#define %s_vector %s\n", k ? "elif" : "if", form->n,
                     math->c_name, vector_name(math, form, (Arena *)&g->work));
        }
        str_addf(s, "#endif\norr_lanes %s_vector(orr_lanes);\n#endif\n", math->c_name);
        str_addf(s,
                 "static void %s_each(double *f, int n)\n{\n"
                 "    int i = 0;\n"
                 "#ifdef ORR_WIDTH\n"
                 "    for (; i + ORR_WIDTH <= n; i += ORR_WIDTH)\n"
                 "        *(orr_vector *)(f + i) = %s_vector(*(orr_vector *)(f + i));\n"
                 "    if (i < n) {\n"
                 "        double last[ORR_WIDTH];\n"
                 "        int k;\n"
                 "        for (k = 0; k < ORR_WIDTH; k++) last[k] = f[i + k < n ? i + k : i];\n"
                 "        *(orr_vector *)last = %s_vector(*(orr_vector *)last);\n"
                 "        for (k = 0; i + k < n; k++) f[i + k] = last[k];\n"
                 "    }\n"
                 "#else\n"
                 "    for (; i < n; i++) f[i] = %s(f[i]);\n"
                 "#endif\n}\n#endif\n\n",
                 math->c_name, math->c_name, math->c_name, math->c_name);
    }
}

// The order of the products is that of expr_whole_power.
void prelude_powers(const bool *uses, StrBuf *s)
{
    for (unsigned n = 2; n <= EXPR_WHOLE_POWER_MAX; n++) {
        if (!uses[n]) continue;
        str_addf(s, "static double orr_power%u(double x)\n{\n    double r = x;\n", n);
        unsigned bit = 1;
        while (bit <= n / 2) bit *= 2;
        for (bit /= 2; bit; bit /= 2) {
            str_add(s, "    r = r*r;\n");
            if (n & bit) str_add(s, "    r = r*x;\n");
        }
        str_add(s, "    return r;\n}\n\n");
    }
}

static void print_tables(const Gen *g, StrBuf *s)
{
    for (uint32_t i = 0; i < g->pool->tables.n; i++) {
        const ExprTable *table = &g->pool->tables.items[i];
        if (!g->uses_table[i]) continue;
        gen_list(s, "orr_table_x", i, table->x, table->n);
        gen_list(s, "orr_table_y", i, table->y, table->n);
        str_add(s, "\n");
    }
}

void prelude_print(Gen *g, StrBuf *s)
{
    if (g->is_file) print_file_environment(g->ir, s);
    else str_add(s, environment);
    if (g->has_loops) str_add(s, one_by_one);
    if (g->is_file) print_file_math(g, s);
    else print_math(g->uses_math, g->lanes > 0, &g->work, s);
    if (g->lanes) {
        str_add(s, over_lanes);
        for (int n = 2; n <= 8; n *= 2)
            str_addf(s, "typedef double orr_d%d __attribute__((vector_size(%d)));\n", n, 8 * n);
        print_vector_math(g, s);
        str_add(s, TEXT_NUM_STEP_MATH_H);
        if (g->uses_paths) {
            str_add(s, "#define fabs __builtin_fabs\n#define sqrt __builtin_sqrt\n");
            str_add(s, TEXT_NUM_NORMAL_QUANTILE_INC);
            str_add(s, TEXT_CODE_LANE_PATHS_H);
            str_add(s, TEXT_CODE_LANE_DRAWS_INC);
        }
    }
    print_each(g, s);
    prelude_powers(g->uses_power, s);
    print_tables(g, s);
    if (g->uses_lu || g->uses_newton) str_add(s, lu);
    if (g->uses_newton) str_add(s, newton);
}

Text prelude_finish(Gen *g, Arena *arena)
{
    StrBuf text = { .arena = arena };
    str_add(&text, g->is_file
                       ? "// t time, x states, v values of parameters, modes and variables, out results.\n\n"
                       : "/* Generated from a model: t time, x states, v values of parameters, modes and "
                         "variables, out results. */\n\n");
    prelude_print(g, &text);
    if (g->body.n) str_add_text(&text, (Text){ g->body.p, g->body.n });
    const size_t n = text.n;
    return (Text){ str_finish(&text), n };
}
