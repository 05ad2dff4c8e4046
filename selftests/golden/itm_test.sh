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

# What the program wrote; sigrok joins characters, and a packet that is longer begins before one that it prints earlier.
sort -t- -k1,1n "$f105/sigrok-itm.output" | sed -n -E 's/^[0-9-]+ arm_itm: software: "([0-9]+): (.*)"$/\1 \2/p' |
	while read -r port text; do
		case $text in
		0x*)	printf '%s 0x%x\n' "$port" "$((text))" ;;
		*)	text=${text#\"} && echo -n "${text%\"}" | od -An -v -tx1 -w1 | sed "s/ 0*/$port 0x/" ;;
		esac
	done > "$tmp/want"
"$CSFLOW" dump --elements "$f105" 2> "$tmp/why" |
	sed -n -E 's/^ *[0-9]+ \[01\] data ([0-9]+) (0x[0-9a-f]+).*/\1 \2/p' > "$tmp/got"
diff "$tmp/want" "$tmp/got" > "$tmp/why"
# The other half of the packet that is split.
[ "$(wc -l < "$tmp/got")" = 97 ] && [ "$(grep '^[<>]' "$tmp/why")" = '< 0 0x800' ]
ok $? "all writes of the program are those of sigrok, but one that is none"

# The other program says 528 rows: time, value, address of the instruction.  It loses 2,179 bytes after row 392, of which
# it has the address alone, and counts the time on as if there were none.
swo=$classic/open-cmsis-devtools/Blinky+Arm/Blinky+Arm.SWO
awk -F, 'NR > 1 && $3 == "dwt" { print $5 ? $5 : "-", $6, $1 }' "$swo.csv" | sed -E 's/0x0+([0-9a-f])/0x\1/g' > "$tmp/want"
"$CSFLOW" dump --protocol=itm --elements "$swo.raw" 2> "$tmp/why" |
	awk '$3 == "access-pc" { pc = $5 }
		$3 == "gap" && pc { print "-", pc, "-"; pc = "" }
		$3 == "write" { sub("/4", "", $5); print $5, pc, $7; pc = "" }' > "$tmp/all"
awk 'BEGIN { n = i = 0 }
	NR == FNR { value[n] = $1; pc[n] = $2; time[n++] = $3; next }
	i < n && $1 == value[i] && $2 == pc[i] {
		if (i == 0 || value[i - 1] == "-")
			start = $3 - time[i]
		else if ($1 != "-")
			same += $3 - time[i] == start
		rows++
		i++
	}
	END { print rows, same + 2 }' "$tmp/want" "$tmp/all" > "$tmp/why"
grep -qx '528 527' "$tmp/why"
ok $? "a Cortex-M7: all 528 rows, and their times, which count from two beginnings"
echo "1..$n"
