// src/num/strong.h: strong components of a graph, in order of evaluation.
#pragma once
#include "num/incidence.h"

typedef struct Strong {
    uint32_t  n;           // components
    uint32_t *first;       // [n + 1] where each starts in `nodes`
    uint32_t *nodes;       // [n_nodes]
} Strong;

// `needs` has a row for each node: the nodes that must come before it. Components stand in order of
// evaluation, each as early as it can: those that need nothing first, then those that need only these, and so
// on; equals in the order of their first nodes. So the result does not depend on how the search went. Inside
// a component the nodes stand as they would be computed if the last of them were known: each after what it
// needs, but for what lies behind that node. O(nodes + edges), without recursion.
Strong strong_find(const Incidence *needs, Arena *arena);
