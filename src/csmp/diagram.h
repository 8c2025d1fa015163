// src/csmp/diagram.h: a block diagram as it was read: lines and settings, not yet a model.
#pragma once
#include "base/map.h"
#include "csmp/csmp.h"
#include "lang/ast.h"

typedef struct CsmpArgument {
    union {
        double   value;     // of a parameter
        uint32_t number;    // of the block an input comes from
    };
    uint32_t offset, length;
} CsmpArgument;

// The line of one block. Offsets are those of the text.
typedef struct CsmpLine {
    uint32_t number;                            // of the block
    uint32_t kind;                              // in csmp_blocks
    uint32_t offset, length;                    // of the statement
    uint32_t number_offset, number_length;
    uint32_t comment_offset, comment_length;    // what stands behind ;
    uint32_t first_arg, n_args;                 // in CsmpDiagram.args
} CsmpLine;

typedef enum CsmpSettingId {
    CSMP_ENDTIME,
    CSMP_TIMESTEP,
    CSMP_COMMINTERVAL,
    CSMP_STARTTIME,
    CSMP_TITLE,
    CSMP_UNTIL,         // what else ends the run, in the language: b2 < 0.01
    CSMP_N_SETTINGS
} CsmpSettingId;
extern const char *const csmp_setting_names[CSMP_N_SETTINGS];    // "$endtime", …

typedef struct CsmpSetting {
    bool   is_given;
    bool   is_asked;    // `?`: the user must give it
    double value;
    Text   text;        // of the title and of $until
    Place  place;       // of the value
} CsmpSetting;

enum { CSMP_KINDS_MAX = 64 };

typedef struct CsmpDiagram {
    Arena     arena;                     // owns all below; ends with the reading of the file
    Text      text;                      // borrowed
    uint32_t  file;
    orr_diag *diag;                      // borrowed
    bool      ok;                        // nothing was wrong so far
    CsmpShape shapes[CSMP_KINDS_MAX];    // [csmp_n_blocks]
    TextMap   kinds;                     // name or synonym, in capitals → number in csmp_blocks
    VEC(CsmpLine)     lines;             // the good ones
    VEC(CsmpArgument) args;
    VEC(uint32_t)     broken;            // numbers of the others, so that nobody is told they do not exist
    CsmpSetting settings[CSMP_N_SETTINGS];
} CsmpDiagram;

// Report, and remember that the file is not good. Hints and notes follow with diag_hint, diag_note.
#define diagram_complain(d, id, ...) ((d)->ok = false, diag_report((d)->diag, id, __VA_ARGS__))

// Check what one line alone cannot tell, then add the model and its experiment to the Ast; adds nothing, and
// leaves diagram->ok false, if an error was found here or before.
void diagram_build(CsmpDiagram *diagram, Ast *ast, const char *path);
