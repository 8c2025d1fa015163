#!/usr/bin/env bash
# orrery fit: NIST's certified values from both starts, as functions and as equations; what data cannot tell; bounds; messages.
. "$(dirname "$0")/../common/shell.sh"

# certified SET START: options --fit for each parameter of a set
certified() { awk -F, -v set="$1" -v start="$2" '$1 == set { printf "--fit %s=%s ", $5, $(5 + start) }' "$root/tests/nist/certified.csv"; }

# expect_certified MODEL SET: the table of parameters in `fit.csv` has 6 digits of the values, 4 of the deviations
expect_certified() {
    check
    awk -F, -v set="$2" 'NR == FNR { if ($1 == set) { value[$5] = $8; deviation[$5] = $9; n++ }; next }
        function off(a, b) { return (a > b ? a - b : b - a)/(b < 0 ? -b : b) }
        FNR > 1 { n--; if (!(off($3, value[$1]) <= 1e-6 && off($4, deviation[$1]) <= 1e-4)) { print $0 ": not " value[$1] ", " deviation[$1]; bad = 1 } }
        END { exit bad || n }' "$root/tests/nist/certified.csv" fit.csv || fail "$1: not the certified values of $2"
}

for model in Chwirut2 DanWood ENSO Gauss1 Hahn1 Kirby2 Lanczos3 Misra1a Misra1b Lanczos3_equations Misra1a_equations Misra1b_equations; do
    set=${model%_equations}
    for start in 1 2; do
        # shellcheck disable=SC2046
        run fit "$root/tests/models/nist.orr" --model "$model" $(certified "$set" $start) --data "y=$root/tests/nist/$set.csv:y" -o fit.csv
        expect_status 0
        expect_certified "$model" "$set"
    done
done

# a product is known, its factors are not; the sum of squares is that of the truth
cat >fits.orr <<'END'
model Product
  param a = 1, b = 2
  var x = 1
  x' = -a*b*x
end

model Absorption
  param ka = 2, ke = 0.3, volume = 4
  var gut = 10, blood = 0
  gut' = -ka*gut
  blood' = ka*gut - ke*blood
  output c = blood/volume
end

model Decay
  param a = 1, b = 0.7
  output y = a*exp(-b*t)
end

model Line
  param a = 0, b = 0
  output y = a + b*t
end
END
run run fits.orr --model Product --until 3 --every 0.1 -o product.csv --quiet
run fit fits.orr --model Product --fit 'a=1.4 in 0.1..10 log' --fit 'b=1.1 in 0.1..10 log' --data x=product.csv:x
expect_err W680
expect_out 'locally structurally not'
expect_out 'only a*b is known'

# at one instant a decay does not tell its height from its rate, though at several it does
run run fits.orr --model Decay --until 2 --every 2 -o decay.csv --quiet
awk -F, 'NR == 1 || NR == 3' decay.csv >instant.csv && awk -F, 'NR == 3' decay.csv >>instant.csv
run fit fits.orr --model Decay --fit 'a=1.2 in 0.1..10 log' --fit 'b=0.9 in 0.1..10 log' --data y=instant.csv:y
expect_out 'not by these data'
expect_no_out structurally

# flip-flop: absorption and elimination exchanged, with another volume, give the same curve
run run fits.orr --model Absorption --until 12 --every 0.5 -o absorption.csv --quiet --tol 1e-10
run fit fits.orr --model Absorption --fit 'ka=1.5 in 0.05..10 log' --fit 'ke=0.4 in 0.05..10 log' --fit 'volume=3 in 0.1..50 log' --starts 12 --data c=absorption.csv:c
expect_status 0
expect_out 'not unique'

# a line by hand: a = 1, b = 2, residuals ±0.1: intervals from the textbook
printf 't,y\n0,1.1\n1,2.9\n2,5.1\n3,6.9\n' >line.csv
run fit fits.orr --model Line --fit a --fit b --data y=line.csv:y -o line_fit.csv
# slope 1.96, intercept 1.06; s² = 0.032/2; errors s·sqrt(1/4 + 1.5²/5) and s/sqrt(5); t(0.975, 2) = 4.302653
check
awk -F, 'NR == 2 { a = $3; ea = $4; la = $5 } NR == 3 { b = $3; eb = $4 }
    function off(x, y) { return x > y ? x - y : y - x }
    END { exit !(off(a, 1.06) < 1e-8 && off(b, 1.96) < 1e-8 && off(ea, sqrt(0.016*0.7)) < 1e-7 && off(eb, sqrt(0.016/5)) < 1e-7 && off(la, 1.06 - 4.302652730*sqrt(0.016*0.7)) < 1e-6) }' line_fit.csv || fail "a line: $(cat line_fit.csv)"

# of a line the profile ends where the interval does
run fit fits.orr --model Line --fit a --fit b --data y=line.csv:y --profile
check
awk '/by its profile/ { on = 1 } on && $1 == "a" { exit !($2 == 0.60465 && $3 == 1.51535) }' out || fail 'the profile of a line'
run fit fits.orr --model Product --fit 'a=1.4 in 0.1..10 log' --fit 'b=1.1 in 0.1..10 log' --data x=product.csv:x --profile
expect_out open

# two conditions with deviations that are known: the error of k is 1/sqrt(sum of (t·x0·exp(-k·t)/deviation)²)
cat >conditions.orr <<'END'
model Fall
  param k = 1
  var x = 5
  x' = -k*x
end

experiment both of Fall
  data "a.csv" x = column "x" deviation "sd" where x = 1
  data "b.csv" x = column "x" deviation 0.02 where x = 2
  fit k from 1 in 0.01..10 log
end
END
awk 'BEGIN { print "t,x,sd"; for (t = 0.5; t <= 3; t += 0.5) printf "%.17g,%.17g,%g\n", t, exp(-0.7*t), 0.01*t }' >a.csv
awk 'BEGIN { print "t,x"; for (t = 0; t <= 2; t += 0.25) printf "%.17g,%.17g\n", t, 2*exp(-0.7*t) }' >b.csv
run run conditions.orr both -o both.csv
expect_status 0
check
awk -F, 'NR == 2 { k = $3; e = $4; low = $5; high = $6 }
    function off(x, y) { return (x > y ? x - y : y - x)/y }
    END { for (t = 0.5; t <= 3; t += 0.5) sum += (t*exp(-0.7*t)/(0.01*t))^2
          for (t = 0; t <= 2; t += 0.25) sum += (t*2*exp(-0.7*t)/0.02)^2
          error = 1/sqrt(sum)
          exit !(off(k, 0.7) < 1e-8 && off(e, error) < 1e-6 && off(low, 0.7*exp(-1.959963985*error/0.7)) < 1e-8 && off(high, 0.7*exp(1.959963985*error/0.7)) < 1e-8) }' both.csv || fail "two conditions: $(cat both.csv)"

# bounds hold, and say so
run fit fits.orr --model Line --fit 'a=0 in -1..1' --fit b --data y=line.csv:y
expect_out 'at its bound'

# an experiment says the same; the example finds the K that made its data
cp -r "$root/examples/mass_spring" .
run run mass_spring/spring.orr ideal -o ideal.csv
check
awk -F, '$1 == "K" { exit !($5 < 2.7 && $6 > 2.7 && $3 > 2.69 && $3 < 2.71) }' ideal.csv || fail "not the K of the bench: $(cat ideal.csv)"
run run mass_spring/spring.orr measure -o again.csv --quiet
check
cmp again.csv mass_spring/measured.csv || fail 'the data are not those of the bench'
run run mass_spring/spring.orr damped
expect_out 'at its bound'
run fmt mass_spring/spring.orr --check
expect_status 0

# messages
run fit fits.orr --model Line --fit c --data y=line.csv:y
expect_status 2
expect_err E491
run fit fits.orr --model Line --fit 'a=5 in 0..1' --data y=line.csv:y
expect_err 'outside its bounds'
run fit fits.orr --model Line --fit a
expect_err E023
printf 't,z\n0,1\n' >other.csv
run fit fits.orr --model Line --fit a --data y=other.csv:y
expect_err E452
printf 't,y\n0,1\n' >one.csv
run fit fits.orr --model Line --fit a --fit b --data y=one.csv:y
expect_err E490
cat >noisy.orr <<'END'
model Noisy
  param a = 1
  var y = 1
  y' = -a*y + noise(0.3)
end
END
run fit noisy.orr --fit a --data y=line.csv:y --step 0.01
expect_status 2
expect_err 'draws at random'
# a start where nothing can be computed
run fit fits.orr --model Decay --fit b=-1e6 --data y=line.csv:y
expect_err E492
finish
