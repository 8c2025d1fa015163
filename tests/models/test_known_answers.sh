#!/usr/bin/env bash
# Answers that are known, asked for as a user would: the circle test as block diagram in both readings, sets of equations in
# any order, loops with two solutions, equations without a real value.
. "$(dirname "$0")/../common/shell.sh"

# ---- The circle test. Explicit Euler multiplies the radius by sqrt(1 + h^2) in each step.
radius() { awk -F, 'END { printf "%.17g", sqrt($2*$2 + $3*$3) }' "$1"; }
while read -r h n known; do
    run run "$root/examples/circle.csmp" --set timestep="$h" -o circle.csv --quiet
    expect_status 0
    expect_near "$(radius circle.csv)" "$(awk -v h="$h" -v n="$n" 'BEGIN { printf "%.17g", (1 + h*h)^(n/2) }')" 1e-9 "radius for h = $h"
    expect_near "$(radius circle.csv)" "$known" 2e-9 "radius for h = $h"
    expect_equal "$(tail -n 1 circle.csv | cut -d, -f1)" 100 "the last row"
done <<END
0.1 1000 144.7727724325735
0.01 10000 1.64868005593
0.001 100000 1.05127107009
END

# In place the numbers of the blocks decide who is first, and the radius stays bounded: 1/sqrt(1 ± h/2).
run run "$root/examples/circle.csmp" --set timestep=0.01 --update in-place --every 0.01 -o circle.csv --quiet
expect_status 0
expect_near "$(value circle.csv b5)" 0.86506 5e-6 "x(100), velocity first"
bounds=$(awk -F, 'NR > 1 { r = sqrt($2*$2 + $3*$3); if (min == "" || r < min) min = r; if (r > max) max = r } END { print min, max }' circle.csv)
expect_near "${bounds% *}" "$(awk 'BEGIN { print 1/sqrt(1.005) }')" 1e-5 "the smallest radius"
expect_near "${bounds#* }" "$(awk 'BEGIN { print 1/sqrt(0.995) }')" 1e-5 "the largest radius"
# the two integrators with their numbers exchanged
sed -e '/^I, 1/c I, 2, 0, 3' -e '/^I, 2/c I, 1, 1, 2' -e 's/^-, 3, 2/-, 3, 1/' -e 's/^O, 4, 1/O, 4, 2/' -e 's/^O, 5, 2/O, 5, 1/' \
    "$root/examples/circle.csmp" >exchanged.csmp
run run exchanged.csmp --set timestep=0.01 --update in-place -o exchanged.csv --quiet
expect_status 0
expect_near "$(value exchanged.csv b5)" 0.86000 5e-6 "x(100), position first"
# lines in reverse order change nothing, in either reading; exchanged numbers change nothing in the synchronous one
tac "$root/examples/circle.csmp" >reversed.csmp
for update in synchronous in-place; do
    run run "$root/examples/circle.csmp" --set timestep=0.01 --update $update -o a.csv --quiet
    run run reversed.csmp --set timestep=0.01 --update $update -o b.csv --quiet
    expect_status 0
    cmp a.csv b.csv || fail "the order of the lines matters ($update)"
done
run run "$root/examples/circle.csmp" --set timestep=0.01 -o a.csv --quiet
run run exchanged.csmp --set timestep=0.01 -o b.csv --quiet
cmp a.csv b.csv || fail "the numbers of the blocks matter, though all integrators step together"
run check "$root/examples/circle.csmp"
expect_out 'synchronous explicit Euler'
expect_out 'block numbers'

# ---- A set of equations has no order: the same bits whatever order they are written in.
# permute <rule> <file>: the equations of each model, not its declarations, in another order
permute() {
    awk -v rule="$1" '
        function flush(   i, k) {
            for (i = 0; i < n; i++) {
                k = rule == "reverse" ? n - 1 - i : rule == "rotate" ? (i + 1) % n : (i * step) % n
                print line[k]
            }
            n = 0
        }
        /^model/ { inside = 1 }
        /^end/ { if (inside) { for (step = 3; n % step == 0; step += 2); flush() }; inside = 0 }
        inside && /^  [A-Za-z0-9_.^ +*'"'"']*=/ && !/^  (param|var|const|input|output|assert|initial|time) / { line[n++] = $0; next }
        { print }' "$2"
}
for file in lotka_volterra lorenz seir robertson oregonator van_der_pol mass_spring limits sorting loop two_roots; do
    for experiment in $(sed -nE 's/^experiment ([a-z_0-9]+) .*/\1/p' "$root/examples/$file.orr"); do
        [[ $file/$experiment == */long && $file == lotka* ]] && continue
        run run "$root/examples/$file.orr" "$experiment" --quiet -o plain.csv
        for rule in reverse rotate stride; do
            permute $rule "$root/examples/$file.orr" >permuted.orr
            run run permuted.orr "$experiment" --quiet -o permuted.csv
            expect_status 0
            cmp plain.csv permuted.csv || fail "equations of $file in another order ($rule) give other bits"
        done
    done
done
permute reverse "$root/examples/seir.orr" >permuted.orr
cmp -s permuted.orr "$root/examples/seir.orr" && fail "nothing was permuted"

# ---- The loop of both slides, as equations (loops.orr) and as blocks.
run run "$root/examples/loop.csmp" -o loop.csv --quiet
expect_equal "$(tail -n 1 loop.csv | cut -d, -f1-3)" 1,5.5,-10.5
expect_near "$(value loop.csv b7)" 5.5 1e-14 "the integral of x"
run check "$root/examples/loop.orr"
expect_out '1 algebraic loop,'
expect_out 'linear, solved symbolically, condition number 2'
run check "$root/examples/loop.orr" --loops halt
expect_status 1
expect_code E306
run check --explain "$root/examples/loop.orr"
expect_out 'Kosaraju and Sharir'

# ---- A loop with two solutions, x = 3 and x = -4: the first guess chooses the one on its side of -1/2.
sed -E '/^experiment/,$d; s/x ~ 1, y ~ 1/x ~ guess, y ~ guess/; s/^model TwoRoots/&\n  param guess = 1/; /^model OtherRoot/,/^end/d' \
    "$root/examples/two_roots.orr" >guess.orr
while read -r guess x; do
    run run guess.orr --set guess="$guess" -o roots.csv --quiet
    expect_status 0
    expect_near "$(value roots.csv x)" "$x" 1e-10 "x from the guess $guess"
done <<END
1 3
0 3
100 3
2.9 3
-1 -4
-0.6 -4
-100 -4
END
run check "$root/examples/two_roots.orr"
expect_out 'non-linear'
expect_out 'first guess 1'

# ---- c = sqrt(d - 4.5) with d = pi/2 has no real value. The order is shown all the same; running it names the line.
run check "$root/examples/sorting.orr" --model Printed
expect_status 0
order=$(sed -nE 's/^ +[0-9]+  ([a-e]) = .*/\1/p' out | tr -d '\n')
[[ $order == decba || $order == edcba ]] || fail "the order is $order"
run run "$root/examples/sorting.orr" --model Printed
expect_status 3
expect_code E503
expect_err 'sorting.orr:7:'
expect_err 'sqrt(-2.92920'
expect_err 'd = 1.570796'

# ---- The long Lotka–Volterra run: values and rows.
run run "$root/examples/lotka_volterra.orr" long --until 1500 --every 100 -o long.csv --quiet
expect_near "$(value long.csv X)" 1.23488 1e-4
expect_near "$(value long.csv Y)" 8.23982 1e-4
expect_equal "$(wc -l <long.csv)" 17 "rows and header"
finish
