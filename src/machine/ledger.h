// src/machine/ledger.h: experiments with the real system, and what they say about a model.
#pragma once
#include "base/diag.h"
#include "base/text.h"
#include "machine/machine.h"

typedef struct LedgerSymbol { const char *name; Place place; } LedgerSymbol;

typedef struct Experiment {
    LedgerSymbol  from;        // name NULL: unknown
    LedgerSymbol *inputs;      // [n_inputs]
    LedgerSymbol *outputs;     // [n_outputs]; name NULL: not observed
    size_t        n_inputs, n_outputs;
    const char   *inputs_text, *outputs_text;
    size_t        first_like_it;
    Place         place;
} Experiment;

struct orr_ledger {
    Arena         arena;       // owns all of it
    LedgerSymbol *models;      // [n_models] named in it
    Experiment   *experiments; // [n]
    size_t        n_models, n;
};

// NULL after messages. `file` is the number of the text with the diagnostics. Free with orr_ledger_destroy.
orr_ledger *ledger_read(Text text, uint32_t file, orr_diag *diag);
