#!/usr/bin/env bash
# Statistics of an experiment: on the terminal, as CSV beside the results, as pictures, of replications together.
. "$(dirname "$0")/../common/shell.sh"

cat >m.orr <<'MODEL'
atomic Stairs
  output event step
  var n = 1, seen = tally()
  state on for n
    after send step(n) do add(seen, n); n := if n == 4 then 1 else n + 1 -> on
end
model M
  stairs : Stairs
end
experiment e of M
  until 20
  record stairs.n every 1
  statistics stairs.seen percentiles 25, 99.5 histogram
  statistics stairs.n histogram 3 bins in 1..4
  plot stairs.n
  plot histogram of stairs.seen
end
MODEL

run run m.orr
expect_status 0
expect_quiet
expect_out 'stairs.seen: 8 values, mean 2.5, deviation 1.19523, from 1 to 4'
expect_out '25 % up to 1, 99.5 % up to 4'
expect_out 'stairs.n: over 20 s, mean 3, deviation 1, from 1 to 4'
expect_out '2 .. 3 |'
expect_out ' 40.00 %'    # above
run run m.orr -o out.csv
expect_status 0
expect_out 'statistics in out-statistics.csv'
expect_equal "$(head -n 1 out-statistics.csv)" 'statistic,what,from,to,value'
expect_equal "$(grep -c '^stairs.seen,bin,' out-statistics.csv)" 4
expect_equal "$(grep '^stairs.seen,p25,' out-statistics.csv)" 'stairs.seen,p25,,,1'
expect_equal "$(grep '^stairs.seen,p99.5,' out-statistics.csv)" 'stairs.seen,p99.5,,,4'
expect_equal "$(grep '^stairs.n,bin,3' out-statistics.csv)" 'stairs.n,bin,3,4,6'
expect_equal "$(grep '^stairs.n,above' out-statistics.csv)" 'stairs.n,above,4,,8'
expect_equal "$(grep '^stairs.n,duration' out-statistics.csv)" 'stairs.n,duration,,,20'
run run m.orr --quiet --statistics s.csv
expect_status 0
cmp s.csv out-statistics.csv || fail 'the file of --statistics differs'
run run m.orr --statistics /dev/full
expect_status 3
run run "$root/examples/mass_spring.orr" --statistics s.csv
expect_status 2
expect_code E023

if command -v gnuplot >/dev/null; then
    run run m.orr --quiet --plot p.svg
    expect_status 0
    expect_file p.svg
    expect_file p-2.svg
    grep -q '% of the values' p-2.svg || fail 'the second plot is no histogram'
    run run m.orr --quiet --plot 'histogram of stairs.n' --plot h.svg
    expect_status 0
    grep -q '% of the time' h.svg || fail 'it is no histogram of a level'
    expect_no_file h-2.svg
    run replicate m.orr --replications 2 --plot r.svg
    expect_status 0
    expect_file r.svg
fi

run replicate m.orr --replications 3 -o r.csv
expect_status 0
expect_out 'stairs.seen: 24 values'
expect_out 'stairs.n: over 60 s'
expect_out 'stairs.n.p95'
expect_equal "$(grep '^stairs.seen,count' r-statistics.csv)" 'stairs.seen,count,,,24'
expect_equal "$(head -n 1 r.csv | tr , '\n' | grep -c 'stairs.seen.p99.5')" 1
run replicate m.orr --replications 3 --plot 'x over t'
expect_status 2
expect_code E412

# of a file
run plot out.csv --plot 'histogram of stairs.n'
expect_status 0
expect_out 'stairs.n: 21 values'
run plot out.csv --plot 'histogram of stairs.m'
expect_status 2
expect_err 'no such column'

# names of an experiment have their place; failures of a test are told once
cat >bad.orr <<'MODEL'
model N
  param k = 1
  var x = 1
  x' = -k*x
end
experiment e of N
  until 1
  solver euler step 0.01 tol 1e-6
  record y
  set kk = 2
  plot x over z
  expect w = 3 within 1
end
experiment q of N
  until 1
  solver qss2 quantum 1e-3
  quantum y = 1e-3
end
experiment f of N
  until 1
  expect x = 3 within 1
  expect x at 2 = 3 within 1
end
MODEL
run run bad.orr
expect_status 2
expect_err 'bad.orr:8:26: warning W602'
expect_err 'bad.orr:9:10: error E411'
expect_err 'bad.orr:10:7: error E406'
expect_err 'bad.orr:11:15: error E411'
expect_err 'bad.orr:12:10: error E411'
run run bad.orr q
expect_status 2
expect_err 'bad.orr:17:11: error E418'
run run bad.orr f
expect_status 4
expect_err 'bad.orr:21:3: error E413'
sed -i '/experiment e/,/^end/d' bad.orr
run test bad.orr
expect_status 4
expect_out 'FAILED bad.orr:13: f: x at the end'
expect_out 'x at 2: the run goes from 0 to 1'
expect_quiet
# every command that takes a method tells which options mean nothing to it
spring=$root/examples/mass_spring.orr
run run "$spring" --solver rk4 --step 0.01 --tol 1e-3 --quiet
expect_code W602
run run "$spring" --solver RK4 --step 0.01 --abs 1e-3 --quiet
expect_err "warning W602: '--abs' means nothing to solver 'rk4': its steps are fixed"
run run "$spring" --solver rk4 --step 0.01 --quantum 1e-3 --quiet
expect_err "warning W602: '--quantum' means nothing to solver 'rk4': it has no quantised states"
run replicate "$spring" --replications 2 --solver rk4 --step 0.01 --tol 1e-3 --quiet
expect_status 0
expect_code W602
printf 'K\n1\n2\n' >members.csv
run ensemble "$spring" --members members.csv --solver rk4 --step 0.01 --tol 1e-3 --quiet
expect_status 0
expect_code W602
run step "$spring" --solver rk4 --step 0.01 --tol 1e-3 </dev/null
expect_status 0
expect_code W602
run replicate "$spring" --replications 2 --solver dopri5 --tol 1e-3 --quiet
expect_status 0
expect_quiet
finish
