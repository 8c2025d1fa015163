#!/usr/bin/env bash
# Every command ends: by --max-time, by a signal, by the limits of what is expanded; and leaves no files behind.
. "$ORRERY_SOURCE_DIR/tests/common/shell.sh"

cat >every.orr <<'END'
model M
  var x = 0, n = 0
  x' = 1
  n' = 0
  every 1e-308 then n := n + 1 end
end
END
# a loop that changes with the modes is no diagram
run export --csmp "$root/examples/rectifier.orr"
expect_status 1
expect_code E320

run export --c out every.orr --until 1 --max-time 0.3
expect_status 3
expect_code E513
expect_no_file out/M.c
"$ORRERY" export --c out every.orr --until 1 >out 2>err </dev/null &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
expect_equal $? 130 "after SIGTERM"

# sums of sums are expanded turn by turn
cat >sums.orr <<'END'
model M
  var x = 0
  x' = sum(sum(sum(sin(i*j*k*x) for k in 1..i) for j in 1..i) for i in 1..3000)
end
END
run check sums.orr --max-time 0.2
expect_status 3
expect_code E513
run check sums.orr    # and there is a limit of their number, in whatever way they are nested
expect_status 1
expect_code E707
# each calls the one before it twice, with other arguments
{
    echo 'function f0(x) = sin(x)'
    for ((i = 1; i <= 30; i++)); do echo "function f$i(x) = f$((i - 1))(x) + f$((i - 1))(x + $i)"; done
    printf 'model M\n  x = f30(t)\nend\n'
} >calls.orr
run check calls.orr
expect_status 1
expect_code E707

# columns that make no sense are not compared with each other
cat >decay.orr <<'END'
model M
  param k = 1
  var x = 1
  x' = -k*x
end
END
awk 'BEGIN { for (r = 0; r < 2; r++) { for (i = 0; i < 300000; i++) printf "%s%s", i ? "," : "", r ? 1 : "c" i; print "" } }' >wide.csv
run ensemble decay.orr --members wide.csv --until 1 -o none.csv --max-time 30
expect_status 2
expect_code E406
expect_no_file none.csv    # what is refused leaves no file
printf 'k,k\n1,1\n' >twice.csv
run ensemble decay.orr --members twice.csv --until 1
expect_status 2
expect_err "twice"

# the limits belong to every command
for command in run step check test show plot new fmt export machine\ show ensemble solvers blocks explain; do
    # shellcheck disable=SC2086    # two words
    run $command --help
    expect_out --max-time
    expect_out --max-memory
done
run fmt --max-time 0 decay.orr
expect_status 2
expect_code E022

# a file that may not grow
(ulimit -f 8 && trap '' XFSZ; "$ORRERY" run decay.orr --until 1e3 --solver rk4 --step 0.01 -o large.csv) >out 2>err </dev/null
status=$? err=$(<err) command="run with ulimit -f"
expect_status 3
expect_code E010

# what killed runs leave beside a file is cleaned by the next that writes it, and nothing else
touch decay.ck.1f-12ab.tmp decay.ck.other.tmp other.ck.1f-12ab.tmp
run run decay.orr --until 1 --checkpoint decay.ck
expect_status 0
expect_file decay.ck
expect_no_file decay.ck.1f-12ab.tmp
check; [[ -e decay.ck.other.tmp && -e other.ck.1f-12ab.tmp ]] || fail "files of others were removed"

finish
