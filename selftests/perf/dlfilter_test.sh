#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profile that csflow-dlfilter.so writes from perf script: Debian's perf 6.1, the unchanged perf
# of linux-source-6.12, and the one with csflow in it. Each instruction must have run as often as in
# the truth log, and each branch as often as there is a line of text for it.  The tools that the
# profile is for read it; and a filter with sanitizers writes the same, and prints nothing else.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
# Options that create_llvm_prof and perf2bolt need.
# shellcheck disable=SC2034 # of perf.sh
cflags='-gdwarf-4 -Wl,--emit-relocs'
build_programs loops
find_perfs
command -v perf > /dev/null || give_up "no perf"
filter=$(realpath "$O")/csflow-dlfilter.so
sanitized=$(dirname "$(realpath "$CSFLOW")")/csflow-dlfilter.so
asan=$(ldd "$sanitized" | awk '$1 ~ /^libasan/ { print $3 }')

# profile PERF FORMAT OPTIONS...: the profile of $tmp/data, to $tmp/profile; nothing else may be
# printed
profile()
{
	local perf=$1 format=$2

	shift 2
	rm -f "$tmp/profile"
	timeout 120 "$perf" script -i "$tmp/data" --dlfilter "$filter" --dlarg "$format" \
		--dlarg out="$tmp/profile" "$@" > "$tmp/printed" 2> "$tmp/said" < /dev/null
}

# The same with the filter that has sanitizers; perf itself leaks.
profile_sanitized()
{
	LD_PRELOAD=$asan ASAN_OPTIONS=detect_leaks=0 filter=$sanitized profile "$@"
}

# How often the instruction at each address ran, from ranges in the form of BOLT and of AutoFDO.
instructions()
{
	sed -n 's/^[Ff] //p; s/^\([0-9a-f]*\)-\([0-9a-f]*\):/\1 \2 /p' | python3 -c '
import collections, sys
ran = collections.Counter()
for line in sys.stdin:
    first, last, n = line.split()
    for addr in range(int(first, 16), int(last, 16) + 1, 4):
        ran[addr] += int(n)
for addr in sorted(ran):
    print("%x %d" % (addr, ran[addr]))'
}

# Branches of AutoFDO's text as lines of "from to count".
branches()
{
	sed -n 's/^\([0-9a-f]*\)->\([0-9a-f]*\):/\1 \2 /p' | sort
}

# counted: "from to" lines, any number of each, to "from to count"
counted()
{
	sort | uniq -c | awk '{ print $2, $3, $1 }' | sort
}

# The offset in the file of an address in the program: both are in one segment of code.
delta()
{
	readelf -lW "$tmp/loops" | awk '$1 == "LOAD" && / R E / { print $2, $3; exit }' |
		{ read -r offset addr && echo $((addr - offset)); }
}

offsets()
{
	python3 -c '
import sys
for line in sys.stdin:
    word = line.split()
    print(" ".join("%x" % (int(w, 16) - int(sys.argv[1])) for w in word[:2]), *word[2:])' "$delta"
}

# Branches in perf's text, except exceptions and breaks.
text_branches()
{
	script "$1" --itrace=$2'b' -F ip,addr,flags |
		sed -n 's/^ *\(jmp\|jcc\|call\|return\) *\([0-9a-f]*\) => *\([0-9a-f]*\) *$/\2 \3/p' |
		offsets | counted
}

# Entries of last-branch stacks in perf's text.
text_stacks()
{
	script "$1" --itrace=$2 -F brstack | tr ' ' '\n' |
		sed -n 's,^0x\([0-9a-f]*\)/0x\([0-9a-f]*\)/.*,\1 \2,p' | offsets | counted
}

which_perf()
{
	case $1 in
	"$ours")	echo "perf with csflow" ;;
	"$stock")	echo "perf 6.12" ;;
	*)		echo "Debian's perf" ;;
	esac
}

echo "TAP version 13"
delta=$(delta)
# shellcheck disable=SC2034 # of perf.sh
key=1
# same_sanitized PERF FORMAT OPTIONS...: compared with $tmp/profile, which exists already
same_sanitized()
{
	local perf=$1

	cp "$tmp/profile" "$tmp/text"
	profile_sanitized "$@"
	grep 'Sanitizer\|runtime error' "$tmp/said" > "$tmp/why"
	[ -s "$tmp/text" ] && [ ! -s "$tmp/why" ] && cmp "$tmp/text" "$tmp/profile" > "$tmp/why" 2>&1
	ok $? "$(which_perf "$perf"), ${*:2}: with sanitizers the same"
}

# executions NAME: how often the function was entered
executions()
{
	awk -v addr="$(aarch64-linux-gnu-nm "$tmp/loops" | awk -v name="$1" '$3 == name { print $1 }')" '
		$6 == substr(addr, 9) { n++ }
		END { print n + 0 }' "$tmp/log"
}

# Both tools tell how often functions were entered.
functions='add by_size fib main mix sub'
tools()
{
	local name

	for name in $functions; do
		echo "$name $(executions "$name")"
	done > "$tmp/truth-counts"
	if command -v create_llvm_prof > /dev/null; then
		profile "$ours" autofdo --itrace=b
		create_llvm_prof --profiler=text --binary="$tmp/loops" --profile="$tmp/profile" \
			--format=text --out="$tmp/prof" 2> "$tmp/said"
		sed -n "s/^\(${functions// /\\|}\):[0-9]*:\([0-9]*\)$/\1 \2/p" "$tmp/prof" | sort > "$tmp/counts"
		same "$tmp/truth-counts" "$tmp/counts" "create_llvm_prof: functions as often as they ran"
	else
		skip "create_llvm_prof: functions as often as they ran" "no create_llvm_prof"
	fi
	if command -v perf2bolt-19 > /dev/null; then
		profile "$ours" bolt --itrace=b
		# Under another name it is llvm-bolt.
		(exec -a perf2bolt perf2bolt-19 -pa -p "$tmp/profile" -o "$tmp/fdata" "$tmp/loops") > "$tmp/said" 2>&1
		awk '$6 == "0" && $5 ~ /^('"${functions// /|}"')(\/|$)/ { sub("/.*", "", $5); n[$5] += $8 }
		     END { for (name in n) print name, n[name] }' "$tmp/fdata" | sort > "$tmp/counts"
		same "$tmp/truth-counts" "$tmp/counts" "perf2bolt-19: functions as often as they ran"
		cp "$tmp/said" "$tmp/why"
		grep -q 'mismatching disassembled function contents: [0-9]* ([0-4]\.' "$tmp/said" &&
			grep -q 'unknown regions: 0 ' "$tmp/said"
		ok $? "perf2bolt-19: what it is told is code of the program"
	else
		skip "perf2bolt-19: functions as often as they ran" "no perf2bolt-19"
		skip "perf2bolt-19: what it is told is code of the program" "no perf2bolt-19"
	fi
}

for options in '-u etm4=4.3,cid' '-u etm4=4.2,cid,ts=1000' '--per-thread -u etm4=4.6'; do
	# shellcheck disable=SC2086 # words
	record --header=1 $options -- "$tmp/loops"
	ok $? "record $options"
	executed > "$tmp/log"
	python3 -c '
import collections, re, sys
ran = collections.Counter(int(m.group(1), 16) for m in re.finditer(r" I[TS] \([0-9]+\) ([0-9a-f]+)", sys.stdin.read()))
for addr in sorted(ran):
    print("%x %d" % (addr, ran[addr]))' < "$tmp/log" > "$tmp/truth-counts"
	profile "$ours" bolt --itrace=b
	instructions < "$tmp/profile" > "$tmp/counts"
	[ -s "$tmp/counts" ] && same "$tmp/truth-counts" "$tmp/counts" "$options: every instruction as often as it ran"
	for perf in "$ours" "$stock" perf; do
		profile "$perf" autofdo --itrace=b
		branches < "$tmp/profile" > "$tmp/counts"
		text_branches "$perf" > "$tmp/text"
		[ -s "$tmp/text" ] && [ ! -s "$tmp/printed" ] && same "$tmp/text" "$tmp/counts" \
			"$options: $(which_perf "$perf"): branches"
		profile "$perf" autofdo --itrace=i1000il64
		branches < "$tmp/profile" > "$tmp/counts"
		text_stacks "$perf" i1000il64 > "$tmp/text"
		[ -s "$tmp/text" ] && same "$tmp/text" "$tmp/counts" "$options: $(which_perf "$perf"): stacks"
	done
done
tools
for perf in "$ours" perf; do
	for options in 'autofdo --itrace=b' 'bolt --itrace=i1000il64'; do
		# shellcheck disable=SC2086 # words
		profile "$perf" $options
		# shellcheck disable=SC2086 # words
		same_sanitized "$perf" $options
	done
done

# refused NAME WHAT-IT-SAYS ARGS...
refused()
{
	local name=$1 says=$2

	shift 2
	timeout 60 "$ours" script -i "$tmp/data" --dlfilter "$filter" "$@" > "$tmp/printed" 2> "$tmp/said" < /dev/null
	cp "$tmp/said" "$tmp/why"
	grep -q "^csflow: .*$says" "$tmp/said" && [ ! -s "$tmp/printed" ]
	ok $? "$name: it says what is wrong"
}

refused 'an unknown argument' 'there is no such argument' --dlarg autofdo --dlarg ouch=x
refused 'no format' 'autofdo|bolt' --dlarg out="$tmp/profile"
refused 'no file' 'autofdo|bolt' --dlarg bolt
refused 'a file that cannot be written' 'No such file' --dlarg bolt --dlarg out="$tmp/none/profile"
refused 'a full disk' 'full: No space left on device' --dlarg autofdo --dlarg out=/dev/full --itrace=b
refused 'another program' 'no code ran in nonesuch' --dlarg bolt --dlarg out="$tmp/profile" --dlarg dso=nonesuch
refused 'no ELF file' 'no little-endian ELF file' --dlarg bolt --dlarg out="$tmp/profile" --dlarg elf="$PWD/perf/dlfilter_test.sh"
refused 'both kinds' 'counted twice' --dlarg bolt --dlarg out="$tmp/profile" --itrace=bi1000il
refused 'a program that is gone' 'No such file' --dlarg bolt --dlarg out="$tmp/profile" --dlarg elf="$tmp/none"
profile "$ours" bolt --itrace=b --dlarg dso=loops --dlarg elf="$tmp/loops" && [ -s "$tmp/profile" ]
ok $? "a program by its last name, and where it is"

# A program that is not loaded at its file offsets: the same text as that of csflow profile.
aarch64-linux-gnu-gcc -O2 -static -Wl,-Ttext=0x600000 -o "$tmp/moved" programs/loops.c 2> "$tmp/why" &&
	record --header=1 -u etm4=4.3,cid -- "$tmp/moved"
ok $? "record a program that is not loaded at its file offsets in the file"
for which in load file; do
	"$CSFLOW" profile -q --for=autofdo --addresses=$which "$tmp/data" 2> "$tmp/why" | instructions > "$tmp/truth-counts"
	profile "$ours" autofdo --itrace=b --dlarg addresses=$which
	instructions < "$tmp/profile" > "$tmp/counts"
	[ -s "$tmp/counts" ] && ! grep -q 'is not loaded at its file offsets' "$tmp/said" &&
		same "$tmp/truth-counts" "$tmp/counts" "addresses=$which, as csflow profile"
	cp "$tmp/profile" "$tmp/profile.$which"
done
profile "$ours" autofdo --itrace=b
cmp "$tmp/profile" "$tmp/profile.load" > "$tmp/why" 2>&1 && ! cmp -s "$tmp/profile" "$tmp/profile.file" &&
	grep -q 'moved is not loaded at its file offsets: .*addresses=file' "$tmp/said"
ok $? "without a word those that are loaded, and it says that it matters"
refused "a program that is gone, and addresses=load" 'No such file.*elf=FILE' --dlarg autofdo --dlarg out="$tmp/profile" \
	--dlarg addresses=load --dlarg elf="$tmp/gone" --itrace=b
profile "$ours" autofdo --itrace=b --dlarg elf="$tmp/gone"
cmp "$tmp/profile" "$tmp/profile.file" > "$tmp/why" 2>&1 &&
	grep -q 'No such file.*without it addresses are offsets in the file' "$tmp/said"
ok $? "without the file offsets, and it says so"

# A telephone: the counts of simpleperf, which splits ranges, and leaves targets out.
if [ -z "$CSFLOW_CORPUS" ]; then
	skip "a recording of a telephone" "CSFLOW_CORPUS is not set"
else
	mkdir -p "$tmp/fs/data/local/tmp"
	cp "$CSFLOW_CORPUS/simpleperf/etm_test_loop" "$tmp/fs/data/local/tmp/"
	cp "$CSFLOW_CORPUS/simpleperf/perf_etm.data" "$tmp/data"
	instructions < "$CSFLOW_CORPUS/simpleperf/perf_inject.data" > "$tmp/truth-counts"
	branches < "$CSFLOW_CORPUS/simpleperf/perf_inject.data" | grep -v ' 0 ' > "$tmp/text"
	for perf in "$ours" perf; do
		profile "$perf" autofdo --symfs "$tmp/fs" --itrace=b
		instructions < "$tmp/profile" > "$tmp/counts"
		# OpenCSD loses the end of the trace.
		[ "$perf" = perf ] && sed -i '/^10a[48c] 1$/d; /^10b0 1$/d' "$tmp/truth-counts"
		same "$tmp/truth-counts" "$tmp/counts" "a telephone, $(which_perf "$perf"): instructions as simpleperf has them"
		branches < "$tmp/profile" | grep -wFf "$tmp/text" > "$tmp/counts"
		same "$tmp/text" "$tmp/counts" "a telephone, $(which_perf "$perf"): branches as simpleperf has them"
		grep -q '^// build_id: 0x0c9a20bf9c009d0e4e8bbf9fad0300ae' "$tmp/profile"
		ok $? "a telephone, $(which_perf "$perf"): its build-id"
	done
fi
echo "1..$n"
