// src/order/explain.c: the lecture's algorithm on the user's own model, step by step.
//
// The compiler itself finds strong components by Tarjan's algorithm, in one search. Taught is, often under
// the same name, the algorithm of Kosaraju and Sharir with its two searches, which is easier to follow on
// paper: it is repeated here, so that every number printed can be checked by hand.
#include "order/blocks.h"
#include "order/structure.h"
#include <math.h>
#include <string.h>

enum { MATRIX_MAX = 12, LINES_MAX = 60 };    // larger models: no matrices, and lists are cut

typedef struct Explain {
    const Blocks  *blocks;
    const Flat    *flat;
    const Ordered *system;
    ExprNames      names;
    FILE          *out;
    Arena          work;
    uint32_t       n;             // nodes: equations, each under the name of what it computes
    Incidence      needs;         // node → nodes it needs
    Incidence      needed_by;     // reversed
    uint32_t      *number;        // [n] postorder, from 1
    uint32_t      *by_number;     // [n] nodes in postorder
} Explain;

// ---- Words

static const char *node_name(const Explain *x, uint32_t i)
{
    return x->flat->vars.items[x->system->computes[i]].name;
}
static void print(const Explain *x, Expr e) { expr_print(&x->flat->pool, e, &x->names, x->out); }

// False once enough lines were printed.
static bool may_print(const Explain *x, uint32_t line, uint32_t n)
{
    if (line < LINES_MAX) return true;
    if (line == LINES_MAX) fprintf(x->out, "  ... and %u more\n", n - line);
    return false;
}

static void print_equation(const Explain *x, uint32_t i)
{
    print(x, x->system->equations[i].lhs);
    fputs(" = ", x->out);
    print(x, x->system->equations[i].rhs);
}

static void print_nodes(const Explain *x, const uint32_t *nodes, size_t n)
{
    for (size_t k = 0; k < n && k <= MATRIX_MAX; k++) {
        if (k == MATRIX_MAX) fprintf(x->out, ", ... and %zu more", n - k);
        else fprintf(x->out, "%s%s", k ? ", " : "", node_name(x, nodes[k]));
    }
}

// Columns to which names are padded, within reason.
static int name_width(const Explain *x)
{
    size_t width = 1;
    for (uint32_t i = 0; i < x->n && i < LINES_MAX; i++) {
        const size_t cells = text_cells(text_from(node_name(x, i)));
        if (cells > width) width = cells;
    }
    return width > 24 ? 24 : (int)width;
}

static void print_padded(const Explain *x, const char *name, int width)
{
    fputs(name, x->out);
    for (int k = (int)text_cells(text_from(name)); k < width; k++) fputc(' ', x->out);
}

// ---- The graph

// An equation needs itself if it is written for an unknown that stands on its other side too, or has no
// closed form.
static bool needs_itself(const Explain *x, const System *system, uint32_t i)
{
    const uint32_t own = x->system->computes[i], for_column = system->written_for[i];
    if (for_column != INCIDENCE_NONE && system->unknowns[for_column] == own)
        return system->form[i] == FORM_CIRCULAR;
    const Block *block = &x->system->blocks[x->system->block_of[own]];
    return block->kind == BLOCK_NEWTON && block->n == 1;
}

static bool needs_node(const Explain *x, uint32_t i, uint32_t j)
{
    for (uint32_t k = x->needs.first[i]; k < x->needs.first[i + 1]; k++)
        if (x->needs.columns[k] == j) return true;
    return false;
}

static void build_graph(Explain *x)
{
    const System system = structure_dynamic(x->flat, &x->work);
    uint32_t *node_of = ARENA_ARRAY(&x->work, uint32_t, x->flat->vars.n);
    for (uint32_t i = 0; i < x->n; i++) node_of[x->system->computes[i]] = i;
    x->needs = (Incidence){ .n_rows = x->n, .n_columns = x->n };
    x->needs.first = ARENA_ARRAY(&x->work, uint32_t, (size_t)x->n + 1);
    x->needs.columns = ARENA_ARRAY(&x->work, uint32_t, system.rows.first[x->n]);
    uint32_t at = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        for (uint32_t k = system.rows.first[i]; k < system.rows.first[i + 1]; k++) {
            const uint32_t j = node_of[system.unknowns[system.rows.columns[k]]];
            if (j != i || needs_itself(x, &system, i)) x->needs.columns[at++] = j;
        }
        x->needs.first[i + 1] = at;
        incidence_sort(x->needs.columns + x->needs.first[i], at - x->needs.first[i]);
    }
    x->needed_by = incidence_transpose(&x->needs, &x->work);
}

static void print_graph(const Explain *x, const Incidence *graph)
{
    const int width = name_width(x);
    for (uint32_t i = 0; i < x->n && may_print(x, i, x->n); i++) {
        fputs("  ", x->out);
        const uint32_t n = incidence_count(graph, i);
        print_padded(x, node_name(x, i), n ? width : 0);
        fputs(n ? "  ->  " : "", x->out);
        print_nodes(x, graph->columns + graph->first[i], n);
        fputc('\n', x->out);
    }
}

static void explain_equations(const Explain *x)
{
    fputs("Step 1. Which equation computes which unknown\n"
          "  Known at every instant: ", x->out);
    if (x->blocks->n_states > 0) {
        fputs("the states ", x->out);
        for (uint32_t i = 0; i < x->blocks->n_states && i <= MATRIX_MAX; i++) {
            if (i == MATRIX_MAX) fputs(", ...", x->out);
            else fprintf(x->out, "%s%s", i ? ", " : "", x->flat->vars.items[x->blocks->states[i]].name);
        }
        fputs(", ", x->out);
    }
    fputs("parameters, inputs and time.\n", x->out);
    const int width = name_width(x);
    for (uint32_t i = 0; i < x->n && may_print(x, i, x->n); i++) {
        fputs("  ", x->out);
        print_padded(x, node_name(x, i), width);
        fputs("  from  ", x->out);
        print_equation(x, i);
        fputc('\n', x->out);
    }
}

// ---- D and D*

static void print_matrix(const Explain *x, const unsigned char *d)
{
    const int width = name_width(x);
    fputs("  ", x->out);
    print_padded(x, "", width);
    for (uint32_t j = 0; j < x->n; j++) fprintf(x->out, " %s", node_name(x, j));
    fputc('\n', x->out);
    for (uint32_t i = 0; i < x->n; i++) {
        fputs("  ", x->out);
        print_padded(x, node_name(x, i), width);
        for (uint32_t j = 0; j < x->n; j++) {
            fputc(' ', x->out);
            const int cells = j + 1 < x->n ? (int)text_cells(text_from(node_name(x, j))) : 0;
            print_padded(x, d[i * x->n + j] ? "1" : ".", cells);
        }
        fputc('\n', x->out);
    }
}

static void explain_matrices(Explain *x)
{
    const uint32_t n = x->n;
    unsigned char *d = ARENA_ARRAY(&x->work, unsigned char, (size_t)n * n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = x->needs.first[i]; k < x->needs.first[i + 1]; k++)
            d[i * n + x->needs.columns[k]] = 1;
    fputs("\nSimple loop detection. Dependency matrix D: 1 where the row needs the column\n", x->out);
    print_matrix(x, d);

    // Warshall's algorithm
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (d[i * n + k] && d[k * n + j]) d[i * n + j] = 1;
    fputs("Transitive closure D* (Warshall, O(n^3)): 1 where the row needs the column, directly or not\n",
          x->out);
    print_matrix(x, d);

    uint32_t *looped = ARENA_ARRAY(&x->work, uint32_t, n), n_looped = 0;
    for (uint32_t i = 0; i < n; i++)
        if (d[i * n + i]) looped[n_looped++] = i;
    if (n_looped == 0) {
        fputs("No 1 on the diagonal of D*: there is no loop.\n", x->out);
    } else {
        fputs("1 on the diagonal of D* for ", x->out);
        print_nodes(x, looped, n_looped);
        fputs(": there is a loop. Which of them belong together, the diagonal does not say.\n", x->out);
    }
}

// ---- Two searches in depth

typedef struct Search {
    const Incidence *graph;
    bool     *is_met;        // [n]
    uint32_t *next;          // [n] edge to be followed next
    uint32_t *path;          // [n]
    uint32_t *found;         // [n] in postorder
    uint32_t  n_found;
} Search;

static Search search_begin(Explain *x, const Incidence *graph)
{
    return (Search){ .graph = graph,
                     .is_met = ARENA_ARRAY(&x->work, bool, x->n),
                     .next = ARENA_ARRAY(&x->work, uint32_t, x->n),
                     .path = ARENA_ARRAY(&x->work, uint32_t, x->n),
                     .found = ARENA_ARRAY(&x->work, uint32_t, x->n) };
}

// What had not been met and is reachable from the root is added to `found`, each node after those below it.
static void search_tree(Search *s, uint32_t root)
{
    uint32_t depth = 1;
    s->path[0] = root;
    s->is_met[root] = true;
    s->next[root] = s->graph->first[root];
    while (depth > 0) {
        const uint32_t v = s->path[depth - 1];
        if (s->next[v] == s->graph->first[v + 1]) {
            s->found[s->n_found++] = v;
            depth--;
            continue;
        }
        const uint32_t w = s->graph->columns[s->next[v]++];
        if (s->is_met[w]) continue;
        s->is_met[w] = true;
        s->next[w] = s->graph->first[w];
        s->path[depth++] = w;
    }
}

static void explain_first_search(Explain *x)
{
    fputs("\nStep 3. First pass: search in depth; equations are numbered on the way back (postorder)\n",
          x->out);
    Search s = search_begin(x, &x->needs);
    x->number = ARENA_ARRAY(&x->work, uint32_t, x->n);
    x->by_number = s.found;
    uint32_t n_trees = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        if (s.is_met[i]) continue;
        const uint32_t first = s.n_found;
        search_tree(&s, i);
        for (uint32_t k = first; k < s.n_found; k++) x->number[s.found[k]] = k + 1;
        if (!may_print(x, n_trees++, x->n)) continue;
        fprintf(x->out, "  from %s:", node_name(x, i));
        for (uint32_t k = first; k < s.n_found && k <= first + LINES_MAX; k++) {
            if (k == first + LINES_MAX) fprintf(x->out, " ... and %u more", s.n_found - k);
            else fprintf(x->out, "%s %s %u", k > first ? "," : "", node_name(x, s.found[k]), k + 1);
        }
        fputc('\n', x->out);
    }
}

static void explain_second_search(Explain *x)
{
    fputs("\nStep 5. Second pass: on the reversed graph, from the "
          "highest number left; trees are components\n",
          x->out);
    Search s = search_begin(x, &x->needed_by);
    uint32_t n_trees = 0;
    for (uint32_t k = x->n; k-- > 0;) {
        const uint32_t root = x->by_number[k];
        if (s.is_met[root]) continue;
        const uint32_t first = s.n_found;
        search_tree(&s, root);
        if (!may_print(x, n_trees++, x->n)) continue;
        fprintf(x->out, "  from %s (%u): { ", node_name(x, root), k + 1);
        incidence_sort(s.found + first, s.n_found - first);
        print_nodes(x, s.found + first, s.n_found - first);
        fprintf(x->out, " }%s\n", s.n_found - first > 1 || needs_node(x, root, root) ? "   a loop" : "");
    }
    fputs("  (This is the algorithm of Kosaraju and Sharir, O(n + m), "
          "often taught as Tarjan's. Orrery computes\n"
          "  with Tarjan's, which finds the same components in a single search.)\n",
          x->out);
}

// ---- Result

// A linear loop as the implicit set of equations it is: Σ coefficient · unknown = what is known.
static void print_implicit(const Explain *x, const Loop *loop)
{
    uint32_t e = 0;
    for (uint32_t i = 0; i < loop->n; i++) {
        fputs("  [   ", x->out);
        for (bool is_first = true; e < loop->n_entries && loop->entries[e].row == i; e++, is_first = false) {
            const Expr factor = loop->entries[e].value;
            const ExprOp op = expr_op(&x->flat->pool, factor);
            double c = 0;
            const bool is_const = expr_is_const(&x->flat->pool, factor, &c);
            const bool is_sum = op == EXPR_ADD || op == EXPR_SUB || op == EXPR_IF;
            fputs(is_const && c < 0 ? (is_first ? "-" : " - ") : is_first ? "" : " + ", x->out);
            if (is_const && fabs(c) != 1) fprintf(x->out, "%.10g*", fabs(c));
            if (!is_const) {
                fputs(is_sum ? "(" : "", x->out);
                print(x, factor);
                fputs(is_sum ? ")*" : "*", x->out);
            }
            fputs(x->flat->vars.items[loop->unknowns[loop->entries[e].column]].name, x->out);
        }
        fputs(" = ", x->out);
        print(x, loop->vector[i]);
        fputc('\n', x->out);
    }
}

static void print_result_loop(const Explain *x, const Loop *loop)
{
    for (uint32_t k = 0; k < loop->n && k <= LINES_MAX; k++) {
        if (k == LINES_MAX) {
            fprintf(x->out, "  [ { ... and %u more\n", loop->n - k);
            break;
        }
        fputs("  [ { ", x->out);
        print_equation(x, loop->equations[k]);
        fputc('\n', x->out);
    }
    if (loop->is_linear && loop->n <= MATRIX_MAX) {
        fputs("  [ that is\n", x->out);
        print_implicit(x, loop);
    }
    fprintf(x->out, "  [ %s\n", order_method_text(loop));
    for (uint32_t k = 0; loop->method == LOOP_SYMBOLIC && k < loop->n; k++) {
        const Block *block = &x->system->blocks[loop->first_block + k];
        fprintf(x->out, "  [   %s = ", x->flat->vars.items[block->unknowns[0]].name);
        print(x, block->value);
        fputc('\n', x->out);
    }
    if (loop->method == LOOP_NEWTON) {
        const Block *block = &x->system->blocks[loop->first_block];
        fputs("  [ iterating on ", x->out);
        for (uint32_t k = 0; k < block->n_torn && k < MATRIX_MAX; k++)
            fprintf(x->out, "%s%s", k ? ", " : "", x->flat->vars.items[block->unknowns[k]].name);
        fputs(block->n_torn > MATRIX_MAX ? ", ...\n" : "\n", x->out);
    }
}

static void explain_result(const Explain *x)
{
    fputs("\nResult: the order of evaluation; each component as early as possible, equals as in the text\n",
          x->out);
    uint32_t line = 0;
    for (uint32_t b = 0; b < x->system->n_blocks; b++) {
        const Block *block = &x->system->blocks[b];
        const Loop *loop = block->loop == FLAT_NONE ? NULL : &x->system->loops[block->loop];
        if (loop && loop->first_block != b) continue;
        if (!may_print(x, line++, x->system->n_blocks)) break;
        if (loop) {
            print_result_loop(x, loop);
            continue;
        }
        fprintf(x->out, "  [ %s = ", x->flat->vars.items[block->unknowns[0]].name);
        print(x, block->value);
        fputc('\n', x->out);
    }
}

void order_explain(const Blocks *blocks, FILE *out)
{
    Explain x = { .blocks = blocks,
                  .flat = blocks->flat,
                  .system = &blocks->dynamic,
                  .names = flat_names(blocks->flat),
                  .out = out,
                  .n = blocks->dynamic.n_equations };
    fprintf(out, "From a set of equations to a sequence: sorting '%s'\n\n", blocks->flat->model);
    if (x.n == 0) {
        fputs("There is no equation, so there is nothing to sort.\n", out);
        return;
    }
    build_graph(&x);
    explain_equations(&x);
    fputs("\nStep 2. Dependency graph: an arrow points to what is needed\n", out);
    print_graph(&x, &x.needs);
    if (x.n <= MATRIX_MAX) explain_matrices(&x);
    explain_first_search(&x);
    fputs("\nStep 4. The same graph with all arrows reversed: an arrow points to what needs it\n", out);
    print_graph(&x, &x.needed_by);
    explain_second_search(&x);
    explain_result(&x);
    arena_free(&x.work);
}
