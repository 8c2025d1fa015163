#!/usr/bin/env bash
# Inputs from expressions, tables and standard input against closed solutions; bad data; frames.
. "$(dirname "$0")/../common/shell.sh"

cat >rc.orr <<'END'
model RC "a low-pass filter"
  param tau = 1
  input u
  var v = 0
  tau*v' = u - v
end

experiment ramps of RC
  until 4
  every 1
  input u from "ramps.csv" linear
end

experiment sine of RC
  until 4
  every 1
  input u = tau*sin(t)
end

experiment steps of RC
  until 4
  every 1
  input u from "ramps.csv" hold
end
END
printf 't,u\n0,0\n1,1\n2,0\n4,2\n' >ramps.csv

# between two samples u = a + b s, so v = a + b (s - 1) + (v0 - a + b) e^-s
closed() {
    awk -v mode="$1" 'BEGIN { n = split("0 1 2 4", t); split("0 1 0 2", u); v = 0
        for (i = 1; i < n; i++) { h = t[i+1] - t[i]; b = mode == "hold" ? 0 : (u[i+1] - u[i])/h; a = u[i]
            v = a + b*(h - 1) + (v - a + b)*exp(-h) }
        printf "%.15g\n", v }'
}
for solver in dopri5:1e-8 bdf:1e-6 adams:1e-6 rk4:1e-9 heun:1e-5 euler:3e-3; do
    tolerance=(--tol 1e-10)
    [[ $solver != @(rk4|heun|euler):* ]] || tolerance=()    # their steps are fixed
    for experiment in ramps:linear steps:hold; do
        run run rc.orr "${experiment%:*}" --solver "${solver%:*}" "${tolerance[@]}" -o out.csv --quiet
        expect_status 0
        expect_quiet
        expect_near "$(value out.csv v 4)" "$(closed "${experiment#*:}")" "${solver#*:}" "v by $solver, $experiment"
    done
done
run run rc.orr sine --tol 1e-10 -o out.csv --quiet    # v = (sin t - cos t + e^-t)/2
expect_near "$(value out.csv v 4)" "$(awk 'BEGIN { printf "%.15g", (sin(4) - cos(4) + exp(-4))/2 }')" 1e-8
run run rc.orr sine --input 'u=expr:2*tau*sin(t)' --tol 1e-10 -o out.csv --quiet
expect_near "$(value out.csv v 4)" "$(awk 'BEGIN { printf "%.15g", sin(4) - cos(4) + exp(-4) }')" 1e-8

# a step whose value does not change makes no event; those that do restart the solver, and no step crosses one
run run rc.orr steps --solver dopri5 --stats --quiet
expect_err 'events: 3'
printf 't,u\n0,1\n1,1\n2,1\n3,1\n' >flat.csv
run run rc.orr steps --input u=flat.csv:hold --solver dopri5 --stats --quiet
expect_err 'events: 0'
# behind the last sample nothing ends any more
for solver in euler rk4 dopri5 bdf; do
    run run rc.orr steps --input u=ramps.csv:hold --solver "$solver" --until 50 -o out.csv --quiet
    expect_status 0
    expect_near "$(value out.csv v 50)" 2 1e-4
    run run rc.orr steps --input u=ramps.csv:linear --solver "$solver" --until 50 -o out.csv --quiet
    expect_near "$(value out.csv v 50)" 2 1e-4
done
# on a grid that the samples do not meet
run run rc.orr ramps --solver rk4 --step 0.3 -o out.csv --quiet
expect_near "$(value out.csv v 4)" "$(closed linear)" 1e-4

# ---- a cubic through n samples of a sine, again and again: the error of the filter falls like n^-4
sine_error() {
    awk -v n="$1" 'BEGIN { print "t,u"; for (i = 0; i <= n; i++) printf "%.17g,%.17g\n", 8*atan2(1, 1)*i/n, i == n ? 0 : sin(8*atan2(1, 1)*i/n) }' >sine.csv
    run run rc.orr ramps --input u=sine.csv:cubic:cyclic --until 20 --tol 1e-13 --abs 1e-15 --solver dopri5 -o out.csv --quiet
    awk -v v="$(value out.csv v 20)" 'BEGIN { e = v - (sin(20) - cos(20) + exp(-20))/2; printf "%.6g\n", e < 0 ? -e : e }'
}
coarse=$(sine_error 12) fine=$(sine_error 24)
expect_near "$(awk -v a="$coarse" -v b="$fine" 'BEGIN { print log(a/b)/log(2) }')" 4 0.6 "the order of cubic ($coarse, $fine)"

# ---- units of columns
cat >tank.orr <<'END'
model Tank
  input q [m^3/s], T [degC]
  var V = 0 [m^3]
  V' = q
  output K = T in K
end
experiment fill of Tank
  until 120
  every 60
  record V, K
  input q from "flow.csv" column "flow" linear
  input T from "flow.csv" column "warm" hold
end
END
printf '\xef\xbb\xbft [min];flow [l/min];warm [degF];note\r\n0;0;32;a\r\n1;60;212;b\r\n2;60;32;c\r\n' >flow.csv
run run tank.orr -o out.csv --quiet
expect_status 0
expect_quiet
expect_near "$(value out.csv V 120)" 0.09 1e-12 "the volume"
expect_near "$(value out.csv K 60)" 373.15 1e-9
run run tank.orr --input q=flow.csv:warm:hold --quiet
expect_status 2
expect_code E162
run run rc.orr ramps --input u=flow.csv:flow:hold --quiet
expect_status 0
expect_code W631

# ---- an input that is differentiated: prescribed motion needs the force m u''
cat >cam.orr <<'END'
model Cam
  param m = 3
  input u
  var x, v, F
  x = u
  x' = v
  m*v' = F
end
experiment go of Cam
  until 2
  every 0.5
  record x, v, F
  input u from "square.csv" cubic
end
END
awk 'BEGIN { print "t,u"; for (t = 0; t <= 2; t += 0.25) print t "," t*t }' >square.csv
run run cam.orr -o out.csv --quiet
expect_status 0
expect_near "$(value out.csv v 1.5)" 3 1e-9
expect_near "$(value out.csv F 1)" 6 1e-8

# ---- a study that runs again reads its table again
cat >study.orr <<'END'
model Study
  param k = 1
  input u
  var x = 0
  x' = k*u
  terminal
    k := k + 1
    rerun when k < 4
  end
end
experiment e of Study
  until 4
  input u from "ramps.csv" linear
  expect x = 9 within 1e-9
end
END
run test study.orr
expect_status 0
run run study.orr --input u=ramps.csv:linear:cyclic --quiet
expect_status 0
timeout 20 "$ORRERY" run study.orr --input u=- --quiet <ramps.csv >out 2>err
status=$? command='run study.orr --input u=-' err=$(cat err)
expect_status 3
expect_code E433

# ---- standard input, piped: the rows are those of the file, whatever pieces the lines come in
run run rc.orr ramps -o table.csv --quiet
{ head -c 9 ramps.csv; sleep 0.1; tail -c +10 ramps.csv; } | timeout 20 "$ORRERY" run rc.orr ramps --input u=-:linear -o piped.csv --quiet
check
cmp -s table.csv piped.csv || fail "piped lines give other rows than the table"
printf '0,1\n2,' | timeout 20 "$ORRERY" run rc.orr ramps --input u=- -o kept.csv --quiet >out 2>err
status=$? command='piped, cut off' err=$(cat err)
expect_status 2
expect_code E055
printf '0,1\n2,3\n1,1\n' | timeout 20 "$ORRERY" run rc.orr ramps --input u=- -o kept.csv --quiet >out 2>err
status=$? command='piped, back in time' err=$(cat err)
expect_status 3
expect_code E052
expect_err 'standard input:3'
expect_equal "$(tail -n 1 kept.csv | cut -d, -f1)" 1 "rows before the bad line are kept"
run run rc.orr ramps --input u=- --quiet
expect_code E542

# ---- bad data: a code, the line, and the rows before it
bad() {
    local code=$1 where=$2 wanted=$3
    rm -f kept.csv
    run run rc.orr ramps --input "u=bad.csv:linear" -o kept.csv --quiet
    expect_status "$wanted"
    expect_code "$code"
    [[ -z $where ]] || expect_err "bad.csv:$where:"
}
printf 't,u\n0,1\n1,2\n,3\n' >bad.csv;           bad E051 4 3
expect_equal "$(tail -n 1 kept.csv | cut -d, -f1)" 1
printf 't,u\n0,1\n1,2\ninf,3\n' >bad.csv;        bad E051 4 3
printf 't,u\n0,1\n2,2\n1,3\n' >bad.csv;          bad E052 4 3
printf 't,u\r\n0,1\r\n2,2\r\n2,3\r\n' >bad.csv;  bad E053 4 3
printf 't,u\n0,1\n1,NA\n2,3\n' >bad.csv;         bad E054 3 2
printf 't,u\n0,1\n1,2\n2,hot\n' >bad.csv;        bad E042 4 3
printf 't,u\nzero,1\n' >bad.csv;                 bad E042 2 2
printf 't,u\n0,1\n1,2\n2\n' >bad.csv;            bad E041 4 3
: >bad.csv;                                      bad E040 '' 2
printf 't,u\n' >bad.csv;                         bad E047 '' 2
printf 't,flow,x\n0,1,2\n' >bad.csv;             bad E050 '' 2
expect_err 'there are t, flow, x'
run run rc.orr ramps --input u=bad.csv:flwo:linear --quiet
expect_code E050
expect_err "did you mean 'flow'?"
run run rc.orr ramps --input u=nothing.csv:linear --quiet
expect_status 2
expect_code E001
for wrong in u u= =x u=ramps.csv u=ramps.csv:u u=-:cyclic; do
    run run rc.orr ramps --input "$wrong" --quiet
    expect_status 2
    expect_code E022
done
run run rc.orr ramps --input w=ramps.csv:linear --quiet
expect_status 1
expect_code E430
run run rc.orr ramps --input tau=ramps.csv:linear --quiet
expect_code E430
expect_err "not declared by 'input'"
run run rc.orr ramps --input u=ramps.csv:linear --input u=ramps.csv:hold --quiet
expect_code E431
run run rc.orr ramps --input u=- --input u=- --quiet
expect_code E431
run run rc.orr ramps --input 'u=expr:2*v' --quiet
expect_code E434
run run rc.orr ramps --input 'u=expr:2*' --quiet
expect_code E204
run run rc.orr ramps --input u=ramps.csv:linear:outside-error --until 5 -o kept.csv --quiet
expect_status 3
expect_code E541
expect_equal "$(tail -n 1 kept.csv | cut -d, -f1)" 4
run run rc.orr ramps --input u=ramps.csv:linear:outside-error --from -1 --quiet
expect_status 2
expect_code E541
run run rc.orr ramps --input u=ramps.csv:linear:outside-zero --until 6 --every 1 --record u -o out.csv --quiet
expect_equal "$(value out.csv u 4)$(value out.csv u 5)" 00 "outside zero"

# ---- a model alone opens nothing
mkdir -p inner/data
cp rc.orr inner
sed -i 's|"ramps.csv" linear|"../ramps.csv" linear|' inner/rc.orr
run run inner/rc.orr ramps --quiet
expect_status 2
expect_code E056
run run inner/rc.orr ramps --quiet --allow-io
expect_status 0
cp ramps.csv inner/data
sed -i 's|"../ramps.csv" linear|"data/../data/ramps.csv" linear|' inner/rc.orr
run run inner/rc.orr ramps --quiet
expect_status 0
sed -i 's|"data/../data/ramps.csv" linear|udp "5005"|' inner/rc.orr
run run inner/rc.orr ramps --quiet
expect_code E056
for target in u=udp:5005 u=unix:/tmp/x u=mqtt:localhost/x; do
    run run rc.orr ramps --input "$target" --quiet
    expect_code E056
    run run rc.orr ramps --output "v=${target#u=}" --quiet
    expect_code E056
done
run run rc.orr ramps --input u=unix:/nowhere --allow-io --quiet
expect_code E057
run run rc.orr ramps --input u=udp:x --allow-io --quiet
expect_code E058
run run rc.orr ramps --input u=mqtt:127.0.0.1:1/x --allow-io --quiet
expect_err 'mqtt:127.0.0.1:1/x'
expect_status 2

# ---- outputs that leave during the run
run run rc.orr ramps --output v=- --quiet
expect_equal "$out" "$(cut -d, -f1,2 table.csv)" "lines on standard output"
run run rc.orr ramps --output v,u=live.csv --quiet
expect_equal "$(head -n 2 live.csv)" $'t,v,u\n0,0,0'
expect_equal "$(wc -l <live.csv)" 6
run run rc.orr ramps --output w=- --quiet
expect_code E411
run run rc.orr ramps --output v --quiet
expect_code E022
run run rc.orr ramps --output v=/nowhere/x.csv --quiet
expect_code E010

# ---- frames
cat >frame.orr <<'END'
model Fall
  param g = 9.81 [m/s^2], y0 = 20 [m]
  input wind = 0 [m/s^2]
  var y = y0 [m], v = 0 [m/s], x = 0 [m]
  y' = v
  v' = -g
  x'' = wind
  var x' = 0
  assert v > -15 "the air does not matter"
end
model Drop "in other units"
  input wind = 0 [m/s^2]
  var y = 2000 [cm], v = 0 [cm/s]
  y' = v
  v' = -981 [cm/s^2]
end
frame Tower of Fall
  input wind in -1..1 [m/s^2]
  range y in 0..inf, v in -50..50 [km/h]
  observe y
end
experiment drop of Fall in Tower
  until 3
  every 0.5
end
experiment halt of Fall in Tower
  until 3
  every 0.5
  outside stop
end
experiment other of Drop in Tower
  until 1
  every 0.5
end
END
run check frame.orr
expect_status 0
run run frame.orr drop -o out.csv
expect_status 0
expect_code W605
expect_code W614
expect_equal "$(head -n 1 out.csv)" t,y,in_frame
expect_equal "$(value out.csv in_frame 1)$(value out.csv in_frame 1.5)$(value out.csv in_frame 3)" 100
# v = -50 km/h at t = 50/3.6/g, y = 0 at sqrt(2 y0/g)
expect_near "$(grep -o "'v' left its range at t = [0-9.]*" err | grep -o '[0-9.]*$')" 1.41578887 1e-7 "when v leaves"
expect_near "$(grep -o "'y' left its range at t = [0-9.]*" err | grep -o '[0-9.]*$')" 2.01927511 1e-7 "when y leaves"
expect_near "$(grep -o "does not hold at t = [0-9.]*" err | grep -o '[0-9.]*$')" 1.52905199 1e-7 "when the assertion breaks"
expect_out 'outside its frame Tower from t = 1.41579 s: v in'
for solver in euler rk4 bdf dopri5; do
    run run frame.orr halt -o out.csv --solver "$solver" --tol 1e-10
    expect_status 0
    expect_near "$(tail -n 1 out.csv | cut -d, -f1)" 1.41578887 1e-7 "where $solver stops"
    expect_equal "$(tail -n 1 out.csv | cut -d, -f3)" 0
    expect_out 'stopped at t = 1.41579'
done
run run frame.orr halt --strict --quiet
expect_status 4
run run frame.orr other --strict --quiet
expect_status 0
run run frame.orr drop --set wind=0.5 --strict --quiet --until 1
expect_status 0
run run frame.orr drop --set wind=2 --strict --quiet --until 1
expect_status 4
expect_err "'wind' left its range at t = 0"
run run frame.orr drop --set y0=-1 --strict --quiet --until 1
expect_err "'y' left its range at t = 0"
# an excursion inside one long step is seen
cat >bump.orr <<'END'
model Bump
  var x = 0
  x' = 20*(5 - t)*exp(-(t - 5)^2)
end
frame Low of Bump
  range x in -1..9
end
experiment e of Bump in Low
  until 10
  solver dopri5 tol 1e-3
end
END
run run bump.orr --quiet
expect_code W605
frame() {
    sed "s|^  range y in.*|  $2|" frame.orr >bad.orr
    run run bad.orr drop --quiet
    [[ $status == 1 || $status == 2 ]] || fail "the status is neither 1 nor 2"
    expect_code "$1"
    run check bad.orr drop
    [[ $status == 1 ]] || fail "check accepts it"
}
frame E436 'range z in 0..1'
frame E436 'observe height'
frame E437 'input g in 0..10'
frame E439 'range y in 3..1'
frame E162 'range y in 0..1 [s]'
frame E101 'range y in 0..k'
sed 's/of Fall in Tower/of Fall in Towre/' frame.orr >bad.orr
run run bad.orr drop --quiet
expect_code E435
expect_err "did you mean 'Tower'?"
sed 's/^  input wind in.*/  input q in 0..1/' frame.orr >bad.orr
run run bad.orr drop --quiet
expect_code E436
sed 's/frame Tower of Fall/frame Tower of Nothing/' frame.orr >bad.orr
run run bad.orr drop --quiet
expect_code E103
printf 'model M\n  input u = 0, w = 0\n  var x = 0\n  x'"'"' = u + w\nend\nframe F of M\n  input u\nend\nexperiment e of M in F\n  until 1\n  set w = 2\nend\n' >m.orr
run run m.orr --quiet
expect_code E438
run run m.orr --set w=0 --input w=expr:t --quiet
expect_code E438

finish
