#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples of the library are built, and count the instructions that csflow counts, and the messages.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
demo=data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh

echo "TAP version 13"
for example in list-blocks count-frames read-messages list-accesses custom-protocol; do
	${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -g -I../decoder "../Documentation/examples/$example.c" \
		"$O/libcsflow.a" -lpthread -o "$tmp/$example" 2> "$tmp/why"
	ok $? "$example is built"
done

"$CSFLOW_FAST" tarmac -o "$tmp/log" --symfs $demo $demo/perf.data 2> "$tmp/why" &&
	"$CSFLOW_FAST" encode --format=snapshot -o "$tmp/raw" "$tmp/log" 2> "$tmp/why" &&
	"$CSFLOW_FAST" encode --format=snapshot --formatted -o "$tmp/frames" "$tmp/log" 2> "$tmp/why"
ok $? "trace of two units, raw and in frames"

# words UNIT: the arguments of the examples for this unit
words()
{
	local file

	sed -n '/^TRC/p' "$tmp/raw/unit_$1.ini"
	file=$(sed -n 's/^file=//p' "$tmp/raw/cpu_0.ini")
	echo "$tmp/raw/$file@$(sed -n 's/^address=//p' "$tmp/raw/cpu_0.ini")"
}

for unit in 0 1; do
	id=$(sed -n 's/^TRCTRACEIDR=//p' "$tmp/raw/unit_$unit.ini")
	want=$("$CSFLOW" script --itrace=i1i -C $unit -F ip --symfs $demo $demo/perf.data 2> "$tmp/why" | wc -l)
	# shellcheck disable=SC2046 # words
	"$tmp/list-blocks" "$tmp/raw/trace$unit.bin" $(words $unit) > "$tmp/list" 2> "$tmp/why"
	[ "$(awk '/^0x/ { n += $2 } END { print n }' "$tmp/list")" = "$want" ] && [ "$want" -gt 1000 ]
	ok $? "list-blocks, unit $unit: all $want instructions"
	# shellcheck disable=SC2046 # words
	"$tmp/count-frames" "$tmp/frames/trace0.bin" "$id" $(words $unit) > "$tmp/counts" 2> "$tmp/why"
	[ "$(awk '{ n += $5 * $7 } END { print n }' "$tmp/counts")" = "$want" ]
	ok $? "count-frames, unit $unit: likewise"
	[ "$(grep -c '^0x' "$tmp/list")" = "$(awk '{ n += $7 } END { print n }' "$tmp/counts")" ]
	ok $? "and as many blocks"
done

# shellcheck disable=SC2046 # words
"$tmp/list-blocks" "$tmp/raw/trace0.bin" $(words 0) TRCIDR2=0x20 > "$tmp/list" 2> "$tmp/why"
[ $? = 1 ] && grep -qx 'configuration: .trcidr2: CIDSIZE is neither 0 nor 4 bytes' "$tmp/why"
ok $? "a register that is wrong is named"
"$tmp/count-frames" "$tmp/none" 0x10 > "$tmp/list" 2> "$tmp/why"
[ $? = 1 ] && grep -qx "$tmp/none: cannot be read" "$tmp/why"
ok $? "a file that is not there is named"

# An ITM, bare and in a frame: two bytes that are written, an overflow, a reserved packet.
printf '\x01\x48\x2b\x78\x56\x34\x12\x70\x04\x01\x49' > "$tmp/itm"
printf '\x03\x01\x48\x2b\x78\x56\x34\x12\x70\x04\x00\x49\x01\x00\x00\x20' > "$tmp/itm-frames"
printf '0 0x48\n5 0x12345678\noverflow\ngap: packet, 1 bytes\n0 0x49\n' > "$tmp/want"
"$tmp/read-messages" "$tmp/itm" > "$tmp/list" 2> "$tmp/why"
same "$tmp/want" "$tmp/list" "read-messages, bare bytes"
"$tmp/read-messages" "$tmp/itm-frames" 1 > "$tmp/list" 2> "$tmp/why"
same "$tmp/want" "$tmp/list" "read-messages, frames"

# A protocol of the example's own, bare and in frames: each packet, what is none, and one that is cut off.
printf '\xff\x13\x78\x56\x34\x12\x20\x00\x80\x00\x00\x10\x30\x05\x40\x02\x01\x00\x50\x99\x14\x01' > "$tmp/own"
printf '%s\n' '0 gap start 0 0x1' '1 data 3 0x12345678' '6 range 16 0x8000' '12 time 0 0x5' '14 custom 0 0x102' \
	'18 gap packet 0 0x2' '20 gap cut 0 0x2' > "$tmp/want"
"$tmp/custom-protocol" "$tmp/own" > "$tmp/list" 2> "$tmp/why"
same "$tmp/want" "$tmp/list" "custom-protocol, bare bytes"
# Even bytes lose their low bit to the last byte of the frame.
printf '\x43\xff\x12\x78\x56\x34\x12\x20\x00\x80\x00\x00\x10\x30\x04\x82' > "$tmp/own-frames"
printf '\x40\x02\x00\x00\x50\x99\x14\x01\x01\x00\x00\x00\x00\x00\x00\x02' >> "$tmp/own-frames"
"$tmp/custom-protocol" "$tmp/own-frames" 0x21 > "$tmp/list" 2> "$tmp/why"
same "$tmp/want" "$tmp/list" "custom-protocol, frames"

. ./lib/data-snapshot.sh
data_snapshot "$tmp/data"
printf '%s\n' '0x8004 writes 0x20001004: 0x22' '0x8008 reads 0x20001010: 0x1' '0x8008 reads 0x20001014: 0x2' \
	'0x8000 reads 0x20001000: 0x44332211' 'accesses, and some is lost' '0x800c reads 0x20001010' \
	'0x8010 reads: 0x7' '0x8014 writes 0x20001018: 0x9, which failed' > "$tmp/want"
"$tmp/list-accesses" "$tmp/data/trace.bin" "$tmp/data/code.bin@0x8000" ETMCR=0xe > "$tmp/list" 2> "$tmp/why"
same "$tmp/want" "$tmp/list" "list-accesses"
"$tmp/list-accesses" "$tmp/data/trace.bin" ETMCR=0 > "$tmp/list" 2> "$tmp/why"
[ $? = 1 ] && grep -qx 'configuration: it traces no data' "$tmp/why"
ok $? "a unit without data trace is told"
echo "1..$n"
