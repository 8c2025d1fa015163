// src/exp/bind.h: what inputs follow and where outputs go, from the text of an experiment.
#pragma once
#include "base/diag.h"
#include "orrery/experiment.h"
#include "source/source.h"

// An input as an experiment binds it; all texts belong to the arena or to the source.
orr_input bind_input(const orr_source *source, const AstInput *written, const char *name, Arena *arena,
                     orr_diag *diag);
orr_send bind_send(const orr_source *source, const AstSend *written, const char *const *names, Arena *arena,
                   orr_diag *diag);
// A file as it is named at `place`, beside the file in which that stands. *root: the folder in or below which
// it must lie.
const char *bind_path(const orr_source *source, const char *name, Place place, Arena *arena, orr_diag *diag,
                      const char **root);
