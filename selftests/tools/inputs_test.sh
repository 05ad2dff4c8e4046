#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The tables of user/inputs.rst: each command with each input, and with each option that chooses a
# part.  What they refuse they refuse in one sentence that names another command or option.

cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${CSFLOW_FAST:=build/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
page=$PWD/Documentation/user/inputs.rst
demo=$PWD/selftests/data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. selftests/lib/tap.sh

# table NAME: its rows, words with one blank between them; "atom runs" is one word
table()
{
	sed -n "/^\.\. $1-begin/,/^\.\. $1-end/p" "$page" | sed 's/atom runs/runs/' |
		awk '/^[a-z]/ { $1 = $1; print }'
}

table inputs > "$tmp/inputs"
table selection > "$tmp/selection"
commands=$("$csflow" --list-cmds | cut -f1)

# ---------------------------------------------------------------- inputs

mkdir "$tmp/in" "$tmp/none" && cd "$tmp/in" || exit 1
cp "$demo/perf.data" "$demo/demo-sort" .
{
	"$csflow" tarmac --no-progress --timestamps --symfs . -o log perf.data
	"$csflow" encode --no-progress --format=snapshot -C 0 -u ete=1.1,cid,ts=16 -o snapshot log
	cp snapshot/trace0.bin raw
	"$csflow" profile -q --symfs . --for=counts -o counts perf.data
	"$csflow" quick --no-progress -o runs perf.data
	words=$("$csflow" dump --packets snapshot | sed -n '1s/^# \[..\] //p')
} > ../why 2>&1
unit=${words//--/}
unit=${unit// /,}
[ -s log ] && [ -s raw ] && [ -s counts ] && [ -s runs ] && [ -n "$unit" ]
ok $? "there is an input of each kind"

# arguments COMMAND INPUT: what a user adds for that command, and that input
arguments()
{
	local elf="--elf demo-sort" symfs="--symfs ."

	case $1 in
	dump | index)	elf= ;;
	encode | tarmac) [ "$2" = raw ] || elf= ;;
	quick)		symfs= ;;
	esac
	case $1 in
	annotate)	echo sort ;;
	encode | tarmac | profile | timeline)	echo "-o $tmp/out.$1" ;;
	index)		echo "-o $tmp/out.tix" ;;
	esac
	case $2 in
	perf.data | counts | runs | pipe | default)	[ "$1" = index ] || echo "$symfs" ;;
	raw)	case $1 in
		dump | index)	echo "$words" ;;
		*)	echo "--raw=$unit $elf" ;;
		esac ;;
	snapshot | log)	echo "$elf" ;;
	esac
}

# run COMMAND INPUT FILE...: $status, out and err
run()
{
	local command=$1 input=$2 from=/dev/null

	shift 2
	[ "$input" != pipe ] || from=perf.data
	# shellcheck disable=SC2046 # several words
	timeout 60 "$csflow" "$command" $(arguments "$command" "$input") "$@" < $from > ../out 2> ../err
	status=$?
	cat ../out ../err > ../why
}

# Has it read the file?  Some have nothing to show of it, and say so.
has_read()
{
	[ "$status" = 0 ] || case $1 in
	browse)		grep -qx 'csflow browse: standard input and output must be a terminal' ../err ;;
	coverage)	grep -q '^csflow coverage: no source line is known' ../err ;;
	*)		false ;;
	esac
}

# One sentence, of another command or option that will do, or of an operand.
names_a_way()
{
	local words command

	words=$(head -n 1 ../err | sed "s/^csflow $1: //; s/^there is no option --[a-z-]*: //")
	[ "$status" != 0 ] && [ ! -s ../out ] || return
	for command in $commands; do
		[ "$command" != "$1" ] || continue
		case ${words#csflow} in *[:,\ ]"$command"[,.\ :]* | *" $command" | *[:,\ ]"$command "*) return 0 ;; esac
	done
	case $words in *" --"[a-z]* | *" csflow $1 "[A-Z]*) return 0 ;; esac
	return 1
}

read -r _ inputs < "$tmp/inputs"
while read -r command cells; do
	[ "$command" != command ] || continue
	# shellcheck disable=SC2086 # its cells
	set -- $cells
	for input in $inputs; do
		case $input in
		pipe)		run "$command" pipe - ;;
		default)	run "$command" default ;;
		*)		run "$command" "$input" "$input" ;;
		esac
		if [ "$1" = yes ]; then
			has_read "$command"
		elif [ "$input" = default ]; then
			[ $status = 2 ] && grep -q 'give one file' ../err
		else
			# the reason may be followed by the way
			one=$(tr '\n' ' ' < ../err)
			echo "$one" > ../err
			names_a_way "$command"
		fi
		ok $? "$command: $input: $1"
		shift
	done
	if ! grep -q "^$command .*no\$" "$tmp/inputs"; then
		run "$command" perf.data -i perf.data
		has_read "$command"
		ok $? "$command: -i FILE"
		symbol=()
		[ "$command" != annotate ] || symbol=(sort)
		(cd ../none && "$csflow" "$command" "${symbol[@]}" > ../out 2> ../err)
		[ $? = 1 ] && grep -q '^csflow: .*perf.data: No such file or directory$' ../err &&
			grep -q '^csflow: name a file, or record one: perf record -e cs_etm//u -- PROGRAM, or csflow record' ../err
		ok $? "$command: without a perf.data it says how to get one"
	fi
done < "$tmp/inputs"

# Raw trace, and the snapshot with the same trace and code
"$csflow" tarmac snapshot > ../theirs 2> ../why
"$csflow" tarmac --raw="$unit" --elf=demo-sort raw > ../ours 2> ../why
same ../theirs ../ours "tarmac: $(wc -l < ../theirs) lines of raw trace"
"$csflow" tarmac --raw="$unit" --elf=demo-sort - < <(cat raw) > ../ours 2> ../why
same ../theirs ../ours "raw trace may come through a pipe"
"$csflow" encode --no-progress --raw="$unit" --elf=demo-sort -o ../again raw 2> ../why &&
	"$csflow" tarmac ../again > ../ours 2> ../why
same ../theirs ../ours "encode: trace of raw trace is of the same execution"
"$csflow" tarmac --elf=demo-sort snapshot > ../why 2>&1
[ $? = 2 ] && grep -qx 'csflow tarmac: --elf demo-sort: only with --raw: other files tell which code ran' ../why
ok $? "tarmac --elf without raw trace: refused"
for command in tarmac encode match; do
	"$csflow" $command raw $([ $command != match ] || echo raw) > ../why 2>&1
	[ $? != 0 ] && grep -q 'csflow tarmac and encode read raw trace with --raw=UNIT$' ../why
	ok $? "$command: raw trace without a word of its unit: how to read it"
done
"$csflow" match --raw="$unit" raw raw > ../why 2>&1
[ $? = 2 ] && grep -q '^csflow match: there is no option --raw: csflow tarmac --raw=UNIT makes a log' ../why
ok $? "match --raw: refused, with another way"

# ---------------------------------------------------------------- selection

# The value of an option that chooses all of the demo, and one that chooses nothing.
all() { case $1 in cpu) echo 0-1 ;; tid | pid) echo 4711 ;; comms | dsos) echo demo-sort ;;
	exclude-comm) echo other ;; time) echo 0%-100% ;; symbols) echo "_start,do_op,sort,swap,digits,print,ascending,descending" ;; esac; }
nothing() { case $1 in cpu) echo 5 ;; tid | pid) echo 1 ;; comms | dsos | symbols) echo other ;;
	exclude-comm) echo demo-sort ;; time) echo 1000000,1000001 ;; esac; }

# What a command shows.  Bytes before the first context are of no thread, and a branch from nowhere is in no file.
shown()
{
	case $1 in
	profile)		grep -v '"bytes"' "$tmp/out.$1" ;;
	report)			grep -v '^# Trace' ../out ;;
	script)			grep -v ' 0 \[unknown\]' ../out ;;
	timeline)		cat "$tmp/out.$1" ;;
	encode | tarmac)	[ ! -f "$tmp/out.$1" ] || cat "$tmp/out.$1" ;;
	snapshot)		true ;;
	*)			cat ../out ;;
	esac
}

options()
{
	case $1 in
	profile)	echo "-q --for=json" ;;
	timeline)	echo "--for=chrome" ;;
	script)		echo "-F comm,tid,cpu,ip,sym,addr" ;;
	snapshot)	echo "-q -o $tmp/out.shot --symfs ." ;;
	encode)		echo "--format=raw" ;;
	doctor)		echo "--symfs ." ;;
	esac
}

# refused WORDS OPTIONS...: a report that cannot be of a span, in one sentence with the way
refused()
{
	"$csflow" report --symfs . --time=0%-10% "${@:2}" perf.data > ../why 2>&1
	[ $? = 2 ] && grep -q "^csflow report: --time 0%-10%: $1$" ../why
	ok $? "report ${*:2}: not with --time, with another way"
}

refused ".* everything that ran: not with --html and --tui; .* --html shows any span of time" --html
refused ".* everything that ran: not with --html and --tui; .* --html shows any span of time" --tui
refused "not with --children: .*; --show=calls has it" --children

read -r _ filters < "$tmp/selection"
while read -r command cells; do
	[ "$command" != command ] || continue
	# shellcheck disable=SC2086 # its cells
	set -- $cells
	file=perf.data
	[ "$command" != encode ] || file="-C 0 log"
	# shellcheck disable=SC2046,SC2086 # several words
	run "$command" perf.data $(options "$command") $file
	shown "$command" > ../whole
	for filter in $filters; do
		rm -rf "$tmp"/out.*
		if [ "$1" = no ]; then
			run "$command" perf.data "--$filter=$(all "$filter")" perf.data perf.data
			[ $status = 2 ] && grep -q "^csflow $command: there is no option --$filter: " ../err && names_a_way "$command"
			ok $? "$command --$filter: refused"
			shift
			continue
		fi
		[ "$command" != encode ] || file=log
		value=$(all "$filter")
		[ "$command" != encode ] || value=0
		# shellcheck disable=SC2046,SC2086 # likewise
		run "$command" perf.data $(options "$command") "--$filter=$value" $file
		shown "$command" > ../part
		cmp ../whole ../part > ../why
		same=$?
		[ $status = 0 ] || case $command in coverage) false ;; *) same=1 ;; esac
		case $command$filter in timelinetime) same=0 ;; esac	# there is no clock: refused
		ok $same "$command --$filter=$value: all"
		rm -rf "$tmp"/out.*
		# shellcheck disable=SC2046,SC2086 # likewise
		run "$command" perf.data $(options "$command") "--$filter=$(nothing "$filter")" $file
		shown "$command" > ../part 2> /dev/null
		[ "$command" = snapshot ] || [ "$command" = coverage ] || ! cmp -s ../whole ../part
		ok $? "$command --$filter=$(nothing "$filter"): not all"
		shift
	done
done < "$tmp/selection"

# Parts of a recording are all of it.
for parts in "cpu 0 1" "time 0%-50% 50%-100%"; do
	read -r filter one two <<< "$parts"
	for part in $one $two 0,1; do
		[ "$filter.$part" != time.0,1 ] || part=0%-100%
		"$csflow" report --stdio --symfs . "--$filter=$part" perf.data 2> ../why | sed -n 's/^# Instructions: //p'
	done > ../sums
	[ "$(awk 'NR < 3 { n += $1 } NR == 3 { print n == $1 && n == 3902 }' ../sums)" = 1 ]
	ok $? "report --$filter: the parts have all instructions"
done

# Each command that reads a recording is in the tables.
"$csflow" --list-cmds | cut -f1 | grep -vx 'agent\|asm\|help\|pgo\|record\|vm\|messages\|diff\|match\|merge\|shard\|snapshot' > ../want
sed 1d "$tmp/inputs" | cut -d' ' -f1 > ../got
same ../want ../got "all commands are in the table of inputs"
echo "1..$n"
