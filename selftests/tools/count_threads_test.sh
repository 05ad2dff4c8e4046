#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts are the same to a byte for any number of threads, which count and decode: with paths and
# without, several CPUs, transactions that are taken back, cycle counts, and trace with holes.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs plain threads
mkperf=$O/selftests/make/mkperf

echo "TAP version 13"
if [ ! -x "$mkperf" ]; then
	echo "Bail out! no mkperf: make opinions"
	exit 1
fi

# alike FILE NAME COMMAND...: its output is the same with more threads as with one
alike()
{
	local file=$1 name=$2 j

	shift 2
	"$csflow" "$@" -j1 "$file" > "$tmp/one" 2> "$tmp/one.why"
	[ -s "$tmp/one" ] || echo "nothing was counted" > "$tmp/one.why"
	for j in 2 3 4 8 16; do
		"$csflow" "$@" -j$j "$file" > "$tmp/more" 2> "$tmp/more.why"
		cmp "$tmp/one" "$tmp/more" > "$tmp/why" 2>&1 && [ -s "$tmp/one" ] &&
			diff "$tmp/one.why" "$tmp/more.why" >> "$tmp/why" 2>&1 && continue
		ok 1 "$name: $*, -j$j"
		return
	done
	ok 0 "$name: $*"
}

# buffers FILE NAME: figures of each buffer are those of the same buffer alone, whichever thread
# counted others before
buffers()
{
	local i j

	"$csflow" dump --stats -j1 "$1" > "$tmp/one" 2> "$tmp/why"
	grep -o '^# buffer [0-9]*' "$tmp/one" | cut -c10- > "$tmp/numbers"
	while read -r i; do
		"$csflow" dump --stats -j1 --buffer="$i" "$1" 2>> "$tmp/why"
	done < "$tmp/numbers" > "$tmp/alone"
	[ "$(wc -l < "$tmp/numbers")" -gt 10 ]
	ok $? "$2: buffers"
	same "$tmp/alone" "$tmp/one" "$2: dump --stats, each buffer alone"
	for j in 2 3; do
		"$csflow" dump --stats -j$j "$1" > "$tmp/more" 2> "$tmp/why"
		same "$tmp/one" "$tmp/more" "$2: dump --stats, -j$j"
	done
}

# counted FILE NAME
counted()
{
	alike "$1" "$2" profile -q --for=counts
	alike "$1" "$2" report
	[ -n "$3" ] || return
	"$mkperf" "$1" "$tmp/holes" holes=40 2> "$tmp/why"
	ok $? "$2: with holes"
	counted "$tmp/holes" "$2, with holes"
}

while IFS='|' read -r options program; do
	# shellcheck disable=SC2086 # words
	record $options -- $tmp/$program
	ok $? "$program, $options"
	counted "$tmp/data" "$program, $options" damaged
done << 'END'
-u etm4=4.2,cid|plain 8
-u etm4=4.2,cid,cc=32|plain 1
-u ete=1.1,rs,cid,ts=500 --cpus=3 --quantum=5000 --migrate=3|threads 20
END

while IFS='|' read -r options program; do
	# shellcheck disable=SC2086 # words
	record $options -- $tmp/$program
	ok $? "$program, $options"
	buffers "$tmp/data" "$program, $options"
	"$mkperf" "$tmp/data" "$tmp/holes" holes=40 2> "$tmp/why"
	ok $? "$program, $options: with holes"
	buffers "$tmp/holes" "$program, $options, with holes"
done << 'END'
-m 65536 -u etm4=4.2,cid,ts=1000|plain 8
-m 262144 --cpus=3 --quantum=50000 --migrate=3 -u ete=1.1,rs,cid|threads 20
-m 262144 --raw --cpus=3 --quantum=50000 --migrate=3 -u ete=1.1,cid,spec=4|threads 20
END

record -u ete=1.1,cid -- "$tmp/plain" 1 &&
	"$csflow" encode -u ete=1.1,cid,tm=300 -o "$tmp/taken" "$tmp/truth" > "$tmp/why" 2>&1
ok $? "transactions"
counted "$tmp/taken" "transactions"
"$csflow" profile -q --for=json -j2 "$tmp/taken" 2>&1 | grep -q '"failed": *[1-9]'
ok $? "some of them failed"
echo "1..$n"
