#!/usr/bin/env bash
# `reaction`: read as events it is the same by every solver and tier, in lanes, after a checkpoint; what makes no sense is refused.
. "$(dirname "$0")/../common/shell.sh"

cat >cell.orr <<'END'
model Cell
  param k = 0.02
  var A = 60, D = 0
  reaction bind : 2 A -> D rate k*A*(A - 1)/2
  reaction feed : -> A rate 3
  reaction gone : D -> rate 0.2*D
end
model Dish "species of components, an island beside them"
  a, b : Cell
  island c : Cell
  reaction pass : a.A -> b.A rate 0.1*a.A
  output all = a.A + b.A + 2*a.D + 2*b.D
end
experiment one of Cell
  until 20
  reactions as events
  record A, D every 5
end
experiment dish of Dish
  until 20
  reactions as events
  record all, c.A every 5
end
experiment mean of Cell
  until 20
  solver dopri5 tol 1e-9
  record A, D every 5
end
END

# ---- As events: no solver has a part in it
run run cell.orr one -o first.csv --quiet
expect_status 0
check
for solver in euler heun rk4 dopri5 dop853 radau bdf adams ida qss1 qss2 qss3 liqss1 liqss2 mliqss2; do
    run run cell.orr one --solver $solver -o rows.csv --quiet
    expect_status 0
    cmp -s first.csv rows.csv || fail "$solver: $(tail -n 1 rows.csv), not $(tail -n 1 first.csv)"
done
run run cell.orr one --code native -o rows.csv --quiet
cmp -s first.csv rows.csv || fail "native: $(tail -n 1 rows.csv), not $(tail -n 1 first.csv)"
run run cell.orr one --until 10 --checkpoint half.orc -o rows.csv --quiet
run run cell.orr one --resume half.orc -o rest.csv --quiet
expect_status 0
expect_equal "$(tail -n 2 rest.csv)" "$(tail -n 2 first.csv)" 'a run that goes on from a checkpoint'
for lanes in never auto; do
    run replicate cell.orr one --replications 20 --lanes $lanes -o $lanes.csv --quiet
    expect_status 0
done
cmp -s never.csv auto.csv || fail 'replications side by side differ from those alone'
run run cell.orr dish -o rows.csv --quiet
expect_status 0

# ---- As equations: every solver finds the same
run run cell.orr mean -o exact.csv --quiet
while read -r most options; do
    # shellcheck disable=SC2086    # several words
    run run cell.orr mean $options -o rows.csv --quiet
    expect_status 0
    paste -d, exact.csv rows.csv | awk -F, -v most="$most" \
        'NR > 1 { for (i = 2; i <= 3; i++) { d = $i - $(i + 3); if (d*d > most*most) exit 1 } }' \
        || fail "$options: $(tail -n 1 rows.csv), not $(tail -n 1 exact.csv)"
done <<'END'
1e-7 --solver rk4 --step 0.01
1e-6 --solver radau --tol 1e-9
1e-5 --solver bdf --tol 1e-9
1e-5 --solver adams --tol 1e-9
1e-5 --solver ida --tol 1e-9
1e-3 --solver qss3 --quantum 1e-5
1e-2 --solver liqss2 --quantum 1e-4
END

# ---- An input that jumps changes how often it happens: nothing until 5, then 50 in a unit of time
printf 't,u\n0,0\n5,50\n' >u.csv
cat >driven.orr <<'END'
model Driven
  input u = 0
  var N = 0
  reaction make : -> N rate u
end
experiment one of Driven
  until 10
  reactions as events
  input u from "u.csv" hold
  expect N at 4.9 = 0 within 0
  expect N = 250 within 64
end
END
run test driven.orr
expect_status 0

# ---- `reaction` stays a name
cat >named.orr <<'END'
model Named
  var reaction = 1
  reaction' = -reaction
end
END
run run named.orr --until 1 --quiet
expect_status 0

# ---- Refused
refuse() {
    cat >wrong.orr
    run run wrong.orr --until 5 --reactions "$2" --quiet
    expect_code "$1"
    expect_err "$3"
}
refuse E184 events "'S' cannot take part in a reaction: it is a parameter" <<'END'
model M
  param S = 1
  var P = 0
  reaction r : S -> P rate S
end
END
refuse E525 events 'the rate of this event is -' <<'END'
model M
  var A = 1, B = 50
  reaction r : A -> B rate A - B
end
END
refuse E310 equations "'A'' is computed twice" <<'END'
model M
  var A = 1
  A' = -A
  reaction r : A -> rate A
end
END
refuse E204 equations "'rate'" <<'END'
model M
  var A = 1
  reaction r : A -> A
end
END
refuse E022 chance 'equations or events' <<'END'
model M
  var A = 1
  reaction r : A -> rate A
end
END
cat >atomic.orr <<'END'
atomic M
  var A = 1
  reaction r : A -> rate A
  start idle
  state idle
end
END
run check atomic.orr
expect_status 1
finish
