// src/code/native.c: C text to machine code by the machine's compiler.
#include "code/build.h"
#include <dlfcn.h>

bool native_compile(Code *code, Text text, CodeUnit *unit, orr_diag *diag)
{
    (void)code, (void)text, (void)unit;
    diag_report(diag, DIAG_COMPILER_MISSING, (Place){ 0 }, "cc");
    return false;
}

void native_free(CodeUnit *unit)
{
    if (unit->memory) dlclose(unit->memory);
    *unit = (CodeUnit){ 0 };
}
