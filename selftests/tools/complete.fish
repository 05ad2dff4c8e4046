# SPDX-License-Identifier: GPL-2.0-only
# complete.fish SCRIPT: as complete.bash.  What fish gives begins with what stands before "=".

source $argv[1]
while read -l line
    # read takes the blank at the end
    string match -q -r '(^csflow|help|--[a-z-]+)$' -- $line; and not string match -q -- '* --' $line
    and set line "$line "
    set -l begin (date +%s%3N)
    set -l got (complete -C "$line")
    echo took (math (date +%s%3N) - $begin) >&2
    echo "line $line"
    for word in $got
        string replace -r '^([^\t]*).*' '$1' -- $word | string replace -r '^--[a-z-]+=(.)' '$1' |
            string replace -r '^.*,' '' | string replace -r '[=/]$' ''
    end
end
