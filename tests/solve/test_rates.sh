#!/usr/bin/env bash
# `rate r then …`: the integral of r up to the event is the number that was drawn, whoever integrates; `rate` stays a name.
. "$(dirname "$0")/../common/shell.sh"

cat >exact.orr <<'END'
model Exact
  discrete first = 0
  rate if first > 0 then 0 else 2*t then first := t end
end
experiment one of Exact
  until 6
  record first, rate1 every 6
end
model Named "an equation about something called rate"
  param k = 3
  var rate = 1, y
  rate' = -k*rate
  rate - y = -2
end
END
while read -r tolerance options; do
    # shellcheck disable=SC2086    # several words
    run run exact.orr one $options -o rows.csv --quiet
    expect_status 0
    check
    awk -F, -v most="$tolerance" 'NR == 2 { drawn = $3 } END { d = $2*$2 - drawn; exit !($2 > 0 && d*d <= most*most) }' rows.csv \
        || fail "$options: $(tail -n 1 rows.csv)"
done <<'END'
1e-14 --solver dopri5 --tol 1e-10
1e-14 --solver rk4 --step 0.05
1e-14 --solver heun --step 0.01
1e-8 --solver bdf --tol 1e-9
1e-8 --solver adams --tol 1e-9
1e-8 --solver ida --tol 1e-9
1e-14 --solver qss3 --quantum 1e-6
1e-14 --solver liqss2 --quantum 1e-6
END
run run exact.orr --model Named --until 1 --quiet
expect_status 0

# ---- A rate below 0 makes no sense, and is reported
cat >below.orr <<'END'
model Below
  discrete n = 0
  rate 1 - t then n := n + 1 end
end
END
run run below.orr --until 3 --quiet
expect_code W614
expect_err 'a rate is not negative'

# ---- A mean that has become infinite: never again
cat >last.orr <<'END'
model Last
  discrete n = 2
  every exponential(1/n) then n := n - 1 end
end
END
for seed in 1 2 3; do
    run run last.orr --until 100 --seed $seed -o rows.csv --quiet
    expect_status 0
    expect_equal "$(tail -n 1 rows.csv)" '100,0' 'all are gone, and no more than all'
done
finish
