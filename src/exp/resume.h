// src/exp/resume.h: files of results that go on where a checkpoint was written.
#pragma once
#include "base/file.h"
#include "orrery/experiment.h"

// As orr_sink.mark and orr_sink.go_on, of one file. `diag` is told if it was changed.
orr_sink_mark resume_mark(FileOut *file);
orr_sink_goes_on resume_go_on(FileOut *file, const orr_sink_mark *marks, size_t n, orr_diag *diag);
