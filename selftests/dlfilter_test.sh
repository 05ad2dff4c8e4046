#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The profile that csflow-dlfilter.so writes from perf script: Debian's perf 6.1, the perf of
# linux-source-6.12 as it is, and the one with csflow in it.  How often each instruction ran must be
# what the truth log says, and each branch as often as there is a line of text for it.
cd "$(dirname "$0")" || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. ./tap.sh
. ./perf.sh
build_programs loops
find_perfs
command -v perf > /dev/null || give_up "no perf"
filter=$(realpath "$O")/csflow-dlfilter.so

# profile PERF FORMAT OPTIONS...: of $tmp/data to $tmp/profile; nothing else may be printed
profile()
{
	local perf=$1 format=$2

	shift 2
	rm -f "$tmp/profile"
	timeout 120 "$perf" script -i "$tmp/data" --dlfilter "$filter" --dlarg "$format" \
		--dlarg out="$tmp/profile" "$@" > "$tmp/printed" 2> "$tmp/said" < /dev/null
}

# How often the instruction at each address ran, of ranges, as BOLT has them and as AutoFDO does.
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

# counted: "from to" lines, each as often as it comes, to "from to count"
counted()
{
	sort | uniq -c | awk '{ print $2, $3, $1 }' | sort
}

# What an address in the program is as an offset in its file: both are of one segment of code.
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

# Branches in perf's text, which are no exceptions and no breaks.
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
refused 'a full disk' 'could not be written' --dlarg autofdo --dlarg out=/dev/full --itrace=b
refused 'another program' 'no code ran in nonesuch' --dlarg bolt --dlarg out="$tmp/profile" --dlarg dso=nonesuch
refused 'no ELF file' 'no little-endian ELF file' --dlarg bolt --dlarg out="$tmp/profile" --dlarg elf="$PWD/dlfilter_test.sh"
refused 'both kinds' 'counted twice' --dlarg bolt --dlarg out="$tmp/profile" --itrace=bi1000il
refused 'a program that is gone' 'No such file' --dlarg bolt --dlarg out="$tmp/profile" --dlarg elf="$tmp/none"
profile "$ours" bolt --itrace=b --dlarg dso=loops --dlarg elf="$tmp/loops" && [ -s "$tmp/profile" ]
ok $? "a program by its last name, and where it is"

# Of a telephone: what simpleperf counted, which splits ranges, and leaves targets out.
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
		# The end of the trace OpenCSD loses.
		[ "$perf" = perf ] && sed -i '/^10a[48c] 1$/d; /^10b0 1$/d' "$tmp/truth-counts"
		same "$tmp/truth-counts" "$tmp/counts" "a telephone, $(which_perf "$perf"): instructions as simpleperf has them"
		branches < "$tmp/profile" | grep -wFf "$tmp/text" > "$tmp/counts"
		same "$tmp/text" "$tmp/counts" "a telephone, $(which_perf "$perf"): branches as simpleperf has them"
		grep -q '^// build_id: 0x0c9a20bf9c009d0e4e8bbf9fad0300ae' "$tmp/profile"
		ok $? "a telephone, $(which_perf "$perf"): its build-id"
	done
fi
echo "1..$n"
