// src/num/student.h: Student's t distribution, for confidence intervals of means.
#pragma once

// The regularised incomplete beta function I_x(a, b); a, b > 0, x in [0, 1].
double student_beta(double a, double b, double x);
// P(T <= t) with n > 0 degrees of freedom.
double student_probability(double t, double n);
// The t with P(T <= t) = p; p in (0, 1).
double student_quantile(double p, double n);
