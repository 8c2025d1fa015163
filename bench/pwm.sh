#!/usr/bin/env bash
# An RC circuit with 10⁶ time events, RK4 between them, against a hand-written loop
. "$BENCH/common.sh"
against_hand pwm event 5.0
echo "pwm ratio $ratio_of_both"
exit $missed
