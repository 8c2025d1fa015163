#!/usr/bin/env bash
# tests/robust/test_crashes.sh: models that ended the program, and what they say instead.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"

# the name of an island is taken
cat >taken.orr <<'END'
model A
  input u = 0
  var x = 1
  x' = u - x
end
model M
  input a
  island a : A quantum a.x = 1e-3
  y = a.x
end
END
run check taken.orr
expect_status 1
expect_code E102

# 5000 messages at one instant, each an event of the island
cat >many.orr <<'END'
atomic Ping
  output event out
  var n = 0
  state go for 0
    after send out(n) do n := n + 1 -> if n < 5000 then go else done
  state done
end
model A
  input event kick
  var x = 0, k = 0
  x' = -x
  k' = 0
  on kick then k := k + 1 end
end
model M
  p : Ping
  island a : A
  p.out -> a.kick
end
experiment e of M
  until 1
  record a.k every 1
  expect a.k = 5000 within 0
end
END
run run many.orr
expect_status 0

# steps of islands that have nothing to do with the length of the run: x of one is read by the other
cat >steps.orr <<'END'
model A
  param k = 1
  input u
  var x = 1
  x' = k*(u - x)
end
model M
  island a : A(k = 0.5) solver euler step 0.001
  island b : A(k = 1e-10) solver euler step 1e10
  a.x -> b.u
  b.x -> a.u
end
experiment e of M
  until 1e10
  record a.x every 1e9
end
END
run run steps.orr --max-time 0.5 -o steps.csv
expect_status 3
expect_code E513
run run steps.orr --until 100 --every 50 -o steps.csv
expect_status 0
expect_equal "$(value steps.csv a.x)" 1

# time events in close succession are no relation that chatters
cat >often.orr <<'END'
model M
  var n = 0, x = 0
  x' = 1
  n' = 0
  every 1e-13 then n := n + 1 end
end
experiment e of M
  until 5e-10
  solver rk4 step 1e-10
  record n every 5e-10
  expect n = 5000 within 1
end
END
run run often.orr
expect_status 0

finish
