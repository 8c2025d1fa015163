// src/export/c/net.h: components and their messages in an exported program.
//
//     network.c    can it be? then its tables: components, who sends to whom, what arrives and is sent
//     atomics.c    the functions of the components, with the names of the model
//     prune.c      what the file does not use is left out
//
// The kernel is the text of src/devs (kernel.h); src/export/runtime/network.inc is what it calls, and
// couple.inc joins it to equations and events.
#pragma once
#include "export/c/c.h"
#include "num/distribution.h"

struct CNet {
    const Network *network;     // borrowed
    bool  *is_used;             // [n_kinds] by some component
    const char **kind_names;    // [n_kinds] "A_Server_"
    Text   functions;           // of kinds, and what they call; with more than are used
    bool   draws[16];           // [n_distributions]
    bool   has_draws;           // of these or of chances
    bool   has_statistics;
    bool   has_on;              // messages make bodies run
    VEC(size_t) shown;          // variables of components that are recorded
    VEC(RunMessages) files;     // of messages
    bool   has_again;           // some components begin anew
    bool   has_warm_up;         // a step ends there, and
    bool   has_resets;          // statistics begin anew
};

// False, with messages, if what happens in the network cannot be exported. Before a run is made.
bool c_check_network(CExport *c);
// What is needed of it, once columns are known. False, with messages, if its files are too large.
bool c_find_network(CExport *c);

void c_add_net_sizes(const CExport *c, StrBuf *s);     // among the sizes
void c_add_components(const CExport *c, StrBuf *s);    // their functions and tables, and the kernel
const char *const *c_net_math(const CExport *c, const char **names, Arena *arena);    // that functions call

Text c_atomics_text(const CExport *c, Arena *arena);
// `text` without the functions and tables that neither it nor what stands around it uses.
Text c_prune(Text before, Text text, Text behind, Arena *arena);
