#compdef gko
# Completion of gko's commands in zsh.
_gko() {
    local kind word about
    local -a plain
    while IFS=$'\t' read -r kind word about; do
        case $kind in
            file) compset -P '--*='; _files ;;
            dir) compset -P '--*='; _files -/ ;;
            *)
                word=${${word//\\/\\\\}//:/\\:}
                plain+=("$word${about:+:$about}")
                ;;
        esac
    done < <(_GKO_COMPLETE=zsh _GKO_WORDS="${(pj:\n:)words[1,CURRENT]}" "${words[1]}" 2>/dev/null)
    (( $#plain )) && _describe -V 'gko' plain
}

# Called by name where it was found in $fpath, and defined for later where it was read as a script.
if [[ $funcstack[1] == _gko ]]; then
    _gko "$@"
else
    compdef _gko gko
fi
