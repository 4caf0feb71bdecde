# Tab completion of ctx for fish: put this file into ~/.config/fish/completions/.

function __ctx_complete
    set -l word (commandline -ct)
    set -l before (commandline -opc)
    set -l answer (env _CTX_COMPLETE=complete_fish _CTX_WORD="$word" ctx $before[2..-1] 2>/dev/null </dev/null)
    or begin
        __fish_complete_path "$word"
        return
    end
    test (count $answer) -gt 0; and printf '%s\n' $answer
end

complete --command ctx --no-files --keep-order --arguments '(__ctx_complete)'
