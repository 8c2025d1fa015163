#!/usr/bin/env bash
# The store of runs: kept, found, repeated bit for bit, compared, passed on; after crashes, beside other writers, and damaged.
. "$(dirname "$0")/../common/shell.sh"

cat >spring.orr <<'END'
model Spring
  param K = 4, x0 = 1
  var x = x0, v = 0
  x' = v
  v' = -K*x
end
experiment one of Spring
  until 3
  solver dopri5 tol 1e-9
  every 0.5
  observe peak = max of v
end
experiment kept of Spring
  until 1
  solver rk4 step 0.1
  keep
end
END
cat >main.orr <<'END'
use "part.orr"
model Main
  input u = 0
  part : Part
  u -> part.u
end
END
printf 'model Part\n  input u = 0\n  var y = 0\n  y'"'"' = u - y\nend\n' >part.orr
printf 't,u\n0,0\n1,1\n2,0\n' >u.csv

# ---- Nothing is kept unless requested; a run and what is known about it
run run spring.orr one --quiet
expect_no_file spring.runs
run runs
expect_status 3
expect_code E472
run run spring.orr one --keep --tag first
expect_status 0
expect_out 'kept as run 1'
run run spring.orr one --keep --set K=9 --quiet
expect_status 0
run run spring.orr kept --quiet
expect_status 0
run runs
expect_status 0
expect_equal "$(wc -l <out)" 3 'runs'
expect_out '#first'
run runs --with K=9
expect_equal "$(wc -l <out)" 1 'runs by a setting'
run runs --with peak
expect_equal "$(wc -l <out)" 2 'runs by an observation'
run runs --experiment kept --model Spring --days 1
expect_equal "$(awk '{ print $1 }' out)" 3 'runs by experiment'
run runs --tag nothing
expect_out 'no runs'
run runs show 2
expect_out 'called: orrery run spring.orr one --set K=9'
expect_out "$(sha256sum spring.orr | head -c 12)  spring.orr"
expect_out 'peak = 2.99999999'
run runs rows 1 --from 1 --to 2 -o part.csv
expect_status 0
expect_equal "$(awk -F, 'NR > 1 { d = $2 - cos(2*$1); n += (d < 0 ? -d : d) < 1e-7 } END { print NR, n }' part.csv)" '4 3' 'rows between two times'
run runs plot 1 2 --plot x -o both.svg
expect_status 0
expect_file both.svg

# ---- Bit for bit, from the other tier, without the files; compared
for code in instant native; do
    run runs replay 1 --code $code
    expect_status 0
    expect_out 'bit for bit'
done
run runs diff 1 2 --plot x -o d.svg
expect_status 4
expect_out 'settings: none, K=9'
expect_out 'x differs by up to'
expect_file d.svg
mv spring.orr hidden.orr
run runs replay 2
expect_status 0
mv hidden.orr spring.orr
run runs replay 99
expect_status 3
expect_code E467
run run main.orr --input u=u.csv:u:linear --until 2 --record part.y --keep --quiet --store spring.runs
expect_status 0
run runs show 4
expect_out '  u.csv'
expect_out '  part.orr'

# ---- A capsule on another machine: nothing but the archive
run runs export 4 -o capsule.zip
expect_status 0
mkdir other
cp capsule.zip other
cd other
run runs import capsule.zip --store new.runs
expect_status 0
run runs replay 1
expect_status 0
expect_out 'bit for bit'
if command -v python3 >/dev/null; then
    check
    python3 -c 'import zipfile; z = zipfile.ZipFile("capsule.zip"); assert z.testzip() is None; assert "files/part.orr" in z.namelist()' ||
        fail 'the archive is damaged'
fi
# changed, cut or foreign archives are refused, and the store stays as it is
size=$(stat -c %s capsule.zip)
for at in 100 5000 $((size / 2)) $((size - 30)) $((size - 5)); do
    cp capsule.zip bad.zip
    printf '\377' | dd of=bad.zip bs=1 seek="$at" conv=notrunc status=none
    run runs import bad.zip --store new.runs
    ((status == 0 || status == 3)) || fail "a changed archive, at $at"
    head -c "$at" capsule.zip >bad.zip
    run runs import bad.zip --store new.runs
    expect_status 3
done
echo text >bad.zip
run runs import bad.zip --store new.runs
expect_status 3
expect_code E470
cd ..

# ---- Studies go on where they were killed; no finished member is lost
cat >study.orr <<'END'
model Study
  param K = 1
  var x = 1, v = 0
  x' = v
  v' = -K*x
end
experiment many of Study
  until 20
  solver rk4 step 0.001
  observe peak = max of v
end
END
sweep=(study.orr many --sweep K=1..4:40 --lanes never --threads 2 --quiet)
run sweep "${sweep[@]}" --keep --store whole.runs
expect_status 0
kills=3
[[ -n ${ORRERY_LONG:-} ]] && kills=100
for ((i = 0; i < kills; i++)); do
    "$ORRERY" sweep "${sweep[@]}" --continue --store broken.runs >/dev/null 2>&1 &
    sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
run sweep study.orr many --sweep K=1..4:40 --continue --store broken.runs -o /dev/null
expect_status 0
run runs --store broken.runs
expect_out '40 members'
n=$(sed -n 's/^ *\([0-9]*\) .* 40 members.*/\1/p' out | tail -n 1)
run runs export "$n" -o broken.zip --store broken.runs
run runs import broken.zip --store whole.runs
run runs diff 1 2 --store whole.runs
expect_out 'bit for bit'
# w² = K, v = -w sin(w t): the largest is w
run runs rows 1 --store whole.runs
expect_status 0
# a changed model begins anew
sed -i 's/param K = 1/param K = 2/' study.orr
run sweep "${sweep[@]}" --continue --store broken.runs
expect_status 0
expect_code W655

# ---- Two writers at once
for i in 1 2 3 4 5 6; do
    "$ORRERY" run spring.orr one --keep --quiet --store two.runs --seed "$i" &
    "$ORRERY" run spring.orr kept --quiet --store two.runs &
done
wait
run runs --store two.runs
expect_equal "$(wc -l <out)" 12 'two writers'

# ---- Changing
store=(--store spring.runs)
run runs tag 1 good "${store[@]}"
run runs note 1 'a note' "${store[@]}"
run runs "${store[@]}"
expect_out '#good  a note'
run runs delete 2 3 "${store[@]}"
expect_status 0
run runs gc "${store[@]}"
expect_status 0
run runs size "${store[@]}"
expect_out '2 runs'
run runs delete 2 "${store[@]}"
expect_status 3
expect_code E467

# ---- Not a store, a newer one, one that was changed, a damaged one: refused and left as they are
echo text >text.runs
run runs --store text.runs
expect_status 3
run run spring.orr one --keep --store text.runs
expect_status 3
expect_equal "$(cat text.runs)" text 'left as it is'
run runs --store nothing.runs
expect_status 3
expect_code E461
if command -v sqlite3 >/dev/null; then
    cp spring.runs new.runs
    sqlite3 new.runs 'PRAGMA user_version = 2'
    before=$(md5sum <new.runs)
    run run spring.orr one --keep --store new.runs
    expect_status 3
    expect_code E463
    expect_equal "$(md5sum <new.runs)" "$before" 'left as it is'
    cp spring.runs evil.runs
    sqlite3 evil.runs "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END"
    run runs --store evil.runs
    expect_status 3
    expect_code E462
    cp spring.runs evil.runs
    sqlite3 evil.runs "UPDATE chunk SET data = x'01ffffffffffffff7f00'"
    run runs replay 1 --store evil.runs
    expect_status 3
    expect_code E464
    sqlite3 evil.runs "UPDATE used SET hash = zeroblob(32)"
    run runs export 1 -o x.zip --store evil.runs
    expect_status 3
fi
cp spring.runs broken2.runs
printf 'garbage garbage garbage' | dd of=broken2.runs bs=1 seek=12300 conv=notrunc status=none
run runs salvage --store broken2.runs -o salvaged.runs
((status == 0 || status == 3)) || fail 'salvage'
finish
