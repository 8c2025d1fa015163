#!/usr/bin/env bash
# Heat in a rod of 10^3, 10^5 and 10^6 cells written with `for`: compiling, BDF, and the right-hand side against hand-written C
. "$BENCH/common.sh"
reference heat_reference

rod() {    # rod N: the model and its experiments
    cat <<EOF
model Rod
  const n = $1
  param a = 1
  var u[n]
  for i in 1..n
    initial u[i] = sin(0.7*i)
  end
  u[1]' = 0
  u[n]' = 0
  for i in 2..n-1
    u[i]' = a*(u[i-1] - 2*u[i] + u[i+1])
  end
end

experiment explicit of Rod
  solver rk4 step 0.1
  until $2
  record u[$(($1/2))] every $2
end

experiment stiff of Rod
  solver bdf tol 1e-6
  until 5
  record u[$(($1/2))] every 5
end
EOF
}

least='' most='' first_cell='' worst=0
for n in 1000 100000 1000000; do
    steps=$((n > 500000 ? 100 : 20000000/n))
    rod "$n" "$(awk -v k=$steps 'BEGIN { print k/10 }')" >"$BUILD/rod.orr"
    native() { stat_of simulate_ms "$ORRERY" run "$BUILD/rod.orr" explicit --quiet --stats --code native "$@"; }
    native >/dev/null                        # fills the cache
    compiling='' hand='' ours='' still='' bdf=''
    for _ in 1 2 3; do                       # in turns, so that a busy moment hits all alike
        compiling=$(smaller "$compiling" "$(stat_of compile_ms "$ORRERY" run "$BUILD/rod.orr" explicit --until 0.1 --quiet --stats)")
        hand=$(smaller "$hand" "$("$BUILD/heat_reference" $n $steps 2 2>/dev/null)")
        ours=$(smaller "$ours" "$(native)")
        still=$(smaller "$still" "$(native --until 0.1)")    # starting, and one step
        bdf=$(smaller "$bdf" "$(stat_of simulate_ms "$ORRERY" run "$BUILD/rod.orr" stiff --quiet --stats)")
    done
    n_steps=$(stat_of steps "$ORRERY" run "$BUILD/rod.orr" stiff --quiet --stats)
    cell=$(awk -v ms="$bdf" -v n=$n -v k="$n_steps" 'BEGIN { printf "%.1f", ms*1e6/n/k }')
    explicit=$(awk -v a="$ours" -v b="$still" -v k=$steps 'BEGIN { printf "%.3f", (a - b)*k/(k - 1) }')
    echo "heat $n cells: compiled in $compiling ms; $steps steps of RK4 in $explicit ms, by hand $hand ms; BDF $n_steps steps," \
        "$bdf ms, $cell ns for each cell and step"
    judge heat "right-hand side, $n cells" "$(ratio "$explicit" "$hand")" 1.5
    worst=$(awk -v a="$worst" -v b="$(ratio "$explicit" "$hand")" 'BEGIN { print (b > a) ? b : a }')
    least=$(smaller "$least" "$compiling")
    most=$(awk -v a="$most" -v b="$compiling" 'BEGIN { print (a == "" || b + 0 > a + 0) ? b : a }')
    if [ $n -eq 100000 ]; then first_cell=$cell; fi
done
# within 20 ms of each other, or within a factor of two
judge heat compiling "$(awk -v a="$least" -v b="$most" 'BEGIN { print (b - a <= 20) ? "1.000" : b/a }')" 2
judge heat "BDF growth from 10^5 to 10^6 cells" "$(ratio "$cell" "$first_cell")" 1.6
echo "heat ratio $worst"
exit $missed
