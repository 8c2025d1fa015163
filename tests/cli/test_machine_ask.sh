#!/usr/bin/env bash
# What one can ask of a machine: next, compare, minimise, reach, policy, learn; answers known from Zeigler's report.
. "$(dirname "$0")/../common/shell.sh"
baby=$root/examples/baby.orr game=$root/examples/finger_game.orr tank=$root/examples/tank_machine.orr

# is it JSON?
expect_json() {
    check
    python3 -m json.tool out >/dev/null 2>&1 || fail "the output is no JSON"
}
# json <expression over j>: of the last run
json() { python3 -c 'import json,sys; j = json.load(open("out")); print(eval(sys.argv[1]))' "$1"; }

# ---- Section 12: toy, …, toy, food is answered by cries, …, cries, doesn't cry
inputs=food outputs=cries,quiet
for _ in 0 1 2 3 4 5; do
    run machine predict "$baby" --inputs "$inputs" --outputs "$outputs"
    expect_status 0
    expect_out $'was in      wants to eat\n  is now in   eating\n'
    inputs=toy,$inputs outputs=cries,$outputs
done

# ---- next
run machine next "$baby"
expect_status 0
expect_out 'give  toy, toy'
expect_out 'quiet, cries, cries  sleeping'
expect_out 'nothing shorter does'
run machine next "$baby" --states 'wants to eat,wants to play'
expect_out 'give  toy'
run machine next "$baby" --adaptive
expect_out '2 inputs in the worst case; fewer do not suffice.'
run machine next "$baby" --adaptive --json
expect_json
expect_equal "$(json 'j["depth"]')" 2
run machine next "$baby" --by length --repeat --count 10
expect_equal "$out" $'toy\ntoy\nfood\ntoy\nfood\ntoy, toy\ntoy\nfood\ntoy, toy\ntoy, food'
printf 'toy : cries, cries\nfood : quiet, cries\n' >some.ledger
run machine next "$baby" --by length --count 3 --ledger some.ledger
expect_equal "$out" $'toy, toy\ntoy, food\nfood, toy'
run machine next "$baby" --by length --repeat --count 1 --ledger some.ledger
expect_equal "$out" 'food'    # the third of toy | toy food | toy food toy,toy
run machine next "$baby" --suite --from sleeping --extra 1
expect_status 0
said=$(sed -nE 's/^# ([0-9]+) sequences.*/\1/p' out)
expect_equal "$(grep -vc '^#' out)" "$said"
run machine next "$baby" --suite --from sleeping --extra 1 --json
expect_json
expect_equal "$(json 'len(j["sequences"]) == j["n_sequences"] and sum(map(len, j["sequences"])) == j["n_inputs"]')" True

run machine next "$game" --machine Adds --states 'F[1,1],F[2,1]'
expect_status 0
expect_out 'in which of 2 states'

# rivals; after the first experiment of exercise 11 only Adds stands, after the second nobody
run machine next "$game"
expect_status 0
expect_out 'Which of 3 machines is it?'
expect_out 'This tells all machines apart'
echo '1, 1, 1, 1 : 1, 2, 2, 1, 2' >first.ledger
run machine next "$game" --ledger first.ledger
expect_out 'Copies is falsified by experiment 1'
expect_out 'Adds: in which of 4 states is it?'
run machine next "$game" --ledger "$root/examples/finger_game.ledger"
expect_status 4
expect_out 'None of the machines is left'
# the repair: (1,1) on 2 leads to 1; in section 12's game both then play 1 in rounds 3 to 7
sed -e '/machine Adds/,/^end/!d' "$game" | sed -e 's/machine Adds/machine Repaired/' -e '/ on 2 /d' \
    -e 's/^end/  F[a,b] on 2 -> if a == 1 and b == 1 then F[1,1] else F[b, 2 - mod(2 + a + b, 2)]\nend/' >repaired.orr
run machine validate repaired.orr --ledger "$root/examples/finger_game.ledger"
expect_status 0
run machine compare "$game" repaired.orr --machine Adds --machine Repaired --from 'F[1,1]'
expect_status 4
expect_out 'A shortest experiment that shows it: 2'

# ---- compare
run machine compare "$baby" "$baby"
expect_status 0
expect_out 'each state of one has a state of the other that behaves alike'
run machine show "$baby" -o baby.dot
run machine compare "$baby" baby.dot --json
expect_status 0
expect_json
run machine compare "$baby" "$baby" --from 'wants to eat' --from 'wants to play'
expect_status 4
expect_out 'A shortest experiment that shows it: toy'
expect_out 'Baby from wants to play answers cries, quiet'
run machine compare "$baby" "$baby" --from 'wants to eat' --from 'wants to play' --json
expect_json
expect_equal "$(json 'j["inputs"]')" "['toy']"

# ---- an index as output shows its value
cat >lift.orr <<'END'
machine Lift
  input up, down
  start floor[1]
  state floor[1..3]
  floor[i] / i
  floor[i] on up -> floor[min(i + 1, 3)]
  floor[i] on down -> floor[max(i - 1, 1)]
end
END
run machine behave lift.orr --inputs up,up,up,down --from 'floor[1]' --json
expect_equal "$(json 'j["behaviour"][0]["outputs"]')" "['1', '2', '3', '3', '2']"

# ---- minimise
cat >twice.orr <<'END'
machine Twice "counts to two, twice"
  input a, b
  start s[0]
  state s[0..5]
  s[i] / if mod(i, 2) == 0 then even else odd
  s[i] on a -> if i < 4 then s[mod(i + 1, 4)] else s[i]
  s[i] on b -> s[i]
end
END
run machine minimise twice.orr
expect_status 0
expect_out '6 states, as 4 states'
expect_out 'alike: s[0], s[2]'
run machine minimise twice.orr --reachable -o small.orr
expect_status 0
expect_out '2 states cannot be reached'
run machine show small.orr
expect_out '-> s[0]'
run machine compare twice.orr small.orr
expect_status 0
run machine minimise twice.orr --json
expect_json
expect_equal "$(json 'j["minimal"]')" 4

# ---- reach
run machine reach twice.orr
expect_out 'unreachable  s[4], s[5]'
expect_out 'farthest     s[3], after 3 inputs: a, a, a'
expect_out 'absorbing    s[4], s[5]'
run machine reach "$root/examples/everyday_machines.orr" --machine Customer
expect_out 'absorbing    turn to be served'
expect_out 'transient    head for counter, wait in line'
run machine reach "$baby" --from sleeping --json
expect_json
expect_equal "$(json '[s["distance"] for s in j["states"]]')" '[1, 2, 3, 4, 0]'

# ---- policy: section 12, and with the least average crying 2/5
run machine policy "$baby" --cost cries=1 --from sleeping
expect_status 0
expect_out 'wants to eat   food  2/5'
expect_out 'eating         any   2/5'
expect_out 'wants to play  toy   2/5'
expect_out 'costs 2 in 5 steps'
expect_out 'cries 40 %'
run machine policy "$baby" --cost cries=1 --json
expect_json
expect_equal "$(json '[s["cost"] for s in j["states"]]')" '[0.4, 0.4, 0.4, 0.4, 0.4]'
run machine policy "$baby" --cost cries=1 --horizon 4 --from 'wants to eat' --json
expect_json
expect_equal "$(json '[j["sequence"][0], j["sequence"][2], j["states"][0]["cost"]]')" "['food', 'toy', 2]"
run machine policy "$baby" --cost cries=1 --discount 0.5 --from playing
expect_status 0
run machine policy "$tank" --machine Used --cost low=3,cold=1,other=1
expect_status 0
expect_out 'In the long run'

# ---- Rivals that behave alike
cat >alike.orr <<'END'
machine Two
  input a, b
  start s
  state s / x : a -> t, b -> s
  state t / y : a -> s, b -> t
end
machine Three
  input a, b
  start s
  state s / x : a -> t, b -> u
  state u / x : a -> t, b -> s
  state t / y : a -> u, b -> t
end
END
run machine next alike.orr
expect_status 0
expect_out 'Two and Three are equivalent: no experiment tells them apart'
expect_no_out '--adaptive'

# ---- The nine cells of the tank
run machine minimise "$tank" --machine Lamp
expect_out '9 states; no two behave alike'
run machine next "$tank" --machine Lamp --adaptive
expect_out 'No experiment, not even one that goes by what was seen, tells all states apart'
run machine next "$tank" --machine Tank
expect_out 'give  nothing'
run machine policy "$tank" --machine Tank --cost 'low cold=1,low=1,low hot=1,cold=1,hot=1,high cold=1,high=1,high hot=1'
expect_out '100 % of the time'

# ---- learn
run machine learn "$root/examples/finger_game.ledger" -o friend.orr
expect_status 0
expect_out 'with a machine of 3 states, and with none that is smaller'
run machine validate friend.orr --ledger "$root/examples/finger_game.ledger"
expect_status 0
# what a suite says of the baby is enough to find it again
run machine next "$baby" --suite --from sleeping
grep -v '^#' out >words
echo 'ledger of Baby' >baby.ledger
while read -r word; do
    run machine behave "$baby" --inputs "$word" --from sleeping --json
    echo "from sleeping : $word : $(json '", ".join(j["behaviour"][0]["outputs"])')" >>baby.ledger
done <words
run machine learn baby.ledger -o learned.csv
expect_status 0
expect_out 'a machine of 5 states'
expect_out 'It is the only one of that size.'
run machine compare "$baby" learned.csv --states
expect_status 0
run machine learn baby.ledger --json
expect_json
printf 'a, b : x, y, x\na, b : x, x, x\n' >contradiction.ledger
run machine learn contradiction.ledger --reset
expect_status 4
expect_out 'experiments 1 and 2 begin alike'
run machine learn contradiction.ledger
expect_status 0
run machine learn baby.ledger --max-states 3
expect_status 4
expect_out 'at most 3 states'
run machine learn baby.ledger --limit 10
expect_status 3

# ---- Mistakes
run machine policy "$baby" --cost crise=1
expect_status 2
expect_err "did you mean 'cries'"
run machine policy "$baby"
expect_status 2
expect_code E023
run machine policy "$baby" --cost cries
expect_code E022
run machine policy "$baby" --cost cries=1 --discount 2
expect_status 2
expect_code E853
run machine policy "$baby" --cost cries=1 --discount 0.5 --horizon 3
expect_code E025
run machine policy "$baby" --cost cries=1 --horizon 1000000000
expect_status 3
expect_code E852
run machine next "$baby" --repeat
expect_code E025
run machine next "$baby" --by size
expect_code E022
run machine next "$baby" --suite
expect_status 2
expect_code E815
run machine next "$baby" --suite --from slepping
expect_status 2
expect_err "did you mean 'sleeping'"
run machine next "$game" --suite
expect_status 2
run machine compare "$baby" "$root/examples/everyday_machines.orr" --machine Baby --machine PushButton
expect_status 1
expect_code E851
run machine compare "$baby"
expect_status 2
cat >coin.orr <<'END'
machine Coin
  input toss
  state heads / h : toss -> 0.5 heads | 0.5 tails
  state tails / t : toss -> 0.5 heads | 0.5 tails
end
END
for verb in minimise next; do
    run machine $verb coin.orr
    expect_status 1
    expect_code E850
done
run machine reach coin.orr
expect_status 0
: >empty.ledger
run machine learn empty.ledger
((status == 1 || status == 2)) || fail "an empty ledger is no data"
run machine learn baby.ledger --max-states 0
expect_code E022
run machine minimise "$baby" --reachable
expect_code E815
run machine minimise "$baby" -o baby.doc
expect_code E022
run machine minmise "$baby"
expect_err "did you mean 'minimise'"
finish
