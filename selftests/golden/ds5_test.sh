#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ds5_test.sh   csflow tarmac against DS-5's own decode of the same ETMv3 and PTM traces
#
# The address and opcode of each instruction, in order.  Where there was no code, DS-5 lists a line
# for each atom, without an opcode: csflow dump must count as many atoms as lost.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

snapshots=$CSFLOW_CORPUS/snapshots
if [ -z "$CSFLOW_CORPUS" ] || [ ! -d "$snapshots/TC2/ds5-dumps" ]; then
	echo "1..0 # SKIP CSFLOW_CORPUS names no corpus with dumps of DS-5"
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

: "${CSFLOW:=../build/check/csflow}"

# "C0018D82 EB020385": all that was executed.  ours SNAPSHOT [CPU]
ours()
{
	"$CSFLOW" tarmac "$1" 2> /dev/null | awk -v cpu="$2" '
	(cpu == "" || $3 == cpu) && ($4 == "IT" || $4 == "IS") { print toupper($6), toupper($7) }'
}

# Likewise, of a dump.
theirs()
{
	awk -F'\t' '$1 == "Instruction" && $4 !~ /[?]/ { sub(/.*0x/, "", $3); sub(/0x/, "", $4); print $3, $4 }' "$1"
}

failed=0
report()
{
	[ "$1" = 0 ] && echo "ok $2" || { echo "not ok $2"; failed=1; }
}

echo "TAP version 13"
echo "1..6"

dump=$snapshots/TC2/ds5-dumps/ptmv1_0x13.txt
ours "$snapshots/TC2" cpu3 > "$tmp/ours"
theirs "$dump" > "$tmp/theirs"
[ "$(wc -l < "$tmp/theirs")" = 9548 ] && diff "$tmp/theirs" "$tmp/ours" > "$tmp/diff"
report $? "1 TC2: 9,548 instructions"
head -n 5 "$tmp/diff" | sed 's/^/# /'

unknown=$(awk -F'\t' '$1 == "Instruction" && $4 ~ /[?]/' "$dump" | wc -l)
lost=$("$CSFLOW" dump --stats --snapshot="$snapshots/TC2" 2> /dev/null |
	sed -n 's/^PTM_0 .* P0 elements, \([0-9]*\) lost.*/\1/p')
[ "$unknown" -gt 0 ] && [ "$lost" = "$unknown" ]
report $? "2 TC2: $unknown atoms without code, and $lost lost"

# It stops at 10,000 lines, inside a range.
ours "$snapshots/tc2-ptm-rstk-t32" | head -n 9996 > "$tmp/ours"
sed -n 's/^S:0x\([0-9A-F]*\)\t\([0-9A-F][0-9A-F]*\)\t.*/\1 \2/p' \
	"$snapshots/tc2-ptm-rstk-t32/ds-5_trace_dump/a15_rs.txt" | head -n 9996 > "$tmp/theirs"
[ "$(wc -l < "$tmp/theirs")" = 9996 ] && diff "$tmp/theirs" "$tmp/ours" > "$tmp/diff"
report $? "3 tc2-ptm-rstk-t32: the first 9,996 instructions"
head -n 5 "$tmp/diff" | sed 's/^/# /'

test=3
for etm in cpu0:0x10:7205 cpu1:0x11:7471 cpu2:0x12:1947; do
	IFS=: read -r cpu id n <<< "$etm"
	test=$((test + 1))
	ours "$snapshots/TC2" "$cpu" > "$tmp/ours"
	theirs "$snapshots/TC2/ds5-dumps/etmv3_$id.txt" > "$tmp/theirs"
	[ "$(wc -l < "$tmp/theirs")" = "$n" ] && diff "$tmp/theirs" "$tmp/ours" > "$tmp/diff"
	report $? "$test TC2, ETMv3 $id: $n instructions"
	head -n 5 "$tmp/diff" | sed 's/^/# /'
done
exit $failed
