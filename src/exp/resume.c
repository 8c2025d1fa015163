// src/exp/resume.c: files of results that go on where a checkpoint was written.
#include "exp/resume.h"
#include "base/diag.h"

_Static_assert(sizeof(orr_sink_mark) == sizeof(FilePoint), "a mark is a point of a file");

orr_sink_mark resume_mark(FileOut *file)
{
    const FilePoint point = file_point(file);
    return (orr_sink_mark){ point.file, point.position, point.hash };
}

orr_sink_goes_on resume_go_on(FileOut *file, const orr_sink_mark *marks, size_t n, orr_diag *diag)
{
    file->keeps = true;
    switch (marks ? file_go_on(file, (const FilePoint *)marks, n) : FILE_IS_OTHER) {
    case FILE_IS_OTHER: break;
    case FILE_GOES_ON: return ORR_SINK_GOES_ON;
    case FILE_WAS_CHANGED:
        diag_report(diag, DIAG_CHECKPOINT_OUTPUT, (Place){ 0 }, file->path);
        diag_hint(diag, "the rest would not fit behind it: give another file, "
                        "or delete this one, to have the rest alone");
        return ORR_SINK_CHANGED;
    }
    return ORR_SINK_BEGINS;
}
