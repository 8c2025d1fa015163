// tests/fuzz/fuzz_number.c: any bytes as a number agree with the C library; eight bytes as a double come back
// exactly.
#include "base/number.h"
#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double x;
    if (number_read((Text){ (const char *)data, size }, &x) != NUMBER_BAD) {
        char *copy = malloc(size + 1), *end;
        memcpy(copy, data, size);
        copy[size] = 0;
        const double reference = strtod(copy, &end);
        if (end != copy + size || (x != reference && !isnan(x))) abort();
        free(copy);
    }
    if (size >= sizeof x) {
        char text[NUMBER_MAX];
        memcpy(&x, data, sizeof x);
        const size_t n = number_format(x, text);
        double again;
        if (!number_parse((Text){ text, n }, &again)) abort();
        if (again != x && !(isnan(again) && isnan(x))) abort();
    }
    return 0;
}
