// src/num/pairs.h: the explicit methods that choose their steps.
#pragma once
#include "num/tableau.h"

extern const Tableau tableau_dopri5, tableau_bs32, tableau_dop853;
