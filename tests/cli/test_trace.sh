#!/usr/bin/env bash
# `orrery run --trace` and `orrery show --sequence`: the messages of a run, as files and as a picture.
. "$(dirname "$0")/../common/shell.sh"

cat >pingpong.orr <<'END'
model Ping
  input event back
  output event there
  discrete n = 0
  at 1 then send there(10) end
  on back then
    n := n + 1
    if n < 3 then send there(back + 1) end
  end
end
model Pong
  input event come
  output event go
  discrete got = 0
  on come then
    got := come
    send go(2*come)
  end
end
model Game
  ping : Ping
  pong : Pong
  ping.there -> pong.come
  pong.go -> ping.back
end
END

# ---- CSV: what is sent, by hand: 10, 20, 21, 42, 43, 86, all at t = 1
run run pingpong.orr --until 2 --trace trace.csv --quiet
expect_status 0
expect_quiet
expect_equal "$(head -n 1 trace.csv)" t,bag,kind,component,port,value,elapsed,due,messages
expect_equal "$(tail -n +2 trace.csv | cut -d, -f1,3-6 | tr '\n' ' ')" \
    '1,sent,ping,there,10 1,sent,pong,go,20 1,sent,ping,there,21 1,sent,pong,go,42 1,sent,ping,there,43 1,sent,pong,go,86 '
# bags of one instant follow each other
expect_equal "$(tail -n +2 trace.csv | cut -d, -f2 | sort -n | uniq -d)" ''
run run pingpong.orr --until 2 --trace - --quiet
expect_equal "$out" "$(cat trace.csv)" 'on standard output'

# ---- Atomics: a generator every second, a processor that takes 1.5 and forgets what comes meanwhile; by hand
cat >shop.orr <<'END'
atomic Generator
  output event job
  state active for 1
    after send job(t) -> active
end
atomic Processor
  input event job
  output event done
  var now = 0
  state idle
    on job do now := job -> busy
  state busy for 1.5
    on job -> busy keeping time
    after send done(now) -> idle
end
model Shop
  source : Generator
  cpu : Processor
  source.job -> cpu.job
end
END
run run shop.orr --until 2.5 --trace shop.csv --quiet
expect_status 0
expect_equal "$(cat shop.csv)" 't,bag,kind,component,port,value,elapsed,due,messages
1,0,sent,source,job,1,,,
1,0,internal,source,,,1,2,0
1,0,external,cpu,,,1,2.5,1
2,0,sent,source,job,2,,,
2,0,internal,source,,,1,3,0
2,0,external,cpu,,,1,2.5,1
2.5,0,sent,cpu,done,1,,,
2.5,0,internal,cpu,,,0.5,inf,0'
run run shop.orr --until 2.5 --trace shop.jsonl --quiet
expect_equal "$(tail -n 1 shop.jsonl)" '{"t":2.5,"bag":0,"kind":"internal","component":"cpu","elapsed":0.5,"due":null,"messages":0}'

# ---- JSON lines
run run pingpong.orr --until 2 --trace trace.jsonl --quiet
expect_status 0
expect_equal "$(wc -l <trace.jsonl)" 6
expect_equal "$(head -n 1 trace.jsonl)" '{"t":1,"bag":0,"kind":"sent","component":"ping","port":"there","value":[10]}'
python3 -c 'import json,sys; [json.loads(line) for line in open("trace.jsonl")]' || fail 'not JSON'

# ---- Nothing to tell: a header, no failure
printf 'model Quiet\n  var x = 1\n  x'"'"' = -x\nend\n' >quiet.orr
run run quiet.orr --until 1 --trace none.csv --quiet
expect_status 0
expect_equal "$(cat none.csv)" t,bag,kind,component,port,value,elapsed,due,messages
run run quiet.orr --trace /nowhere/trace.csv --quiet
expect_status 3
expect_code E010

# ---- A chart: each name once as a box, each message as a text
run show pingpong.orr --until 2 --sequence chart.svg
expect_status 0
expect_quiet
expect_file chart.svg
for text in 'there 10' 'go 20' 'there 43' 'go 86'; do
    expect_equal "$(grep -c "$text<" chart.svg)" 1 "$text in the chart"
done
expect_equal "$(grep -c '>ping<\|ping</' chart.svg)" 1 ping
run show pingpong.orr --until 0.5 --sequence none.svg
expect_status 1
expect_code E008
expect_no_file none.svg
run show pingpong.orr --sequence chart.txt
expect_status 1
expect_err 'pictures end in .svg, .png or .pdf'
run show pingpong.orr --sequence chart.svg --stage c
expect_status 2
expect_code E025

# ---- Messages of an event port to a file, a line for each; by hand
cat >out.orr <<'END'
record Job
  born, size
end
atomic Source
  output event job : Job, n, tick : nothing
  state on for 1
    after send job(Job(t, 2*t)), n(10*t), tick -> on
end
atomic Taker
  input event n, job : Job
  var got = 0, jobs = 0
  state on
    on n do got := got + 1 end
    on job do jobs := jobs + 1 end
end
model Box
  input event into
  output event left, right
  into -> left
  into -> right
end
model Shop
  source : Source
  box : Box
  taker : Taker
  many[3] : Source
  source.n -> box.into
  box.left -> taker.n
  box.right -> taker.n
  many[2].n -> taker.n
  source.job -> taker.job
end
experiment e of Shop
  until 2.5
  record taker.got every 2.5
  output source.job to "jobs.csv"
  expect taker.got = 6 within 0
end
experiment two of Shop
  until 2.5
  output source.job, source.n to "both.csv"
end
END
run run out.orr e --quiet --output source.n=n.csv --output source.tick=tick.csv --output taker.n=taker.csv \
    --output box.right=right.csv --output 'many[3].n=third.csv' --output taker.job=came.csv
expect_status 0
expect_quiet
expect_equal "$(cat jobs.csv)" $'t,born,size\n1,1,2\n2,2,4' 'what leaves, with the fields of its record'
expect_equal "$(cat came.csv)" "$(cat jobs.csv)" 'what arrives'
expect_equal "$(cat n.csv)" $'t,source.n\n1,10\n2,20' 'numbers'
expect_equal "$(cat tick.csv)" $'t\n1\n2' 'messages that tell nothing'
expect_equal "$(cat right.csv)" $'t,box.right\n1,10\n2,20' 'an event port of a model'
expect_equal "$(cat third.csv)" $'t,many[3].n\n1,10\n2,20' 'an element'
# two ways and another sender: as many lines as the component takes messages
expect_equal "$(tail -n +2 taker.csv | sort | tr '\n' ' ')" '1,10 1,10 1,10 2,20 2,20 2,20 ' 'each arrival'
run run out.orr e --quiet --output source.n=-
expect_equal "$out" "$(cat n.csv)" 'on standard output'
run run out.orr two --quiet
expect_code E446
expect_err out.orr:41
expect_no_file both.csv
run run out.orr e --quiet --output source.nn=-
expect_code E411
run run out.orr e --quiet --output source.n=/nowhere/n.csv
expect_code E010
# of the bodies of a model
run run pingpong.orr --until 2 --output pong.go=- --quiet
expect_equal "$out" $'t,pong.go\n1,20\n1,42\n1,86'
run run pingpong.orr --until 2 --output ping.back=- --quiet
expect_equal "$out" $'t,ping.back\n1,20\n1,42\n1,86'

# What is switched: what leaves is known, what arrives is not
cat >switch.orr <<'END'
atomic Clock
  output event tick
  state on for 1
    after send tick(t) -> on
end
atomic Ear
  input event tick
  var n = 0
  state on
    on tick do n := n + 1 end
end
model M
  clock : Clock
  ear : Ear
  clock.tick -> ear.tick when t < 2.5
end
END
run run switch.orr --until 4 --output clock.tick=- --quiet
expect_equal "$out" $'t,clock.tick\n1,1\n2,2\n3,3\n4,4'
run run switch.orr --until 4 --output ear.tick=- --quiet
expect_code E446
expect_err 'name the event output'

# A large array has one port for all
cat >large.orr <<'END'
atomic Cell
  input event kick
  output event out
  var n = 0
  state on for 1
    on kick do n := kick end
    after send out(t + n) -> on
end
model M
  cell[150, 150] : Cell
  cell[1, 1].out -> cell[150, 2].kick
end
END
run run large.orr --until 2 --output 'cell[150,2].out=large.csv' --output 'cell[150,2].kick=kick.csv' --quiet
expect_equal "$(cat large.csv)" $'t,"cell[150,2].out"\n1,1\n2,3'
expect_equal "$(cat kick.csv)" $'t,"cell[150,2].kick"\n1,1\n2,2'
run run large.orr --until 2 --output 'cell[151,2].out=large.csv' --quiet
expect_code E411

# Killed at any moment there are whole lines
"$ORRERY" run out.orr e --until 1e9 --output source.job=long.csv --quiet >/dev/null 2>&1 &
pid=$!
for _ in $(seq 100); do
    [ "$(wc -l <long.csv 2>/dev/null || echo 0)" -gt 1000 ] && break
    sleep 0.1
done
kill -9 $pid
wait $pid 2>/dev/null
expect_equal "$([ "$(wc -l <long.csv)" -gt 1000 ] && echo many)" many 'lines before it was killed'
expect_equal "$(tail -n +2 long.csv | awk -F, 'NF != 3 || $1 != $2 || $3 != 2*$1' | wc -l)" 0 'whole lines'
expect_equal "$(tail -c 1 long.csv | od -An -c | tr -d ' ')" '\n'

# ---- Islands are in the same kernel: signals, perturbations and what passes through the main part, by hand
run run "$root/tests/models/islands.orr" jumpy --trace isles.csv --quiet
expect_status 0
# at 2.05 the main part perturbs deaf, which tells h = 1 + 7/2 as a jump that only it has seen; the main part passes twice of it on
expect_equal "$(grep ,sent, isles.csv | grep -E '^2.05,[0-3],' | cut -d, -f2,4-6 | tr '\n' ' ')" \
    '0,,deaf.perturb,7 1,deaf,h,4.5 0 1 2,,mirror,9 0 2 '
# at 1 half of u jumps, by an event of the main part
expect_equal "$(grep -E '^1,[0-9]+,sent,,half' isles.csv | cut -d, -f6)" '2 0 1'
run run "$root/examples/bottling.orr" --until 3.5 --trace line.jsonl --quiet
expect_equal "$(grep '"sent"' line.jsonl | sed 's/.*"component":"\([^"]*\)","port":"\([^"]*\)","value":\(.*\)}/\1.\2\3/' | tr '\n' ' ')" \
    '.tap.flows[1,0] bottle.full[1] .tap.flows[0,0,1] robot.empty[0] .tap.flows[1,0,1] '

# ---- A condition on an arrow makes no grid: rows stand where something happens
cat >arrow.orr <<'END'
atomic Source
  output event out
  var n = 0
  state on for 1.25
    after send out(n) do n := n + 1 -> on
end
atomic Counter
  input event in
  var got = 0
  state idle
    on in do got := got + 1 -> idle
end
model M
  a : Source
  b : Counter
  a.out -> b.in when t < 3
end
END
run run arrow.orr --until 5 --record b.got -o - --quiet
expect_status 0
expect_equal "$out" $'t,b.got\n0,0\n1.25,1\n2.5,2\n3,2\n3.75,2\n5,2'

# ---- The cause of an event is what the user wrote
cat >causes.orr <<'END'
table k(x) linear
  0 : 0
  1 : 2
  3 : 1
end
model Sub
  discrete works = 1
  when initial or works > 0.5 after exponential(0.5) then works := 0 end
end
model M
  var x = 0
  param lim = 0.5
  discrete n = 0
  s : Sub
  x' = if x > lim then k(x) else 1
  when k(x) >  1.5 then n := 1 end
end
END
run run causes.orr --until 3 --events causes.csv --quiet
expect_status 0
causes=$(cut -d, -f2 causes.csv | sort -u)
for cause in 'x > lim' 'when k(x) > 1.5' 'when initial or works > 0.5 after exponential(0.5)'; do
    grep -q -F -- "$cause" <<<"$causes" || fail "no event is caused by '$cause' but by: $causes"
done
! grep -q -E 'draws|code|unit\(' <<<"$causes" || fail "internals are shown: $causes"
finish
