#!/usr/bin/env bash
# Kinds of experiment: written in the language they do what their command does; the library of components; what options share.
. "$(dirname "$0")/../common/shell.sh"

cat >m.orr <<'END'
model Fold
  param a = 1
  var x = 1
  x' = a - x^2
end
model Decay
  param k = 1
  var x = 1
  x' = -k*x
end
experiment branch of Fold
  kind continue param a from 1 to 0.1 points 500
end
experiment back of Fold
  kind continue param a from 0.1 to -1
end
experiment rest of Fold
  kind steady starts 5 range x = 0..3
end
experiment near of Fold
  kind linearise at start inputs a outputs x
end
experiment methods of Decay
  until 2
  kind compare solvers rk4, dopri5 every 0.1
end
experiment many of Decay
  until 1
  kind ensemble members "members.csv" every 1/2
end
experiment plain of Decay
  until 1
  expect x = exp(-1) within 1e-5
  kind simulate step 0.01
end
END
printf 'k\n1\n2\n' >members.csv

# same <experiment> <command and its options>: the same sheet
same() {
    run run m.orr "$1" -o written.csv
    expect_status 0
    run "${@:2}" -o given.csv
    expect_status 0
    check
    cmp -s written.csv given.csv || fail "$1 is not what the command writes"
}
same branch continue m.orr --model Fold --param a --from 1 --to 0.1 --points 500
same back continue m.orr --model Fold --param a --from 0.1 --to -1
same rest steady m.orr --model Fold --starts 5 --range x=0..3
same methods compare m.orr --model Decay --until 2 --solvers rk4,dopri5 --every 0.1
same many ensemble m.orr --model Decay --until 1 --members members.csv --every 0.5
# known answers: the equilibria are ±sqrt(a), the slope at the start is -2, members end at exp(-k)
run run m.orr rest -o rest.csv
expect_near "$(sed -n 2p rest.csv | cut -d, -f1)" 1 1e-9
expect_near "$(sed -n 3p rest.csv | cut -d, -f1)" -1 1e-9
run run m.orr near
expect_out 'x                -2'
run run m.orr many -o many.csv
expect_near "$(value many.csv x)" 0.1353352832 1e-5
expect_equal "$(wc -l <many.csv)" 7 'rows of two members at 0, 0.5 and 1, and a header'
# what an experiment says itself leaves its expectations; what the command line says does not
run run m.orr plain
expect_out 'ok x'
run run m.orr plain --set k=2
expect_no_out 'ok x'
expect_out '1 expectation not checked'
run run m.orr methods --once --quiet
expect_status 0

# a printed model is the same model, and formatting changes nothing
run show --stage ast m.orr
expect_out 'kind ensemble members "members.csv" every 1/2'
cp m.orr formatted.orr
run fmt formatted.orr
cmp -s m.orr formatted.orr || fail 'fmt changes kinds'

# wrong <code> <words> <text>
wrong() {
    printf 'model M\n  var x = 1\n  x%s = -x\nend\nexperiment e of M\n  until 1\n  kind %s\nend\n' "'" "$2" >wrong.orr
    run run wrong.orr e
    check
    ((status == 1 || status == 2)) || fail "the status of 'kind $2'"
    expect_code "$1"
    expect_err "$3"
}
wrong E423 stady "did you mean 'steady'?"
wrong E424 'steady strats 5' "did you mean 'starts'?"
wrong E424 'simulate events "e.csv"' '--events'
wrong E424 'steady 5' 'a value'
wrong E204 'steady starts' 'a value'
wrong E022 'steady starts 0.5' 'a whole number'
wrong E009 'ensemble members "../members.csv"' 'outside'
wrong E204 '' 'the name of a kind'
expect_no_file e.csv

# ---- the library: from anywhere, and what lies beside the model comes first
cat >circuit.orr <<'END'
use "electrical"
model Circuit
  r : Resistor(R = 100 [Ohm])
  s : VoltageSource
  g : Ground
  s.p -- r.p
  r.n -- s.n
  s.n -- g.p
end
END
run check circuit.orr
expect_status 0
expect_out 'Parameters and inputs'
expect_out 'r.R = 100'
printf 'model Other\n  x = 1\nend\n' >electrical.orr
run check circuit.orr
expect_status 1
rm electrical.orr
echo 'use "no_such_library"' >none.orr
run check none.orr
expect_status 1
expect_code E001
expect_err 'neither beside the model nor in the library'
run check circuit.orr --set r.Q=1
expect_status 2
expect_code E406
expect_err 'did you mean'

# ---- equal names of experiments: the file's own
printf 'model A\n  var x = 1\n  x%s = -x\nend\nexperiment e of A\n  until 1\nend\n' "'" >a.orr
printf 'use "a.orr"\nmodel B\n  var y = 1\n  y%s = -y\nend\nexperiment e of B\n  until 2\nend\n' "'" >b.orr
run run b.orr e
expect_status 0
expect_out 'B, e: '
expect_out 't = 0 to 2'

# ---- what is printed
run run "$root/examples/shooting.orr"
expect_out 'angle = 0.41338'
run run "$root/examples/circle.csmp" --solver dopri5 --quiet
expect_status 0
run compare "$root/examples/circle.csmp" --step 0.01 --solvers rk4,dopri5
expect_status 0
printf 'model M\n  output y = sin(t)\nend\n' >none.orr
run compare none.orr --until 1 --solvers rk4,dopri5
expect_out 'Nothing was integrated'
run fit m.orr
expect_status 2
expect_no_err 'fmt'
printf 'model M\n  discrete n = 0\n  every 0.1 from 0 then n := n + 1 end\nend\n' >events.orr
run run events.orr --until 5 --events events.csv
expect_equal "$(sed -nE 's/^  ([0-9]+) events$/\1/p' out)" "$(tail -n +2 events.csv | cut -d, -f1 | sort -u | wc -l)" 'events'
cat >units.orr <<'END'
model M
  param m = 2 [kg]
  input F = 0 [N]
  var v = 0 [m/s]
  m*v' = F
end
END
run run units.orr --until 1 --input 'F=expr:5*sin(2*t)' -o numbers.csv
expect_status 0
run run units.orr --until 1 --input 'F=expr:5 [N]*sin(2 [1/s]*t)' -o with_units.csv
expect_status 0
cmp -s numbers.csv with_units.csv || fail 'an input of pure numbers'
expect_near "$(value numbers.csv v)" 1.770183546 1e-5 'v = 5/(2*2)*(1 - cos 2)'
run ensemble m.orr many --members members.csv --max-time 0
expect_status 2
expect_code E022
finish
