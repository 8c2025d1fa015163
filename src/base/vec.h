// src/base/vec.h: growable arrays in an arena, for any element type.
//
//     VEC(FlatEquation) equations = {0};
//     vec_push(&arena, &equations, (FlatEquation){ .left = a, .right = b });
//     for (size_t i = 0; i < equations.n; i++) use(&equations.items[i]);
//
// The capacity doubles, so n pushes cost O(n); what is outgrown stays in the arena until it is freed.
#pragma once
#include "base/arena.h"

#define VEC(T)               \
    struct {                 \
        T     *items;        \
        size_t n, capacity;  \
    }

// Append an item; a compound literal may contain commas.
#define vec_push(arena, v, ...)                     \
    do {                                            \
        vec_reserve((arena), (v), (v)->n + 1);      \
        (v)->items[(v)->n++] = (__VA_ARGS__);       \
    } while (0)

// Make room for n items in all; the new room is zeroed.
#define vec_reserve(arena, v, wanted)                                                                     \
    do {                                                                                                  \
        const size_t vec_wanted = (wanted);                                                               \
        if (vec_wanted > (v)->capacity) {                                                                 \
            const size_t vec_capacity = vec_next_capacity((v)->capacity, vec_wanted);                     \
            (v)->items = arena_grow((arena), (v)->items, (v)->capacity, vec_capacity, sizeof *(v)->items); \
            (v)->capacity = vec_capacity;                                                                 \
        }                                                                                                 \
    } while (0)

#define vec_last(v) ((v)->items[(v)->n - 1])
#define vec_pop(v)  ((v)->items[--(v)->n])

static inline size_t vec_next_capacity(size_t capacity, size_t wanted)
{
    const size_t doubled = capacity < 8 ? 8 : capacity * 2;
    return doubled < wanted ? wanted : doubled;
}
