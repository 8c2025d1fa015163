# bash completion for orrery
# shellcheck shell=bash

# Commands and options are asked from the program itself. In a source tree that is the program built there, never the
# launcher, which might begin to build.
_orrery_ask() {
    local program=${COMP_WORDS[0]}
    [[ $program == */* && -e ${program%/*}/CMakeLists.txt ]] && program=${program%/*}/build/release/bin/orrery
    "$program" "$@" 2>/dev/null
}

_orrery_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

# Files with one of these suffixes, and the folders on the way to them.
_orrery_files() {
    local suffix
    for suffix in "$@"; do
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*.$suffix" -- "$current")
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current")
    compopt -o filenames 2>/dev/null
}

# Experiments of the model file already on the line.
_orrery_experiments() {
    local word
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
        [[ $word == *.orr && -r $word ]] || continue
        _orrery_words "$(sed -nE 's/^[[:space:]]*experiment[[:space:]]+([A-Za-z_][A-Za-z_0-9]*).*/\1/p' "$word")"
    done
}

_orrery() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]:-}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _orrery_words "$(_orrery_ask --complete) --help --version"
        return
    fi
    if [[ $command == machine ]] && ((COMP_CWORD == 2)); then
        _orrery_words "$(_orrery_ask --complete machine)"
        return
    fi
    case $command:$previous in
        machine:--as) _orrery_words 'table csv dot svg orr json'; return ;;
        machine:--ledger) _orrery_files ledger; return ;;
        machine:-o) _orrery_files csv dot svg orr json; return ;;
        *:--solver) _orrery_words "$(_orrery_ask solvers | sed 's/ .*//')"; return ;;
        *:--stage) _orrery_words 'ast units flat network order ir c'; return ;;
        *:--code) _orrery_words 'auto instant native'; return ;;
        *:--loops) _orrery_words 'solve halt'; return ;;
        *:--update) _orrery_words 'synchronous in-place'; return ;;
        linearise:--at) _orrery_words 'steady start'; return ;;
        new:--from) _orrery_files csv; return ;;
        export:-o) _orrery_files csmp; return ;;
        export:--c) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
        plot:-o | show:--sequence | run:--plot | replicate:--plot | continue:--plot | compare:--plot) _orrery_files svg png pdf; return ;;
        *:--lanes) _orrery_words 'auto never always'; return ;;
        *:-o | *:--members | *:--events | *:--polynomials | *:--summary | *:--statistics) _orrery_files csv; return ;;
        *:--native) _orrery_files so; return ;;
        *:--trace) _orrery_files csv jsonl; return ;;
        *:--checkpoint | *:--resume) _orrery_files ck; return ;;
        *:--checkpoint-every) return ;;
        *:--set | *:--until | *:--from | *:--step | *:--tol | *:--abs | *:--max-step | *:--quantum | *:--solvers | *:--every | *:--record | *:--plot | \
            *:--model | *:--title | *:--starts | *:--range | *:--inputs | *:--outputs | *:--param | *:--to | *:--points | \
            *:--threads | *:--replications | *:--warm-up | *:--precision | *:--precise | *:--confidence | *:--at-least | *:--at-most | *:--run | *:--path | \
            *:--max-time | *:--max-memory | *:--machine | *:--seed | *:--try | *:--observed) return ;;
    esac
    if [[ $current == -* ]]; then
        [[ $command == machine ]] && command="machine ${COMP_WORDS[2]}"
        # shellcheck disable=SC2086
        _orrery_words "$(_orrery_ask --complete $command)"
        return
    fi
    case $command in
        run | step | check | show | export | steady | linearise | continue | compare | ensemble | replicate)
            _orrery_experiments
            _orrery_files orr csmp
            ;;
        machine) _orrery_files orr csv tsv dot gv ;;
        test) _orrery_files orr csmp ;;
        fmt | new) _orrery_files orr ;;
        plot) _orrery_files csv ;;
        explain) _orrery_words "$(_orrery_ask explain | sed 's/ .*//')" ;;
    esac
}
complete -F _orrery orrery ./orrery
