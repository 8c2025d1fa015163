#!/usr/bin/env bash
# What each command says about itself and about wrong usage, and its exit code.
. "$(dirname "$0")/../common/shell.sh"

# ---- The program
run
expect_status 2
expect_err 'Usage: orrery COMMAND'
for ask in --help -h help; do
    run $ask
    expect_status 0
    expect_quiet
    for name in run step check test show plot new fmt export steady linearise continue compare ensemble replicate sweep scenarios fit sensitivity machine solvers blocks runs characterise explain; do expect_out "  $name "; done
    expect_out 'orrery run examples/circle.csmp'
done
run --version
expect_status 0
[[ $out =~ ^orrery\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version"
run rnu model.orr
expect_status 2
expect_code E020
expect_err "did you mean 'run'?"
run nonsense
expect_status 2
expect_code E020
expect_err "'orrery --help' lists the commands"

# ---- Completion: commands, then the options of one
run --complete
expect_equal "$(tr '\n' ' ' <out)" 'run step check test show plot new fmt export steady linearise continue compare ensemble replicate sweep scenarios fit sensitivity machine solvers blocks runs characterise explain '
mapfile -t commands <out
for name in "${commands[@]}"; do
    run --complete "$name"
    expect_status 0
    cp out options
    run "$name" --help
    expect_status 0
    expect_quiet
    expect_out "Usage: orrery $name"
    while read -r option; do [[ $option == --help ]] || expect_out "  $option"; done <options
    help=$out
    run "$name" -h
    expect_equal "$out" "$help" "-h and --help"
    run help "$name"
    expect_equal "$out" "$help" "help $name and --help"
    # a wrong option and a missing value are usage errors of every command; nothing is done
    run "$name" --no-such-option a b
    expect_status 2
    expect_code E021
    for option in $(grep -vx -e --help options); do
        grep -qE "^  $option [^ []" <<<"$help" || continue    # a flag, or a value that may be left out
        if [[ $name == runs ]]; then run "$name" "$option"; else run "$name" file "$option"; fi    # a part would come first
        expect_status 2
        expect_code E023
        expect_err "$option"
    done
done
# options of numbers want numbers
for option in --until --from --step --tol --abs --max-step --every; do
    run run "$root/examples/loop.orr" "$option" abc
    expect_status 2
    expect_code E022
    expect_err "'$option'"
done
for value in '' 1e 0x 1,5 inf nan; do
    run run "$root/examples/loop.orr" --until "$value"
    expect_status 2
    expect_code E022
done
run run "$root/examples/loop.orr" --quiet=yes
expect_status 2
expect_code E022
run run --until=2 --quiet -- "$root/examples/loop.orr"
expect_status 0

# ---- Arguments
for name in run check show plot new fmt export test; do
    run "$name"
    expect_status 2
    expect_code E023
    expect_err "usage: orrery $name "
done
for name in run check show; do
    run "$name" "$root/examples/loop.orr" solve more
    expect_status 2
    expect_code E024
    expect_err "'more'"
done
run plot a.csv b.csv
expect_status 2
run solvers x
expect_status 2
run explain E101 E102
expect_status 2

# ---- compare: a decay keeps its digits, chaos loses them, a coarse method is left out
cat >decay.orr <<'END'
model Decay
  var x = 1
  x' = -x
end
END
run compare decay.orr --solvers rk4,dopri5,qss2 --until 3 --quantum 1e-4
expect_status 0
expect_out 'rk4 '
expect_out '3 methods agree on '
expect_out 'agreement, not proof'
run compare "$root/examples/lorenz.orr" --solvers rk4,dopri5,bdf --until 60
expect_status 0
expect_out 'have no digit in common at t = '
run compare decay.orr --solvers euler,rk4,dopri5 --until 3 --step 1
expect_out 'euler is not asked'
run compare decay.orr --solvers rk4,rk5
expect_status 2
expect_code E403

# ---- solvers, blocks, explain
run solvers
expect_status 0
for name in auto euler 'semi-implicit euler' heun rk4 bs32 dopri5 dop853 adams bdf ida radau; do expect_out "$name "; done
run blocks
expect_status 0
for name in W + I - X / K O SIN COS EXP LOG SQRT ABS LIMIT DEADSPACE RELAY RAMP STEP PULSE DELAY FUNCTION; do
    check
    cut -d' ' -f1 out | grep -qxF -e "$name" || fail "block $name is not listed"
done
# each example of a block is a line of a diagram that runs
while IFS= read -r example; do
    { echo '$endtime = 1'; echo '$timestep = 0.1'; echo "$example"; echo 'O, 99, '"$(cut -d, -f2 <<<"$example")"
      for i in 1 2 3 4 5; do [[ $(cut -d, -f2 <<<"$example") -eq $i ]] || echo "K, $i, 1"; done; } >block.csmp
    run run block.csmp --quiet
    expect_status 0
done < <("$ORRERY" blocks | sed -nE 's/^ *e\.g\. //p')
run explain
expect_status 0
check
(($(wc -l <out) > 100)) || fail "there are few messages"
while read -r code _; do
    run explain "$code"
    expect_status 0
    expect_out "For example:"
    expect_out "What to do:"
done <<<"$out"
run explain e101
expect_status 0
run explain E999
expect_status 2
expect_code E026

# ---- check and show
run check "$root/examples/mass_spring.orr"
expect_status 0
expect_out 'MassSpring: 2 states, 3 equations, 0 algebraic loops'
expect_out 'Order of evaluation'
run check "$root/examples/mass_spring.orr" --explain
expect_out 'Dependency graph'
run check "$root/examples/sorting.orr" --model Cyclic
expect_out 'loop'
run check "$root/examples/sorting.orr" --model Cyclic --loops halt
expect_status 1
expect_code E306
run check "$root/examples/sorting.orr" --loops maybe
expect_status 2
expect_code E022
run check "$root/examples/circle.csmp"
expect_status 0
expect_out 'Update: synchronous explicit Euler'
while read -r stage text; do
    run show --stage "$stage" "$root/examples/lotka_volterra.orr"
    expect_status 0
    expect_quiet
    expect_out "$text"
done <<'END'
ast model LotkaVolterra "predators and prey"
flat state  X = 10
order states: 2
ir program rates
c int orr_rates(
END
run show "$root/examples/lotka_volterra.orr"
expect_out 'at every instant: 3 equations'
run show --stage tree "$root/examples/lotka_volterra.orr"
expect_status 2
expect_code E022
# nothing of the user's text reaches the generated C
run show --stage c "$root/examples/lotka_volterra.orr"
for word in alpha prey Lotka cycle; do expect_no_out "$word"; done

# ---- test
run test "$root/examples/loop.orr" "$root/examples/lorenz.orr"
expect_status 0
expect_out "2 passed, 0 failed"
expect_out "no experiment with 'expect'"
sed 's/expect x = 5.5/expect x = 5.6/' "$root/examples/loop.orr" >wrong.orr
run test "$root/examples/loop.orr" wrong.orr
expect_status 4
expect_out 'FAILED wrong.orr:11: solve: x at the end = 5.5, expected 5.6 within 1e-12'
expect_out '3 passed, 1 failed'
run test --quiet wrong.orr
expect_no_out 'ok '
run test nothere.orr
expect_status 1
expect_code E001
expect_out '0 passed, 1 failed'
printf 'model A\n x = y\nend\nexperiment e of A\n until 1\n expect x = 1 within 1\nend\n' >broken.orr
run test broken.orr "$root/examples/loop.orr"
expect_status 1
expect_code E101
expect_out '2 passed, 1 failed'
sed 's/until 1/until 1; set q = 3/' "$root/examples/loop.orr" >settings.orr
run test settings.orr
expect_status 2
expect_code E406
finish
