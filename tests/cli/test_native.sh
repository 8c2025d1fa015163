#!/usr/bin/env bash
# `--native`: atomics in C, from an object that fits, and from many that do not.
. "$(dirname "$0")/../common/shell.sh"

model=$root/examples/native/smooth.orr code=$root/examples/native/smooth.c

# object <name> [sed expression]: the example, changed, as <name>.so
object() {
    sed "${2:-}" "$code" >"$1.c"
    [[ -z ${2:-} ]] || ! cmp -s "$1.c" "$code" || { command=; fail "'$2' changes nothing"; }
    "${CC:-cc}" -shared -fPIC -I "$root/include" -o "$1.so" "$1.c" || { command=; fail "$1.c does not compile"; }
}

# ---- The example: expectations of the model hold, for every command that runs it
object smooth
for code_tier in instant native; do
    run run "$model" --native smooth.so --code $code_tier -o rows.csv
    expect_status 0
    expect_equal "$(cut -d, -f2- rows.csv | tail -n 1)" 2.265625,4,2.265625
done
run test "$model" --native ./smooth.so
expect_status 0
expect_out '3 passed, 0 failed'
run check "$model" --native smooth.so
expect_status 0
expect_out 'smooth : Smooth'
run replicate "$model" --native smooth.so --replications 3
expect_status 0
expect_out '2.265625'
# by hand: 1, 1.5, 2.25, 3.125; and all of what comes, so the last one
printf 'smooth.part\n0.5\n1\n' >members.csv
run ensemble "$model" --native smooth.so --members members.csv -o ensemble.csv
expect_status 0
expect_equal "$(grep -oE '3\.125|,4,4,4' ensemble.csv | sort -u | tr '\n' ' ')" ',4,4,4 3.125 '
run run "$model" --native smooth.so --set smooth.part=0.5 --record smooth.level -o -
expect_out '4.5,3.125'
run show "$model" --stage atomic --native smooth.so
expect_status 0
expect_out 'atomic Smooth: native'
run show "$model" --stage ast
expect_out 'atomic Smooth native'

# a run that was saved goes on with the same bits, since the state is plain bytes
run run "$model" --native smooth.so --until 2.5 --checkpoint half.ck --quiet
run run "$model" --native smooth.so --resume half.ck -o rest.csv
expect_status 0
expect_equal "$(tail -n 1 rest.csv)" "$(tail -n 1 rows.csv)"

# a failure in C names the component
object refuse 's/isnan(value)/value > 2.5/'
run run "$model" --native refuse.so
expect_status 3
expect_err "smooth"
expect_err 'a value to be smoothed is not a number'

# queues and random numbers of the library are there for objects
object library 's/s->is_due = 1;/orr_random r = orr_devs_random(call, "x"); orr_devs_queue q; orr_devs_queue_init(\&q, 8, 0); s->is_due = orr_random_unit(\&r) < 2;/'
run run "$model" --native library.so --quiet
expect_status 0

# ---- Nothing foreign runs without being asked for
run run "$model"
expect_status 1
expect_err "E875: atomic 'Smooth' is native, and no native object was given"
expect_err '--native Smooth.so'
run run "$root/examples/queues.orr" --native smooth.so --quiet
expect_status 0

# ---- What is no object, or not for this program
run run "$model" --native nowhere.so
expect_status 1
expect_err E001
run run "$model" --native .
expect_status 1
expect_err E003
run run "$model" --native "$model"
expect_status 1
expect_err E876
expect_err 'is no native object that can be loaded'
expect_err 'cc -shared -fPIC'
: >empty.so
run run "$model" --native empty.so
expect_status 1
expect_err E876
object nameless 's/orr_native_atomics/something_else/'
run run "$model" --native nameless.so
expect_status 1
expect_err E876
expect_err 'it has no function orr_native_atomics'
object null 's/return &table/return 0/'
run run "$model" --native null.so
expect_status 1
expect_err E876
expect_err 'its table of atomics is missing'
object alone 's/orr_devs_send(/orr_devs_nothing(/; s/^#include <math.h>/void orr_devs_nothing(const void *, unsigned, const void *);\n&/'
run run "$model" --native alone.so
expect_status 1
expect_err E876
expect_err 'orr_devs_nothing'
object old 's/table = { .version = ORR_DEVS_VERSION/table = { .version = 1/'
run run "$model" --native old.so
expect_status 1
expect_err "E877: 'old.so' was built for version 1 of orrery/devs.h"
expect_err 'compile it again'
object older 's/    .version = ORR_DEVS_VERSION/    .version = 1/'
run run "$model" --native older.so
expect_status 1
expect_err "E877: 'older.so' was built for version 1"

# ---- Objects whose atomic is another one: change, code, what the message says
while IFS='|' read -r change code_told message; do
    object other "$change"
    run run "$model" --native other.so
    expect_status 1
    expect_err "$code_told"
    expect_err "$message"
done <<'END'
s/"Smooth"/"Smoth"/|E875|none of the native objects given has it
s/"part"/"portion"/|E878|parameter 1 is 'portion' there, 'part' here
s/n_params = 1/n_params = 0/|E878|it has 0 parameters there, 1 here
s/params_size = sizeof(double)/params_size = 4/|E878|its parameters are 4 bytes
s/{ "value", "number"/{ "x", "number"/|E878|input event 1 is 'x : number' there, 'value : number' here
s/{ "smooth", "number"/{ "smooth", "Job"/|E878|output event 1 is 'smooth : Job' there
s/{ "smooth", "number", sizeof(double)/{ "smooth", "number", 4/|E878|a message of 'smooth' has 4 bytes there, 8 here
s/n_outputs = 1/n_outputs = 0/|E878|it has 0 output events there, 1 here
s/{ "count", offsetof/{ "number", offsetof/|E878|it has no variable 'count' there
s/offsetof(Smooth, count)/4000/|E878|its variable 'count' is no double inside its state
s/.advance = advance, //|E150|it has no time advance
END
run run "$model" --native smooth.so --native ./smooth.so
expect_status 1
expect_err 'E879'

# ---- What a native atomic may not have in the text
sed 's/  var level, count/  var level = 1\n  state idle/' "$model" >body.orr
run check body.orr --native smooth.so
expect_status 1
expect_err "E874: atomic 'Smooth' is native: a state belongs to its C code"
expect_err "E874: atomic 'Smooth' is native: the value of a variable"

# ---- A checkpoint belongs to the code it was written with, wherever that lies
run run "$model" --native smooth.so --until 2.5 --checkpoint half.ck --quiet
expect_status 0
cp smooth.so elsewhere.so
run run "$model" --native elsewhere.so --resume half.ck --quiet
expect_status 0
object other 's/s->part\*(value - s->level)/2*s->part*(value - s->level)/'
run run "$model" --native other.so --resume half.ck --quiet
expect_status 2
expect_code E031

# ---- Every command that opens a model takes the code of its native atomics
cp "$model" smoothing.orr
cat >plant.orr <<'END'
use "smoothing.orr"
model Plant
  steps : Steps
  smooth : Smooth(part = 0.25)
  display : Display
  steps.value -> smooth.value
  smooth.smooth -> display.value
  var x = 1
  x' = display.y - x
end
END
printf 'smooth.part\n0.25\n0.5\n' >members.csv
while IFS='|' read -r verb options result; do
    # shellcheck disable=SC2086
    run "$verb" plant.orr --model Plant $options
    expect_status 1
    expect_code E875
    # shellcheck disable=SC2086
    run "$verb" plant.orr --model Plant --native smooth.so $options </dev/null
    expect_status 0
    expect_quiet
    expect_out "$result"
done <<'END'
run|--until 1.5|Plant
step||Plant at t = 0
check||smooth : Smooth
show|--stage network|smooth.smooth -> display.value
steady||stable node
linearise|--at 2.5 --outputs x,smooth.level|smooth.level               0
continue|--param smooth.part --from 0.1 --to 0.5|1 branch
compare|--until 2.5 --solvers dopri5,bdf|2 methods
ensemble|--until 2.5 --members members.csv|2 members
replicate|--until 2.5 --replications 2|2 replications
END
# by hand: 0 until 1, 1 until 2, then 1.25; x follows with the time constant 1
run linearise plant.orr --model Plant --native smooth.so --at 2.5
expect_near "$(sed -n 's/^  x = //p' out)" "$(awk 'BEGIN { a = 1 - (1 - exp(-1))*exp(-1); print 1.25 - (1.25 - a)*exp(-0.5) }')" 1e-6
run export plant.orr --model Plant --native smooth.so --c folder
expect_status 1
expect_code E321
run steady plant.orr --model Plant --native smooth.so --loops always
expect_status 2
expect_code E022

finish
