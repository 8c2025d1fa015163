#!/usr/bin/env bash
# The same bits, whoever compiled the code and whatever is recorded: every example, every experiment, in memory and by cc, byte
# for byte, failures and their messages included; and with few rows as with many. The solvers take turns, two for each
# experiment; with ORRERY_LONG all of them are tried. A build by another compiler or with sanitizers agrees with the release
# build, if that is there and up to date.
. "$(dirname "$0")/../common/shell.sh"

release=$root/build/release/bin/orrery
other=
if [[ $ORRERY != "$release" && -x $release ]] &&
    [[ -z $(find "$root/src" "$root/apps" "$root/include" -newer "$release" -name '*.[ch]' -print -quit) ]]; then
    other=$release
fi

mapfile -t solvers < <("$ORRERY" solvers | sed -E 's/  +.*//')
((${#solvers[@]} >= 8)) || fail "only these solvers: ${solvers[*]}"
n_runs=0 n_failed=0 turn=0 at_most=2
[[ -z ${ORRERY_LONG:-} ]] || at_most=100

# result <program> <options>: status, messages and rows in one file each
result() {
    local program=$1 to=$2
    shift 2
    timeout "$patience" "$program" run "$@" --once -o "$to.csv" >/dev/null 2>"$to.err"
    echo "status $?" >>"$to.err"
}

# try <file> <experiment> <options>
try() {
    local solver label states i n=0
    states=$("$ORRERY" check "$1" ${2:+$([[ $2 == --* ]] || echo "$2")} 2>/dev/null | sed -nE '1s/.*: ([0-9]+) states?, .*/\1/p')
    for i in "${!solvers[@]}"; do
        ((n < at_most)) || break
        solver=${solvers[(turn + i) % ${#solvers[@]}]}
        # quantised states: first order takes long, stiff models for ever, and large ones long enough; the third order
        # is the same engine
        [[ $solver == *qss[13] || ($solver == *qss* && $1 =~ robertson|van_der_pol|oregonator|rc_grid|two_masses|car_axis|squeezer|pendulum_cartesian) ]] && continue
        # methods for noise are explicit ones without it, and others refuse it
        [[ $solver == srk || $solver == euler-maruyama ]] && [[ $1 != */brownian.orr ]] && continue
        label="${1##*/} ${*:2} --solver $solver"
        command="run $label"
        n=$((n + 1))
        result "$ORRERY" instant "$@" --solver "$solver" --code instant
        result "$ORRERY" native "$@" --solver "$solver" --code native
        check
        cmp instant.csv native.csv || fail "instant and native code differ"
        cmp instant.err native.err || fail "the messages of instant and native code differ"
        if [[ -n $other ]]; then
            result "$other" other "$@" --solver "$solver" --code instant
            cmp instant.csv other.csv || fail "this build and the release build differ"
        fi
        n_runs=$((n_runs + 1))
        grep -q 'E405.*qss' instant.err && continue    # nor large loops and delays
        grep -q 'E405.*white noise' instant.err && continue
        grep -q '^status [04]' instant.err || { n_failed=$((n_failed + 1)); continue; }
        # the steps do not depend on the rows
        result "$ORRERY" sparse "$@" --solver "$solver" --every 1e300
        expect_equal "$(tail -n 1 sparse.csv)" "$(tail -n 1 instant.csv)" "the last row, with few rows and with many"
        # where nothing is integrated all solvers do the same
        [[ $states == 0 ]] && break
    done
    turn=$((turn + 5))    # from family to family
}

for file in "$root"/examples/*.orr; do
    for experiment in $(sed -nE 's/^experiment ([A-Za-z_0-9]+) .*/\1/p' "$file"); do
        [[ $file == */lotka_volterra.orr && $experiment =~ long|quantised ]] && continue    # cycle again, but longer
        # where explicit methods would need for ever
        case ${file##*/} in
            robertson.orr) try "$file" "$experiment" --until 10 ;;
            van_der_pol.orr) try "$file" "$experiment" --until 5 ;;
            oregonator.orr) try "$file" "$experiment" --until 2 ;;
            *) try "$file" "$experiment" ;;
        esac
    done
done
for file in "$root"/examples/*.csmp; do
    options=()
    grep -q 'timestep *= *?' "$file" && options=(--set timestep=0.01)
    try "$file" "${options[@]}"
done
# every feature of the language once more
for file in switches language loops islands island_events; do
    for experiment in $(sed -nE 's/^experiment ([A-Za-z_0-9]+) .*/\1/p' "$root/tests/models/$file.orr"); do
        result "$ORRERY" instant "$root/tests/models/$file.orr" "$experiment" --code instant
        result "$ORRERY" native "$root/tests/models/$file.orr" "$experiment" --code native
        command="run $file.orr $experiment"
        check
        cmp instant.csv native.csv || fail "instant and native code differ"
        cmp instant.err native.err || fail "the messages of instant and native code differ"
    done
done
# split into the main part and an island, with events of the main part between two grid points
for model in Halved,Y HalvedApart,predators.Y; do
    run run "$root/tests/models/islands.orr" --model "${model%,*}" --solver euler --step 0.001 --until 12 --every 0.0371 \
        --record "X,${model#*,}" --quiet -o "${model%,*}.csv"
    expect_status 0
done
cmp <(tail -n +2 Halved.csv) <(tail -n +2 HalvedApart.csv) || fail "split with events, the results are others"
command=
((n_runs >= 150)) || fail "only $n_runs runs were compared"
((n_failed <= n_runs / 10)) || fail "$n_failed of $n_runs runs failed: there is little left to compare"
finish
