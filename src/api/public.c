// src/api/public.c: small helpers of base/ that the public interface offers as they are.
#include "base/number.h"
#include "base/text.h"
#include "orrery/orrery.h"

const char *orr_version(void) { return ORR_VERSION; }

const char *orr_closest(const char *wanted, const char *const *names, size_t n)
{
    return text_closest(wanted, names, n);
}

size_t orr_format_number(double value, char *text)
{
    const size_t n = number_format(value, text);
    text[n] = '\0';
    return n;
}

int orr_parse_number(const char *text, double *value)
{
    return number_parse(text_trim(text_from(text)), value);
}
