#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# No memory, at each place where a command requests some: the command ends by itself, and says what
# it was doing and with which file.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes half a minute: CSFLOW_LONG=1"; exit 0; }

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
fast=$(realpath "$CSFLOW_FAST")
demo=$PWD/data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

echo "TAP version 13"
${CC:-cc} -O2 -shared -fPIC -o "$tmp/no-room.so" programs/no-room.c 2> "$tmp/why"
ok $? "what takes memory away"
cp "$demo/perf.data" "$tmp" && cd "$tmp" || exit 1

# starved PERCENT WORDS COMMAND...: each time another allocation fails, from PERCENT of them on: what
# is before that is tried with another command; WORDS are said once at least
starved()
{
	local from=$1 words=$2 name=$3 i all status

	shift 2
	NO_ROOM_COUNT=count LD_PRELOAD=./no-room.so "$fast" "$@" > out 2> why
	all=$(cat count 2> why)
	: > said
	: > died
	: > bare
	for ((i = 1 + ${all:-0} * from / 100; i <= ${all:-0}; i++)); do
		NO_ROOM=$i LD_PRELOAD=./no-room.so timeout 60 "$fast" "$@" > out 2> why
		status=$?
		[ $status -gt 3 ] && echo "allocation $i: status $status" >> died
		[ $status = 0 ] || [ -s why ] || echo "allocation $i: status $status and no word" >> bare
		cat why >> said
		# how much was wanted is said after that
		grep -i "memory" why | grep -vE "KiB were wanted for|perf\.data|demo-sort|: made:|standard output|to start|for [0-9]+ threads|names of recordings" |
			sed "s/^/allocation $i: /" >> bare
	done
	mv died why
	[ "${all:-0}" -gt 50 ] && [ ! -s why ]
	ok $? "$name: none of ${all:-0} allocations that fail kills it"
	mv bare why
	[ ! -s why ]
	ok $? "$name: a file is named"
	sort -u said > why
	grep -q "^csflow[^:]*: \(.*, \)\?perf.data: $words: \(Cannot allocate\|out of\) memory$" why
	ok $? "$name: $words"
}

starved 0 "listing what was asked for" report -j1 --symfs="$demo" --show=all perf.data
for what in "adding up its counts" "adding up calls" "finding its loops" "listing its programs"; do
	sort -u said > why
	grep -qx "csflow: perf.data: $what: Cannot allocate memory" why
	ok $? "report: $what"
done
starved 85 "making the page" report -j1 --symfs="$demo" --html perf.data
starved 70 "listing the function" annotate -j1 --symfs="$demo" print perf.data
starved 70 "adding up lines" coverage -j1 --symfs="$demo" perf.data
starved 0 "listing atom runs" quick perf.data
starved 60 "measuring how good it is" profile -j1 --symfs="$demo" perf.data
starved 60 "making the profile" profile -j1 -q --for=folded --symfs="$demo" perf.data
starved 50 "listing" script -j1 --symfs="$demo" perf.data
starved 50 "counting" doctor -j1 --symfs="$demo" perf.data
starved 0 "buffer 2" dump -j1 --symfs="$demo" perf.data
starved 50 "drawing" timeline -j1 --symfs="$demo" -o made perf.data
"$fast" tarmac --symfs="$demo" -o log-of-perf.data perf.data 2> why
starved 0 comparing match --symfs="$demo" log-of-perf.data perf.data
starved 0 "comparing counts" diff --counts --symfs="$demo" perf.data perf.data
echo "1..$n"
