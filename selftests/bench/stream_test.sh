#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Trace that comes through a pipe for long: memory does not grow with it, and time grows no faster
# than it does. mkstream writes a recording of so many MiB, and cat bytes of a trace buffer.
#
# CSFLOW_LONG: 4 GiB, and 256 MiB for csflow script, where else it is 64 and 32 MiB.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs plain
tools=$O/selftests
for tool in make/mkperf make/mkstream make/mksnap bench/bench_rusage; do
	[ -x "$tools/$tool" ] && continue
	echo "Bail out! no $tool: make opinions"
	exit 1
done

# MiB, and the same for a quarter of that; percent by which time may exceed that of as many
# quarters;  KiB of memory
mib=64 script_mib=32 more=30 rounds=2
[ -z "$CSFLOW_LONG" ] || { mib=4096 script_mib=256 more=10 rounds=5; }
most=$((256 << 10)) growth=$((6 << 10))
[ -z "$CSFLOW_LONG" ] || growth=$most

echo "TAP version 13"
# Trace so short that a thread learns all of it in a quarter of the stream: memory may grow, too, up
# to its limit.
record -u etm4=4.2,cid -- "$tmp/plain" 8 && "$tools/make/mkperf" "$tmp/data" "$tmp/piped" pipe 2> "$tmp/why"
ok $? "a recording in a pipe"
"$tools/make/mksnap" "$tmp/data" "$tmp/snap" > "$tmp/why" 2>&1
ok $? "its trace in a buffer"
while size=$(stat -c %s "$tmp/snap/trace.bin") && [ -n "$size" ] && [ "$size" -lt $((1 << 20)) ]; do
	cat "$tmp/snap/trace.bin" "$tmp/snap/trace.bin" > "$tmp/twice" && mv "$tmp/twice" "$tmp/snap/trace.bin"
done

recording()
{
	"$tools/make/mkstream" "$tmp/piped" "$1"
}

# Its trace again and again, in whole frames, because a stream is cut at multiples of a frame.
buffer()
{
	local times=$((($1 << 20) / size + 1))

	for ((; times; times--)); do
		cat "$tmp/snap/trace.bin"
	done
}

# least FILE N: CPU time of the fastest N that follow each other; peak FILE: memory of the largest
least()
{
	awk -v n="$2" '{ sum += $1 } NR % n == 0 { if (!least || sum < least) least = sum; sum = 0 }
		END { print least }' "$1"
}

peak()
{
	sort -n -k2 "$1" | awk 'END { print $2 }'
}

# small FILE: memory of the smallest run.  The distance between two threads depends on what else the
# machine does, and is some MiB; real growth is in every run.  A long run has as much time as four short
# ones to come to the largest distance, so it is compared with the largest of these.
small()
{
	sort -n -k2 "$1" | awk 'NR == 1 { print $2 }'
}

# Of flat: whether the time of all is within its limit
linear()
{
	small=$(least "$tmp/use.$((all / 4))" 4) large=$(least "$tmp/use.$all" 1)
	((large * 100 <= (small + 20) * (100 + more)))
}

# flat NAME SOURCE MIB COMMAND...: time and memory for MIB from SOURCE, and for a quarter, two
# before and two after: other work of the machine hits both alike.  With --mem, which is in MiB for
# quick, nothing of the pipe is held in memory.
flat()
{
	local name=$1 source=$2 all=$3 i some small large mem

	shift 3
	[ "$1" = quick ] && mem=$((most >> 10)) || mem=$((most >> 10))M
	rm -f "$tmp"/use.* "$tmp"/why.*
	for ((i = 0; i < 3 * rounds; i++)); do
		# more of them only if a busy machine made one of the first ones slow
		((i >= rounds)) && linear && break
		for some in $((all / 4)) $((all / 4)) "$all" $((all / 4)) $((all / 4)); do
			$source "$some" | "$tools/bench/bench_rusage" "$tmp/use.$some" "$csflow" "$1" --mem=$mem "${@:2}" > /dev/null 2> "$tmp/said" ||
				cp "$tmp/said" "$tmp/why.$some"
		done
	done
	cat "$tmp"/why.* > "$tmp/why" 2> /dev/null
	[ ! -s "$tmp/why" ]
	ok $? "$name: $all MiB"
	linear
	local in_time=$?
	echo "$(peak "$tmp/use.$((all / 4))") KiB, $(small "$tmp/use.$all") to $(peak "$tmp/use.$all") KiB" > "$tmp/why"
	(($(peak "$tmp/use.$all") < most && $(small "$tmp/use.$all") < $(peak "$tmp/use.$((all / 4))") + growth))
	ok $? "$name: memory"
	echo "$small ms, $large ms" > "$tmp/why"
	ok $in_time "$name: time"
	[ -z "$CSFLOW_LONG" ] || echo "# $name: $all MiB: $large ms, $(peak "$tmp/use.$all") KiB; four quarters: $small ms"
}

# Its trace unit, in options
unit="--protocol=etmv4 --framing=frames --id=0x10"
unit+=$(sed -n 's/^\(TRC[A-Z]*[0-9]*\)[^=]*=\(0x[0-9a-fA-F]*\).*/ --\L\1\E=\2/p' "$tmp/snap/source.ini" |
	grep -o -- ' --\(trcconfigr\|trcdevarch\|trcidr[0-9]*\)=.*' | tr -d '\n')

# alike NAME FILE COMMAND...: its output is the same for FILE and for a pipe; to $tmp/made if it is
# told so
alike()
{
	local name=$1 file=$2

	shift 2
	rm -f "$tmp/made"
	"$csflow" "$@" "$file" > "$tmp/one" 2> "$tmp/why"
	[ ! -e "$tmp/made" ] || mv "$tmp/made" "$tmp/one"
	cat "$file" | "$csflow" "$@" - > "$tmp/two" 2>> "$tmp/why"
	[ ! -e "$tmp/made" ] || mv "$tmp/made" "$tmp/two"
	[ "$file" = "$tmp/bytes" ] && sed -i "s|^$file |- |" "$tmp/one"
	[ -s "$tmp/one" ] && cmp "$tmp/one" "$tmp/two" >> "$tmp/why" 2>&1
	ok $? "$name: from a file and from a pipe"
}

recording 1 > "$tmp/some"
for threads in 1 2 8; do
	alike "dump --stats -j$threads" "$tmp/some" dump --stats -j$threads
	[ -e "$tmp/stats" ] || cp "$tmp/one" "$tmp/stats"
	same "$tmp/stats" "$tmp/one" "dump --stats -j$threads: as with one"
done
alike "dump --packets" "$tmp/some" dump --packets --buffer=0
alike "index" "$tmp/some" index -o "$tmp/made"
alike "profile --for=counts" "$tmp/some" profile --for=counts
"$csflow" profile --for=counts -o "$tmp/counts" "$tmp/some" 2> "$tmp/why"
alike "quick" "$tmp/some" quick -o "$tmp/made"
alike "profile of counts" "$tmp/counts" profile --for=json
head -c 300000 "$tmp/snap/trace.bin" > "$tmp/bytes"
# shellcheck disable=SC2086 # words
alike "dump --stats of bytes" "$tmp/bytes" dump --stats $unit
# shellcheck disable=SC2086 # words
alike "dump --packets of bytes" "$tmp/bytes" dump --packets $unit
"$csflow" dump --stats --packets --buffer=0 "$tmp/some" | sed -n '/^cpu/,$p' > "$tmp/one"
"$csflow" dump --stats --buffer=0 "$tmp/some" | sed 1d > "$tmp/two"
same "$tmp/one" "$tmp/two" "dump --stats: as behind a listing"

flat "dump --stats" recording $mib dump --stats -
flat "doctor" recording $mib doctor -
flat "index" recording $mib index -o "$tmp/index" -
flat "profile" recording $mib profile --for=counts -o "$tmp/counts" -
flat "quick" recording $mib quick -o "$tmp/runs" -
flat "script" recording $script_mib script -i -
# Without --mem, 128 MiB of a pipe are held at most; 32 MiB are for all else, which is less than 24 with --mem.
rm -f "$tmp"/use.*
recording 192 | "$tools/bench/bench_rusage" "$tmp/use.held" "$csflow" profile --for=counts -o "$tmp/counts" - > "$tmp/why" 2>&1 &&
	echo "$(peak "$tmp/use.held") KiB" > "$tmp/why" && [ "$(peak "$tmp/use.held")" -lt $((160 << 10)) ]
ok $? "profile: 192 MiB, of which some are held"
# shellcheck disable=SC2086 # words
flat "dump --stats of bytes" buffer $mib dump --stats $unit -
# shellcheck disable=SC2086 # words
flat "index of bytes" buffer $mib index -o "$tmp/index" $unit -
echo "1..$n"
