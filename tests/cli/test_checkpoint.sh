#!/usr/bin/env bash
# Checkpoints: a run that is resumed gives the same bits as the one that went on; other files are refused kindly.
. "$(dirname "$0")/../common/shell.sh"

# same FILE T OPTIONS…: run to 10 with a checkpoint at T, of which the rest is computed again from the file
same() {
    local file=$1 at=$2
    shift 2
    rm -f run.ck
    run run "$file" --until 10 "$@" --checkpoint run.ck --checkpoint-every "$at" -o whole.csv --quiet
    expect_status 0
    expect_file run.ck
    run run "$file" --until 10 "$@" --resume run.ck -o rest.csv --quiet
    expect_status 0
    expect_quiet
    check
    # the first row of the rest is that of the checkpoint, which need not be one of the whole
    awk -F, -v at="$at" 'NR == 1 || $1 > at' whole.csv >tail.csv
    expect_equal "$(sed -n 2p rest.csv | cut -d, -f1)" "$at"
    sed -i 2d rest.csv
    (($(wc -l <rest.csv) > 2)) || fail "$file $*: nothing was computed after the checkpoint"
    cmp -s tail.csv rest.csv || fail "$file $*: the rest is another one: $(diff tail.csv rest.csv | head -n 4)"
}

lv=$root/examples/lotka_volterra.orr
for solver in euler heun rk4; do same "$lv" 6 --solver $solver --step 0.01 --every 0.5; done
# off the grid, and in the middle of what solvers would like to be one step
same "$lv" 6.003 --solver rk4 --step 0.01 --every 0.5
for solver in dopri5 bdf adams auto qss2; do same "$lv" 6.1 --solver $solver --every 0.25; done
same "$lv" 6.1 --solver dopri5 --every 0       # a row for each step
same "$lv" 6.1 --solver bdf --every 0

# ---- Events, discrete variables, `every`, delayed firings, random numbers
cat >events.orr <<'END'
model Events
  var h = 5, v = 0
  discrete n = 0, late = 0, luck = 0
  h' = v
  v' = -9.81
  when h <= 0 then
    v := -0.95*v
    n := n + 1
  end
  every 0.3 then luck := luck + normal(0, 1) end
  when h > 2 after 0.7 then late := late + 1 end
end
END
for solver in rk4 dopri5 bdf qss2; do same events.orr 6.1 --solver $solver --step 0.01 --every 0.25 --record h,v,n,late,luck --seed 5; done
# not the same luck as another seed
cut -d, -f6 rest.csv >luck.csv
run run events.orr --until 10 --solver qss2 --step 0.01 --every 0.25 --record h,v,n,late,luck --seed 6 -o other.csv --quiet
check
cut -d, -f6 other.csv | tail -n 5 | cmp -s - <(tail -n 5 luck.csv) && fail 'the seed made no difference'

# ---- The past of delays
printf 'model Late\n  var x = 1\n  x'"'"' = -delay(x, 1.3)\nend\n' >late.orr
for solver in rk4 dopri5; do same late.orr 6.1 --solver $solver --step 0.01 --every 0.25; done

# ---- Messages between models
cat >talk.orr <<'END'
model Tank
  input event kick
  output event full
  var h = 0
  h' = 1
  when h > 1 then
    send full(h)
    h := 0.5
  end
  on kick then h := h + kick end
end
model Counter
  input event ring
  output event answer
  discrete n = 0
  on ring then
    n := n + 1
    if n == 7 then send answer(0.25) end
  end
end
model Talk
  tank : Tank
  counter : Counter
  tank.full -> counter.ring
  counter.answer -> tank.kick
  output n = counter.n, h = tank.h
end
END
for solver in rk4 dopri5; do same talk.orr 6.1 --solver $solver --step 0.01 --every 0.25; done

# ---- Atomics: states, queues, statistics, random numbers
cat >queue.orr <<'END'
atomic Source
  param mean = 0.3
  output event job
  state waiting for exponential(mean)
    after send job(t) -> waiting
end
atomic Server
  param mean = 0.25
  input event job
  output event done
  var waiting = queue(number)
  var now = 0
  state idle
    on job do now := job -> busy
  state busy for exponential(mean)
    on job do push(waiting, job) -> busy keeping time
    after send done(now) -> if empty(waiting) then idle else do now := pop(waiting) -> busy
end
atomic Watch
  input event solved
  var times = tally(), n = level()
  state watching
    on solved do
      add(times, t - solved)
      set(n, t - solved)
    end
end
model Queue
  watch : Watch
  server[2].done -> watch.solved
  source : Source
  server[2] : Server
  source.job -> server[1].job
  server[1].done -> server[2].job
end
END

same queue.orr 6.1 --every 0.25 --record 'server[1].state,server[1].waiting,server[2].waiting,server[2].now,watch.times.mean,watch.times.count' --seed 3

# ---- At the end, to see more
run run "$lv" --until 5 --solver rk4 --step 0.01 --every 0.5 --checkpoint end.ck -o first.csv --quiet
expect_status 0
run run "$lv" --until 8 --solver rk4 --step 0.01 --every 0.5 --resume end.ck -o second.csv --quiet
expect_status 0
run run "$lv" --until 8 --solver rk4 --step 0.01 --every 0.5 -o both.csv --quiet
expect_equal "$(cat first.csv <(tail -n +3 second.csv))" "$(cat both.csv)" 'two parts and the whole'
# what was expected belongs to the whole
run run "$lv" --resume end.ck --solver rk4 --step 0.01 --every 0.5
expect_out 'not checked'

# ---- Refused
refused() {    # refused CODE TEXT OPTIONS…
    local code=$1 text=$2
    shift 2
    run run "$@" --quiet
    expect_status 2
    expect_code "$code"
    expect_err "$text"
}
base=("$lv" --until 8 --solver rk4 --step 0.01 --every 0.5)
refused E030 'another kind of file' "${base[@]}" --resume both.csv
head -c 200 end.ck >half.ck
refused E030 'a part of it is missing' "${base[@]}" --resume half.ck
head -c 10 end.ck >short.ck
refused E030 'too short' "${base[@]}" --resume short.ck
cp end.ck damaged.ck
printf 'X' | dd of=damaged.ck bs=1 seek=150 conv=notrunc 2>/dev/null
refused E030 'damaged' "${base[@]}" --resume damaged.ck
refused E031 'other settings' "${base[@]}" --resume end.ck --set alpha=2
refused E031 'other settings' "$lv" --until 8 --solver rk4 --step 0.02 --resume end.ck
refused E031 'other settings' "$lv" --until 8 --solver heun --step 0.01 --resume end.ck
refused E031 'the model is another one' events.orr --solver rk4 --step 0.01 --resume end.ck
sed 's/-9.81/-9.82/' events.orr >changed.orr
run run events.orr --until 2 --solver rk4 --step 0.01 --checkpoint events.ck --quiet
expect_status 0
refused E031 'was changed' changed.orr --until 3 --solver rk4 --step 0.01 --resume events.ck
run run "${base[@]}" --resume missing.ck --quiet
expect_code E001
run run "${base[@]}" --checkpoint /nowhere/x.ck --quiet
expect_status 3
expect_code E010
refused E023 'a file for' "${base[@]}" --checkpoint-every 2
refused E022 'not a positive number' "${base[@]}" --checkpoint x.ck --checkpoint-every -2
printf 't,u\n0,0\n10,1\n' >u.csv
printf 'model In\n  input u = 0\n  var x = 0\n  x'"'"' = u\nend\n' >in.orr
refused E032 'follow samples' in.orr --until 5 --input u=u.csv:linear --checkpoint x.ck --checkpoint-every 2

finish
