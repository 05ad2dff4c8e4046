#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Captures of ITM and DWT, against listings by other programs, from classic/ of the corpus.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "listings of ITM and DWT" "CSFLOW_CORPUS is not set"
	echo "1..$n"
	exit 0
fi
classic=$CSFLOW_CORPUS/classic
f105=$classic/sigrok-dumps/stm32f105

# Packets as "OFFSET KIND NUMBER SIZE VALUE".
packets()
{
	sed -n -E 's/^ *([0-9]+) \[[0-9a-f]+\] hardware ([0-9]+) (0x[0-9a-f]+)\/([0-9])$/\1 DWT \2 0x\4 \3/p
		s/^ *([0-9]+) \[[0-9a-f]+\] stimulus ([0-9]+) (0x[0-9a-f]+)\/([0-9])$/\1 SWIT \2 0x\4 \3/p
		s/^ *([0-9]+) \[[0-9a-f]+\] overflow$/\1 OVF/p'
}

"$CSFLOW" dump --packets "$f105" 2> "$tmp/why" | packets > "$tmp/got"
same "$f105/id01.itm.txt" "$tmp/got" "a Cortex-M3, in frames: every packet and its offset"

# The first byte is the end of a packet that began before the capture.
"$CSFLOW" dump --protocol=itm --packets "$classic/arm_coresight_decoder/itm_only.bin" 2> "$tmp/why" |
	sed 1,3d | packets > "$tmp/got"
sed '1d; /TRUNC/d' "$classic/arm_coresight_decoder/itm_only.from1.itm.txt" > "$tmp/want"
[ "$(wc -l < "$tmp/want")" = 8243 ]
ok $? "8,243 packets are wanted"
same "$tmp/want" "$tmp/got" "a capture without one sync: every packet"

# What sigrok says, in the words of csflow; characters of one write are one line there.
sed -n -E 's/^[0-9-]+ arm_itm: dwt_pc: "PC: (0x[0-9a-f]+)".*/pc \1/p
	s/^[0-9-]+ arm_itm: dwt_watchpoint: "Watchpoint ([0-9]): Write data (0x[0-9a-f]+)".*/write \1 \2/p
	s/^[0-9-]+ arm_itm: dwt_watchpoint: "Watchpoint ([0-9]): PC (0x[0-9a-f]+)".*/access-pc \1 \2/p
	s/^[0-9-]+ arm_itm: dwt_watchpoint: "Watchpoint ([0-9]): address 0x\?\?\?\?([0-9]+)".*/access-addr \1 0x\2/p
	s/^[0-9-]+ arm_itm: dwt_exc: "Enter: IRQ 28".*/exception 44 entered/p
	s/^[0-9-]+ arm_itm: dwt_exc: "Resume: Thread".*/exception 0 returned/p
	s/^[0-9-]+ arm_itm: trace: "Overflow".*/overflow/p' "$f105/sigrok-itm.output" |
	sed -E 's/0x0+([0-9a-f])/0x\1/' > "$tmp/want"
"$CSFLOW" dump --elements "$f105" 2> "$tmp/why" |
	sed -n -E 's/^ *[0-9]+ \[01\] ((pc|write|access-pc|access-addr|exception|overflow).*) unsynced$/\1/p' |
	sed -E "s/\/[124]( '.')?$//" > "$tmp/got"
diff "$tmp/want" "$tmp/got" > "$tmp/why"
# One packet is split there, at a gap of the UART.
[ "$(grep -c '^[<>]' "$tmp/why")" = 1 ] && grep -qx '> pc 0x80002f6' "$tmp/why" && [ "$(wc -l < "$tmp/got")" = 489 ]
ok $? "all messages of the DWT but one are those of sigrok"

# Values, addresses of instructions, and times between them, up to the first loss of the other program.
swo=$classic/open-cmsis-devtools/Blinky+Arm/Blinky+Arm.SWO
awk -F, '/error/ { exit } NR > 1 && $5 { printf "%s %s %d\n", $5, $6, $1 - last; last = $1 }' "$swo.csv" |
	sed -E 's/0x0+([0-9a-f])/0x\1/g' | sed 1d > "$tmp/want"
"$CSFLOW" dump --protocol=itm --elements "$swo.raw" 2> "$tmp/why" |
	awk '$3 == "access-pc" { pc = $5 }
		$3 == "write" { sub("/4", "", $5); print $5, pc, $7 - last; last = $7 }' > "$tmp/all"
awk 'NR == FNR { want[n++] = $0; next } i < n && $0 == want[i + 0] { print; i++ }' "$tmp/want" "$tmp/all" > "$tmp/got"
[ "$(wc -l < "$tmp/want")" = 390 ]
ok $? "390 messages with times are wanted"
same "$tmp/want" "$tmp/got" "a Cortex-M7: values, instructions and times"
echo "1..$n"
