#!/usr/bin/env bash
# orrery sensitivity: indices that are known, the same from an experiment, messages.
. "$(dirname "$0")/../common/shell.sh"
cat >m.orr <<'END'
model Ishigami
  param x1 = 1, x2 = 1, x3 = 1
  output y = sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)
end

model Fall
  param k = 0.5, c = 3
  var x = 2
  x' = -k*x
  output z = c + 0*k
end

experiment decay of Fall
  until 2
  observe x at end
  kind sensitivity method local range k = 0.1..1 range x = 1..3
end
END
pi=3.141592653589793
run sensitivity m.orr --model Ishigami --until 1 --range x1=-$pi..$pi --range x2=-$pi..$pi --range x3=-$pi..$pi --points 4096 -o ishigami.csv
expect_status 0
# 0.3139, 0.4424, 0 and 0.5576, 0.4424, 0.2437, within four of the errors that are given
check
awk -F, 'BEGIN { first["x1"] = 0.3139; first["x2"] = 0.4424; first["x3"] = 0; total["x1"] = 0.5576; total["x2"] = 0.4424; total["x3"] = 0.2437 }
    NR > 1 { n++; d = $2 - first[$1]; e = $4 - total[$1]; if (d*d > 16*$3*$3 || e*e > 16*$5*$5) exit 1 } END { if (n != 3) exit 1 }' ishigami.csv || fail "not Ishigami's indices: $(cat ishigami.csv)"
# x(2) = x0·exp(-2k): slope by k is -2·x(2), relative -2k = -1; by x0 it is exp(-1), relative 1
run run m.orr decay --tol 1e-11 -o local.csv
check
awk -F, 'function off(a, b) { return a > b ? a - b : b - a }
    $1 == "k" { k = off($2, -4*exp(-1)) < 1e-6 && off($3, -1) < 1e-6 } $1 == "x" { x = off($2, exp(-1)) < 1e-6 && off($3, 1) < 1e-6 } END { exit !(k && x) }' local.csv || fail "not the derivatives: $(cat local.csv)"
run sensitivity m.orr --model Fall --until 1 --method morris --range k=0.1..1 --range c=0..6 --record z
expect_status 0
expect_out 'z at end'
run sensitivity m.orr --model Fall --until 1
expect_err E023
run sensitivity m.orr --model Fall --until 1 --range k=2..1
expect_status 2
run sensitivity m.orr --model Fall --until 1 --range no=1..2
expect_err E406
finish
