#!/usr/bin/env bash
# orrery replicate: what it prints and writes, the same with any number of threads, and what it says to nonsense.
. "$(dirname "$0")/../common/shell.sh"

cp "$root/examples/repair.orr" m.orr
run replicate m.orr --threads 1 -o one.csv --summary one-summary.csv
expect_status 0
expect_out 'Repair, year: 100 replications, seed 7, intervals of confidence 0.95'
expect_out 'ok breakdowns'
run replicate m.orr --threads 3 -o three.csv --summary three-summary.csv
cmp one.csv three.csv || fail 'threads change replications'
cmp one-summary.csv three-summary.csv || fail 'threads change means'
[[ $(head -n 1 one.csv) == 't,replication,works,breakdowns,mean(works),mean(breakdowns)' ]] || fail 'the header of -o'
[[ $(wc -l <one.csv) == 101 ]] || fail 'a row for each replication'
# mean and half width by hand, with t(0.975, 99) = 1.98422
awk -F, 'NR > 1 { n++; s += $5; q += $5*$5 } END { m = s/n; print m, 1.98422*sqrt((q - n*m*m)/(n - 1)/n) }' one.csv >by-hand
read -r mean half <by-hand
IFS=, read -r _ _ found found_half _ < <(grep '^mean(works)' one-summary.csv)
expect_near "$found" "$mean" 1e-5
expect_near "$found_half" "$half" 1e-5

# one of them alone
IFS=, read -r _ _ _ breakdowns _ < <(sed -n 43p one.csv)
run run m.orr year --once --run 41 -o alone.csv
expect_status 0
[[ $(tail -n 1 alone.csv | cut -d, -f3) == "$breakdowns" ]] || fail 'replication 41 is not run 41'
run run m.orr year --once
expect_out 'one run; without --once the experiment makes all its replications'
# `run` carries out whatever the experiment is: here the same replications, with the same options
run replicate m.orr year --at-most 20 -o short.csv --summary short_means.csv
run run m.orr year --at-most 20 -o run.csv --summary run_means.csv
expect_status 0
expect_out ' replications, seed 7'
cmp -s short.csv run.csv && cmp -s short_means.csv run_means.csv || fail 'run and replicate differ'
run run m.orr year --starts 5
expect_status 2
expect_code E021
expect_err "of the kind 'replicate'"

run replicate m.orr precise --at-most 15
expect_status 0
expect_out 'the precision 0.005 was not reached'
run replicate m.orr --replications 5 --seed 2 --confidence 0.5 --quiet
expect_status 0
expect_quiet
run replicate m.orr --replications 1
expect_status 2
expect_err "E022"
run replicate m.orr --precision 0.1 --precise 'mean(worx)'
expect_status 2
expect_err "E445"
expect_err "did you mean 'mean(works)'"
run replicate m.orr --warm-up 1000
expect_status 2
expect_err 'nothing is left behind it'
run run m.orr --seed 1.5
expect_status 2
expect_err 'E022'

# claims that do not hold in some replications are told, once; many at once or one by one makes no difference
cat >claim.orr <<'M'
model M
  param k ~ normal(1, 0.2)
  var x = 1
  x' = -k*x
  assert x > 0.3 "the law holds for large x only"
end
experiment e of M
  until 1
  solver rk4 step 0.01
end
M
run replicate claim.orr --replications 300 --lanes never -o alone.csv --stats
expect_status 0
expect_err 'W633: in run '
expect_err 'in_lanes: 0'
expect_equal "$(grep -c W633 <<<"$err")" 1
n=$(awk -F, 'NR > 1 && $NF <= 0.3' alone.csv | wc -l)
[[ $n -gt 10 && $n -lt 100 ]] || fail "$n of 300 replications break the claim"
expect_out "in $n a claim does not hold"
run replicate claim.orr --replications 300 --lanes always -o lanes.csv --stats
expect_status 0
expect_err 'in_lanes: 299'
expect_out 'many at once'
cmp -s alone.csv lanes.csv || fail 'replications differ in lanes'
run replicate claim.orr --lanes some
expect_status 2
expect_err 'E022'

# equations with noise: the same bits many at once, and the known means
for e in particle price; do
    run replicate "$root/examples/brownian.orr" $e --lanes never -o alone.csv --quiet
    expect_status 0
    run replicate "$root/examples/brownian.orr" $e --lanes always -o lanes.csv --stats
    expect_status 0
    expect_err 'in_lanes: 1999'
    expect_out '2000 replications, many at once'
    expect_out '  ok '
    cmp -s alone.csv lanes.csv || fail "$e: replications differ in lanes"
done

# Ctrl-C leaves whole rows and says what they are worth
"$ORRERY" replicate m.orr --replications 1000000 -o long.csv >out 2>err &
pid=$!
for _ in $(seq 100); do
    [[ -s long.csv ]] && break
    sleep 0.1
done
kill -INT $pid
wait $pid
status=$?
command='replicate, interrupted' out=$(<out) err=$(<err)
[[ $status != 0 ]] || fail 'an interrupted command ends with 0'
[[ $(tail -c 1 long.csv | wc -l) == 1 && $(tail -n 1 long.csv | tr -cd , | wc -c) == 5 ]] || fail 'the last row is not whole'
[[ $out == *'ended early'* ]] || fail 'it does not say that it ended early'
finish
