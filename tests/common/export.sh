# tests/common/export.sh: what the tests of exported C share: each case is exported, compiled and run, and its rows are compared
# with those of `orrery run`, byte for byte. gcc and clang take turns, and so do levels of optimisation.
#
#     try FILE OPTIONS…            one case, beside others
#     expect_same_rows N MOST      after all cases: at least N were compared, at most MOST were refused
#     experiments FILE             their names
compilers=(gcc clang)
command -v clang >/dev/null || compilers=(gcc)
levels=(-O2 -O0)
n_tried=0 n_seen=0 n_jobs=$(nproc)

# compare <folder> <compiler> <level> <file> <options>: into <folder>/verdict
compare() {
    local folder=$1 compiler=$2 level=$3
    shift 3
    mkdir -p "$folder"
    if ! timeout 100 "$ORRERY" export --c "$folder/c" "$@" 2>"$folder/err"; then
        if grep -q 'error E321' "$folder/err"; then echo refused; else cat "$folder/err"; fi
        return
    fi
    "$compiler" -std=c99 -Wall -Wextra -Werror "$level" -ffp-contract=off -DORRERY_SLEEF "$folder"/c/*.c -o "$folder/program" -lsleef -lm \
        >"$folder/err" 2>&1 || { echo "$compiler does not compile it: $(head -n 3 "$folder/err")"; return; }
    timeout 100 "$folder/program" >"$folder/exported.csv" 2>"$folder/err" || { echo "it fails: $(cat "$folder/err")"; return; }
    timeout 100 "$ORRERY" run "$@" --once -o "$folder/run.csv" --quiet >/dev/null 2>&1
    cmp "$folder/exported.csv" "$folder/run.csv" >"$folder/err" 2>&1 || { echo "other rows: $(cat "$folder/err")"; return; }
    echo same
}

# One case in three, unless all are requested: each is compiled as a program of its own.
try() {
    local folder=case.$n_tried
    ((n_seen++ % 3 == 0)) || [[ -n ${ORRERY_LONG:-} ]] || return 0
    while (($(jobs -rp | wc -l) >= n_jobs)); do wait -n; done
    printf '%s\n' "${*##*/}" >"$folder.label"
    compare "$folder" "${compilers[n_tried % ${#compilers[@]}]}" "${levels[n_tried / ${#compilers[@]} % 2]}" "$@" >"$folder.verdict" &
    n_tried=$((n_tried + 1))
}

experiments() { sed -nE 's/^experiment ([A-Za-z_0-9]+) .*/\1/p' "$1"; }

expect_same_rows() {
    local refused=0 same=0
    wait
    for ((i = 0; i < n_tried; i++)); do
        check
        case $(<case.$i.verdict) in
            same) same=$((same + 1)) ;;
            refused) refused=$((refused + 1)) ;;
            *) fail "$(<case.$i.label): $(<case.$i.verdict)" ;;
        esac
    done
    local least=$1
    [[ -n ${ORRERY_LONG:-} ]] || least=$(($1 / 4))
    ((same >= least)) || fail "only $same of $n_tried were compared"
    ((refused <= $2)) || fail "$refused of $n_tried were refused"
}
