#!/usr/bin/env bash
# Exported C by methods of quantised states gives the rows of `orrery run`, byte for byte: with events, relations, tables, corners,
# loops of equations, data of inputs, shared variables and pairs of states; few states and many.
. "$(dirname "$0")/../common/shell.sh"
. "$(dirname "$0")/../common/export.sh"

for solver in qss1 qss2 qss3 liqss1 liqss2 mliqss2; do
    try "$root/examples/lotka_volterra.orr" --solver $solver --until 3
    try "$root/examples/thermostat.orr" --solver $solver --every 0.05
    for experiment in bounce rectify curve corners stiff shared fed; do
        try "$root/tests/models/exported_rest.orr" $experiment --solver $solver
    done
done
for solver in qss3 mliqss2; do
    try "$root/examples/front.orr" --solver $solver --until 0.01 --every 0.002    # many states
    for file in engine shooting limits; do try "$root/examples/$file.orr" --solver $solver --every 0.05; done
    try "$root/examples/hysteresis.orr" --solver $solver --until 2    # a row for each step
done
for solver in qss2 qss3; do    # where it slides or rests dopri5 stands in
    try "$root/examples/ball.orr" --solver $solver --every 0.05
    try "$root/examples/sliding.orr" --solver $solver
    for experiment in torn blocks; do try "$root/tests/models/exported_rest.orr" $experiment --solver $solver; done
done
for solver in qss2 liqss2; do try "$root/tests/models/exported_net.orr" plant --solver $solver --every 0.5; done    # messages arrive
try "$root/examples/line.orr" pulse
try "$root/examples/rectifier.orr" --solver qss3
expect_same_rows 76 0

# a program that takes steps of its own does without the method
run export --c plain "$root/examples/thermostat.orr" --solver qss2
expect_status 0
cat >use.c <<'END'
#include "plain/Thermostat.h"
int main(void)
{
    static struct Thermostat_model h;
    int changed;
    Thermostat_defaults(&h);
    if (!Thermostat_initial(&h) || !Thermostat_state(&h)) return 1;
    const double before = h.dx[0];
    h.x[0] = 25.0;    /* too warm: the heater goes off */
    if (!Thermostat_event(&h, &changed) || !Thermostat_state(&h)) return 2;
    return changed && before > 0.0 && h.dx[0] < 0.0 ? 0 : 3;
}
END
check
gcc -std=c99 -Wall -Wextra -Werror -DORRERY_NO_MAIN -fsanitize=address,undefined use.c plain/Thermostat.c -o use -lm \
    || fail "a program cannot use the functions"
./use || fail "the functions of a model by quantised states: $?"

# the program touches no memory but its own
for experiment in bounce curve corners stiff shared; do
    run export --c checked "$root/tests/models/exported_rest.orr" $experiment
    expect_status 0
done
for file in checked/*.c; do
    check
    gcc -std=c99 -g -fsanitize=address,undefined -fno-sanitize-recover=all "$file" -o checked/program -lm || fail "$file does not compile"
    ./checked/program >/dev/null || fail "$file: the sanitizers complain"
done

run export --c none "$root/examples/ball.orr" --solver liqss2
expect_status 1
expect_code E321
expect_err "where it comes to rest, bdf stands in for solver 'liqss2'"
finish
