// src/source/format.c: `orrery fmt` for a text and for a file.
#include "base/file.h"
#include "base/os.h"
#include "lang/format.h"
#include "orrery/model.h"
#include <stdio.h>

static const size_t size_limit = (size_t)64 << 20;    // bytes

char *orr_format(const char *name, const char *text, size_t length, orr_diag *diag)
{
    const uint32_t file = diag_add_source(diag, name, text, length);
    StrBuf out = { 0 };
    if (format_text((Text){ text, length }, file, &out, diag)) return str_finish(&out);
    str_free(&out);
    return NULL;
}

bool orr_format_file(const char *path, bool only_look, bool *changed, orr_diag *diag)
{
    *changed = false;
    Arena work = { 0 };
    StrBuf out = { .arena = &work };
    Text text;
    bool ok = os_read_file(&work, NULL, path, size_limit, &text, diag);
    ok = ok && format_text(text, diag_add_source(diag, path, text.p, text.n), &out, diag);
    if (ok) {
        const bool is_stream = text_is(text_from(path), "-");
        *changed = !text_equal(text, (Text){ out.p, out.n });
        if (is_stream) *changed = false;    // nothing to tell: the result is what is printed
        if (is_stream || (*changed && !only_look)) {
            FileOut file;
            ok = file_open(&file, path, FILE_REPLACE, diag);
            if (ok) {
                file_write(&file, out.p, out.n);
                ok = file_close(&file, diag);
            }
        }
    }
    arena_free(&work);
    return ok;
}
