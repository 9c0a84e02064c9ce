# Completion of gko's commands in fish.
function __gko_complete
    set --local typed (commandline --current-token)
    set --local option (string match --regex -- '^--[^=]*=' $typed)
    set --local path (string replace --regex -- '^--[^=]*=' '' $typed)
    set --local words (commandline --cut-at-cursor --current-process | string collect)
    for line in (_GKO_COMPLETE=fish _GKO_WORDS=$words gko 2>/dev/null)
        set --local parts (string split --max 2 \t -- $line)
        switch $parts[1]
            case file
                string replace --regex -- '^' "$option" (__fish_complete_path $path)
            case dir
                string replace --regex -- '^' "$option" (__fish_complete_directories $path)
            case '*'
                string join \t -- $parts[2..]
        end
    end
end

complete --command gko --no-files --keep-order --arguments '(__gko_complete)'
