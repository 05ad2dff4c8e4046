#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Trace of IDs that no trace unit has, and trace without an ID: commands say how much was not
# decoded.
#
# The recording of the demo has 240, 384 and 80 bytes of frames: 279 bytes of trace under ID 10,
# 346 under ID 12, and padding under ID 0.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${CSFLOW:=../build/check/csflow}" "${O:=../build}"
demo=data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache

. lib/tap.sh

edit()
{
	"$O/selftests/make/mkperf" $demo/perf.data "$tmp/data" "$@"
}

run()
{
	"$CSFLOW" "$@" --symfs $demo "$tmp/data" > "$tmp/out" 2> "$tmp/why"
}

# Each argument but the first is a line of standard error, after the name of the file.
says()
{
	local name=$1

	shift
	printf "csflow: $tmp/data: %s\n" "$@" > "$tmp/want"
	grep 'not decoded' "$tmp/why" | diff "$tmp/want" - > "$tmp/diff"
	ok $? "$name"
}

quiet()
{
	! grep 'not decoded' "$tmp/why"
	ok $? "$1"
}

cp $demo/perf.data "$tmp/data"
run script
quiet "padding is no trace"
run doctor
grep -q '^verdict .*; nothing is missing$' "$tmp/out"
ok $? "nothing is missing"

edit trace-id=0x33:1
for command in script report "profile -o $tmp/profile" "timeline -o $tmp/timeline"; do
	run $command
	says "${command%% *}: a buffer of another ID" \
		"346 bytes of trace not decoded: 346 of ID 33, which no trace unit has"
done
run script --threads 4
says "with threads" "346 bytes of trace not decoded: 346 of ID 33, which no trace unit has"
run doctor
grep -qx '   ID 33: 346 bytes of a trace unit that the metadata does not name' "$tmp/out" &&
	grep -q '^verdict .* decoded; 346 bytes are of no trace unit that is known$' "$tmp/out"
ok $? "doctor: and it is in the verdict"
"$CSFLOW" dump --stats "$tmp/data" > "$tmp/out" 2> "$tmp/why"
grep -qx 'frames: 346 bytes of ID 33, not listed' "$tmp/out"
ok $? "dump --stats: likewise"
run script -C 0
quiet "that was not asked for: nobody knows"

edit trace-id=0x33:1 trace-id=0x13:0
run script
says "two IDs" "564 bytes of trace not decoded: 218 of ID 13, 346 of ID 33, which no trace unit has"

zeros=$("$CSFLOW" dump --frames $demo/perf.data | grep -F '[12]' | grep -o ' 00' | wc -l)
left=$((346 - zeros))
edit trace-id=0:1
run script
says "an ID that was wiped: bytes that are no padding" \
	"$left bytes of trace not decoded: $left of ID 00, which no trace unit has"
run script --threads 4
says "with threads" "$left bytes of trace not decoded: $left of ID 00, which no trace unit has"
run doctor
grep -qx "   ID 00: $left bytes of no trace unit: damaged frames" "$tmp/out"
ok $? "doctor: likewise"

edit trace-id=0x7d:1
run script
quiet "of triggers: no trace"

# the metadata calls CPU 0 another
edit flags=0x100 info=4:9
run script
says "raw trace of an unknown CPU" \
	"320 bytes of raw trace not decoded: of CPUs that have no trace unit"

echo "1..$n"
