# SPDX-License-Identifier: GPL-2.0-only
# Completion of csflow in fish: csflow itself lists its commands and its options.

# __csflow_values BEFORE TYPED KIND WORDS: each value, with BEFORE in front of it
function __csflow_values
    set -l before $argv[1]
    set -l typed $argv[2]
    set -l kind $argv[3]
    test "$kind" = maybe -a "$argv[4]" != -
    and set kind word
    switch $kind
        case word verb
            printf '%s\n' $before(string split , -- $argv[4])
        case words
            string match -q '*,*' -- $typed
            and set before $before(string replace -r '[^,]*$' '' -- $typed)
            printf '%s\n' $before(string split , -- $argv[4])
        case dir
            printf '%s\n' $before(__fish_complete_directories $typed)
        case file maybe
            printf '%s\n' $before(__fish_complete_path $typed)
    end
end

function __csflow_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l csflow $words[1]
    set -l n (count $words)
    if test $n = 1; or test $n = 2 -a "$words[2]" = help
        $csflow --list-cmds 2>/dev/null
        test $n = 1
        and printf '%s\n' --help\t'list the commands' --version\t'print the version'
        test $n = 1
        and $csflow --list-opts 2>/dev/null | cut -f1,6
        return
    end
    set -l rows ($csflow $words[2] --list-opts 2>/dev/null)
    test -n "$rows"
    and set rows $rows ($csflow --list-opts)
    set -l option $words[-1]
    set -l before ''
    # a value that may be missing comes after "="
    set -l without maybe
    if string match -q -- '--*=*' $typed
        set option (string replace -r '=.*' '' -- $typed)
        set before $option=
        set typed (string replace -r '^[^=]*=' '' -- $typed)
        set without none
    end
    # after -- there are operands only
    if contains -- -- $words
        __csflow_values '' "$typed" file
        return
    end
    for row in $rows
        set -l field (string split \t -- $row)
        if test "$option" != -; and contains -- "$option" $field[1..2]
            and not contains -- $field[4] none $without
            __csflow_values "$before" "$typed" $field[4..5]
            return
        end
    end
    if not string match -q -- '-*' $typed
        # a command may have verbs, of which one is the first operand
        set -l field (string split \t -- $rows[1])
        set -l kind file
        test "$field[4]" = verb
        and set kind verb
        for word in $words[3..-1]
            contains -- "$word" (string split , -- "$field[5]")
            and set kind file
        end
        __csflow_values '' "$typed" $kind "$field[5]"
        return
    end
    for row in $rows
        set -l field (string split \t -- $row)
        test "$field[4]" = verb
        and continue
        contains -- $field[4] none maybe
        or set field[1] $field[1]=
        printf '%s\t%s\n' $field[1] $field[6]
    end
end

complete -c csflow -f -a '(__csflow_complete)'
