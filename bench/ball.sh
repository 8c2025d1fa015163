#!/usr/bin/env bash
# 10⁵ impacts of a ball on a moving table, Dormand–Prince, against hand-written C
. "$BENCH/common.sh"
against_hand ball whole 3.0
echo "ball ratio $ratio_of_both"
exit $missed
