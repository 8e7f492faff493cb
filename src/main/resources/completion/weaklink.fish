# Completes weaklink's command lines in fish.
set -g __weaklink_script '@SCRIPT@'

function __weaklink_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -e words[1]
    for line in (sh -c $__weaklink_script weaklink $words "$current")
        switch $line
            case @files
                __weaklink_paths __fish_complete_path $current
            case @dirs
                __weaklink_paths __fish_complete_directories $current
            case '*'
                printf '%s\n' $line
        end
    end
end

# __weaklink_paths FUNCTION WORD: files for a word, or for the value in --option=VALUE.
function __weaklink_paths
    set -l option (string match -r -- '^--[^=]*=' $argv[2])
    for path in ($argv[1] (string replace -r -- '^--[^=]*=' '' $argv[2]))
        printf '%s%s\n' "$option" $path
    end
end

complete -c weaklink -f -a '(__weaklink_complete)'
