// include/orrery/machine.h: finite-state machines, Moore and Mealy: reading, running and writing them.
#pragma once
#include "orrery/base.h"
#include "orrery/model.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A machine that keeps the three principles: finite sets, one transition for each state and input, one output
// for each state. Const once built; any number of threads may use one.
typedef struct orr_machine orr_machine;

ORR_API void orr_machine_destroy(orr_machine *machine);    // NULL is allowed

// What it consists of. Numbers are from 0 in the order of the text; ORR_MACHINE_NONE says "none".
#define ORR_MACHINE_NONE UINT32_MAX
ORR_API const char *orr_machine_name(const orr_machine *machine);
ORR_API bool        orr_machine_is_mealy(const orr_machine *machine);
ORR_API bool        orr_machine_is_stochastic(const orr_machine *machine);
ORR_API uint32_t    orr_machine_start(const orr_machine *machine);    // or ORR_MACHINE_NONE

typedef enum orr_machine_set { ORR_MACHINE_STATES, ORR_MACHINE_INPUTS, ORR_MACHINE_OUTPUTS } orr_machine_set;
ORR_API uint32_t    orr_machine_count(const orr_machine *machine, orr_machine_set set);
ORR_API const char *orr_machine_text(const orr_machine *machine, orr_machine_set set, uint32_t i);
ORR_API uint32_t    orr_machine_find(const orr_machine *machine, orr_machine_set set, const char *name);

#ifdef __cplusplus
}
#endif
