#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The options of all commands: help, manual pages and the list for shells say the same, and what is
# typed wrong is named.

cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${CSFLOW_FAST:=build/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
csflow=$(realpath "$CSFLOW_FAST")
man=$PWD/Documentation/man differ=$PWD/selftests/tools/man_options.py
demo=$PWD/selftests/data/demo/perf.data
commands=$("$csflow" --list-cmds | cut -f1 | grep -vx help)

# ---------------------------------------------------------------- pages

# compare FOLDER COMMAND < LIST
compare()
{
	python3 "$differ" "$1" "$2" "$("$csflow" "$2" --help | sed -n 's/^\(usage\|   or\): //p')"
}

for command in $commands; do
	"$csflow" "$command" --list-opts > "$tmp/list"
	[ -s "$tmp/list" ] && compare "$man" "$command" < "$tmp/list" > "$tmp/why" 2>&1 && [ ! -s "$tmp/why" ]
	ok $? "$command: the page has these options"
	# its names, and the letters
	"$csflow" "$command" --help | grep -oE '^ *(-[a-zA-Z]+, +| +)--[a-z0-9-]+' | sed 's/.*--/--/' |
		sort > "$tmp/help"
	grep ^-- "$tmp/list" | cut -f1 | sort > "$tmp/rows"
	same "$tmp/rows" "$tmp/help" "$command: help has these options"
	"$csflow" "$command" --help > "$tmp/help"
	! awk 'length > 80 || /[ \t]$/' "$tmp/help" | grep . > "$tmp/why"
	ok $? "$command: help has lines of 80 columns"
done
"$csflow" help | sed -n 's/^  \([a-z]*\) .*/\1/p' > "$tmp/help"
# shellcheck disable=SC2086 # words
printf '%s\n' $commands > "$tmp/rows"
same "$tmp/rows" "$tmp/help" "help has all commands"
for command in $commands; do
	grep -q "csflow-$command\*\*" "$man/csflow.1.rst" || echo "$command"
done > "$tmp/why"
[ -n "$commands" ] && [ ! -s "$tmp/why" ]
ok $? "csflow(1) names all commands"

# ---------------------------------------------------------------- what the comparison finds

# finds COMMAND PAGE-SCRIPT LIST-SCRIPT WORDS NAME: sed changes the page, or the list
finds()
{
	mkdir -p "$tmp/man" && cp "$man"/*.rst "$tmp/man/"
	sed -i "$2" "$tmp/man/csflow-$1.1.rst"
	"$csflow" "$1" --list-opts | sed "$3" | compare "$tmp/man" "$1" > "$tmp/got" 2>&1
	echo "$4" > "$tmp/want"
	same "$tmp/want" "$tmp/got" "found: $5"
}

tab=$'\t'
finds dump '' '/^--stats\t/d' '--stats: only the page has it' "an option less"
finds dump '' "\$a--new$tab-$tab-${tab}none$tab-${tab}help" '--new: the page lacks it' "an option more"
finds dump '/^\*\*--stats\*\*$/,+3d' '' '--stats: the page lacks it' "a page without it"
finds dump '' 's/^--snapshot\t-S/--snapshot\t-Z/' '--snapshot: short name -Z, in the page -S' "a short name"
finds dump '' 's/^--symfs\t-\tDIR/--symfs\t-\tPATH/' '--symfs: value PATH, in the page DIR' "a value"
finds dump 's/=\*\*\\ \*DIR\*/**/' '' 'usage: csflow dump [OPTIONS] [FILE] | csflow dump [OPTIONS] --snapshot=DIR, in the page csflow dump [OPTIONS] [FILE] | csflow dump [OPTIONS] --snapshot
--snapshot: value DIR, in the page none
--symfs: value DIR, in the page none' "a page without values"
finds record '' 's/(default: 100000)/(default: 5)/' '--quantum: default 5, not in the page' "a default"
finds record '' 's/ (default: 100000)//' '--quantum: only the page gives a default' "a default less"
finds record 's/; default 100,000//' '' '--quantum: default 100000, not in the page' "a page without a default"
finds dump '' 's/auto,raw/auto,raw,new/' '--framing: word new, not in the page' "a word"
finds dump 's/^\*\*--stats\*\*$/**--stats**, **--stats**/' '' '--stats: twice' "an option twice"
finds dump 's/| \*\*csflow dump\*\* \[\*OPTIONS\*\] \[\*FILE\*\]/& [*MORE*]/' '' \
	'usage: csflow dump [OPTIONS] [FILE] | csflow dump [OPTIONS] --snapshot=DIR, in the page csflow dump [OPTIONS] [FILE] [MORE] | csflow dump [OPTIONS] --snapshot=DIR' \
	"another synopsis"

# ---------------------------------------------------------------- what is typed wrong

# says STATUS WORDS ARGUMENTS...: the first line of what csflow prints
says()
{
	local want=$1 words=$2 got

	shift 2
	(cd "$tmp" && "$csflow" "$@") > "$tmp/out" 2> "$tmp/err" < /dev/null
	got=$?
	printf '%s\n' "status $want" "$words" > "$tmp/want"
	{ echo "status $got"; head -n 1 "$tmp/err"; } > "$tmp/got"
	[ ! -s "$tmp/out" ] || echo "and standard output" >> "$tmp/got"
	same "$tmp/want" "$tmp/got" "csflow $*"
}

says 2 "csflow: there is no command 'reprot'; did you mean 'report'?" reprot
says 2 "csflow: there is no command 'frobnicate'" frobnicate
says 2 "csflow: there is no option --verison; did you mean '--version'?" --verison
says 2 "csflow report: there is no option --shwo; did you mean --show?" report --shwo
says 2 "csflow dump: there is no option --no-progrss; did you mean --no-progress?" dump --no-progrss
says 2 "csflow dump: there is no option -stats; did you mean --stats?" dump -stats
says 2 "csflow report: there is no option -output; did you mean --output?" report -output=x
says 2 "csflow dump: there is no option --nonsense" dump --nonsense
says 2 "csflow dump: there is no option -z" dump -z
says 2 "csflow dump: --p could be --packets or --progress" dump --p
says 2 "csflow dump: --framing wants a value" dump --framing
says 2 "csflow dump: --stats takes no value" dump --stats=1
says 2 "csflow dump: there is no --no-id" dump --no-id=1
says 2 "csflow dump: --framing does not know 'x', only auto, raw, frames, tpiu, dstream, swo, orbflow" dump --framing=x
says 2 "csflow report: --show does not know 'x', only functions, blocks, edges, loops, calls, all" report --show=calls,x
says 2 "csflow report: --show does not know '', only functions, blocks, edges, loops, calls, all" report --show=
says 2 "csflow tarmac: --records does not know 'ins', only inst, flow, event, reg, gap, mem; did you mean 'inst'?" tarmac --records=ins x
says 2 "csflow profile: --by does not know 'thraed', only none, name, thread; did you mean 'thread'?" profile --by=thraed
says 2 "csflow report: --show does not know 'calsl', only functions, blocks, edges, loops, calls, all; did you mean 'calls'?" report --show=blocks,calsl
says 2 "csflow dump: --id wants a number, not '1x'" dump --id=1x
says 2 "csflow report: --mem wants a size, as 64M, not 'x'" report --mem=x
says 2 "csflow report: --symfs: nothing: No such file or directory" report --symfs=nothing
for command in $commands; do
	says 2 "csflow $command: there is no option --stasts$([ "$command" != dump ] || echo '; did you mean --stats?')" \
		"$command" --stasts
done

# A choice that was made before --help is no default.
"$csflow" profile --for=bolt --help | tr -s ' \n' ' ' | grep -q 'counts (default: autofdo)'
ok $? "defaults in help are those without options"
"$csflow" profile --help --nonsense > "$tmp/out" && [ -s "$tmp/out" ]
ok $? "help comes before what is wrong after it"

# ---------------------------------------------------------------- files

none="No such file or directory"
for command in script doctor timeline report coverage profile quick dump index tarmac encode asm merge; do
	says 1 "csflow: nothing: $none" "$command" nothing
done
says 1 "csflow: nothing: $none" annotate main nothing
for command in match diff; do
	says 2 "csflow: nothing: $none" "$command" nothing "$demo"
done
for command in script doctor timeline report coverage profile quick dump index tarmac messages; do
	says 1 "csflow: perf.data: $none" "$command"
	says 1 "csflow: nothing: $none" "$command" -i nothing
done
for command in script doctor timeline asm dump index tarmac messages; do
	says 2 "csflow $command: give one file at most" "$command" a b
done
says 2 "csflow encode: give one file" encode a b
says 2 "csflow encode: give one file" encode
says 2 "csflow annotate: give a function" annotate
says 2 "csflow dump: give one file, or one snapshot" dump --snapshot=x a
for command in record pgo; do
	says 2 "csflow $command: give a program" "$command" --
done
says 2 "csflow diff: give two files" diff a
says 2 "csflow match: give two files at least" match a
says 2 "csflow merge: give one file at least" merge
says 2 "csflow script: give one file at most" script -i a b
for command in report coverage profile quick merge match; do
	says 2 "csflow $command: standard input, -, can be read only once" "$command" - -
done

# All that are missing are named, before any is decoded.
"$csflow" report "$demo" "$tmp/one" "$tmp/two" > "$tmp/out" 2> "$tmp/err"
[ $? = 1 ] && [ ! -s "$tmp/out" ] && [ "$(grep -c "$none" "$tmp/err")" = 2 ]
ok $? "each missing file is named, and nothing is printed"

# Files of -i come first, and a file counts as often as it is given.
cp "$demo" "$tmp/a.data"
cp "$demo" "$tmp/b.data"
root=$tmp/root
mkdir -p "$root" && cp selftests/data/demo/demo-sort "$root/"
cd "$tmp" || exit 1
"$csflow" report --symfs="$root" b.data -i a.data --input=- < b.data | grep '^# File' > got
printf '# File: %s\n' a.data - b.data > want
same want got "files of -i come first, - is standard input"
"$csflow" profile --symfs="$root" --for=counts -q -o one a.data
"$csflow" profile --symfs="$root" --for=counts -q -o two a.data -i a.data
"$csflow" profile --symfs="$root" --for=counts -q -o pair a.data b.data
"$csflow" merge -o twice 2:one
"$csflow" merge -o both one one
[ -s two ] && cmp two pair > why 2>&1
ok $? "a file that is given twice counts twice"
[ -s both ] && cmp twice both > why 2>&1
ok $? "as with a weight of 2"
cmp -s one two
ok $((! $?)) "and not once"
echo "1..$n"
