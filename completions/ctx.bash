# Tab completion of ctx for bash: source this file, or put it, called ctx, into
# ~/.local/share/bash-completion/completions/.

_ctx_completion() {
    local line answer
    COMPREPLY=()
    # Unless the program says otherwise, bash completes files (-o default).
    answer=$(env _CTX_COMPLETE=complete_bash _CTX_LINE="${COMP_LINE:0:COMP_POINT}" _CTX_WORD="$2" \
        ctx 2>/dev/null </dev/null) || return 0
    while IFS= read -r line; do
        [[ -n $line ]] && COMPREPLY+=("$line")
    done <<<"$answer"
    # Nothing fits, and files do not either. bash 3.2 has no compopt.
    ((${#COMPREPLY[@]})) || compopt +o default 2>/dev/null
    return 0
}

# bash before 4.4 sorts what it is given.
complete -o nosort -o default -F _ctx_completion ctx 2>/dev/null ||
    complete -o default -F _ctx_completion ctx
