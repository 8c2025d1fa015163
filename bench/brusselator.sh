#!/usr/bin/env bash
# Brusselator on squares of 100², 200² and 300² cells, BDF to 1.5 s, against hand-written CVODES with GMRES and a block ILU
. "$BENCH/common.sh"
sundials=$("$ROOT/tools/deps" --where | sed -n 's/^sundials=//p')
libraries=()
for name in cvodes nvecserial sunlinsolspgmr; do libraries+=("$sundials/lib/libsundials_$name.a"); done
cc -O3 -march=native -ffp-contract=off -I"$sundials/include" -o "$BUILD/brusselator_reference" "$BENCH/brusselator_reference.c" \
    "${libraries[@]}" -lm

square() {    # square N: the model
    local near='[if i > 1 then i-1 else n, j] [if i < n then i+1 else 1, j] [i, if j > 1 then j-1 else n] [i, if j < n then j+1 else 1]'
    sum() { sed "s/\[/$1[/g; s/\] $1/] + $1/g" <<<"$near"; }
    cat <<EOF
model Square
  const n = $1
  param A = 1, B = 3.4, alpha = 0.002
  var u[n,n], v[n,n]
  for i in 1..n
    for j in 1..n
      initial u[i,j] = 22*((j-1)/n)*(1 - (j-1)/n)
      initial v[i,j] = 27*((i-1)/n)*(1 - (i-1)/n)
      u[i,j]' = A + u[i,j]^2*v[i,j] - (B + 1)*u[i,j] + alpha*n^2*($(sum u) - 4*u[i,j])
      v[i,j]' = B*u[i,j] - u[i,j]^2*v[i,j] + alpha*n^2*($(sum v) - 4*v[i,j])
    end
  end
end

experiment stiff of Square
  solver bdf tol 1e-5
  until 1.5
  record u[1,1] every 1.5
end
EOF
}

first='' worst=0
for n in 100 200 300; do
    square $n >"$BUILD/square.orr"
    ours() { stat_of "$1" "$ORRERY" run "$BUILD/square.orr" --quiet --stats; }
    read -r _ theirs < <("$BUILD/brusselator_reference" $n 1)
    corner=$("$ORRERY" run "$BUILD/square.orr" --quiet -o - | tail -1 | cut -d, -f2)
    judge brusselator "difference, $n²" "$(awk -v a="$corner" -v b="$theirs" 'BEGIN { printf "%.2g", (a > b ? a - b : b - a)/b }')" 1e-3
    hand='' solve=''
    for _ in 1 2 3; do                       # in turns, so that a busy moment hits all alike
        hand=$(smaller "$hand" "$("$BUILD/brusselator_reference" $n 1 | cut -d" " -f1)")
        solve=$(smaller "$solve" "$(ours simulate_ms)")
    done
    echo "brusselator $n²: hand-written $hand ms, ours $solve ms, $(ours steps) steps"
    judge brusselator "solve, $n²" "$(ratio "$solve" "$hand")" 1.5
    worst=$(awk -v a="$worst" -v b="$(ratio "$solve" "$hand")" 'BEGIN { print (b > a) ? b : a }')
    first=${first:-$solve}
done
judge brusselator "exponent in the number of states" "$(awk -v a="$first" -v b="$solve" 'BEGIN { printf "%.3f", log(b/a)/log(9) }')" 1.15
echo "brusselator ratio $worst"
exit $missed
