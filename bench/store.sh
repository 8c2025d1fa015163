#!/usr/bin/env bash
# runs kept in a store: what a short one costs, a long trajectory against writing it raw, a list from a million
. "$BENCH/common.sh"
cat >"$BUILD/store.orr" <<'END'
model Store
  param K = 1
  var x = 1, v = 0
  x' = v
  v' = -K*x
end
experiment short of Store
  until 1
  solver rk4 step 0.1
end
experiment long of Store
  until 5000
  solver rk4 step 0.001
  record x every 0.001
end
END
now() { date +%s%N; }
# 100,000 members, kept or not
plain='' kept=''
sweep() { "$ORRERY" sweep "$BUILD/store.orr" short --sweep K=1..2:100000 --quiet "$@"; }
for _ in 1 2 3; do
    from=$(now); sweep; plain=$(smaller "$plain" $(($(now) - from)))
    rm -f "$BUILD"/s.runs*
    from=$(now); sweep --keep --store "$BUILD/s.runs"; kept=$(smaller "$kept" $(($(now) - from)))
done
each=$(awk -v a="$kept" -v b="$plain" 'BEGIN { printf "%.2f", (a - b)/1e5/1e3 }')
echo "store 100000 members in $((plain / 1000000)) ms, kept in $((kept / 1000000)) ms"
judge store 'µs for a run' "$each" 30

# 10^7 numbers: 5,000,001 rows of t and x
plain='' kept='' raw=''
long() { "$ORRERY" run "$BUILD/store.orr" long --quiet --code native "$@"; }
for _ in 1 2; do
    from=$(now); long; plain=$(smaller "$plain" $(($(now) - from)))
    rm -f "$BUILD"/l.runs*
    from=$(now); long --keep --store "$BUILD/l.runs"; kept=$(smaller "$kept" $(($(now) - from)))
    from=$(now); dd if=/dev/zero of="$BUILD/raw" bs=1M count=77 status=none; raw=$(smaller "$raw" $(($(now) - from)))
done
speed=$(awk -v raw="$raw" -v kept="$kept" -v plain="$plain" 'BEGIN { printf "%.3f", raw/(kept - plain) }')
echo "store 10^7 numbers: raw $((raw / 1000000)) ms, kept in $(((kept - plain) / 1000000)) ms more"
judge_at_least store 'speed of raw writing' "$speed" 0.5

# a million runs: the row of the first copied
if command -v sqlite3 >/dev/null; then
    "$ORRERY" run "$BUILD/store.orr" short --keep --quiet --store "$BUILD/m.runs"
    sqlite3 "$BUILD/m.runs" 'INSERT INTO run(created, file, model, experiment, kind, version, status, seconds, rows)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
        SELECT created, file, model, experiment, kind, version, status, seconds, rows FROM run, n WHERE id = 1'
    list=''
    for _ in 1 2 3; do
        from=$(now); "$ORRERY" runs --store "$BUILD/m.runs" --last 20 >/dev/null; list=$(smaller "$list" $(($(now) - from)))
    done
    judge store 'ms for a list' "$(awk -v n="$list" 'BEGIN { printf "%.1f", n/1e6 }')" 50
fi
echo "store ratio $each"
exit $missed
