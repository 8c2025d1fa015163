#!/usr/bin/env bash
# Exported C gives the rows of `orrery run`, byte for byte: every example that can be exported, by its own method; events,
# relations, loops of equations, arrays and tables by all methods that an exported program has. gcc and clang take turns, and so
# do levels of optimisation.
. "$(dirname "$0")/../common/shell.sh"

. "$(dirname "$0")/../common/export.sh"

for file in "$root"/examples/*.orr; do
    for experiment in $(experiments "$file"); do try "$file" "$experiment"; done
done
for file in "$root"/examples/*.csmp; do
    options=()
    grep -q 'timestep *= *?' "$file" && options=(--set timestep=0.01)
    try "$file" "${options[@]}"
done
for file in language switches tables loops in_place instants exported exported_rest \
            exported_net network messages atomics atomic_units machines rates reactions delays port_arrays; do
    for experiment in $(experiments "$root/tests/models/$file.orr"); do try "$root/tests/models/$file.orr" "$experiment"; done
done
# events, loops of equations and a study by the other methods
for solver in euler heun rk4 'semi-implicit euler' bs32 dopri5 dop853 radau; do
    for file in thermostat hysteresis pwm digital_controller shooting gear two_roots engine; do
        try "$root/examples/$file.orr" --solver "$solver" --every 0.05
    done
    try "$root/examples/limits.orr" crossing --solver "$solver"    # a row for each step
done
# stiff models, with symbolic Jacobians and with differences
for file in robertson brusselator rectifier hidden_constraints; do
    for experiment in $(experiments "$root/examples/$file.orr"); do
        try "$root/examples/$file.orr" "$experiment" --solver radau
    done
done
# what is drawn follows the seed and the number of the run
for options in '--seed 7' '--seed 7 --run 2'; do
    # shellcheck disable=SC2086    # two words each
    try "$root/tests/models/exported.orr" chances $options
    # shellcheck disable=SC2086
    try "$root/tests/models/exported.orr" price $options
done
# more elements than are expanded: loops stay loops, in the text too
cat >heat.orr <<'END'
model Rod
  param n = 1200, k = 0.1
  var u[n], w = 0
  for i in 1..n
    initial u[i] = i*(n - i)/n^2
  end
  u[1]' = 0
  u[n]' = 0
  for i in 2..n-1
    u[i]' = k*(u[i-1] - 2*u[i] + u[i+1])
  end
  w' = sum(u[i] for i in 1..n)/n
end
experiment cool of Rod
  until 2
  solver rk4 step 0.01
  record u[2], u[600], w every 0.1
end
experiment free of Rod
  until 2
  solver dopri5
  set w = 3, k = 0.2
  record u[2], u[600], w every 0.1
end
END
for experiment in cool free; do try "$work/heat.orr" $experiment; done
# names that would end a comment, splice lines, or close a text
cat >names.orr <<'END'
model Odd "a */ in ??/ the text"
  param "k*/ ??/" = 2, "%s" = 1, "a/*b" = 3
  var "x */ int y; /*" = 1
  discrete "go?" = 0
  "x */ int y; /*"' = -"k*/ ??/"*"x */ int y; /*" + "%s" + "a/*b"
  when "x */ int y; /*" > 1.5 then "go?" := 1 end
  output "a, ""b""" = 2*"x */ int y; /*" + "go?"
end
experiment one of Odd
  until 3
  solver rk4 step 0.01
end
END
sed -i '/a, ""b""/d' names.orr
try "$work/names.orr" one
cat >odd.orr <<'END'
record "R */ é"
  "a b", a_b, "?%s"
end
atomic "Kö */ ??/" "doc */ here"
  param "k*/ ??/" = 2, "k_ __ __" = 1
  output event "out ?" : "R */ é"
  input event "in %d" : "R */ é"
  var "x */ int y; /*" = 1, "x __ int y" = 2, T0 = 3, int = 4, s = 5, c = 6, v = 7, unused : "R */ é"
  state "first */" for "k*/ ??/"
    on "in %d" do "x */ int y; /*" := "x */ int y; /*" + "in %d"."?%s" end
    after send "out ?"("R */ é"(t, int, s)) do T0 := T0 + c; int := int + 1 -> "double "
  state "double " for v/7
    on "in %d" do s := "in %d"."a b" -> "first */"
    after -> "first */"
end
atomic "Kö __ __"
  input event "in" : "R */ é"
  var net = 0, count = queue("R */ é"), mean = tally()
  state MEAN
    on "in" do net := net + 1; push(count, "in"); add(mean, net) end
end
model Net
  "a */" : "Kö */ ??/"
  b[2] : "Kö */ ??/"
  c : "Kö __ __"
  "a */"."out ?" -> b[1]."in %d", c."in"
  b[1]."out ?" -> b[2]."in %d", c."in"
  b[2]."out ?" -> "a */"."in %d"
end
experiment one of Net
  until 30
end
END
try "$work/odd.orr" one
# names that are one and the same in C, or mean something there
cat >same.orr <<'END'
model int "also the file is called so"
  param "a b" = 2, a_b = 3, tmpdir = 0.5, "%" = 1, "?" = 2
  var T = 1, T_rate = 2, double = 0, "double " = 1
  T' = -"a b"*T + a_b*T_rate - tmpdir*double
  T_rate' = -T + sin(double)
  double' = "double "*"%"
  "double "' = -double/"?"
  output main = T + T_rate
end
experiment one of int
  until 2
  solver rk4 step 0.01
  record T, T_rate, double, "double ", main
end
END
try "$work/same.orr" one
sed 's/\bint\b/X/; s/\bT\b/state/g; s/tmpdir/run/g' same.orr >x.orr
try "$work/x.orr" one
expect_same_rows 225 20

# ---- Without SLEEF: a model without elementary functions has the same bits, by fixed steps and by dopri5
for solver in rk4 dopri5 dop853; do
    run export --c plain "$root/examples/lorenz.orr" --solver $solver
    expect_status 0
    expect_quiet
    gcc -std=c99 -pedantic -Wall -Wextra -Werror -O2 plain/Lorenz.c -o plain/lorenz -lm || fail "it does not compile with libm alone"
    ./plain/lorenz >exported.csv || fail "the program fails"
    run run "$root/examples/lorenz.orr" --solver $solver -o run.csv --quiet
    check
    cmp exported.csv run.csv || fail "the bits differ without SLEEF"
done
expect_file plain/Lorenz.h
expect_file plain/README.md

# ---- The functions one by one, and two models in one program
for file in lorenz thermostat; do
    run export --c plain "$root/examples/$file.orr" --every 0.1
    expect_status 0
done
cat >use.c <<'END'
#include "plain/Lorenz.h"
#include "plain/Thermostat.h"
#include <stdio.h>
int main(void)
{
    static struct Lorenz_model m;
    static struct Thermostat_model h;
    int changed = 7, again = 7;
    Lorenz_defaults(&m);
    m.given[Lorenz_P_sigma] = 1.0;
    m.value[Lorenz_P_sigma] = 3.0;
    if (!Lorenz_initial(&m) || !Lorenz_state(&m) || !Lorenz_output(&m)) return 1;
    printf("%g %d\n", m.dx[Lorenz_X_x] - 3.0*(m.x[Lorenz_X_y] - m.x[Lorenz_X_x]), m.y[Lorenz_Y_z] == m.x[Lorenz_X_z]);
    if (!Lorenz_event(&m, &changed) || !Lorenz_terminal(&m, &again)) return 2;
    printf("%d %d\n", changed, again);
    Thermostat_defaults(&h);
    if (!Thermostat_initial(&h) || !Thermostat_state(&h)) return 3;
    const double before = h.dx[0];
    h.x[0] = 25.0;    /* too warm: the heater goes off */
    if (!Thermostat_event(&h, &changed) || !Thermostat_state(&h)) return 4;
    printf("%d %d\n", changed, before > 0.0 && h.dx[0] < 0.0);
    return 0;
}
END
check
gcc -std=c99 -Wall -Wextra -Werror -DORRERY_NO_MAIN use.c plain/Lorenz.c plain/Thermostat.c -o use -lm || fail "a program cannot use the functions"
expect_equal "$(./use | tr '\n' ' ')" '0 1 0 0 1 1 ' 'what the functions compute'

# ---- A model with delays in steps of one's own: x' = -x(t - 1) from 1 on gives 1 - t + (t - 1)^2/2 between 1 and 2; and luck
cat >luck.orr <<'END'
model Late
  var x = 1
  x' = -delay(x, 1)
end
model Luck
  param k = normal(0, 1)
  var x = 0
  x' = k
end
experiment late of Late
  until 2
end
experiment luck of Luck
  until 1
  record x
end
END
for experiment in late luck; do
    run export --c luck "$work/luck.orr" $experiment
    expect_status 0
done
cat >luck.c <<'END'
#include "luck/Late.h"
#include "luck/Luck.h"
#include <math.h>
static double draw(int seed)
{
    static struct Luck_model m;
    Luck_defaults(&m);
    m.seed = (uint64_t)seed;
    const double drawn = Luck_initial(&m) && Luck_state(&m) ? m.dx[Luck_X_x] : NAN;
    Luck_free(&m);
    return drawn;
}
int main(void)
{
    static struct Late_model m;
    Late_defaults(&m);
    if (!Late_initial(&m)) return 1;
    for (int i = 0; i < 2000; i++) {
        if (!Late_state(&m)) return 2;
        m.x[0] += 0.001*m.dx[0];
        m.t = (i + 1)*0.001;
        if (!Late_remember(&m)) return 3;
    }
    Late_free(&m);
    if (!(fabs(m.x[0] + 0.5) < 2e-3)) return 4;
    return draw(1) == draw(1) && draw(1) != draw(2) ? 0 : 5;
}
END
check
gcc -std=c99 -Wall -Wextra -Werror -DORRERY_NO_MAIN -fsanitize=address,undefined luck.c luck/Late.c luck/Luck.c -o luck.program -lm \
    || fail "models with delays and draws do not compile"
ASAN_OPTIONS=detect_leaks=1 ./luck.program || fail "steps of one's own with delays, or draws by seed: $?"

# ---- A network by its functions, event by event: the same end as that of the run; and memory is given back
run export --c net "$root/tests/models/exported_net.orr" zoo --until 20
expect_status 0
cat >net.c <<'END'
#include "net/Zoo.h"
int main(void)
{
    static struct Zoo_model m;
    int changed;
    Zoo_defaults(&m);
    for (int turn = 0; turn < 2; turn++) {    /* the second time like the first */
        if (!Zoo_initial(&m)) return 1;
        while (Zoo_next(&m) <= 20.0) {
            m.t = Zoo_next(&m);
            if (!Zoo_event(&m, &changed)) return 2;
        }
    }
    m.t = 20.0;
    if (!Zoo_event(&m, &changed) || !Zoo_output(&m)) return 3;
    printf("%.17g %.17g\n", m.y[Zoo_Y_clerk_n], m.y[Zoo_Y_desk_1_2__drawn]);
    Zoo_free(&m);
    return 0;
}
END
check
gcc -std=c99 -Wall -Wextra -Werror -DORRERY_NO_MAIN -DORRERY_SLEEF -fsanitize=address,undefined net.c net/Zoo.c -o net.program -lsleef -lm \
    || fail "a network does not compile for a program of one's own"
run run "$root/tests/models/exported_net.orr" zoo --until 20 --record 'clerk.n, desk[1,2].drawn' -o net.csv --quiet
expect_equal "$(ASAN_OPTIONS=detect_leaks=1 ./net.program | tr ' ' ,)" "$(tail -n 1 net.csv | cut -d, -f 2-)" 'a network event by event'

# ---- What cannot be exported is refused by name, with a next step
refuse() {
    run export --c none "${@:2}"
    expect_status 1
    expect_code E321
    expect_err "$1"
    expect_no_file none
}
refuse "solver 'bdf' needs CVODE or IDA" "$root/examples/robertson.orr"
refuse "its Jacobian is sparse, and solver 'radau' then needs KLU" "$root/examples/heat.orr" --solver radau
refuse 'goes over to bdf' "$root/examples/heat.orr"
refuse 'they need IDA' "$root/examples/resistor_net.orr" discharge
cat >live.orr <<'END'
model Live
  input u = 0
  var x = 0
  x' = u - x
end
experiment listen of Live
  until 1
  input u from stdin
end
END
refuse "input 'u' comes from stdin" "$work/live.orr"
refuse 'messages come from several files at the same time' "$root/tests/models/exported_net.orr" fed_twice
refuse "'rabbits' is an island, with a solver of its own" "$root/examples/islands.orr" apart

# ---- Files of others stay as they are
mkdir mine
echo 'my notes' >mine/README.md
run export --c mine "$root/examples/lorenz.orr"
expect_status 3
expect_code E013
expect_equal "$(<mine/README.md)" 'my notes'
expect_no_file mine/Lorenz.c
run export --c mine "$root/examples/lorenz.orr" --force
expect_status 0
run export --c mine "$root/examples/lorenz.orr" --set sigma=9    # those of our own are replaced
expect_status 0
grep -q 'value\[0\] = 9.0' mine/Lorenz.c || fail "a setting is not in the exported file"
run export --c mine/README.md "$root/examples/lorenz.orr"
expect_status 3
if [[ $(id -u) != 0 ]]; then
    mkdir locked
    chmod a-w locked
    run export --c locked "$root/examples/lorenz.orr"
    expect_status 3
fi
run export --c x --csmp "$root/examples/lorenz.orr"
expect_status 2
run export --c x "$root/examples/lorenz.orr" --seed 1.5
expect_status 2
run export --c x "$root/examples/lorenz.orr" --run -1
expect_status 2
finish
