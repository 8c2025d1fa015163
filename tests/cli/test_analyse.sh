#!/usr/bin/env bash
# steady, linearise and continue from the command line: what they print, the files they write, how they refuse.
source "$ORRERY_SOURCE_DIR/tests/common/shell.sh"

cat >none.orr <<'END'
model M
  var x = 0, y = 1
  x' = 1
  y' = x - y
end
END

# ---- steady
run steady "$root/examples/lorenz.orr"
expect_status 0
expect_quiet
expect_out "3 equilibria from 20 starting points"
expect_out "saddle with a focus, unstable"
expect_out "z = 27"
run steady "$root/examples/brusselator.orr" rest
expect_out "stable focus"
expect_out "-0.25 ± 0.96824584i"
run steady "$root/examples/fold.orr" --set a=4 -o rest.csv
expect_status 0
expect_equal "$(head -1 rest.csv)" "x,unstable,residual"
expect_near "$(sed -n 2p rest.csv | cut -d, -f1)" 2 1e-12
expect_equal "$(cut -d, -f2 rest.csv | tail -n +2 | sort | tr '\n' ' ')" "0 1 "
run steady "$root/examples/fold.orr" -o -
expect_equal "$(wc -l <out)" 3 "a table and nothing else"
run steady "$root/examples/fold.orr" --range x=0.5..2 --starts 5
expect_out "from 5 starting points"
run steady none.orr
expect_status 3
expect_code E520
expect_err "none.orr:3:3"
expect_err "no state occurs in the rate of 'x'"
run steady "$root/examples/fold.orr" --range x=3
expect_status 2
expect_code E022
run steady "$root/examples/fold.orr" --range x=3..1
expect_status 2
expect_code E421
run steady "$root/examples/fold.orr" --starts 0
expect_status 2
run steady "$root/examples/loop.orr"
expect_status 2
expect_code E422

# ---- linearise
run linearise "$root/examples/dc_motor.orr" -o motor
expect_status 0
expect_quiet
expect_out "-2.0025008"
expect_out "zeros from torque to speed"
for name in A B C D poles zeros; do expect_file "motor_$name.csv"; done
expect_equal "$(cat motor_A.csv)" $'A,i,w\ni,-2,-0.02\nw,1,-10'
expect_equal "$(sed -n 2p motor_zeros.csv | cut -d, -f1,2)" "speed,torque"
expect_near "$(sed -n 2p motor_zeros.csv | cut -d, -f3)" -2 1e-12
run linearise "$root/examples/pendulum_inverted.orr"
expect_out "4.6456431"
expect_out "an equilibrium"
run linearise "$root/examples/lotka_volterra.orr" --at 3 --inputs alpha --outputs X,Y
expect_out "not an equilibrium"
expect_out "zeros from alpha to Y: none"
run linearise "$root/examples/dc_motor.orr" --at sometime
expect_status 2
expect_code E022
run linearise "$root/examples/dc_motor.orr" --inputs w
expect_status 2
expect_code E420
run linearise "$root/examples/dc_motor.orr" -o /nowhere/motor
expect_code E010
expect_status 3

# ---- continue
run continue "$root/examples/fold.orr" --param a --from 1 --to -1 -o fold.csv --plot fold.svg
expect_status 0
expect_quiet
expect_out "a = 0              fold"
expect_file fold.svg
expect_equal "$(head -1 fold.csv)" "a,x,unstable,kind,branch"
expect_near "$(awk -F, '$4 == 1 { print $1 }' fold.csv)" 0 1e-8 "the fold"
expect_equal "$(awk -F, '$4 == 1' fold.csv | wc -l)" 1
grep -q dasharray fold.svg || fail "the unstable part is not dashed"
run continue "$root/examples/brusselator.orr" --param B --from 1 --to 4
expect_status 0
expect_out "B = 2              Hopf point, frequency 1, period 6.2831853"
run continue "$root/examples/brusselator.orr" --param B --from 1 --to 4 --plot 'y' --set A=0.5 -o -
expect_near "$(awk -F, '$5 == 2 { print $1 }' out)" 1.25 1e-8 "the Hopf point"
run continue "$root/examples/fold.orr" --param a --from -2 --to -1
expect_status 3
expect_code E521
run continue "$root/examples/fold.orr" --param a --from 1
expect_status 2
expect_err "--to is missing"
run continue "$root/examples/fold.orr" --param x --from 1 --to 2
expect_status 2
expect_code E420
run continue "$root/examples/fold.orr" --param a --from 1 --to -1 --plot nothing
expect_status 2
expect_code E412
run continue "$root/examples/fold.orr" --param a --from 1 --to -1 --points 5
expect_status 0
expect_code W621

# ---- the program does not wait for LAPACK unless it is needed
check
ldd "$ORRERY" | grep -q -e lapack -e gfortran && fail "LAPACK is loaded at every start"

finish
