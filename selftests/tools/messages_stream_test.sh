#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow messages of what comes through a pipe for long: memory does not grow with it, and 100 MB of CSV take at most a
# second of processor.
#
# CSFLOW_LONG: 4 GiB, where else it is 64 MiB.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
export LC_ALL=C
: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
rusage=$(dirname "$CSFLOW_FAST")/selftests/bench/bench_rusage
if [ ! -x "$rusage" ]; then
	echo "Bail out! no bench_rusage: make opinions"
	exit 1
fi

mib=64
[ -z "$CSFLOW_LONG" ] || mib=4096
# The sanitizers' memory is not ours.
most=$((16 << 10)) growth=1024

# A MiB of an ITM: characters, timestamps, samples, accesses
python3 - > "$tmp/mib" << 'END1'
import sys
trace = bytearray(b'\0\0\0\0\0\x80')
i = 0
while len(trace) < 1 << 20:
    trace += bytes([1, 10 if i % 60 == 59 else 65 + i % 26, 0xc0, 5 + i % 90])
    if i % 8 == 0:
        trace += bytes([0x17]) + (0x8000000 + i % 4096 * 2).to_bytes(4, 'little')
    if i % 16 == 0:
        trace += bytes([0x47, 0xaa, 0xb8, 0, 8, 0x8f]) + i.to_bytes(4, 'little') + b'\x30'
    i += 1
sys.stdout.buffer.write(trace)
END1

# trace MIB: to standard output
trace()
{
	for ((i = 0; i < $1; i++)); do
		cat "$tmp/mib"
	done
}

# used MIB OPTIONS...: sets $ms, $kib and $bytes of output
used()
{
	local n=$1

	shift
	: > "$tmp/use"
	bytes=$(trace "$n" | "$rusage" "$tmp/use" "$CSFLOW_FAST" messages "$@" - 2> "$tmp/why" | wc -c)
	read -r ms kib < "$tmp/use"
	echo "$n MiB: $ms ms, $kib KiB, $bytes bytes" >> "$tmp/why"
}

echo "TAP version 13"
for options in --format=csv "--format=json --text=0" --format=perfetto --format=samples; do
	# shellcheck disable=SC2086 # words
	used $((mib / 8)) $options
	few=$kib
	# shellcheck disable=SC2086 # words
	used $mib $options
	[ "$kib" -le $most ] && [ "$kib" -le $((few + growth)) ] && [ "$bytes" -gt 0 ]
	ok $? "$options: memory is flat over $mib MiB: $few and $kib KiB"
done
used $mib --format=csv
[ $((bytes / 1000)) -ge $((100 * ms)) ]
ok $? "100 MB of CSV in a second: $((bytes / 1000 / (ms + 1))) MB"
echo "1..$n"
