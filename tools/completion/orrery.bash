# bash completion for orrery
# shellcheck shell=bash

_orrery_files() {
    # model files and the folders on the way to them
    local suffix
    for suffix in "$@"; do
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X "!*.$suffix" -- "$current")
    done
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -S / -- "$current")
    compopt -o nospace -o filenames 2>/dev/null
}

_orrery_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }

# Names of the first column of `orrery solvers` or `orrery blocks`.
_orrery_names() { _orrery_words "$("${COMP_WORDS[0]}" "$1" --names 2>/dev/null)"; }

# Experiments of the model file already on the line.
_orrery_experiments() {
    local word
    for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
        case $word in *.orr) [[ -r $word ]] && _orrery_words "$(sed -nE 's/^[[:space:]]*experiment[[:space:]]+([A-Za-z_][A-Za-z_0-9]*).*/\1/p' "$word")" ;; esac
    done
}

_orrery() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]:-}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        _orrery_words 'run check show export plot solvers blocks explain new fmt test --help --version'
        return
    fi
    case $previous in
        --solver) _orrery_names solvers; return ;;
        --stage) _orrery_words 'ast flat order ir c'; return ;;
        --code) _orrery_words 'instant native'; return ;;
        --loops) _orrery_words 'solve halt'; return ;;
        --update) _orrery_words 'in-place synchronous'; return ;;
        --from) _orrery_files csv; return ;;
        -o) _orrery_files csv; return ;;
        --plot) _orrery_files svg png pdf; return ;;
        --set | --until | --step | --tol | --abs | --every | --record) return ;;
    esac
    if [[ $current == -* ]]; then
        case $command in
            run) _orrery_words '--set --until --solver --step --tol --abs --every --record -o --plot --stats --quiet
                    --code --loops --update --help' ;;
            check) _orrery_words '--explain --loops --set --update --help' ;;
            show) _orrery_words '--stage --help' ;;
            export) _orrery_words '--csmp --c -o --help' ;;
            plot) _orrery_words '--plot -o --help' ;;
            new) _orrery_words '--from --help' ;;
            fmt) _orrery_words '--check --help' ;;
            *) _orrery_words '--help' ;;
        esac
        return
    fi
    case $command in
        run)
            _orrery_experiments
            _orrery_files orr csmp
            ;;
        check | show | export | test) _orrery_files orr csmp ;;
        fmt | new) _orrery_files orr ;;
        plot) _orrery_files csv ;;
    esac
}
complete -F _orrery orrery ./orrery
