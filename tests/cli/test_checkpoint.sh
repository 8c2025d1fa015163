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
for solver in dopri5 dop853 radau bdf adams auto qss2; do same "$lv" 6.1 --solver $solver --every 0.25; done
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
# a version that nobody knows yet
cp end.ck future.ck
printf '\377' | dd of=future.ck bs=1 seek=8 conv=notrunc 2>/dev/null
refused E030 'another version' "${base[@]}" --resume future.ck
# what was refused has touched no file
cp both.csv kept.csv
refused E031 'other settings' "${base[@]}" --resume end.ck --set alpha=2 -o kept.csv
cmp -s kept.csv both.csv || fail 'a run that was refused changed a file of results'
# only the target of an event is another one
printf 'model M\n  discrete a = 0, b = 0\n  at 1 then a := 5 end\nend\n' >target.orr
run run target.orr --until 2 --checkpoint target.ck --quiet
sed -i 's/a := 5/b := 5/' target.orr
refused E031 'the model is another one' target.orr --until 3 --resume target.ck

# ---- Inputs that follow samples
printf 't,u\n0,0\n3,2\n4.5,1\n10,1\n' >u.csv
printf 'model In\n  input u = 0\n  var x = 0\n  x'"'"' = u - x\nend\n' >in.orr
for how in hold linear cubic; do
    for solver in rk4 dopri5 qss2; do same in.orr 6.1 --solver $solver --step 0.01 --every 0.25 --input u=u.csv:$how; done
done
run run in.orr --until 5 --solver rk4 --step 0.01 --input u=u.csv:linear --checkpoint in.ck --quiet
expect_status 0
sed 's/3,2/3,2.5/' u.csv >v.csv
refused E031 "the samples that 'u' has followed" in.orr --until 6 --solver rk4 --step 0.01 --input u=v.csv:linear --resume in.ck
refused E031 'other settings' in.orr --until 6 --solver rk4 --step 0.01 --input u=u.csv:linear:outside-zero --resume in.ck
# what comes later may be another
sed 's/10,1/10,7/' u.csv >v.csv
run run in.orr --until 6 --solver rk4 --step 0.01 --input u=v.csv:hold --checkpoint in.ck --quiet
run run in.orr --until 12 --solver rk4 --step 0.01 --input u=v.csv:hold --resume in.ck --quiet
expect_status 0

# ---- Files of results go on, whatever was written behind the checkpoint
cat >many.orr <<'END'
atomic Source
  output event job
  state waiting for exponential(0.3)
    after send job(t) -> waiting
end
model Ball
  discrete n = 0, last = 0
  input event job
  var h = 5, v = 0
  h' = v
  v' = -9.81
  when h <= 0 then v := -0.9*v end
  on job then
    n := n + 1
    last := job
  end
end
model Many
  source : Source
  ball : Ball
  source.job -> ball.job
  output h = ball.h, n = ball.n, last = ball.last, v = ball.v
end
END
all=(many.orr --until 9 --solver rk4 --step 0.01 --every 0.3 --record h,n,last)
rm -rf whole part && mkdir whole part
run run "${all[@]}" -o whole/rows.csv --events whole/events.csv --trace whole/trace.csv --output h,v=whole/out.csv --output source.job=whole/jobs.csv --quiet
expect_status 0
run run "${all[@]}" -o part/rows.csv --events part/events.csv --trace part/trace.csv --output h,v=part/out.csv --output source.job=part/jobs.csv --checkpoint many.ck --checkpoint-every 3.9 --quiet
expect_status 0
same_files() {
    local file
    for file in rows events trace out jobs; do
        cmp -s whole/$file.csv part/$file.csv || fail "$1: $file.csv is another one: $(diff whole/$file.csv part/$file.csv | head -n 4)"
    done
}
same_files 'with checkpoints'
run run "${all[@]}" -o part/rows.csv --events part/events.csv --trace part/trace.csv --output h,v=part/out.csv --output source.job=part/jobs.csv --resume many.ck --quiet
expect_status 0
same_files 'resumed'
# a file that is shorter than it was, or says something else, is left alone; one that is missing begins at the checkpoint
head -c 300 whole/rows.csv >part/rows.csv
refused E033 'part/rows.csv' "${all[@]}" -o part/rows.csv --resume many.ck
expect_equal "$(wc -c <part/rows.csv)" 300
sed 's/^3.6/3.7/' whole/rows.csv >part/rows.csv
refused E033 'give another file' "${all[@]}" -o part/rows.csv --resume many.ck
cp whole/rows.csv part/rows.csv
refused E033 'part/rows.csv' "${all[@]}" --record h,v -o part/rows.csv --resume many.ck
rm part/rows.csv
run run "${all[@]}" -o part/rows.csv --resume many.ck --quiet
expect_status 0
expect_equal "$(sed -n 2p part/rows.csv | cut -d, -f1)" 7.8 'the first row is that of the checkpoint'
expect_equal "$(tail -n 4 part/rows.csv)" "$(tail -n 4 whole/rows.csv)"
# beyond the end that was planned
two=("$lv" --solver rk4 --step 0.01 --every 0.5)
run run "${two[@]}" --until 8 -o whole/rows.csv --quiet
run run "${two[@]}" --until 5 -o part/rows.csv --checkpoint two.ck --quiet
run run "${two[@]}" --until 8 -o part/rows.csv --resume two.ck --quiet
expect_status 0
cmp -s whole/rows.csv part/rows.csv || fail 'a run in two parts'
# polynomials too
run run "$lv" --until 5 --solver qss2 --polynomials whole/p.csv --quiet
run run "$lv" --until 5 --solver qss2 --polynomials part/p.csv --checkpoint p.ck --checkpoint-every 1.7 --quiet
cmp -s whole/p.csv part/p.csv || fail 'saving made a difference to polynomials'
run run "$lv" --until 5 --solver qss2 --polynomials part/p.csv --resume p.ck --quiet
expect_status 0
cmp -s whole/p.csv part/p.csv || fail 'polynomials that go on are others'

# ---- Killed at any moment: the latest checkpoint is whole, and all goes on from there
long=("$lv" --until 3000 --solver rk4 --step 0.001 --every 5)
run run "${long[@]}" -o whole/rows.csv --quiet
for pause in 0.05 0.2; do
    rm -f kill.ck part/rows.csv
    "$ORRERY" run "${long[@]}" -o part/rows.csv --checkpoint kill.ck --checkpoint-every 2 --quiet &
    victim=$!
    for ((i = 0; i < 500; i++)); do [[ -e kill.ck ]] && break; sleep 0.02; done
    sleep $pause
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
    run run "${long[@]}" -o part/rows.csv --resume kill.ck --quiet
    expect_status 0
    cmp -s whole/rows.csv part/rows.csv || fail 'a run that was killed and resumed is another one'
done

# ---- Native code that took over during the run
auto=("$lv" --until 2000 --solver rk4 --step 0.001 --every 7 --code auto)
run run "${auto[@]}" -o whole/rows.csv --stats --quiet
run run "${auto[@]}" -o part/rows.csv --checkpoint code.ck --checkpoint-every 1900 --quiet
for code in auto instant native; do
    run run "${auto[@]}" --code $code -o part/rows.csv --resume code.ck --quiet
    expect_status 0
    cmp -s whole/rows.csv part/rows.csv || fail "resumed with --code $code"
done

finish
