#!/usr/bin/env bash
# Machines on the command line: run, check and the parts of `orrery machine`, for people and as JSON.
. "$(dirname "$0")/../common/shell.sh"
baby=$root/examples/baby.orr
games=$root/examples/finger_game.orr
every=$root/examples/everyday_machines.orr

# ---- run: the behaviour table as section 7 of the report draws it
run run "$baby" --inputs toy,food,toy,food --from 'wants to eat'
expect_status 0
expect_quiet
expect_equal "$(sed -n 1p out)" 'input sequence   toy           food          toy     food'
expect_equal "$(sed -n 2p out)" 'state sequence   wants to eat  wants to eat  eating  wants to play  wants to play'
expect_equal "$(sed -n 3p out)" 'output sequence  cries         cries         quiet   cries          cries'
# as CSV; the last row has no input
run run "$baby" --inputs toy,food --from eating -o walk.csv
expect_status 0
expect_equal "$(cat walk.csv)" $'step,input,state,output\n1,toy,eating,quiet\n2,food,wants to play,cries\n3,,wants to play,cries'
# inputs from a file, and from standard input
printf 'toy # first\nfood\n' >inputs.txt
run run "$baby" --inputs @inputs.txt --from eating -o -
expect_equal "$out" "$(cat walk.csv)"
expect_equal "$("$ORRERY" run "$baby" --inputs - --from eating -o - <inputs.txt)" "$(cat walk.csv)"
expect_equal "$("$ORRERY" run "$baby" --from eating -o - <inputs.txt)" "$(cat walk.csv)"
# a machine with a start needs no --from; one of several is chosen
run run "$every" --machine PushButton --inputs 'press, no press'
expect_status 0
expect_out 'dark   shines    shines'
# long walks are not printed
awk 'BEGIN { for (i = 0; i < 5000; i++) print "toy" }' >long.txt
run run "$baby" --inputs @long.txt --from 'wants to eat'
expect_status 0
expect_out "5000 inputs, from 'wants to eat' to 'wants to eat'"
# wide tables are cut into pieces
run run "$baby" --inputs "$(printf 'toy,food,%.0s' {1..10})" --from sleeping
expect_equal "$(grep -c '^state sequence' out)" 3
# chance: the same seed, the same walk
fickle=("$root/examples/baby_refined.orr" --machine FickleBaby --inputs "$(printf 'toy,food,%.0s' {1..30})" -o -)
run run "${fickle[@]}" --seed 3
first=$out
run run "${fickle[@]}" --seed 3
expect_equal "$out" "$first" "the same seed"
run run "${fickle[@]}" --seed 4
check; [[ $out != "$first" ]] || fail "another seed gives the same walk"

# ---- what goes wrong
run run "$baby" --inputs toy,food
expect_status 2
expect_code E815
expect_err '--from STATE'
run run "$baby" --inputs toy,fod --from 'wants to et'
expect_status 2
expect_code E808
expect_err "did you mean 'food'?"
expect_err "did you mean 'wants to eat'?"
run run "$every" --inputs press
expect_status 1
expect_code E814
expect_err 'PushButton, Crossing, Customer, Dispenser'
run run "$every" --machine PushButon --inputs press
expect_status 1
expect_code E813
expect_err "did you mean 'PushButton'?"
run machine show "$root/examples/loop.orr"
expect_status 1
expect_code E813
run run "$root/examples/loop.orr" --inputs a
expect_status 1
expect_code E813
run run "$baby" --inputs @nowhere --from eating
expect_status 2
expect_code E001
run run "$root/examples/loop.orr" --from start
expect_status 2
expect_code E022
run run "$baby" --inputs toy --from eating -o /dev/full
expect_status 3
expect_code E010
# Table 1a as printed: refused, naming principle 2
cat >printed.csv <<'END'
present state,input = toy,input = food,output
wants to eat,wants to eat,eating,cries
eating,wants to play,wants to play,doesn't cry
wants to play,playing,wants to play,cries
playing,wants to sleep,wants to sleep,doesn't cry
sleeping,wants to eat,wants to eat,doesn't cry
END
for command in check 'machine show' run; do
    # shellcheck disable=SC2086
    run $command printed.csv
    expect_status 1
    expect_code E802
    expect_err 'printed.csv:5:9: error E802: principle 2 is broken'
    expect_err 'printed.csv:5:24'
    expect_err "did you mean 'sleeping', to which nothing else leads?"
done
sed 's/wants to sleep/sleeping/g' printed.csv >corrected.csv
run check corrected.csv
expect_status 0
expect_out 'corrected: a Moore machine, complete and unambiguous: 5 states, 2 inputs, 2 outputs; no start'

# ---- check
run check "$every"
expect_status 0
expect_out "PushButton: a Moore machine"
expect_out "Dispenser: a Moore machine, complete and unambiguous: 6 states, 4 inputs, 2 outputs; starts in 'received[0]'"
cat >both.orr <<'END'
machine D
  input a
  state S / x : a -> T
end
model M
  x = 1
end
END
run check both.orr
expect_status 1
expect_code E802

# stages: machines have only the first; other commands say what they miss
run show --stage ast "$baby"
expect_status 0
expect_out 'state eating / quiet : * -> "wants to play"'
run show "$baby"
expect_status 1
expect_code E105
expect_err 'it has machines'

# ---- show: from form to form and back
for form in csv dot orr; do
    run machine show "$baby" -o "Baby.$form"
    expect_status 0
    run machine show "Baby.$form" --as orr
    expect_status 0
    cp out "again.$form"
    [[ $form == csv ]] && cp out first
    check; cmp -s first "again.$form" || fail "$form is read otherwise than it was written"
done
run machine show "$baby" --json
expect_status 0
check; python3 -c 'import json, sys; m = json.load(open("out")); sys.exit(not (m["states"][1] == "eating" and len(m["moves"]) == 10))' ||
    fail "the JSON of a machine"
run machine show "$baby"
expect_out 'wants to play   playing         wants to play'
expect_out 'sleeping        quiet'
run machine show "$baby" --as picture
expect_status 2
expect_code E022
run machine show "$baby" -o baby.xyz
expect_status 2
expect_code E022
if command -v dot >/dev/null; then
    run machine show "$baby" -o baby.svg
    expect_status 0
    check; grep -q '<svg' baby.svg || fail "no drawing"
    grep -q 'wants to play' baby.svg || fail "no states in the drawing"
fi
(PATH=/nowhere "$ORRERY" machine show "$baby" --as svg >out 2>err)
status=$? command='machine show --as svg, without dot' out=$(cat out) err=$(cat err)
expect_status 3
expect_code E705

# ---- behave: Table 4b
run machine behave "$baby" --inputs toy,food,toy,food
expect_status 0
expect_out '1  wants to eat   cries  cries  quiet  cries  cries'
expect_out '2  eating         quiet  cries  cries  quiet  quiet'
expect_out '3  wants to play  cries  quiet  quiet  cries  quiet'
expect_out '4  playing        quiet  quiet  cries  cries  quiet'
expect_out '5  sleeping       quiet  cries  quiet  cries  cries'
run machine behave "$baby" --inputs toy,food,toy,food --json
check; python3 -c 'import json, sys; b = json.load(open("out"))["behaviour"]; sys.exit(["".join(o[0] for o in r["outputs"]) for r in b] != ["ccqcc", "qccqq", "cqqcq", "qqccq", "qcqcc"])' ||
    fail "Table 4b as JSON"
# filling in, step by step: output, state, output, state, output
run machine behave "$baby" --inputs toy --from eating --steps
expect_status 0
expect_equal "$(grep -c '^input sequence' out)" 4
expect_equal "$(grep '^state sequence' out | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 '
expect_equal "$(grep '^output sequence' out | head -1)" 'output sequence'
run machine behave "$baby"
expect_status 2
expect_code E023

# ---- predict: exercise 10.1
run machine predict "$baby" --inputs food --outputs cries,cries
expect_status 0
expect_out 'was in      wants to play'
expect_out 'is now in   wants to play'
expect_out 'on toy: quiet; then in playing'
run machine predict "$baby" --inputs food --outputs cries,cries --json
check; python3 -c 'import json, sys; p = json.load(open("out")); sys.exit(not (p["was"] == ["wants to play"] and p["is"] == {"wants to play": 1} and p["next"][0]["outputs"] == {"quiet": 1}))' ||
    fail "exercise 10.1 as JSON"
run machine predict "$baby" --outputs cries
expect_out 'is now in   wants to eat (0.5), wants to play (0.5)'
run machine predict "$baby" --inputs toy --outputs cries,quiet,cries
expect_status 2
expect_code E818
# three times quiet after a toy each: only eating, playing and sleeping are quiet, and none of them three times
run machine predict "$baby" --inputs toy,toy,toy --outputs quiet,quiet,quiet,quiet
expect_status 4
expect_out 'it falsifies the model'

# ---- validate: section 11, with rivals
run machine validate "$games" --ledger "$root/examples/finger_game.ledger" --repair
expect_status 4
expect_out 'Copies: falsified by experiment 1; confidence was 0'
expect_out 'Alternates: falsified by experiment 1; confidence was 0'
expect_out 'Adds: falsified by experiment 2; confidence was 1'
expect_out 'F[1,1] on 2 -> F[1,1] instead of F[1,2]'
run machine validate "$games" --ledger "$root/examples/finger_game.ledger" --json
check; python3 -c 'import json, sys; m = json.load(open("out"))["models"]; sys.exit([(x["confidence"], x["falsified_by"]) for x in m] != [(0, 1), (0, 1), (1, 2)])' ||
    fail "the verdicts as JSON"
# a ledger grows: each experiment that agrees raises the confidence
run machine validate "$baby" --ledger baby.ledger --try food --observed cries,quiet
expect_status 0
expect_out 'Baby: valid so far; confidence 1'
run machine validate "$baby" --ledger baby.ledger --try toy,food --observed cries,cries,quiet --from 'wants to eat'
expect_out 'confidence 2'
run machine validate "$baby" --ledger baby.ledger --try food --observed cries,cries
expect_out 'confidence 3'
expect_out '(as 1)'
expect_equal "$(cat baby.ledger)" $'ledger of "Baby"\nfood : cries,quiet\nfrom wants to eat : toy,food : cries,cries,quiet\nfood : cries,cries'
# what makes no sense is not entered
cp baby.ledger before.ledger
run machine validate "$baby" --ledger baby.ledger --try foood --observed cries,cries
expect_status 1
expect_code E819
expect_err "did you mean 'food'?"
check; cmp -s baby.ledger before.ledger || fail "a wrong experiment was entered"
# what falsifies is entered, and stays
run machine validate "$baby" --ledger baby.ledger --try toy,toy,toy --observed quiet,quiet,quiet,quiet
expect_status 4
expect_out 'falsified by experiment 4; confidence was 3'
run machine validate "$baby" --ledger baby.ledger
expect_status 4
expect_out 'falsified by experiment 4; confidence was 3'
# a ledger of another model
run machine validate "$every" --machine PushButton --ledger baby.ledger
expect_status 1
expect_code E819
expect_err "it was kept for 'Baby', not for 'PushButton'"
run machine validate "$baby" --ledger nowhere.ledger
expect_status 1
expect_code E001
run machine validate "$baby"
expect_status 2
expect_code E023

# ---- machines in models: what cannot be a component says why
in_model() {    # in_model LINES-OF-THE-MACHINE [NAME-OF-THE-MODEL]
    printf 'machine Bit\n  input pulse\n%b\nend\nmodel %s\n  a : Bit\n  x = 1\nend\n' "$1" "${2:-M}" >in.orr
    run run in.orr --until 1
    expect_status 1
}
in_model '  state zero / low : * -> zero'
expect_code E815
expect_err 'in.orr:6:7'
in_model '  start zero\n  state zero / low : * -> on'
expect_code E802
in_model '  start zero\n  state zero / low : * -> zero' Bit
expect_code E104
run show --stage ast "$root/examples/ripple_counter.orr"
expect_status 0
expect_out 'machine Bit'
expect_no_out 'model Bit'

# ---- the command itself
run machine
expect_status 2
expect_code E023
run machine behav "$baby"
expect_status 2
expect_code E020
expect_err "did you mean 'behave'?"
for part in $("$ORRERY" --complete machine | grep -v '^-'); do
    run machine "$part" --help
    expect_status 0
    expect_out "Usage: orrery machine $part"
    help=$out
    run help machine "$part"
    expect_equal "$out" "$help"
    run machine "$part" --no-such-option
    expect_status 2
    expect_code E021
done
finish
