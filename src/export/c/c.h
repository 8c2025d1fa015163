// src/export/c/c.h: a model and its experiment as C99 that stands alone; what its parts share.
//
//     check.c      can it be? a trial run tells which method it needs and what happens in it
//     tables.c     sizes, settings, columns and events, as C
//     parts.c      what only some models need: random numbers, inputs, surfaces, choices
//     quanta.c     the text of the methods of quantised states, and their data
//     engine.c     the engine: its text, and what it knows of the model
//     header.c     the struct of the header, its names, and the settings of the experiment
//     names.c      the equations with the names of the model
//     template.c   the texts of src/export/runtime, with the parts that this model needs
//     net.h        components and their messages
//     source.c     one file of all of it, a header and a README
//
// The equations are printed by src/code, as for every run.
#pragma once
#include "export/exporter.h"
#include "port/signal.h"
#include "run/run.h"
#include "solve/qss/qss.h"
#include "solve/solver.h"

// methods for white noise
typedef enum CNoise { C_NOISE_NONE, C_NOISE_MARUYAMA, C_NOISE_SRA, C_NOISE_SRI } CNoise;

typedef struct CInput {
    const FlatDriven  *driven;           // borrowed
    const SignalPiece *pieces;           // [n] from the start of the experiment to its end
    size_t             n;
} CInput;

typedef struct CNet CNet;    // net.h

typedef struct CExport {
    const orr_model      *model;         // borrowed, as what follows
    const orr_experiment *experiment;
    orr_diag             *diag;
    Arena         arena;                 // owns all below
    const char   *name;                  // what the files and functions are called: letters, digits, _
    orr_run      *run;                   // stands at the start; owned
    const Solver *solver;                // that makes the steps: of fixed steps, dopri5, or of quantised
                                         // states
    CodeLoopId    loop;                  // CODE_N_LOOPS: none
    CNoise        noise;
    bool          is_radau;              // the implicit method whose matrices can be printed
    const Qss    *qss;                   // of a method of quantised states, at the start; else NULL
    bool          slides, rests;         // the solution of the experiment, somewhere
    VEC(CInput)   inputs;                // that follow data
    bool          has_jumps, has_bends;  // some of these do
    VEC(const char *) columns;           // that are recorded
    bool          has_frame;             // whose claims are looked at at each row
    double        every;                 // between rows; 0: each step
    CNet         *net;                   // components; NULL: there are none
} CExport;

// pieces of inputs and numbers printed; values in memory
enum { C_PIECES_MAX = 1000000, C_TABLES_MAX = 4000000, C_VALUES_MAX = 200000000 };

// Fill in the rest from model, experiment and diag. False, with messages, if the model cannot be exported.
// Free in either case.
bool c_check(CExport *c);
void c_free(CExport *c);
bool c_refuse(CExport *c, const char *why, const char *hint);    // false, reported

// Switches of the texts: HAS_EVENTS and the like.
bool c_is_on(const CExport *c, Text name);
// A text with its `#if HAS_…` resolved.
void c_add_template(const CExport *c, StrBuf *s, const char *text);

// Likewise a text of our own that others call from elsewhere: here nobody does, and several models may be
// linked together. `unused`: names of functions that are left out, each with a space behind it.
void c_add_private(const CExport *c, StrBuf *s, const char *text, const char *unused);

const Tableau *c_method(const CExport *c);              // the table that its steps are made from
void c_add_method(const CExport *c, StrBuf *s);         // and its text
void c_add_constants(const CExport *c, StrBuf *s);      // sizes and settings
void c_add_tables(const CExport *c, StrBuf *s);         // static data
void c_add_engine(const CExport *c, StrBuf *s);         // its text, and its tables
void c_add_parts(const CExport *c, StrBuf *s);          // that only some models need
void c_add_choice_sizes(const CExport *c, StrBuf *s);   // among the sizes: of states that are chosen
size_t c_count_slots(const Reduction *r);               // of these
void c_define(StrBuf *s, const char *name, double value, const char *remark);    // a setting
void c_size(StrBuf *s, const char *name, size_t value);                          // an enumerator
void c_add_struct(const CExport *c, StrBuf *s);         // of the header
bool c_has_record(const CExport *c, ExprOp op);         // an operation of quantised terms
const uint8_t *c_bounds_math(const CExport *c, Arena *arena);    // operations of qss/bounds.c; 0 ends them
void c_add_quanta(const CExport *c, StrBuf *s);         // what methods of quantised states need, with their
                                                        // terms
void c_add_names(const CExport *c, StrBuf *s);          // of the header: what the numbers are called
void c_add_defaults(const CExport *c, StrBuf *s);       // the body of NAME_defaults

// The generated equations, with names in the place of numbers.
// terms: of quantised states
void c_add_equations(const CExport *c, StrBuf *s, Text generated, Text terms);
bool c_has_names(const CExport *c);                     // not too many for that
void c_add_model(const CExport *c, StrBuf *s);          // its equations as the model says them, in comments

const char *c_identifier(Arena *arena, const char *name);    // letters, digits and _, beginning with a letter
void c_add_remark(StrBuf *s, const char *text);              // behind //, whatever the text; of a long one
                                                             // the beginning
void c_add_quoted(StrBuf *s, const char *text);              // a literal of C, whatever the text
