#!/usr/bin/env bash
# All experiments of a file at once, and options of a command that become an experiment.
. "$(dirname "$0")/../common/shell.sh"

cat >spring.orr <<'EOF'
model Spring
  param K = 1
  var x = 0, v = 2
  x' = v
  v' = -K*x
end

experiment one of Spring
  until 10
  solver dopri5 tol 1e-9
  expect x = 2*sin(10) within 1e-6
end

experiment two of Spring
  until 1
  expect x = 5 within 1e-6
end
EOF
run run spring.orr --all -o all.csv
expect_status 4
expect_code E413
expect_out 'Spring, one'
expect_out 'Spring, two'
expect_file all-one.csv
expect_file all-two.csv
run run spring.orr one --all
expect_status 2

# what is saved gives the same rows, is formatted and keeps what the experiment said
run run spring.orr one --set K=4 --solver rk4 --step 0.01 --until 'x > 0.9 or t >= 5' --observe 'top = max of x' \
    --plot 'x over v' --save-as stiff -o a.csv
expect_status 0
expect_out 'saved as experiment stiff'
run run spring.orr stiff -o b.csv
expect_status 0
expect_out 'top = 0.9'
expect_equal "$(cat a.csv)" "$(cat b.csv)"
run fmt --check spring.orr
expect_status 0
run run spring.orr one --sweep K=1..4:3:log --design grid --threads 1 --save-as many -o a.csv
run run spring.orr many -o b.csv
expect_status 0
expect_equal "$(cat a.csv)" "$(cat b.csv)"
check; grep -q 'sweep K over 1..4 in 3 log' spring.orr || fail "no statement for --sweep"
run compare spring.orr one --solvers rk4,dopri5 --step 0.01 --save-as methods --quiet
expect_status 0
check; grep -q 'kind compare solvers rk4, dopri5' spring.orr || fail "no statement for the kind"

before=$(cat spring.orr)
run run spring.orr one --save-as stiff --quiet
expect_status 2
expect_code E426
run run spring.orr one --output x=out.csv --save-as other --quiet
expect_code E426
expect_equal "$(cat spring.orr)" "$before" 'a file is not changed by what is refused'

finish
