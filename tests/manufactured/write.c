// tests/manufactured/write.c: the text of a manufactured model.
//
// Forms are texts in which `$` and a letter stand for numbers and names of the term:
//
//     $n $i   number of the term in its cell, in the model       $C      the cell, seen from around
//     $B $E $W $P $3   at, at + width, width, period, 3*period: times in the model's unit
//     $r $w   1/pace, 2 pi/period                                $p      (t - at)^degree, pace taken out
//     $S $q $Q $m   size, size*at, size*(at + width), size*period: of states y that count time
//     $V $L $l $Y $Z   width and level, size*level, where a sine begins, whether above the level
//     $k $X   weight*size, what x is at `at`                     $g $b $0   lambda, b(t - width), b(0)
//     $R $T   the points of a table, as rows and as arguments
#include "manufactured.h"
#include "orrery/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct Writer {
    FILE *out;
    const Model *model;
    const Cell *cell;
    size_t n_cell, n_term;
    double size, pace;
} Writer;

static void put_number(FILE *out, double value)
{
    char text[32];
    orr_format_number(value, text);
    fputs(text, out);
}

// whether the cells are components of a model around them
static bool is_composed(const Model *model)
{
    if (model->n_cells > 1) return true;
    for (size_t i = 0; i < model->cells[0].n_terms; i++) {
        const Term *term = &model->cells[0].terms[i];
        if (term->construct->is_island || term->construct->forms[term->form].around) return true;
    }
    return false;
}

void cell_name(const Model *model, size_t cell, char name[32])
{
    if (is_composed(model)) snprintf(name, 32, "c%zu.x", cell + 1);
    else snprintf(name, 32, "x");
}

static void put_base(const Writer *w, double lag)
{
    const Cell *cell = w->cell;
    put_number(w->out, w->size * cell->offset);
    if (cell->slope != 0) {
        fputs(" + ", w->out);
        put_number(w->out, w->size * cell->slope / w->pace);
        fputs("*(t - ", w->out);
        put_number(w->out, lag * w->pace);
        fputc(')', w->out);
    }
    if (cell->amplitude == 0) return;
    fputs(" + ", w->out);
    put_number(w->out, w->size * cell->amplitude);
    fputs("*sin(", w->out);
    put_number(w->out, cell->omega / w->pace);
    fputs("*(t - ", w->out);
    put_number(w->out, lag * w->pace);
    fputs(") + ", w->out);
    put_number(w->out, cell->phase);
    fputc(')', w->out);
}

static void put_power(const Writer *w, const Term *term)
{
    if (term->degree == 0) {
        fputc('1', w->out);
        return;
    }
    put_number(w->out, pow(w->pace, -term->degree));
    fputs("*(t - ", w->out);
    put_number(w->out, term->at * w->pace);
    fputs(term->degree == 1 ? ")" : ")^2", w->out);
}

static void put_points(const Writer *w, const Term *term, bool as_rows)
{
    for (size_t i = 0; i < term->n_points; i++) {
        if (as_rows) fputs("  ", w->out);
        put_number(w->out, term->points[i]);
        fputs(as_rows ? " : " : ", ", w->out);
        put_number(w->out, term->values[i]);
        fputs(as_rows ? "\n" : i + 1 < term->n_points ? ", " : "", w->out);
    }
}

static double threshold(const Writer *w, const Term *term)
{
    static Path path;
    cell_path(w->cell, w->model->end, &path);
    return w->size * path_value(&path, w->cell, term->at);
}

static void put_letter(const Writer *w, const Term *term, char letter)
{
    const double at = term->at, sine = sin(-2 * PI * at / term->period);
    switch (letter) {
    case 'n': fprintf(w->out, "%zu", w->n_term + 1); break;
    case 'i': fprintf(w->out, "%zu_%zu", w->n_cell + 1, w->n_term + 1); break;
    case 'C': fprintf(w->out, "c%zu", w->n_cell + 1); break;
    case 'p': put_power(w, term); break;
    case 'R': put_points(w, term, true); break;
    case 'T': put_points(w, term, false); break;
    case 'b': put_base(w, term->width); break;
    case 'B': put_number(w->out, at * w->pace); break;
    case 'E': put_number(w->out, (at + term->width) * w->pace); break;
    case 'W': put_number(w->out, term->width * w->pace); break;
    case 'P': put_number(w->out, term->period * w->pace); break;
    case '3': {
        // written as people would: 0.3, not what rounding makes of 3*0.1
        char text[32];
        snprintf(text, sizeof text, "%.12g", 3 * term->period * w->pace);
        fputs(text, w->out);
        break;
    }
    case 'r': put_number(w->out, 1 / w->pace); break;
    case 'w': put_number(w->out, 2 * PI / (term->period * w->pace)); break;
    case 'S': put_number(w->out, w->size); break;
    case 'q': put_number(w->out, w->size * at); break;
    case 'Q': put_number(w->out, w->size * (at + term->width)); break;
    case 'm': put_number(w->out, w->size * term->period); break;
    case 'V': put_number(w->out, term->width); break;
    case 'L': put_number(w->out, term->level); break;
    case 'l': put_number(w->out, w->size * term->level); break;
    case 'Y': put_number(w->out, w->size * sine); break;
    case 'Z': fputs(sine > term->level ? "1" : "0", w->out); break;
    case 'k': put_number(w->out, w->size * term->weight); break;
    case 'X': put_number(w->out, threshold(w, term)); break;
    case 'g': put_number(w->out, w->cell->lambda / w->pace); break;
    case '0': put_number(w->out, w->size * cell_base(w->cell, 0)); break;
    default: abort();
    }
}

static void put_text(const Writer *w, const Term *term, const char *text)
{
    for (; text && *text; text++) {
        if (*text == '$') put_letter(w, term, *++text);
        else fputc(*text, w->out);
    }
}

static const Form *form_of(const Term *term) { return &term->construct->forms[term->form]; }

static void put_cell(Writer *w, const char *name)
{
    const Cell *cell = w->cell;
    fprintf(w->out, "model %s\n  var x = ", name);
    put_number(w->out, w->size * cell_base(cell, 0));
    fputc('\n', w->out);
    for (w->n_term = 0; w->n_term < cell->n_terms; w->n_term++)
        put_text(w, &cell->terms[w->n_term], form_of(&cell->terms[w->n_term])->statements);
    fputs("  x' = ", w->out);
    put_number(w->out, w->size * cell->slope / w->pace);
    if (cell->amplitude != 0) {
        fputs(" + ", w->out);
        put_number(w->out, w->size * cell->amplitude * cell->omega / w->pace);
        fputs("*cos(", w->out);
        put_number(w->out, cell->omega / w->pace);
        fputs("*t + ", w->out);
        put_number(w->out, cell->phase);
        fputc(')', w->out);
    }
    if (cell->lambda != 0) {
        fputs(" -\n     ", w->out);
        put_number(w->out, cell->lambda / w->pace);
        fputs("*(x - (", w->out);
        put_base(w, 0);
        fputs("))", w->out);
    }
    for (w->n_term = 0; w->n_term < cell->n_terms; w->n_term++) {
        const Term *term = &cell->terms[w->n_term];
        if (!form_of(term)->text) continue;
        fputs(" +\n     ", w->out);
        // what cancels has the dimension of a rate already
        if (form_of(term)->shape != SHAPE_NOTHING) {
            put_number(w->out, w->size * term->weight / w->pace);
            fputc('*', w->out);
        }
        fputc('(', w->out);
        put_text(w, term, form_of(term)->text);
        fputc(')', w->out);
    }
    fputs("\nend\n", w->out);
}

static bool cell_is_island(const Cell *cell)
{
    for (size_t i = 0; i < cell->n_terms; i++)
        if (cell->terms[i].construct->is_island) return true;
    return false;
}

char *model_write(const Model *model)
{
    char *text = NULL;
    size_t length = 0;
    Writer w = {
        open_memstream(&text, &length), model, NULL, 0, 0, pow(10, model->size), pow(10, model->pace)
    };
    if (!w.out) abort();
    for (w.n_cell = 0; w.n_cell < model->n_cells; w.n_cell++) {
        w.cell = &model->cells[w.n_cell];
        for (w.n_term = 0; w.n_term < w.cell->n_terms; w.n_term++)
            put_text(&w, &w.cell->terms[w.n_term], form_of(&w.cell->terms[w.n_term])->outside);
    }
    char name[32];
    for (w.n_cell = 0; w.n_cell < model->n_cells; w.n_cell++) {
        w.cell = &model->cells[w.n_cell];
        snprintf(name, sizeof name, "Cell%zu", w.n_cell + 1);
        put_cell(&w, is_composed(model) ? name : "All");
    }
    if (is_composed(model)) {
        fputs("model All\n", w.out);
        for (w.n_cell = 0; w.n_cell < model->n_cells; w.n_cell++) {
            w.cell = &model->cells[w.n_cell];
            fprintf(w.out, "  %sc%zu : Cell%zu\n", cell_is_island(w.cell) ? "island " : "", w.n_cell + 1,
                    w.n_cell + 1);
            for (w.n_term = 0; w.n_term < w.cell->n_terms; w.n_term++)
                put_text(&w, &w.cell->terms[w.n_term], form_of(&w.cell->terms[w.n_term])->around);
        }
        fputs("end\n", w.out);
    }
    fclose(w.out);
    return text;
}
