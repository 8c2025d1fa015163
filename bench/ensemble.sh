#!/usr/bin/env bash
# 10,000 members of Lotka–Volterra at once, final states kept, against a scalar loop in hand-written C
. "$BENCH/common.sh"
reference ensemble_reference
model=$ROOT/examples/lotka_volterra.orr
awk 'BEGIN { print "alpha,delta"; for (i = 0; i < 10000; i++) printf "%.17g,%.17g\n", 1.5 + 1e-5*i, 3 - 1e-5*i }' \
    >"$BUILD/members.csv"
ours() {    # in threads $1, the rest as given
    local threads=$1
    shift
    stat_of simulate_ms "$ORRERY" ensemble "$model" long --members "$BUILD/members.csv" --until 15 --record X,Y --quiet --stats \
        --lanes always --threads "$threads" "$@"
}
rk4=(--solver rk4 --step 0.01)
ours 1 "${rk4[@]}" >/dev/null                # fills the cache
ours 1 "${rk4[@]}" --fast >/dev/null
hand='' exact='' fast='' two='' hand_adaptive='' adaptive=''
for _ in 1 2 3 4 5 6; do                     # in turns, so that a busy moment hits all alike
    hand=$(smaller "$hand" "$("$BUILD/ensemble_reference" rk4 10000 1500 | cut -d" " -f1)")
    fast=$(smaller "$fast" "$(ours 1 "${rk4[@]}" --fast)")
    for _ in 1 2 3; do                       # two threads need both processors at the same moment
        exact=$(smaller "$exact" "$(ours 1 "${rk4[@]}")")
        two=$(smaller "$two" "$(ours 2 "${rk4[@]}")")
    done
    hand_adaptive=$(smaller "$hand_adaptive" "$("$BUILD/ensemble_reference" dopri5 10000 1500 | cut -d" " -f1)")
    adaptive=$(smaller "$adaptive" "$(ours 1 --solver dopri5 --tol 1e-6)")
done
# wider registers, more members in one pass
if grep -qw avx512f /proc/cpuinfo; then width=1; else width=2; fi
goal() { awk -v speed="$1" -v width=$width 'BEGIN { printf "%.4f", width / speed }'; }
echo "ensemble hand-written C $hand ms; lanes $exact ms, fused $fast ms, two threads $two ms"
echo "ensemble adaptive: hand-written C $hand_adaptive ms, lanes $adaptive ms"
# what a model with an array, and one with events, gain: members one by one in native code against lanes
awk 'BEGIN { print "k,r"; for (i = 0; i < 400; i++) printf "%.17g,%.17g\n", 30 + 0.02*i, 5 + 0.005*i }' >"$BUILD/rods.csv"
awk 'BEGIN { print "g,e"; for (i = 0; i < 2000; i++) printf "%.17g,%.17g\n", 5 + 5e-3*i, 0.8 + 5e-5*i }' >"$BUILD/balls.csv"
gain() {    # gain MODEL MEMBERS: by lanes
    local alone='' lanes='' way=(ensemble "$BENCH/$1.orr" --members "$BUILD/$2.csv" --code native --threads 1 --quiet --stats)
    for _ in 1 2 3; do
        alone=$(smaller "$alone" "$(stat_of simulate_ms "$ORRERY" "${way[@]}" --lanes never)")
        lanes=$(smaller "$lanes" "$(stat_of simulate_ms "$ORRERY" "${way[@]}" --lanes always)")
    done
    ratio "$alone" "$lanes"
}
array=$(gain ensemble_rod rods) events=$(gain ensemble_ball balls)
record ensemble "array; lanes" "$array" least 1
record ensemble "events; lanes" "$events" least 1
echo "ensemble with an array of 100: lanes are $array times as fast as members one by one; with bouncing balls $events times"
judge ensemble exact "$(ratio "$exact" "$hand")" "$(goal 8)"
judge ensemble fused "$(ratio "$fast" "$hand")" "$(goal 14)"
judge ensemble two-threads "$(ratio "$two" "$exact")" 0.556
judge ensemble adaptive "$(ratio "$adaptive" "$hand_adaptive")" "$(goal 4)"
echo "ensemble ratio $(ratio "$exact" "$hand")"
exit $missed
