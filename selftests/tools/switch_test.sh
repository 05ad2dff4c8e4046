#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Trace without context IDs: switches tell its thread.  A program of several threads on two CPUs,
# with timestamps and without context IDs; beside it the same with both.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

cross=aarch64-linux-gnu-gcc
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
for tool in qemu-aarch64 $cross; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

result()
{
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n $2" || echo "not ok $n $2"
}

# $1: file, $2: options of the trace unit
record()
{
	$CSFLOW_FAST record -q --cpus=2 --quantum=5000 --migrate=3 -o "$1" -u "$2" \
		-- "$tmp/threads" 1 > /dev/null
}

# Threads and their instructions, most first; an unknown thread is -1.
threads()
{
	$CSFLOW script -i "$1" --itrace=i1i -F tid 2> /dev/null | sort | uniq -c | sort -rn |
		awk '{ print $2, $1 }'
}

# Of the instructions of $1, the thousandths that are of threads with names, and the number of
# threads.
known()
{
	awk '$1 > 0 { known += $2; n++ } { all += $2 }
	     END { print int(1000 * known / all), n }' "$1"
}

echo "1..5"
if ! $cross -O2 -static -pthread -o "$tmp/threads" programs/threads.c 2> "$tmp/why"; then
	sed 's/^/# /' "$tmp/why"
	echo "Bail out! programs/threads.c cannot be compiled"
	exit 1
fi

record "$tmp/with" ete=1.1,cid,ts=500 && threads "$tmp/with" > "$tmp/with.txt"
result $? "context IDs and timestamps"

record "$tmp/without" ete=1.1,ts=500 && threads "$tmp/without" > "$tmp/without.txt"
read -r share names < <(known "$tmp/without.txt")
read -r _ wanted < <(known "$tmp/with.txt")
[ "$wanted" -gt 5 ] && [ "$names" = "$wanted" ] && [ "$share" -ge 990 ]
ok=$?
[ $ok = 0 ] || echo "# $names of $wanted threads, $share in 1000 instructions of any"
result $ok "timestamps only: every thread is known from its switches"

# Without timestamps a fragment in which several threads ran belongs to none; how many have one of
# their own depends on when they were scheduled.
record "$tmp/neither" ete=1.1 && threads "$tmp/neither" > "$tmp/neither.txt"
read -r share names < <(known "$tmp/neither.txt")
[ "$names" -lt "$wanted" ]
ok=$?
[ $ok = 0 ] || sed 's/^/# /' "$tmp/neither.txt"
result $ok "neither: not every thread is known"

# P0 elements that are lost because their thread is unknown
lost()
{
	"$CSFLOW" profile -q --for=json "$1" 2> /dev/null | sed -n 's/.*"image": *\([0-9]*\).*/\1/p' | head -n 1
	"$CSFLOW" dump --stats "$1" 2> /dev/null | awk '$2 == "image" { n += $5 } END { print n + 0 }'
}

# All threads are of one process: its code is taken where it is unknown which of them ran.
lost "$tmp/neither" > "$tmp/lost"
read -d '' -r ours theirs < "$tmp/lost"
[ "$ours" = 0 ] && [ "$theirs" = 0 ]
ok=$?
[ $ok = 0 ] || echo "# profile lost $ours, dump $theirs"
result $ok "neither: the code is that of the one process, in dump as in profile"

# With several processes, the thread of an AUX record is the one that ran when the buffer was
# emptied: no reason to take its code.
"$O/selftests/make/mkperf" "$tmp/neither" "$tmp/several" forked=1000000:0 2> "$tmp/why" && lost "$tmp/several" > "$tmp/lost"
read -d '' -r ours theirs < "$tmp/lost"
[ "$ours" -gt 0 ] && [ "$ours" = "$theirs" ]
ok=$?
[ $ok = 0 ] || echo "# profile lost $ours, dump $theirs"
result $ok "nobody's code is looked up for nobody's atoms, by dump as by profile"
