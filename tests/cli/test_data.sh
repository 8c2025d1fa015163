#!/usr/bin/env bash
# Measured data beside a run: units, missing values, repeated and unsorted times, conditions, distances, pictures.
. "$(dirname "$0")/../common/shell.sh"

# x = sin 2t, 10 cm off, in ms and cm, from the last time to the first; one time twice, two values missing
awk 'BEGIN { print "time [ms],position [cm],sd"; for (i = 40; i >= 0; i--) printf "%d,%.9f,5\n", 250*i, 100*sin(0.5*i) + 10
             print "750,,5\n750,NA,5"; printf "250,%.9f,5\n", 100*sin(0.5) + 10 }' >measured.csv
awk 'BEGIN { print "t;x [mm]"; for (i = 0; i < 30; i++) { s = sprintf("%.9f;%.6f", i/3, 2000*sin(i/3)); gsub(/\./, ",", s); print s } }' >other.csv
cat >wave.orr <<'END2'
model Wave
  param w = 2 [1/s]
  var x = 0 [m], v = 2 [m/s]
  x' = v
  v' = -w^2*x
end

experiment e of Wave
  until 10
  every 10
  solver dopri5 tol 1e-10
  data "measured.csv" x = column "position" deviation "sd"
  data "other.csv" x = column "x" where w = 1 [1/s]
  plot x
  observe m = misfit to data
  expect x follows "measured.csv" column "position" within 10.001 [cm]
  expect misfit to data = 2 within 1e-5
end
END2
run run wave.orr --plot p.svg
expect_status 0
expect_equal "$(grep -o 'with w = 1: misfit.*' <<<"$out" | awk '{ print $9 + 0 < 1e-6, $10 }')" '1 30'
check; grep -q 'measured.csv' p.svg || fail "the picture has no data"
check; grep -q 'other.csv, w = 1' p.svg || fail "the picture has no data of the condition"
# every solver that has curves; a distance of 10 cm at most, and the same in any unit
for solver in rk4 radau bdf qss3; do
    run run wave.orr --solver $solver --step 0.01 --quantum 1e-7 -o /dev/null
    expect_status 0
done
run run wave.orr --data v=other.csv:x --observe 'misfit to data' -o /dev/null
expect_code E162

sed -i 's/within 10.001 \[cm\]/within 9.9 [cm]/' wave.orr
run run wave.orr --quiet
expect_status 4
expect_code E450
# what is formatted and printed is read again
run fmt --check wave.orr
expect_status 0
run show --stage ast wave.orr
printf '%s\n' "$out" >again.orr
run show --stage ast again.orr
expect_equal "$out" "$(cat again.orr)"

# what does not fit
sed 's/column "position" dev/column "positon" dev/' wave.orr >bad.orr
run run bad.orr
expect_status 2
expect_code E452
expect_err 'position'
sed 's/column "position" dev/column "position" [s] dev/' wave.orr >bad.orr
run run bad.orr
expect_code E162
run run wave.orr --from 20 --until 25
expect_code E454
run run wave.orr --until 5 --quiet
expect_code W651
printf 't,x\n0,\n1,\n' >empty.csv
run run wave.orr --data x=empty.csv:x
expect_code E453
printf 't,x,s\n0,1,1\n1,2,0\n' >zero.csv
run run wave.orr --data x=zero.csv:x:s
expect_code E455
run run wave.orr --data q=zero.csv:x
expect_code E411
run run wave.orr --data x=zero.csv
expect_code E022
sed 's/"measured.csv" x/"\/etc\/passwd" x/' wave.orr >bad.orr
run run bad.orr
expect_code E009

# structure of a column, against closed forms: exp(-0.1 t) cos 3t around 2, cos 3t, exp(0.5 t), a line
awk 'BEGIN { print "t,damped,ideal,growth,line"; for (i = 0; i <= 2000; i++) { t = 0.01*i
             printf "%.4f,%.9f,%.9f,%.9f,%.9f\n", t, 2 + exp(-0.1*t)*cos(3*t), cos(3*t), exp(0.5*t), 1 + 2*t } }' >shapes.csv
run characterise shapes.csv
expect_status 0
value() { awk -v of="$1:" -v word="$2" '$1 == of { on = 1 } on && !v { for (i = 1; i < NF; i++) if ($i == word) v = $(i + 1) } END { print v + 0 }' <<<"$out"; }
close_to() { awk -v a="$1" -v b="$2" -v d="$3" 'BEGIN { x = a - b; print (x < d && x > -d) }'; }
expect_equal "$(close_to "$(value damped period)" 2.0943951 1e-3)$(close_to "$(value damped mean)" 2 0.01)" 11
expect_out 'suggests an ideal oscillator'
expect_equal "$(close_to "$(awk '/damped oscillator/ { sub(/.*= -/, ""); print $0 + 0 }' <<<"$out")" 0.2 0.005)" 1 'damping 2*0.1'
expect_equal "$(close_to "$(awk '/ideal oscillator/ { sub(/.*= -/, ""); print $0 + 0 }' <<<"$out")" 9 0.01)" 1
expect_equal "$(grep -c "growth' = 0.5" <<<"$out")$(grep -c "line' = 2" <<<"$out")" 11
run characterise shapes.csv nothing
expect_code E047

finish
