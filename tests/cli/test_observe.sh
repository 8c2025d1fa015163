#!/usr/bin/env bash
# What is measured of a run: from the command line, in replications and ensembles, and what cannot be.
. "$(dirname "$0")/../common/shell.sh"

cat >swing.orr <<'END'
model Swing
  param w = 2
  var x = 0, v = 2
  x' = v
  v' = -w^2*x
  y = x^2
end
experiment one of Swing
  until 10
  solver dopri5 tol 1e-9
end
experiment truths of Swing
  until 10
  solver dopri5 tol 1e-9
  expect always x < 1.0001
  expect never x < -1.0001 from 1 to 9
  expect eventually v > 1.99
  expect always x^2 + (v/2)^2 < 1.0001
end
experiment lies of Swing
  until 10
  expect always x < 0.9
  expect never x < -0.9
  expect eventually v > 2.1
end
END
run run swing.orr one --observe 'peak = max of x' --observe 'time when x > 0.5' --observe 'time when x > 2' -o one.csv
expect_status 0
expect_out 'peak = 0.99999999'
expect_out 'time when x > 0.5 = 0.26179938'
expect_out 'time when x > 2: never'
rows=$(cat one.csv)
run run swing.orr one -o plain.csv
expect_equal "$(cat plain.csv)" "$rows" 'measuring changes no row'
run run swing.orr truths -o one.csv
expect_status 0
expect_out 'ok always x < 1.0001'
run run swing.orr lies -o one.csv
expect_status 4
expect_code E450
expect_equal "$(grep -c 'error E450' <<<"$err")" 3

# every solver measures the same, as exactly as it solves
for solver in heun rk4 bs32 dop853 radau adams bdf ida; do
    run run swing.orr one --solver $solver --step 0.001 --observe 'p = integral of y from 1 to 3' -o one.csv
    expect_status 0
    # ∫ sin²(2t) from 1 to 3 = 1 - (sin 12 - sin 4)/8
    expect_equal "$(awk -v p="${out##*p = }" 'BEGIN { d = p - (1 - (sin(12) - sin(4))/8); print (d < 0 ? -d : d) < 2e-5 }')" 1 "$solver: ${out##*p = }"
done

# members of an ensemble have a column for each
printf 'w\n1\n2\n4\n' >members.csv
run ensemble swing.orr one --members members.csv --observe 'peak = max of x' -o all.csv
expect_status 0
expect_equal "$(head -n 1 all.csv)" 't,member,w,peak,x,v'
expect_equal "$(awk -F, 'NR > 1 { printf "%.5f ", $3*$4 }' all.csv)" '2.00000 2.00000 2.00000 '

# replications have means of them
cat >noisy.orr <<'END'
model Walk
  var x = 0
  x' = noise(1)
end
experiment many of Walk
  until 1
  solver euler-maruyama step 0.01
  replications 2000
  observe x at end, top = max of x
end
END
run replicate noisy.orr many
expect_status 0
expect_out 'top'
# E max of a Brownian motion is sqrt(2/pi) = 0.798; seen at 100 steps about 0.5826*sqrt(0.01) lower
mean=$(awk '$1 == "top" { print $2 }' <<<"$out")
expect_equal "$(awk -v m="$mean" 'BEGIN { print (m > 0.69 && m < 0.79) }')" 1 "mean of the largest value: $mean"

# expressions, and arithmetic of observations by their names; no step is changed
run run swing.orr one --observe 'top = max of x' --observe 'low = min of x' --observe 'top - low' \
    --observe 'm = max of abs(x - y)' -o one.csv
expect_status 0
expect_out 'top - low = 1.9999999'
expect_out 'm = 1.9999999'
expect_equal "$(cat plain.csv)" "$(cat one.csv)" 'measuring expressions changes no row'
run run swing.orr one --observe 'max of abs(z)'
expect_status 1
expect_code E101

# the end as a condition, located: sin 2t = 1/2 at pi/12
for solver in rk4 dopri5 radau bdf ida qss3; do
    run run swing.orr one --solver $solver --step 0.001 --quantum 1e-7 --until 'x > 0.5 or t >= 100' -o one.csv
    expect_status 0
    expect_out 'ended by the model: until x > 0.5'
    expect_equal "$(tail -n 1 one.csv | awk -F, '{ d = $1 - 0.2617993877991494; print (d < 0 ? -d : d) < 1e-5 }')" 1 "$solver"
done
run run swing.orr one --until 'x > 2 or t >= 3' -o one.csv
expect_equal "$(tail -n 1 one.csv | cut -d, -f1)" 3
run run swing.orr one --until 'x > 0.5'
expect_code E425
printf '$endtime = 100\n$timestep = 0.001\n$until = b2 < 0\nI, 1, 0, 3\nI, 2, 1, 1\n-, 3, 2\nO, 4, 2\n' >circle.csmp
run run circle.csmp --solver rk4 -o one.csv
expect_status 0
expect_equal "$(tail -n 1 one.csv | awk -F, '{ d = $1 - 1.5707963267948966; print (d < 0 ? -d : d) < 1e-9 }')" 1

# what cannot be
run run swing.orr one --observe 'max of z'
expect_status 2
expect_code E411
run run swing.orr one --observe 'max x'
expect_code E204
run run swing.orr one --observe 'x at 11'
expect_code E414
run run swing.orr one --observe 'max of x from 5 to 2'
expect_code E410
run run swing.orr one --solver qss2 --observe 'max of y'
expect_code E449
run run swing.orr one --solver qss2 --observe 'max of x' --observe 'y at end'
expect_status 0
run run swing.orr one --observe 'max of x' --checkpoint a.ck
expect_code E449

sed -i 's/  until 10$/  until 10; observe max of x/' swing.orr
run export --c swing_c swing.orr one
expect_status 1
expect_err "'max of x' is observed"

finish
