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

finish
