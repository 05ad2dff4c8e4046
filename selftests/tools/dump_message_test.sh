#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow dump of sources of messages: bare bytes, frames and snapshots; the commands that follow execution leave them
# out and say so.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh

# bytes HEX...: to standard output
bytes()
{
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$(printf '\\x%s' "$@")"
}

echo "TAP version 13"
bytes 00 00 00 00 00 80 01 48 c0 05 0e 0f 10 70 8d 02 04 60 > "$tmp/itm"
cat > "$tmp/want" << 'END'
       0 [00] async 5
       6 [00] stimulus 0 0x48/1
                 data 0 0x48/1 'H' at 5
       8 [00] time.local 0x5/1
                 time +5 at 5
      10 [00] hardware 1 0x100f/2
                 exception 15 entered
      13 [00] overflow
                 overflow
      14 [00] hardware 17 0x2/1
                 write 0 0x2/1
      16 [00] raw 04 ; reserved
                 gap packet 1 bytes
      17 [00] time.local 0x6/0
                 time +6 at 11 time-lost unsynced
END
"$CSFLOW" dump --protocol=itm "$tmp/itm" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "packets, and messages below them"
sed -n 's/^ *\([0-9]* \[00\]\) .*/\1/p; s/^                 //p' "$tmp/want" |
	sed -n '/\[00\]/h; /\[00\]/!{G; s/\(.*\)\n\(.*\)/\2 \1/p}' > "$tmp/want-elements"
"$CSFLOW" dump --protocol=itm --elements "$tmp/itm" 2> "$tmp/why" | sed 's/^ *//' > "$tmp/got"
same "$tmp/want-elements" "$tmp/got" "messages alone"
"$CSFLOW" dump --protocol=itm --packets "$tmp/itm" 2> "$tmp/why" |
	sed 's/^ *[0-9]* \[00\] //; s/ ;.*//' > "$tmp/words"
"$CSFLOW" asm --protocol=itm -o "$tmp/again" "$tmp/words" 2> "$tmp/why" && cmp "$tmp/itm" "$tmp/again" > "$tmp/why" 2>&1
ok $? "csflow asm makes the same bytes of these words"

cat > "$tmp/want" << 'END'
18 bytes, 1 skipped; 7 packets, 1 syncs; 6 messages, 1 overflows
  gap packet       1 times, 1 bytes
END
for input in "$tmp/itm" -; do
	"$CSFLOW" dump --protocol=itm --stats $input < "$tmp/itm" 2> "$tmp/why" | sed 's/^.*\]: //' > "$tmp/got"
	same "$tmp/want" "$tmp/got" "statistics, of ${input##*/}"
done
"$CSFLOW" dump --protocol=itm --stats --packets "$tmp/itm" 2> "$tmp/why" | sed -n '/overflows/s/^.*\]: //p; /gap/p' > "$tmp/got"
same "$tmp/want" "$tmp/got" "and after the packets"

# One frame of trace ID 2.
s=$tmp/snapshot
mkdir "$s"
bytes 05 01 48 c0 04 70 01 00 00 00 00 00 00 00 00 04 > "$s/trace.bin"
printf '[snapshot]\nversion=1.0\n[device_list]\nd0=itm.ini\n[trace]\nmetadata=trace.ini\n' > "$s/snapshot.ini"
printf '[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n[regs]\nITM_CTRL=0x00020003\n' > "$s/itm.ini"
printf '[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n' > "$s/trace.ini"
cat > "$tmp/want" << 'END'
# [02] --protocol=itm --itmtcr=0x20003
       1 [02] stimulus 0 0x48/1
                 data 0 0x48/1 'H' at 5 unsynced
       3 [02] time.local 0x5/1
                 time +5 at 5 unsynced
       5 [02] overflow
                 overflow unsynced
END
"$CSFLOW" dump "$s" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "a snapshot, in frames"
"$CSFLOW" dump --stats "$s" 2> "$tmp/why" | grep -qx 'ITM_0 \[02\]: 5 bytes, 0 skipped; 3 packets, 0 syncs; 3 messages, 1 overflows'
ok $? "its statistics"

said='trace source ITM_0 is left out: an ITM sends messages, not execution: csflow messages lists them'
for command in "script" "tarmac -o $tmp/log" "dump --format=opencsd"; do
	# shellcheck disable=SC2086 # words
	"$CSFLOW" $command "$s" > "$tmp/got" 2> "$tmp/why"
	[ $? = 1 ] && grep -qF "$said" "$tmp/why"
	ok $? "csflow ${command%% *} leaves it out and says so"
done
"$CSFLOW" index -o "$tmp/index" "$s" > "$tmp/got" 2> "$tmp/why"
grep -qx 'ITM \[02\] cpu 0: 5 bytes, 1 stretch' "$tmp/got"
ok $? "csflow index has it"
"$CSFLOW" dump --protocol=itm --format=opencsd "$tmp/itm" 2> "$tmp/why"
[ $? = 2 ] && grep -q -- '--format=opencsd has no messages' "$tmp/why"
ok $? "csflow dump --format=opencsd, likewise"

# An STM: its packets are not whole bytes, so there are only messages.
bytes 12 ff ff ff ff ff ff ff ff ff ff 0f 0f 30 a1 31 24 d4 f8 14 14 0c 0f 1c 32 > "$tmp/stm"
cat > "$tmp/want" << 'END'
       0 [00] gap start 1 bytes
      17 [00] data 161:66 0xd8/1
      18 [00] data 161:66 0x14/1 at 12
      22 [00] gap packet 3 bytes
END
"$CSFLOW" dump --protocol=stm "$tmp/stm" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "an STM"
"$CSFLOW" dump --protocol=stm --stats "$tmp/stm" > "$tmp/got" 2> "$tmp/why"
grep -q "25 bytes, 4 skipped; 7 packets, 1 syncs; 2 messages" "$tmp/got"
ok $? "its statistics"
echo 'async' | "$CSFLOW" asm --protocol=stm -o "$tmp/again" - > "$tmp/got" 2> "$tmp/why"
[ $? = 1 ]
ok $? "csflow asm refuses it"
echo "1..$n"
