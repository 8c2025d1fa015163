#!/usr/bin/env bash
# `orrery step`: commands on standard input, what they print, what is wrong with them.
. "$(dirname "$0")/../common/shell.sh"

# step FILE… <<<commands: as `run`, with an input
step() {
    command="step $*"
    timeout "$patience" "$ORRERY" step "$@" >out 2>err
    status=$?
    out=$(cat out) err=$(cat err)
}

cat >ball.orr <<'END'
model Ball
  param g = 10
  input wind = 0
  var h = 5 [m], v = 0
  h' = v
  v' = -g + wind
  when h <= 0 then v := -0.5*v end
end
END

# ---- Falls for 1 s, v = -10 becomes 5; up and down again takes 1 s
step ball.orr --tol 1e-10 <<<$'next\nshow v\nnext\nto 2.25\nshow'
expect_status 0
expect_quiet
expect_out 'when h <= 0: v from -'
t=$(sed -n 's/^t = \([0-9.e-]*\)$/\1/p' out)
expect_near "$(sed -n 1p <<<"$t")" 1 1e-8 'the first bounce'
expect_near "$(sed -n 2p <<<"$t")" 2 1e-8 'the second bounce'
expect_equal "$(sed -n 3p <<<"$t")" 2.25
expect_out 't = 2.25 s'
expect_out '  h = '
# at 2.25: v = 2.5 - 10/4 = 0
expect_near "$(sed -n 's/^  v = //p' out | tail -n 1)" 0 1e-6 'v at the top'

# ---- Changing what holds: no gravity from 0.5 on, then h stays
step ball.orr --tol 1e-10 <<<$'to 0.5\nset wind = 10\nset v=0\nto 3\nshow h # a comment\n\nquit\nnonsense'
expect_status 0
expect_near "$(sed -n 's/^  h = \(.*\) m/\1/p' out)" 3.75 1e-8 'h'
expect_out '  wind = 10'

# ---- A parameter: g = 20 from 0.5 on, when h = 3.75 and v = -5; 0.2 s later h = 3.75 - 5*0.2 - 10*0.2^2
for method in dopri5 bdf 'rk4 --step 0.05' qss3; do
    # shellcheck disable=SC2086
    step ball.orr --tol 1e-10 --solver $method <<<$'to 0.5\nset g = 20\nto 0.7\nshow h g'
    expect_status 0
    expect_near "$(sed -n 's/^  h = \(.*\) m/\1/p' out)" 2.35 1e-5 "h by $method"
    expect_out '  g = 20'
done
# what follows from it follows, unless it was given
cat >chain.orr <<'END'
atomic Clock
  param period = 1
  output event tick
  state on for period
    after send tick(t) -> on
end
model Chain
  param a = 2, b = 3*a, n = 2, T = 1, lag = T/2, size = a
  var x = 0, y[n]
  discrete k = 0
  x' = b
  for i in 1..n
    y[i] = i*x
  end
  z = delay(x, lag)
  every T then k := k + 1 end
end
model Beside
  param p = 1
  clock : Clock(period = p)
  var x = 0
  x' = p
end
END
step chain.orr --model Chain <<<$'to 1\nset a = 1\nto 2\nshow x b size y[2]'
expect_status 0
expect_near "$(sed -n 's/^  x = //p' out)" 9 1e-9 x
expect_out '  b = 3'
expect_out '  size = 1'
expect_near "$(sed -n 's/^  y\[2\] = //p' out)" 18 1e-8 'y[2]'
step chain.orr --model Chain --set b=5 <<<$'to 1\nset a = 1\nto 2\nshow x'
expect_near "$(sed -n 's/^  x = //p' out)" 10 1e-9 x
while IFS='|' read -r model name why; do
    step chain.orr --model "$model" <<<"set $name = 3"
    expect_status 2
    expect_err "'$name' cannot be set to '3': $why"
    expect_err "set it before the run begins: --set $name=3"
done <<'END'
Chain|n|the structure of the model depends on it
Chain|T|times of events follow from it since the start
Chain|lag|the lag of a delay follows from it since the start
Beside|p|a component was given it at the start
Beside|clock.period|a component was given it at the start
END

# ---- Steps of the solver
step ball.orr --solver rk4 --step 0.125 <<<$'step 3\nstep'
expect_out $'t = 0.375\nt = 0.5'
step ball.orr --until 0.5 <<<next
expect_out 'nothing more happens before the end'
expect_out 't = 0.5'

# ---- Messages between models are told, and end a `next`
cat >talk.orr <<'END'
model Speaker
  output event word
  every 2 then send word(7) end
end
model Listener
  input event ear
  discrete heard = 0
  on ear then heard := heard + ear end
end
model Talk
  a : Speaker
  b : Listener
  a.word -> b.ear
end
END
step talk.orr <<<$'next 2\nshow b'
expect_status 0
expect_out 't = 4: a.word is sent: 7'
expect_out '  b.heard = 14'

# ---- What is wrong ends a script with 2
step ball.orr <<<$'nxet\nshow'
expect_status 2
expect_code E027
expect_err "did you mean 'next'?"
expect_no_out '  h ='
for line in 'to' 'to nowhere' 'next 0' 'next x' 'show hh' 'set h' 'set hh = 1' "set h' = 3"; do
    step ball.orr <<<"$line"
    expect_status 2
    expect_err error
done
step ball.orr <<<$'to 1\nto 0.5'
expect_status 2
expect_err 'forward only'
step ball.orr --step -1 <<<next
expect_status 2
step missing.orr <<<next
expect_code E001

# ---- A run that fails, and one that ends itself
printf 'model Pole\n  var x = 1\n  x'"'"' = x^2\nend\n' >pole.orr
step pole.orr <<<$'to 5'
expect_status 3
printf 'model Short\n  var x = 0\n  x'"'"' = 1\n  when x > 1 then terminate "enough" end\nend\n' >short.orr
step short.orr <<<$'to 5\nshow x\nnext'
expect_status 2
expect_out 'the model has ended the run: enough'
expect_near "$(sed -n 's/^  x = //p' out)" 1 1e-6 x

# ---- Each message knows its place, also those behind the first
printf 'model Claims\n  var x = 1\n  x'"'"' = -1\n  assert x > 0.9\n  assert x > 0.5\nend\n' >claims.orr
step claims.orr <<<$'to 0.2\nto 1'
expect_status 0
expect_err 'claims.orr:4:3: warning W614'
expect_err 'claims.orr:5:3: warning W614'

# ---- Islands: a room of 19 degrees is heated to 21 in ln(11/9), and says so
step "$root/tests/models/island_events.orr" heated <<<$'to 0.21\nshow plant.meter.n'
expect_status 0
expect_out 'room.switched is sent: 0'
expect_out 'plant.answer is sent: 1'
expect_out 'plant.meter.n = 1'
finish
