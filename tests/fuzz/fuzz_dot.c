// tests/fuzz/fuzz_dot.c: any bytes as DOT: a sound machine or messages, never a crash; what is written is
// read again.
#include "fuzz_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_machine(data, size, machine_read_dot);
}
