#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow messages over captures and listings of other programs, from classic/ and snapshots/ of the corpus.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "messages of real captures" "CSFLOW_CORPUS is not set"
	echo "1..$n"
	exit 0
fi
classic=$CSFLOW_CORPUS/classic
f105=$classic/sigrok-dumps/stm32f105

echo "TAP version 13"
# ---------------------------------------------------------------- open-cmsis-devtools: cycles, source, value and pc

swo=$classic/open-cmsis-devtools/Blinky+Arm/Blinky+Arm.SWO
awk -F, '/error/ { exit } NR > 1 && $5 { printf "%s,%s,%s,%d\n", $4, $5, $6, $1 - last; last = $1 }' "$swo.csv" |
	sed 1d > "$tmp/want"
"$CSFLOW" messages --format=csv "$swo.raw" 2> "$tmp/why" |
	awk -F, '$8 == "write" { printf "%s,%s,%s,%d\n", $7, $10, $11, $1 - last; last = $1 }' > "$tmp/all"
awk 'NR == FNR { want[n++] = $0; next } i < n && $0 == want[i + 0] { print; i++ }' "$tmp/want" "$tmp/all" > "$tmp/got"
[ "$(wc -l < "$tmp/want")" = 390 ]
ok $? "390 rows are wanted"
same "$tmp/want" "$tmp/got" "a Cortex-M7: comparator, value, instruction and time, as Open-CMSIS' columns have them"

# ---------------------------------------------------------------- sigrok: text of the stimulus ports

# sigrok takes bytes of a packet that a gap of its serial line split for a message of its own
sed -n -E '/0x0800"$/d; s/^[0-9-]+ arm_itm: software: "0: "?([^"]*)"?"$/\1/p' "$f105/sigrok-itm.output" |
	tr -d '\n' > "$tmp/want"
"$CSFLOW" messages --text=0 --kind=text --format=json "$f105" 2> "$tmp/why" |
	sed 's/.*"text":"\(.*\)","offset.*/\1/' | tr -d '\n' > "$tmp/got"
same "$tmp/want" "$tmp/got" "a Cortex-M3: what it wrote to port 0"
"$CSFLOW" messages --format=samples --elf="$f105/trace_example.elf" "$f105" 2> "$tmp/why" |
	sed '1,3d; /^$/d' > "$tmp/got"
cat > "$tmp/want" << 'END1'
    96.95%      381  delay
     1.78%        7  bubble_sort
     0.76%        3  TIM2_IRQ
     0.25%        1  ITM_Print
     0.25%        1  ITM_SendValue
END1
same "$tmp/want" "$tmp/got" "its functions by samples"
# sigrok lacks one sample, which a gap of its serial line split
sed -n -E 's/^[0-9-]+ arm_itm: dwt_pc: "PC: 0x([0-9a-f]+)".*/\1/p' "$f105/sigrok-itm.output" | wc -l > "$tmp/n"
"$CSFLOW" messages --kind=pc --format=csv "$f105" 2> "$tmp/why" | sed 1,2d | wc -l > "$tmp/got"
same "$tmp/n" "$tmp/got" "one sample more than sigrok has"

# the same from the samples of the logic analyser
"$CSFLOW" messages --format=csv --framing=frames --id=1 "$f105/swo.uart.bin" 2> "$tmp/why" |
	cut -d, -f1-17 > "$tmp/want"
"$CSFLOW" messages --format=csv --framing=swo --id=1 "$f105/trace_example.sr" 2> "$tmp/why" |
	cut -d, -f1-17 > "$tmp/got"
[ "$(wc -l < "$tmp/want")" -gt 500 ] && same "$tmp/want" "$tmp/got" "the messages from samples of the wire"

# ---------------------------------------------------------------- an STM of a real system

for s in stm_only stm_only-2 stm_only-juno; do
	"$CSFLOW" dump --elements "$CSFLOW_CORPUS/snapshots/$s" 2> "$tmp/why" |
		sed -n -E 's/^ *([0-9]+) \[20\] ([a-z-]+) .*/\1 \2/p' > "$tmp/want"
	"$CSFLOW" messages --format=csv "$CSFLOW_CORPUS/snapshots/$s" 2> "$tmp/why" |
		awk -F, 'NR > 1 { print $NF, $8 }' > "$tmp/got"
	[ -s "$tmp/want" ] && same "$tmp/want" "$tmp/got" "$s: every message that csflow dump has"
done
"$CSFLOW" messages "$CSFLOW_CORPUS/snapshots/bugfix-exact-match" > "$tmp/got" 2> "$tmp/why"
[ $? = 1 ] && grep -q 'no source of messages: it has an ETMv4' "$tmp/why"
ok $? "a snapshot without one"

# ---------------------------------------------------------------- MIPI SyS-T, as MIPI's own printer decodes it

cat > "$tmp/rows.py" << 'END1'
# rows.py want CSV | got JSON: status, text, type, severity, origin, unit, location and length of each message.
import csv
import json
import sys

if sys.argv[1] == 'want':
    for r in list(csv.reader(open(sys.argv[2])))[1:]:
        print(r[:6] + [r[8], r[9]])
else:
    for line in open(sys.argv[2]):
        o = json.loads(line)
        s = o.get('syst', {})
        print([s.get('status', '-').upper(), o.get('text', '').replace('\\n', ' ').replace('\\\\', '\\'), s.get('type'),
               s.get('severity', ''), s.get('origin', ''), str(s.get('unit')), s.get('location', ''),
               str(s.get('length'))])
END1
syst=$classic/mipi-sys-t
for bits in 32 64; do
	python3 "$tmp/rows.py" want "$syst/output_client$bits.txt" > "$tmp/want"
	for source in stm itm; do
		python3 make/syst.py $source < "$syst/input_client$bits.txt" > "$tmp/trace"
		"$CSFLOW" messages --protocol=$source --syst="$syst/collateral.xml" --format=json "$tmp/trace" \
			> "$tmp/json" 2> "$tmp/why"
		python3 "$tmp/rows.py" got "$tmp/json" > "$tmp/got" 2>> "$tmp/why"
		same "$tmp/want" "$tmp/got" "SyS-T, client of $bits bits, from an ${source^^}: 283 messages"
	done
done
# a byte is wrong, a message is cut off
sed 's/<D32>    43544e49/<D32>    43544e48/' "$syst/input_client32.txt" | python3 make/syst.py stm > "$tmp/trace"
"$CSFLOW" messages --protocol=stm --syst="$syst/collateral.xml" --format=json "$tmp/trace" 2> "$tmp/why" |
	grep -c '"status":"bad-checksum"' > "$tmp/got"
[ "$(cat "$tmp/got")" = 277 ]
ok $? "checksums"
sed 5,8d "$syst/input_client32.txt" | grep -v FLAG | python3 make/syst.py stm > "$tmp/trace"
"$CSFLOW" messages --protocol=stm --syst="$syst/collateral.xml" --format=json "$tmp/trace" 2> "$tmp/why" |
	grep -c '"status":"ok"' > "$tmp/got"
[ "$(cat "$tmp/got")" -ge 280 ]
ok $? "without flags the next timestamp ends a message"
echo "1..$n"
