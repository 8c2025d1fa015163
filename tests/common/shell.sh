# tests/common/shell.sh: what the shell tests share. A test sources it, works in a folder of its own and ends with `finish`.
#
#     run ARGUMENTS…         orrery ARGUMENTS; its status in $status, what it printed in $out and $err (files: out err)
#     expect_status N        and what follows checks the last run; all failures are told, with the run they belong to
set -uo pipefail
[[ -n ${ORRERY:-} && -x $ORRERY ]] || { echo "no program: ORRERY=${ORRERY:-}"; exit 1; }
root=$ORRERY_SOURCE_DIR
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
export NO_COLOR=1 LC_ALL=C.UTF-8 XDG_CACHE_HOME=$ORRERY_BUILD_DIR/cache
patience=$([[ -n ${ORRERY_SANITIZE:-} ]] && echo 600 || echo 60)    # s, for one command; sanitizers are slow
failures=0 checks=0 command= status= out= err= explained=

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    [[ -z $command ]] || printf '  after:  orrery %s\n  status: %s\n  out:    %s\n  err:    %s\n' "$command" "$status" \
        "$(head -c 600 <<<"$out")" "$(head -c 1200 <<<"$err")"
}

run() {
    command=$*
    timeout "$patience" "$ORRERY" "$@" >out 2>err </dev/null
    status=$?
    out=$(tr -d '\0' <out) err=$(tr -d '\0' <err)
    # whatever it is given, the program ends by itself
    ((status < 124 || status == 130)) || fail "it crashed or did not end"
}

check() { checks=$((checks + 1)); }
expect_status() { check; [[ $status == "$1" ]] || fail "the status is not $1"; }
expect_out() { check; [[ $out == *"$1"* ]] || fail "the output does not contain '$1'"; }
expect_err() { check; [[ $err == *"$1"* ]] || fail "the messages do not contain '$1'"; }
expect_no_out() { check; [[ $out != *"$1"* ]] || fail "the output contains '$1'"; }
expect_no_err() { check; [[ $err != *"$1"* ]] || fail "the messages contain '$1'"; }
expect_quiet() { check; [[ -z $err ]] || fail "there are messages"; }
expect_file() { check; [[ -s $1 ]] || fail "there is no file '$1', or it is empty"; }
expect_no_file() { check; [[ ! -e $1 ]] || fail "there is a file '$1'"; }
expect_equal() { check; [[ $1 == "$2" ]] || fail "'$1' is not '$2'${3:+ ($3)}"; }
# a message with this code, which `explain` knows
expect_code() {
    check
    [[ $err =~ (error|warning)\ $1: ]] || fail "no message with the code $1"
    [[ $explained == *" $1 "* ]] || "$ORRERY" explain "$1" >/dev/null 2>&1 || fail "'explain' does not know $1"
    explained+=" $1 "
}
# |a - b| <= tolerance
expect_near() {
    check
    awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { d = a - b; exit !(a != "" && d == d && (d < 0 ? -d : d) <= e) }' ||
        fail "${4:-it} is '$1', not within $3 of $2"
}
# value <csv> <column> [time]: of the row at that time, or of the last one
value() {
    awk -F, -v name="$2" -v at="${3:-}" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        at == "" || $1 == at { v = $c }
        END { print v }' "$1"
}

finish() {
    ((checks > 0)) || fail "nothing was checked"
    ((failures == 0)) && echo "$checks checks passed"
    exit $((failures > 0))
}
