// src/api/public.c: small helpers of base/ that the public interface offers as they are.
#include "base/confine.h"
#include "base/csv.h"
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

size_t orr_safe_text(const char *text, size_t n, char *safe, size_t *used)
{
    return text_make_safe((Text){ text, n }, safe, used);
}

char *orr_csv_field(const char *text)
{
    StrBuf s = { 0 };
    csv_add_field(&s, text);
    return str_finish(&s);
}

int orr_confined(void (*work)(void *self), void *self) { return confine_call(work, self); }

void orr_unconfined(void (*work)(void *self), void *self) { confine_outside(work, self); }
