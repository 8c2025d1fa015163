#!/usr/bin/env bash
# orrery ensemble: events, draws and noise, methods without lanes, any number of threads, and an end by Ctrl-C.
. "$(dirname "$0")/../common/shell.sh"

# the same rows however members are computed: same NAME OPTION…
same() {
    local name=$1
    shift
    run ensemble "$name.orr" --members "$name.csv" --lanes never --threads 1 -o alone.csv --quiet "$@"
    expect_status 0
    for threads in 1 2 3 4; do
        run ensemble "$name.orr" --members "$name.csv" --lanes always --threads $threads -o other.csv --quiet --stats "$@"
        expect_status 0
        cmp -s alone.csv other.csv || fail "$name $*: members differ with $threads threads"
    done
}

cp "$root/bench/ensemble_ball.orr" ball.orr
awk 'BEGIN { print "g,e"; for (i = 0; i < 70; i++) printf "%.17g,%.17g\n", 5 + 0.1*i, 0.7 + 0.003*i }' >ball.csv
same ball --until 5
expect_err 'in_lanes: 69'
# the first bounce at the time of the closed solution, without drag
run ensemble ball.orr --members ball.csv --set c=0 --until 3 --every 0.001 --step 0.001 --lanes always --record bounces -o ball_out.csv
expect_status 0
expect_out 'many at once'
expect_near "$(awk -F, '$2 == 51 && $5 == 1 { print $1; exit }' ball_out.csv)" "$(awk 'BEGIN { print sqrt(20/10) }')" 1.1e-3
# members with other seats: the last alone has the bits that it has behind all others
run ensemble ball.orr --members ball.csv --until 5 --lanes always -o all.csv --quiet
(head -n 1 ball.csv; tail -n 40 ball.csv) >few.csv
run ensemble ball.orr --members few.csv --until 5 --lanes always -o few_out.csv --quiet
expect_equal "$(tail -n 40 all.csv | cut -d, -f3-)" "$(tail -n 40 few_out.csv | cut -d, -f3-)"

# draws: of a parameter, of noise; each member has its own luck, which is that of the run with its number, from 0
cat >walk.orr <<'M'
model Walk
  param a = 1, k ~ normal(2, 0.1)
  var x = 1
  x' = -k*x + noise(0.2*a)
end
experiment Go of Walk
  until 1
  solver euler-maruyama step 0.01
end
model Draw
  param a = 1, k ~ normal(2, 0.1)
  var x = 1
  x' = -a*k*x
  every exponential(0.2) then x := x + uniform(0, 0.1) end
end
experiment Leap of Draw
  until 1
  solver rk4 step 0.01
end
M
awk 'BEGIN { print "a"; for (i = 0; i < 40; i++) print 1 + 0.01*i }' >walk.csv
run ensemble walk.orr Leap --members walk.csv --lanes always --threads 2 -o leap.csv --quiet --stats
expect_status 0
expect_err 'in_lanes: 39'
run run walk.orr Leap --run 6 --set a=1.06 -o one.csv --quiet
expect_equal "$(tail -n 1 one.csv | cut -d, -f2)" "$(awk -F, '$2 == 7 { print $4 }' leap.csv)"
run ensemble walk.orr Go --members walk.csv --lanes always --threads 2 -o go.csv --quiet --stats
expect_status 0
expect_err 'in_lanes: 39'
run run walk.orr Go --run 6 --set a=1.06 -o one.csv --quiet
expect_equal "$(tail -n 1 one.csv | cut -d, -f2)" "$(awk -F, '$2 == 7 { print $4 }' go.csv)"
printf 'x\n1\n1\n1\n' >x.csv
run ensemble walk.orr Leap --members x.csv --common -o common.csv --quiet
expect_equal "$(tail -n 3 common.csv | cut -d, -f4 | sort -u | wc -l)" 1

# claims: told by member, in lanes as alone; y leaves its range at t = asin(0.9) in the last half of the members
cat >claim.orr <<'M'
model Claim
  param b = 1
  var x = 0, y = 1
  x' = y
  y' = -x
  assert b < 1 or x < 0.9 "x is small"
end
experiment Go of Claim
  until 2
  solver rk4 step 0.01
end
M
awk 'BEGIN { print "b"; for (i = 0; i < 50; i++) print 0.755 + 0.01*i }' >claim.csv
same claim
same claim --solver dopri5
same claim --every 0.033
run ensemble claim.orr --members claim.csv --lanes always --stats
expect_status 0
expect_out 'in 25 a claim does not hold'
expect_err 'W633: in member 26 ('
expect_err 'a claim does not hold: W614: an assertion does not hold at t = 1.1197'
expect_err 'in_lanes: 49'
expect_err 'violated: 25'
# why there are none
run ensemble claim.orr --members claim.csv --lanes always --solver bdf
expect_out 'one by one: its method'

# methods without lanes
for solver in bdf qss2; do
    run ensemble ball.orr --members ball.csv --solver $solver --until 0.5 --lanes always --threads 3 -o other.csv --quiet --stats
    expect_status 0
    expect_err 'in_lanes: 0'
    run ensemble ball.orr --members ball.csv --solver $solver --until 0.5 --lanes never --threads 1 -o alone.csv --quiet
    cmp -s alone.csv other.csv || fail "$solver: members differ"
done

# networks of atomics, and islands: one by one, the same in any number of threads
cp -r "$root/examples/lib" .
cp "$root/examples/shop.orr" "$root/examples/islands.orr" .
printf 'cpu.time\n3\n5\n7\n7.5\n11\n' >shop.csv
same shop --record cpu.waiting,watch.n_solved --every 5 --until 100
expect_err 'in_lanes: 0'
expect_equal "$(awk -F, '$1 == 100 && $2 == 3 { print $4 "," $5 }' other.csv)" '6,13'
printf 'rabbits.growth\n1.5\n1.6\n1.4\n' >islands.csv
run ensemble islands.orr apart --members islands.csv --until 0.2 --threads 3 --lanes always -o other.csv --quiet --stats
expect_status 0
expect_err 'in_lanes: 0'
run ensemble islands.orr apart --members islands.csv --until 0.2 --threads 1 --lanes never -o alone.csv --quiet
cmp -s alone.csv other.csv || fail 'islands: members differ'

# what was done before Ctrl-C is kept: whole members, in order
awk 'BEGIN { print "g,e"; for (i = 0; i < 20000; i++) printf "%.17g,%.17g\n", 5 + 1e-4*i, 0.7 }' >many.csv
for lanes in never always; do
    (trap - INT; exec "$ORRERY" ensemble ball.orr --members many.csv --until 2000 --lanes $lanes --threads 2 -o cut.csv --quiet) 2>cut.err &
    pid=$!
    for _ in $(seq 100); do
        sleep 0.1
        [ "$(wc -l 2>/dev/null <cut.csv || echo 0)" -gt 3 ] && break
    done
    kill -INT $pid
    wait $pid && status=0 || status=$?
    [ $status -ne 0 ] || fail 'an ensemble that was ended says that it is complete'
    expect_equal "$(head -n 1 cut.csv)" 't,member,g,e,h,v'
    awk -F, 'NR > 1 && ($2 != NR - 1 || NF != 6 || $1 != 2000) { exit 1 }' cut.csv || fail "$lanes: rows behind Ctrl-C"
done
finish
