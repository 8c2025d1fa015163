#!/usr/bin/env bash
# Messages from files: rows become messages, also where equations hear them, and what is wrong is told with line and column.
. "$(dirname "$0")/../common/shell.sh"

cp -r "$root/examples/lib" "$root/examples/data" "$root/examples/arrivals.orr" .
run test arrivals.orr
expect_status 0
run run arrivals.orr --quiet --output cpu.done=done.csv
expect_status 0
expect_equal "$(sed -n 4p done.csv)" '7.5,1.75,4,3'

# what was written is read again: by the names of the fields
sed 's|input job from .*|input job from "done.csv" as messages|; /expect/d' arrivals.orr >again.orr
run run again.orr --quiet --output cpu.done=twice.csv
expect_status 0
# 2.5 + 2, 4.5 + 1, 7.5 + 4, + 0.5, + 1, + 2
expect_equal "$(cut -d, -f1 twice.csv | tr '\n' ' ')" 't 4.5 5.5 11.5 12 13 15 '
run run again.orr --quiet --output cpu.done=thrice.csv --input job=done.csv:messages
cmp twice.csv thrice.csv || fail '--input reads other messages'

# saved between two rows, and gone on
run run arrivals.orr -o whole.csv --quiet
run run arrivals.orr --until 4 --checkpoint half.ck --quiet
expect_status 0
run run arrivals.orr --resume half.ck -o rest.csv --quiet
expect_status 0
cmp <(tail -n 16 whole.csv) <(tail -n 16 rest.csv) || fail 'a resumed run reads other messages'
# rows before the start are passed over
run run arrivals.orr --from 2 -o late.csv --quiet
expect_equal "$(value late.csv sink.n)" 3

# numbers and mere signs, to equations; units and times are converted
cat >kick.orr <<'MODEL'
model M
  input event kick [m], tick : nothing
  var h = 1 [m]
  h' = -0.5 [1/s]*h
  discrete n = 0
  on kick then h := h + kick end
  on tick then n := n + 1 end
end
experiment e of M
  until 6
  solver dopri5 tol 1e-9
  input kick from "kicks.csv" as messages
  input tick from "kicks.csv" time "tick" as messages
  expect n = 3 within 0
  expect h = ((1*exp(-0.5) + 0.5)*exp(-0.5) + 0.25)*exp(-0.5*4) within 1e-6
end
MODEL
printf 't [min],kick [cm],tick,what\n%s,50,0,a\n%s,25,1,b\n8,3,6,c\n' 0.016666666666666666 0.03333333333333333 >kicks.csv
run test kick.orr
expect_status 0
printf 't,way [cm]\n1,50\n1,25\n' >kicks.csv    # of two columns the other one; twice at one time, in order
sed -i '/input tick/d; /expect/d' kick.orr
run run kick.orr -o out.csv --quiet
expect_status 0
expect_near "$(value out.csv h)" "$(awk 'BEGIN { print (exp(-0.5) + 0.75)*exp(-2.5) }')" 1e-6

# bad <place and code> <rows…>: behind two good ones
bad() {
    local wanted=$1
    shift
    { printf 't,born,size,route\n1,1,1,1\n2,2,1,1\n'; printf '%s\n' "$@"; } >done.csv
    run run again.orr -o out.csv --quiet
    expect_status 3
    expect_err "done.csv:$wanted"
    expect_equal "$(tail -n 1 out.csv | cut -d, -f1)" 1    # rows until then are kept
}
bad '4:5: error E042' '3,3,x,1'
bad '4:1: error E052' '1.5,3,1,1'
bad '4:1: error E051' ',3,1,1'
bad '4:5: error E054' '3,3,,1'
bad '4:7: error E054' '3,3,1,inf'
bad '4: error E041' '3,3,1'
bad '5:3: error E042' '# a remark' '3,y,1,1'
printf 't,born,size,route\n1,z,1,1\n' >done.csv
run run again.orr --quiet
expect_status 2
expect_err 'done.csv:2:3: error E042'
printf 't,born,size\n1,1,1\n' >done.csv
run run again.orr --quiet
expect_status 2
expect_code E050
expect_err "again.orr:17:3: error E050: 'done.csv' has no column 'route'"
rm done.csv
run run again.orr --quiet
expect_status 2
expect_code E001
expect_err 'again.orr:17:3'
printf 't,born,size,route\n' >done.csv    # nothing ever came
run run again.orr -o out.csv --quiet
expect_status 0
expect_equal "$(value out.csv sink.n)" 0

refuse() {    # <statement> <code> <words>
    sed "s|input job from .*|$1|" again.orr >wrong.orr
    run run wrong.orr --quiet
    ((status == 1 || status == 2)) || fail 'it is not refused'
    expect_code "$2"
    expect_err "$3"
}
refuse 'input jobs from "done.csv" as messages' E430 "did you mean 'job'"
refuse 'input job from "done.csv" columns "t", "t" as messages' E448 'has 3 fields, but 2 columns are named'
refuse 'input job from "done.csv" linear' E430 'as messages'
refuse 'input job from "done.csv" as messages hold' E204 'each row is a message'
refuse 'input job from "done.csv"' E204 'as messages'
refuse 'input job from stdin as messages' E204 'each row is a message'
refuse 'input job from "done.csv" columns "t" hold' E204 'column'
refuse 'input job from "../done.csv" as messages' E056 '--allow-io'
finish
