#!/usr/bin/env bash
# Whatever is given to it, the program says what is wrong, under a code that `explain` knows, and never crashes.
. "$(dirname "$0")/../common/shell.sh"

# bad <status> <codes> <text> [options]: a model that is refused, with all these codes and texts
n=0
bad() {
    local want=$1 codes=$2 code text
    n=$((n + 1))
    run check "case$n.$suffix" "${@:3}"
    expect_status "$want"
    for code in $codes; do expect_code "$code"; done
    while IFS= read -r text; do [[ -z $text ]] || expect_err "$text"; done
}
suffix=orr
write() { cat >"case$((n + 1)).$suffix"; }

# ---- Names
write <<'END'
model Tank
  param tau = 2
  var level = 1
  level' = levle / tua
  y = sqtr(level)
end
END
bad 1 'E101 E110' <<'END'
case1.orr:4:12: error E101: nothing called 'levle' is declared in 'Tank'
did you mean 'level' (line 3)?
did you mean 'tau'
did you mean 'sqrt'?
END
write <<'END'
model A
  part : Tnak
  other : Tank(kk = 2)
  3 = part.x
end
model Tank
  param k = 1
  x = k
end
END
bad 1 'E103' --model A <<'END'
did you mean 'Tank'?
END
write <<'END'
model A
  part : Tank(kk = 2)
end
model Tank
  param k = 1
  x = k
end
END
bad 1 E108 --model A <<'END'
did you mean 'k'
END
write <<'END'
model A
  x = f(1, 2)
  function f(a) = a
end
END
bad 1 E111 <<<'not 2'
write <<'END'
model A
  t = 3
end
END
bad 1 E309 <<<''

# ---- Too few, too many, twice
write <<'END'
model A
  var x, y, z
  x + y = 3
  z = x
end
END
bad 1 E301 <<'END'
2 equations for 3 unknowns
END
write <<'END'
model A
  var x = 1
  x' = 2
  x' = 3
  y = 1
  y = 2
end
END
bad 1 E310 <<'END'
:4:3: error E310: 'x'' is computed twice
:6:3: error E310: 'y' is computed twice
END
write <<'END'
model A
  var x, y
  x + y = 3
  x - y = 1
  x*y = 2
end
END
bad 1 E302 <<<'3 equations for 2 unknowns'
write <<'END'
model A
  param a = 1
  var a
  a = 2
end
END
bad 1 E102 <<<"'a' is declared twice"
write <<'END'
model A
  x = 1
end
model A
  x = 2
end
END
bad 1 E104 <<<"'A' is defined twice"
write <<'END'
model A
  var x
  x' = -x
end
END
bad 1 E304 <<<"state 'x' has no initial value"
write <<'END'
model A
  k = 2
  k*2 = k + k
end
END
bad 1 E310 <<<''

# ---- Circles
write <<'END'
model A
  b : B
end
model B
  c : C
end
model C
  a : A
end
END
bad 1 E107 <<<'A → B → C → A'
write <<'END'
function f(x) = g(x)
function g(x) = f(x)
model A
  x = f(1)
end
END
bad 1 E112 <<<''
write <<'END'
model A
  param a = b, b = a
  x = a
end
END
bad 1 E114 <<<''

# ---- Numbers
write <<'END'
model A
  x = 1e999
end
END
bad 1 E208 <<<"infinity is written 'inf'"
write <<'END'
model A
  x = 12abc + 3..4 + 5.
end
END
bad 1 E202 <<<''
write <<'END'
model A
  x = 1/0
end
END
bad 0 '' <<<''
run run "case$n.orr"
expect_status 3
expect_code E511
expect_err "case$n.orr:2:"
write <<'END'
model A
  x = log(t - 1)
end
END
bad 0 '' <<<''
run run "case$n.orr"
expect_status 3
expect_code E503
expect_err 'log(-1)'
printf "model A\n  param a = 1\n  x = a*y + 1\n  y = a*x + 1\nend\n" >singular.orr
run run singular.orr
expect_status 3
expect_code E512
expect_err 'with a = 1'
run run singular.orr --set a=2 -o - --quiet
expect_equal "$(sed -n 2p out)" 0,-1,-1
printf "model A\n  var x = inf\n  x' = 1\nend\n" >infinite.orr
run run infinite.orr --quiet
expect_status 3
[[ $err =~ error\ E5 ]] || fail "an infinite initial value goes unnoticed"

# ---- Syntax, several at once
write <<'END'
model A
  x = (1 + 2
  y = = 3
  z := 4
  model B
end
experiment e of
END
bad 1 E204 <<<''
for text in 'model' 'model A' 'model A\nend end' 'end' 'experiment' 'use' 'use "' '"' 'model "' 'model A\n x = "' 'model A\n x = [' \
    'model A\n x = (' "model A\n x''''''''''' = 1\nend" 'model A\n for i in 1..\nend' 'model A\n x[1..] = 2\nend' '\xef\xbb\xbfmodel' \
    'model A\n if x then\nend' 'orrery 99\nmodel A\n x = 1\nend' 'function f(' 'function f(x)\n return' 'model A;x=1;y=x;;;end;;' \
    'model A\n a < b < c\nend' 'model A\n x == 1\nend' 'model A\n a = b = c\nend' '\x01' '\x7f' 'model \xc3\xa9\n x = 1\nend' '$endtime = 3'; do
    for suffix in orr csmp; do
        # shellcheck disable=SC2059
        printf "$text" >text.$suffix
        run check text.$suffix
        check
        [[ $status == 0 || $err =~ (error|warning)\ [EW][0-9]+: ]] || fail "no message for '$text'"
    done
done
suffix=orr

# ---- Files that are none
: >empty.orr
run run empty.orr
expect_status 1
expect_code E105
: >empty.csmp
run run empty.csmp
expect_status 1
expect_code E253
mkdir folder.orr
run run folder.orr
expect_status 1
expect_code E003
run run nothere.orr
expect_status 1
expect_code E001
echo 'model A' >model.txt
run run model.txt
expect_status 1
expect_code E007
run run ''
expect_status 1
ln -s loop.orr loop.orr
run run loop.orr
expect_status 1
expect_code E002

# files that are used lie in the folder of the model, wherever a link says they are
mkdir linked linked/inside
printf 'model Part\n  x = 1\nend\n' >linked/inside/part.orr
printf 'model Secret\n  x = 1\nend\n' >secret.orr
ln -s inside/part.orr linked/near.orr
ln -s ../secret.orr linked/far.orr
ln -s .. linked/up
printf 'use "near.orr"\nmodel A\n  p : Part\nend\n' >linked/good.orr
printf 'use "far.orr"\nmodel A\n  p : Secret\nend\n' >linked/bad.orr
printf 'use "up/secret.orr"\nmodel A\n  p : Secret\nend\n' >linked/worse.orr
run check linked/good.orr
expect_status 0
for file in bad worse; do
    run check linked/$file.orr
    expect_status 1
    expect_code E009
    expect_err 'link'
done
cp "$ORRERY" program.orr
cp "$ORRERY" program.csmp
for file in program.orr program.csmp; do
    run check $file
    expect_status 1
    expect_code E005
done
printf 'model A\n  x = 1 # \xff\xfe\nend\n' >latin.orr
run check latin.orr
expect_status 1
expect_code E006

# ---- A megabyte of garbage, of every kind: the same each time
# random <seed>: bytes of a generator of our own
random() {
    awk -v seed="$1" -v n="$2" -v set="$3" 'BEGIN { srand(seed); k = length(set)
        while (n > 0) { s = ""; for (i = 0; i < 1000; i++) s = s substr(set, int(rand()*k) + 1, 1); printf "%s", s; n -= 1000 } }'
}
letters="abcxyz0123456789.,;:=+-*/^()[]<>'\"#\$ _"
words=$'\n\n\n'
openssl enc -aes-128-ctr -nosalt -pass pass:1 -md md5 </dev/zero 2>/dev/null | head -c 1000000 >garbage.orr ||
    head -c 1000000 /dev/urandom >garbage.orr
for seed in 1 2; do random $seed 1000000 "$letters$words" >letters$seed.orr; done
random 3 300000 "model end var param = x y 1 + ( ) \" ' for in .. if then else $words" >words.orr
for file in garbage letters1 letters2 words; do
    cp $file.orr $file.csmp
    cp $file.orr $file.csv
    for command in "check $file.orr" "run $file.orr" "fmt --check $file.orr" "check $file.csmp" "show --stage ast $file.orr"; do
        # shellcheck disable=SC2086
        run $command
        expect_status 1
        [[ $err =~ error\ E[0-9]+ ]] || fail "no message"
        check; ((${#err} < 100000)) || fail "there are ${#err} characters of messages"
    done
    run plot $file.csv
    [[ $status == 3 || $status == 0 ]] || fail "status $status"
done

# ---- Deep, long, wide
repeat() { awk -v n="$1" -v s="$2" 'BEGIN { while (n-- > 0) printf "%s", s }'; }
while IFS='|' read -r before after; do
    printf 'model A\n  x = %s1%s\nend\n' "$(repeat 100000 "$before")" "$(repeat 100000 "$after")" >deep.orr
    for command in check run fmt; do
        run $command deep.orr
        expect_status 1
        expect_code E207
    done
done <<'END'
(|)
-|
sin(|)
2^|
if t > 0 then |  else 0
min(1, |)
not |
END
printf 'model A\n%send\n' "$(repeat 100000 $'for i in 1..2\n')" >deep.orr
run check deep.orr
expect_status 1
[[ $err =~ error\ E ]] || fail "no message"
printf 'model A\n  x = 1%s\nend\n' "$(repeat 200000 ' + 1')" >long.orr
run run long.orr --until 0 -o - --quiet
expect_status 0
expect_equal "$(tail -n 1 out)" 0,200001
printf 'model A\n  x = t%s\nend\n' "$(repeat 50000 '*t + 1')" >long.orr
run run long.orr --until 1 -o - --quiet
expect_status 0
name=$(repeat 1000000 a)
printf 'model A\n  %s = 1\n  y = %sb\nend\n' "$name" "$name" >long.orr
run check long.orr
expect_status 1
expect_code E101
check; ((${#err} < 20000)) || fail "the message has ${#err} characters"
# components 2000 deep; a chain of 100000 equations, backwards
awk 'BEGIN { for (i = 1; i < 2000; i++) printf "model M%d\n  c : M%d\nend\n", i, i + 1; print "model M2000\n  x = 1\nend" }' >nested.orr
run run nested.orr --until 0 --quiet
check
[[ $status == 0 || $err =~ error\ E207 ]] || fail "components in components"
awk 'BEGIN { n = 100000; print "model A"; for (i = n; i > 1; i--) printf "  x%d = x%d + 1\n", i, i - 1; print "  x1 = t\nend" }' >chain.orr
run run chain.orr --until 1 --record x100000 -o - --quiet
expect_status 0
expect_equal "$(tail -n 1 out)" 1,100000
awk 'BEGIN { n = 100000; print "$endtime = 1\n$timestep = 0.5"; for (i = n; i > 1; i--) printf "OFFSET, %d, 1, %d\n", i, i - 1; print "TIME, 1\nO, 100001, 100000" }' >chain.csmp
run run chain.csmp -o - --quiet
expect_status 0
expect_equal "$(tail -n 1 out)" 1,100000
printf 'model A\n  param n = 1e9\n  var x[n]\n  for i in 1..n\n    x[i] = 1\n  end\nend\n' >wide.orr
run check wide.orr
expect_status 1
[[ $err =~ error\ E ]] || fail "no message about a billion variables"
printf 'model A\n  var x[3]\n  for i in 1..4\n    x[i] = 1\n  end\nend\n' >index.orr
run check index.orr
expect_status 1
expect_code E122

# ---- Files that use files
mkdir -p parts/sub
printf 'use "parts/a.orr"\nmodel Main\n  a : A\nend\n' >main.orr
printf 'use "b.orr"\nmodel A\n  b : B\nend\n' >parts/a.orr
printf 'use "a.orr"\nuse "sub/c.orr"\nmodel B\n  c : C\nend\n' >parts/b.orr
printf 'use "../../main.orr"\nmodel C\n  x = 1\nend\n' >parts/sub/c.orr
run run main.orr --until 0 --record a.b.c.x -o - --quiet    # in a circle: each is read once
expect_status 0
expect_equal "$(tail -n 1 out)" 0,1
for path in ../outside.orr /etc/passwd parts/../../outside.orr; do
    printf 'model A\n  x = 1\nend\n' >../outside.orr 2>/dev/null
    printf 'use "%s"\nmodel Main\n  x = 1\nend\n' $path >outside.orr
    run check outside.orr
    expect_status 1
    expect_code E009
done
rm -f ../outside.orr
for path in nothere.orr parts model.txt program.orr; do
    printf 'use "%s"\nmodel Main\n  x = 1\nend\n' $path >uses.orr
    run check uses.orr
    expect_status 1
    [[ $err =~ error\ E00 ]] || fail "no message about the file used"
    expect_err 'uses.orr:1:'
done

# ---- Experiments and settings
lv=$root/examples/lotka_volterra.orr
while IFS='|' read -r arguments code text; do
    # shellcheck disable=SC2086
    run run "$lv" $arguments --quiet
    expect_status "${code#* }"
    expect_code "${code% *}"
    expect_err "$text"
done <<'END'
cyclle|E401 1|did you mean 'cycle'?
nonsense|E401 1|there is 'cycle' and others
--set alhpa=1|E406 2|did you mean 'alpha'?
--set alpha|E022 2|NAME=VALUE
--set =1|E022 2|NAME=VALUE
--set alpha=|E407 2|not a number
--set alpha=abc|E407 2|not a number
--set alpha=inf|E502 3|became infinite
--set alpha=nan|E407 2|finite
--set X=1e999|E407 2|
--set V=1|E407 2|computed by an equation
--set t=1|E406 2|
--solver rk5|E403 2|did you mean 'rk4'?
--solver rk4 --step 0|E409 2|--step 0.01
--step -1|E409 2|
--tol 0|E415 2|
--abs -1|E415 2|
--max-step 0|E409 2|
--until -1|E410 2|
--from 5 --until 4|E410 2|
--every -1|E407 2|
--every 1e-300|E407 2|1e12 rows
--record Z|E411 2|there are alpha, beta
--record X,Xx|E411 2|did you mean 'X'?
--update sideways|E022 2|in-place
--solver rk4 --update in-place|E025 2|
--code fast|E022 2|native
--loops maybe|E022 2|halt
--model Lotka|E103 1|there are LotkaVolterra
--set alpha=1 --set beta=x --record Q --solver nope|E407 2|
END
printf 'model A\n  x = 1\nend\nexperiment e of B\n  until 1\nend\n' >e.orr
run run e.orr
expect_status 1
expect_code E103
while IFS='|' read -r line code; do
    printf 'model A\n  var x = 1\n  x'"'"' = -x\nend\nexperiment e of A\n  until 1\n  %s\nend\n' "$line" >e.orr
    run run e.orr --quiet
    check; ((status == 1 || status == 2 || status == 4)) || fail "the status for '$line'"
    expect_code "$code"
done <<'END'
until 2|E216
solver rk4 step 0|E409
solver rk4 stpe 1|E404
solver nope|E403
record y|E411
plot y|E411
set y = 1|E406
set x = z|E101
every -1|E407
expect y = 1 within 1|E411
expect x at 5 = 1 within 1|E414
expect x = 5 within 1|E413
expect x = 5 within -1|E407
repeat 5|E209
solver rk4 step 1/0|E407
END

# ---- Islands among atomics: types, states, what must be coupled
islands='record Hit
  a
  b
end
model Ball
  input event stop : nothing required
  output event bounce : Hit
  var h = 1
  y = 2*h
  h'"'"' = -1
end
model Decay
  input event kick
  var x = 1
  x'"'"' = -x
end
atomic Pulse
  output event out
  output event stop : nothing
  state waiting for 1
    after send out(1) -> waiting
end'
write <<END
$islands
model Top
  island ball : Ball
  island decay : Decay
  ball.bounce -> decay.kick
  ball.bounce -> decay.x
end
END
bad 1 'E174' --model Top <<'END'
'ball.bounce' sends messages of type Hit, but 'decay.kick' takes number
'ball.bounce' sends messages of type Hit, but 'decay.x' takes a number
a perturbation is one number
END
write <<END
$islands
model Top
  island ball : Ball
end
END
bad 1 'E156' --model Top <<'END'
input 'ball.stop' must be coupled, and is not
lead an arrow to it: … -> ball.stop
END
write <<END
$islands
model Top
  island ball : Ball
  pulse : Pulse
  pulse.stop -> ball.stop
  pulse.out -> ball.y
end
END
bad 1 'E176' --model Top <<'END'
messages of 'pulse.out' cannot go to 'ball.y': it is a variable of an island, but no state
messages perturb states; lead it to an event input of the island
END

# ---- CSMP
suffix=csmp
while IFS='|' read -r line code; do
    printf '$endtime = 1\n$timestep = 0.1\nK, 1, 5\nO, 2, 1\n%b\n' "$line" >bad.csmp
    run check bad.csmp
    expect_status 1
    expect_code "$code"
    expect_err 'bad.csmp:5:'
done <<'END'
Q, 3, 1|E240
K, 1, 6|E242
K, 0, 6|E241
K, x, 6|E241
K, 99999999999999999999, 6|E241
X, 3, 1, 9|E243
I, 3, 1|E244
K, 3, 1, 2|E244
$endtime = 3|E216
$speed = 3|E245
$starttime = abc|E247
K, 3, 1e999|E250
K, 3, inf|E250
X, 3, 1.5, 1|E251
nonsense|E252
LIMIT, 3, 5, 1, 1|E254
FUNCTION, 3, 1, 0, 0, 0, 1|E127
END
echo 'K, 1, 5' >bad.csmp
run run bad.csmp
expect_status 1
expect_code E246
# a condition that depends on what it decides has no block diagram; it was followed without end
run export --csmp "$root/examples/rectifier.orr"
expect_status 1
expect_err E320
finish
