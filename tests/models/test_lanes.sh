#!/usr/bin/env bash
# The examples, computed many at once: the same bits as one by one, by a method with fixed steps and by an adaptive one.
. "$(dirname "$0")/../common/shell.sh"
# large and small, with events, relations that change often, tables, arrays, rows between steps and an end at an event
for name in amplifier ball cascade digital_controller heat hysteresis limits line pwm rectifier sliding two_masses functions; do
    for solver in rk4 dopri5 dop853; do
        # its diode turns off where two slopes are equal: a stiff model that dop853 gives up (E510)
        [ $solver$name = dop853rectifier ] && continue
        file=$root/examples/$name.orr
        [ $name = functions ] && file="$root/tests/models/values.orr areas"    # every elementary function
        way=($file --replications 5 --solver $solver)
        [ $solver = rk4 ] && way+=(--step 0.01)
        run replicate "${way[@]}" --lanes never -o alone.csv --quiet
        expect_status 0
        run replicate "${way[@]}" --lanes always -o lanes.csv --quiet --stats
        expect_status 0
        expect_err 'in_lanes: 4'
        cmp -s alone.csv lanes.csv || fail "$name by $solver: not the same many at once"
    done
done
# histories are kept by runs alone
for experiment in tight late_rk4; do
    run replicate "$root/tests/models/delays.orr" $experiment --replications 4 --lanes always --quiet --stats
    expect_status 0
    expect_err 'one_by_one: delays'
done
finish
