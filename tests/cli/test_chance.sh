#!/usr/bin/env bash
# Parameters and initial values that are drawn: bands against known quantiles, correlations, designs.
. "$(dirname "$0")/../common/shell.sh"

# log x(1) = log x(0) + a is normal: mean 0.5, variance 0.01 + 0.04 + 2*0.8*0.1*0.2
cat >growth.orr <<'END2'
model Growth
  param a = 1, b = 2
  var x = 1
  x' = a*x
  y = b*x
end

experiment spread of Growth
  until 1
  every 0.1
  solver dopri5 tol 1e-9
  set a ~ normal(0.5, 0.2), x ~ lognormal(0, 0.1)
  correlation a, x = 0.8
  replications 4000
  observe top = x at end
  plot x
end
END2
near() { # column, exact, tolerance
    awk -F, -v c="$1" -v e="$2" -v d="$3" 'END { x = $c - e; print (x < d && x > -d) }' bands.csv
}
quantiles() { # tolerance of the three: sampling
    expect_equal "$(head -n 1 bands.csv)" 't,x.p5,x.p25,x.p50,x.p75,x.p95'
    expect_equal "$(near 2 1.0294097807 "$1")$(near 4 1.6487212707 "$1")$(near 6 2.6406217226 "$1")" 111 "$2"
}
run run growth.orr --bands bands.csv --plot p.svg -o each.csv
expect_status 0
quantiles 0.06 random    # 4000 draws: the standard error of the 95 % quantile is 0.033
check; grep -q '25 % to 75 %' p.svg || fail "the picture has no bands"
for sampling in latin sobol; do
    run run growth.orr --sampling $sampling --bands bands.csv -o each2.csv
    expect_status 0
    quantiles 0.04 $sampling
done
# one run has the luck of its replication, whatever the threads
run run growth.orr --once --run 7 -o one.csv
expect_equal "$(tail -n 1 one.csv | cut -d, -f2)" "$(awk -F, '$2 == 7 { print $3 }' each.csv)"
run run growth.orr --threads 1 --lanes never -o each1.csv
expect_equal "$(cksum <each.csv)" "$(cksum <each1.csv)"
# another draw leaves those of before as they are
run run growth.orr --set 'b~uniform(1, 3)' --replications 20 -o more.csv
expect_equal "$(sed -n 2,20p more.csv)" "$(sed -n 2,20p each.csv)"
# a stop at a precision of an observation: half the interval is 1 % of the mean or less
run replicate growth.orr --precision 0.01 --precise top
expect_status 0
expect_equal "$(awk '$1 == "top" { print $3 <= 0.01*$2 }' <<<"$out")" 1
# a run that ends early has no rows behind its end
run run growth.orr --until 'x > 1.5 or t >= 1' --bands bands.csv --replications 200
expect_status 0
# what is printed is read again
run fmt --check growth.orr
expect_status 0

for bad in 'a~normal(1)' 'a~normal(1, -1)' 'a~poisson(3)' 'a~normal(1, x)' 'a~normal' 'a~nothing(1)'; do
    run run growth.orr --set "$bad"
    expect_status 2
    expect_code E022
done
run run growth.orr --correlation a,b=0.5
expect_code E022
run run growth.orr --set 'q~normal(1, 2)'
expect_code E406
run run growth.orr --sampling latin --precision 0.1
expect_code E025
sed -i 's/  correlation.*/  sweep b over 1, 2/' growth.orr
run run growth.orr
expect_status 2
expect_code E428

finish
