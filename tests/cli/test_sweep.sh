#!/usr/bin/env bash
# Sweeps: which members there are, what they are measured by, what cannot be read.
. "$(dirname "$0")/../common/shell.sh"

cat >spring.orr <<'END'
model Spring
  param K = 4, v0 = 2
  var x = 0, v = v0
  x' = v
  v' = -K*x
end
experiment one of Spring
  until 1
  solver dopri5 tol 1e-9
end
experiment written of Spring
  until 1
  solver dopri5 tol 1e-9
  sweep K over 1, 4, 16
  observe peak = max of v, x at end
end
experiment steps of Spring
  until 1
  solver rk4 step 0.5
  sweep solver step over 0.05, 0.025, 0.0125, 0.00625
  observe x at end
end
END

# x(1) = v0/w sin w, w = sqrt K
run run spring.orr written -o all.csv
expect_status 0
expect_out 'member             K          peak      x at end'
expect_equal "$(head -n 1 all.csv)" 't,member,K,x,v'
expect_equal "$(awk -F, 'NR > 1 && $1 == 1 { w = sqrt($3); d = $4 - 2/w*sin(w); n += (d < 0 ? -d : d) < 1e-7 } END { print n }' all.csv)" 3

# a grid: the last one changes fastest; ends of ranges are exact; logarithmic ones have equal factors
run sweep spring.orr one --sweep K=1..4:2 --sweep v0=0.01..100:3:log --every 0 -o grid.csv
expect_status 0
expect_equal "$(awk -F, 'NR > 1 { printf "%s %s;", $3, $4 }' grid.csv)" '1 0.01;1 1;1 100;4 0.01;4 1;4 100;'

# the same bits as the members one by one, by any number of threads
run sweep spring.orr one --sweep K=1..4:50 --every 0 --threads 1 -o a.csv
run sweep spring.orr one --sweep K=1..4:50 --every 0 --threads 2 --lanes always -o b.csv
expect_equal "$(cksum <a.csv)" "$(cksum <b.csv)"
run run spring.orr one --set K=4 --every 1 -o single.csv
expect_equal "$(tail -n 1 a.csv | cut -d, -f4-)" "$(tail -n 1 single.csv | cut -d, -f2-)"

# designs: as many points as requested, in their ranges, each part of a Latin hypercube once
for design in latin sobol; do
    run sweep spring.orr one --sweep K=1..2 --sweep v0=0..1 --design $design --points 64 --every 0 -o d.csv
    expect_status 0
    expect_equal "$(awk -F, 'NR > 1 { a[int(($3 - 1)*64)]++; b[int($4*64)]++ } END { for (i in a) n++; for (i in b) n++; print n }' d.csv)" 128 $design
done

# orders of convergence are measured
run run spring.orr steps -o steps.csv
expect_status 0
expect_equal "$(grep -o 'order .*' <<<"$out" | awk '{ n += $2 > 3.8 && $2 < 4.3 } END { print n }')" 2 "rk4 has order 4"
run run spring.orr steps --solver euler --sweep 'solver step=0.01,0.005,0.0025' -o steps.csv
expect_code E022    # twice

# members that fail are named, and leave the others alone
cat >burst.orr <<'END'
model Burst
  param a = 1
  var x = 1
  x' = a*x^2
end
experiment e of Burst
  until 1
  sweep a over 0.5, 2, -1
end
END
run run burst.orr -o burst.csv
expect_status 3
expect_code E509
expect_err 'member 2 (a = 2)'
expect_out 'failed'
expect_equal "$(awk -F, '$2 == 3 { v = $4 } END { printf "%.4f", v }' burst.csv)" 0.5000

# pictures: the members in the legend
run run spring.orr one --sweep K=1,4 --plot 'x over t' --plot p.svg --quiet
expect_status 0
check; grep -q 'K = 4' p.svg || fail "the legend names no values"

# what cannot be read
for bad in K 'K=' 'K=1,x' 'K=2..1' 'K=-1..1:3:log' 'K=0..1:1' '=1' 'solver step=-1' 'K=1..2:many'; do
    run sweep spring.orr one --sweep "$bad"
    expect_status 2
    expect_code E022
done
run sweep spring.orr one --sweep Q=1,2
expect_status 2
expect_code E406
run sweep spring.orr one
expect_code E023

finish
