#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Completion in bash, zsh and fish: each gives the commands, options and words of the tables, and
# files where a file is wanted.
#
# CSFLOW_LONG: after each option; else, in each command, after one of each kind.

cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${CSFLOW_FAST:=build/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
scripts=$PWD/tools/completion lib=$PWD/selftests/tools

# The optimised command, as a shell would run it; nothing of the user's own shells.
mkdir -p "$tmp/bin" "$tmp/home" "$tmp/in/sub"
ln -s "$(realpath "$CSFLOW_FAST")" "$tmp/bin/csflow"
export PATH=$tmp/bin:$PATH HOME=$tmp/home XDG_CONFIG_HOME=$tmp/home XDG_DATA_HOME=$tmp/home
unset XDG_DATA_DIRS CDPATH
touch "$tmp/in/perf.data"
cd "$tmp/in" || exit 1
csflow --list-cmds | cut -f1 > "$tmp/commands"
grep -vx help "$tmp/commands" > "$tmp/real"
csflow --list-opts > "$tmp/common"

# ---------------------------------------------------------------- the lines, and what the tables say

# line TYPED: the next result belongs to this; then its words, one on each line
line()
{
	echo "line $1"
	cat
}

{
	{ cat "$tmp/commands"; printf '%s\n' --help --version; cut -f1 "$tmp/common"; } | line "csflow "
	line "csflow help " < "$tmp/commands"
	while read -r command; do
		csflow "$command" --list-opts > "$tmp/rows"
		grep -h ^-- "$tmp/rows" "$tmp/common" | cut -f1 | line "csflow $command --"
		before='' seen=' '
		while IFS=$'\t' read -r name short _ kind words _; do
			[ -n "$CSFLOW_LONG" ] || [[ $seen != *" $kind "* ]] || continue
			seen="$seen$kind "
			case $kind in
			verb)	tr , '\n' <<< "$words" | line "csflow $command "
				before="${words##*,} " ;;
			word | words)
				tr , '\n' <<< "$words" | line "csflow $command $name="
				tr , '\n' <<< "$words" | line "csflow $command $name " ;;
			file)	echo perf.data | line "csflow $command $name=per" ;;
			dir)	echo sub | line "csflow $command $name=s"
				line "csflow $command $name=per" < /dev/null ;;
			maybe)	[ "$words" = - ] && echo perf.data | line "csflow $command $name=per"
				[ "$words" = - ] || tr , '\n' <<< "$words" | line "csflow $command $name="
				echo perf.data | line "csflow $command $name per" ;;
			any)	line "csflow $command $name=per" < /dev/null ;;
			esac
			case $kind in
			file)	[ "$short" = - ] || echo perf.data | line "csflow $command $short per" ;;
			esac
		done < "$tmp/rows"
		echo perf.data | line "csflow $command ${before}per"
	done < "$tmp/real"
	printf '%s\n' auto always never | line "csflow report --color="
	printf '%s\n' error | line "csflow report --log-level=e"
	printf '%s\n' text json | line "csflow report --log-format "
	echo perf.data | line "csflow report --log-file=per"
	echo perf.data | line "csflow report --no-pager per"
	echo disasm | line "csflow script -F ip,disa"
	printf '%s\n' calls | line "csflow report --show=functions,c"
	echo perf.data | line "csflow record -- per"
	line "csflow record -- --" < /dev/null
	line "csflow nonsense --" < /dev/null
} > "$tmp/table"
grep '^line csflow ' "$tmp/table" | sed 's/^line //' > "$tmp/lines"

# results SHELL: sorts each result, and compares all with the tables
compare()
{
	local f

	for f in table "$1"; do
		awk '/^line csflow / { at = $0; print at "\t"; next } { print at "\t" $0 }' "$tmp/$f" |
			sort -u > "$tmp/$f.sorted"
	done
	[ -s "$tmp/table.sorted" ] && diff "$tmp/table.sorted" "$tmp/$1.sorted" > "$tmp/why"
	ok $? "$1: commands, options, words and files"
	awk '/^took / { n++; if (!least || $2 < least) least = $2 }
	     END { print "# the fastest took " least " ms"; exit !n || least >= 50 }' "$tmp/$1.took"
	ok $? "$1: in less than 50 ms"
}

cut -f1 "$tmp/common" | sort > "$tmp/ours"
printf '%s\n' --color --log-file --log-format --log-level --no-color --no-pager > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "options of all commands"

# ---------------------------------------------------------------- the shells

bash "$lib/complete.bash" "$scripts/csflow.bash" < "$tmp/lines" > "$tmp/bash" 2> "$tmp/bash.took"
compare bash

if command -v zsh > /dev/null; then
	zsh -f "$lib/complete.zsh" "$scripts" "$tmp/zsh-out" < "$tmp/lines" > "$tmp/zsh" 2> "$tmp/zsh.took"
	compare zsh
else
	skip "zsh: commands, options, words and files" "no zsh"
fi

if command -v fish > /dev/null; then
	fish --no-config "$lib/complete.fish" "$scripts/csflow.fish" < "$tmp/lines" > "$tmp/fish" 2> "$tmp/fish.took"
	compare fish
else
	skip "fish: commands, options, words and files" "no fish"
fi
echo "1..$n"
