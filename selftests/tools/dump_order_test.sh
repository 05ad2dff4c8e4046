#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow dump --order=time: nothing is missing and nothing is twice; times go up; the trace of each source is in its own
# order; memory does not grow with the trace.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW")
fast=$(realpath "$CSFLOW_FAST")
rusage=$(realpath "$O/selftests/bench/bench_rusage")
demo=$(realpath data/demo)
corpus=$CSFLOW_CORPUS/snapshots
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh
cd "$tmp" || exit 1

# Lines without their time: offset, source, what.
bare()
{
	grep -v '^#' "$1" | sed -E 's/^ *[^ ]+ //'
}

# rises FILE: exact times, and those by ticks, never go down
rises()
{
	grep -v '^#' "$1" | awk '{ t = $1; sub(/^~/, "", t) } t ~ /^[0-9]+$/ { if (t + 0 < last + 0) { print; exit 1 } last = t }'
}

echo "TAP version 13"
if [ -d "$corpus/TC2" ]; then
	"$csflow" dump --order=time "$corpus/TC2" > order 2> why
	ok $? "TC2: six sources of three protocols"
	rises order > why
	ok $? "TC2: times go up"
	"$csflow" dump --elements "$corpus/TC2" 2> why | sort > want
	bare order | sort > got
	same want got "TC2: all elements, each once"
	for id in 10 11 12 13 14 20; do
		"$csflow" dump --elements --id=0x$id "$corpus/TC2" 2> why > want
		bare order | grep " \[$id\] " > got
		cmp want got > why 2>&1
		ok $? "TC2: those of [$id] are in their order"
	done
	# 1 cycle counts 14.5 times as fast as the timestamps: most elements have a time by them
	[ "$(grep -c '^ *~' order)" -gt 40000 ]
	ok $? "TC2: cycles place elements between timestamps"
	printf '%s\n' 'ITM_0: it has no trace' 'PTM_1: it has no trace' > want
	sed -n 's/^# \[..\] \(.*it has no trace\)$/\1/p' order | sort > got
	same want got "TC2: what has no trace is said"

	"$csflow" dump --order=time "$corpus/juno_r1_1" > order 2> why
	ok $? "juno_r1_1: two buffers"
	for buffer in ETB_0 ETB_1; do
		"$csflow" dump --elements --source=$buffer "$corpus/juno_r1_1" 2> why | sort > want
		bare order | grep "\[$buffer\." | sed "s/$buffer\.//" | sort > got
		same want got "juno_r1_1: all of $buffer"
	done
else
	skip "TC2, juno_r1_1" "CSFLOW_CORPUS is not set"
fi

"$csflow" dump --order=time --symfs="$demo" "$demo/perf.data" > order 2> why
ok $? "a recording"
rises order > why
ok $? "its times go up"
"$csflow" dump --elements --symfs="$demo" "$demo/perf.data" 2> why | grep -v '^#' | sed -E 's/\[..\]/[]/' | sort > want
bare order | sed -E 's/\[[a-z0-9.]*\]/[]/' | sort > got
same want got "all elements of all its buffers, each once"
grep -q '^# \[[a-z0-9.]*\] ETMv4$' order
ok $? "its CPUs are named"

# Flat: eight times as much trace without a timestamp needs no more memory than once.
words=(--protocol=ete --trcidr2=0xd0001088 --trcconfigr=0x800)
printf 'async\ninfo\non\naddr.ctx 0x1000 el1 ns 64\natom E\ntime 0x64/14\n' > words
printf '\0\0\0\x14' > code.bin				# B .
# peak THOUSANDS: KiB
peak()
{
	cat words > more
	yes 'atom EEEEEEEE' | sed "$((1000 * $1))q" >> more
	rm -f use
	"$fast" asm "${words[@]}" -o long.bin more 2> why &&
		"$rusage" use "$fast" dump "${words[@]}" --code=code.bin@0x1000 --order=time long.bin > out 2>> why
	awk '{ print $2 }' use
}
if [ -x "$rusage" ]; then
	one=$(peak 100)
	grep -q 'times there is no timestamp for too long' out
	ok $? "more than 65,536 elements without a timestamp: said"
	eight=$(peak 800)
	[ "$eight" -lt $((one + one / 4)) ]
	ok $? "memory: $one and $eight KiB for eight times as much"
else
	ok 1 "bench_rusage is built"
fi
echo "1..$n"
