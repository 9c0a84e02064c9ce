# Completion of gko's commands in bash 4.4 or later.
_gko_completion() {
    local kind word typed=${COMP_WORDS[COMP_CWORD]}
    local IFS=$'\n'
    COMPREPLY=()
    while IFS=$'\t' read -r kind word _; do
        case $kind in
            file) compopt -o default ;;
            dir) compopt -o dirnames ;;
            *)
                # Inside quotes, bash puts the word between them as it is.
                [[ $typed == [\'\"]* ]] || printf -v word %q "$word"
                COMPREPLY+=("$word")
                ;;
        esac
    done < <(_GKO_COMPLETE=bash _GKO_WORDS="${COMP_WORDS[*]:0:COMP_CWORD+1}" "$1" 2>/dev/null)
}

complete -o nosort -F _gko_completion gko
