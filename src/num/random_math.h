// src/num/random_math.h: the elementary functions of random.c under the names they have in exported programs.
#pragma once
#include <sleef.h>

#define orr_exp    Sleef_cinz_expd1_u10purec
#define orr_log    Sleef_cinz_logd1_u10purec
#define orr_pow    Sleef_cinz_powd1_u10purec
#define orr_lgamma Sleef_cinz_lgammad1_u10purec
