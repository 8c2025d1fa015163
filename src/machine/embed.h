// src/machine/embed.h: machines as components of models.
#pragma once
#include "base/diag.h"
#include "lang/ast.h"

// Add a model of the same name to the Ast for every machine that a model has as a component:
//
//     discrete state, output          numbers from 1, in the order of the machine
//     input toy, food                 an input comes when its signal rises
//     discrete cries, quiet           Moore: 1 while it is shown; Mealy: how often it was
//
// So machines run on the event loop of models, and nothing behind knows of them. False, with messages, if
// one of them cannot: it breaks a principle, has no start or moves by chance.
bool machine_embed(Ast *ast, orr_diag *diag);
