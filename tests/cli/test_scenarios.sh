#!/usr/bin/env bash
# Scenarios: common random numbers, paired differences, the best and its selection.
. "$(dirname "$0")/../common/shell.sh"

# x(1) = a + s W(1): with common numbers two values of a differ by their difference, exactly
cat >walk.orr <<'END2'
model Walk
  param a = 1, s = 1
  var x = 0
  x' = a + noise(s)
end

experiment what of Walk
  until 1
  solver euler-maruyama step 0.01
  replications 50
  scenario fast : a = 2
  scenario wild : s = 3
  observe top = x at end
end

experiment best of Walk
  until 1
  solver euler-maruyama step 0.01
  scenario fast : a = 2
  scenario slow : a = 0.5
  observe top = x at end
  select best of top within 0.5
end
END2
run run walk.orr -o each.csv
expect_status 0
expect_equal "$(awk '$1 == "fast" { d = $4 - 1; print (d < 1e-9 && d > -1e-9 && $5 < 1e-9) }' <<<"$out")" 1 'common numbers'
expect_out 'the best'
expect_equal "$(awk -F, 'NR > 1 { n++ } END { print n }' each.csv)" 150
run run walk.orr --threads 1 --lanes never -o each1.csv
expect_equal "$(cksum <each.csv)" "$(cksum <each1.csv)"
run run walk.orr --independent -o each1.csv
expect_equal "$(awk '$1 == "fast" { print ($5 > 0.1) }' <<<"$out")" 1 'independent numbers'
run run walk.orr best -o each.csv
expect_status 0
expect_equal "$(awk '/selected/ { print $1 }' <<<"$out")" fast
run run walk.orr best --least -o each.csv
expect_equal "$(awk '/selected/ { print $1 }' <<<"$out")" slow
run run walk.orr --plot p.svg --quiet
expect_status 0
check; grep -q 'wild' p.svg || fail "the legend names no scenario"
run fmt --check walk.orr
expect_status 0

for bad in x 'y: a' 'y: a=z' 'fast: a=1' 'y: nothing=1' ': a=1'; do
    run run walk.orr --scenario "$bad"
    expect_status 2
    expect_code E022
done
run scenarios walk.orr best --of nothing
expect_code E022

finish
