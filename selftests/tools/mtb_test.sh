#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The Micro Trace Buffer of small Cortex-M processors: packets, ranges, order in its memory.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

# dump FILE OPTIONS...: elements without offsets
elements()
{
	"$CSFLOW" dump --protocol=mtb --elements "$@" 2> "$tmp/why" | sed 's/^ *[0-9]* \[00\] //; s/^ *//'
}

# Two NOPs, an exception, its return, the rest of the loop: NOP, NOP, NOP, B 0x1000 at 0x1000; NOP, BX lr at 0x2000.
printf '\0\xbf\0\xbf\0\xbf\xfb\xe7' > "$tmp/main.bin"
printf '\0\xbf\x70\x47' > "$tmp/handler.bin"
code="--code=$tmp/main.bin@0x1000 --code=$tmp/handler.bin@0x2000"
cat > "$tmp/text" << 'END'
branch 0x100 0x1000 start
exception 0x1004 0x2000
branch 0x2002 0xfffffffc
exception 0xfffffffc 0x1004
branch 0x1006 0x1000
END
"$CSFLOW" asm --protocol=mtb -o "$tmp/trace" "$tmp/text" 2> "$tmp/why"
[ "$(od -An -v -tx4 "$tmp/trace" | tr -s ' \n' ' ')" = " 00000100 00001001 00001005 00002000 00002002 fffffffc fffffffd 00001004 00001006 00001000 " ]
ok $? "asm: two words for each branch"
"$CSFLOW" dump --protocol=mtb --packets "$tmp/trace" | sed 's/^ *[0-9]* \[00\] //' > "$tmp/got"
same "$tmp/text" "$tmp/got" "dump: the same packets"
cat > "$tmp/want" << 'END'
trace on
context el0 secure 32
range 0x1000-0x1004 2 E other t32
exception 0x0 at 0x1004
range 0x2000-0x2004 2 E indirect return t32
exception return
range 0x1004-0x1008 2 E branch t32
end of trace
END
# shellcheck disable=SC2086 # several options
elements $code "$tmp/trace" > "$tmp/got"
same "$tmp/want" "$tmp/got" "an exception and its return"

# The same in a memory that has wrapped: the oldest packet is in the middle.
{ tail -c 16 "$tmp/trace"; head -c 24 "$tmp/trace"; } > "$tmp/memory"
# shellcheck disable=SC2086
elements $code --mtb-position=0x14 "$tmp/memory" > "$tmp/got"
same "$tmp/want" "$tmp/got" "--mtb-position: it has wrapped"
{ cat "$tmp/trace"; head -c 24 "$tmp/text"; } > "$tmp/memory"
# shellcheck disable=SC2086
elements $code --mtb-position=0x28 "$tmp/memory" > "$tmp/got"
same "$tmp/want" "$tmp/got" "--mtb-position: it has not, and what is after it is old"
"$CSFLOW" dump --protocol=mtb --mtb-position=0x100 "$tmp/memory" > /dev/null 2> "$tmp/why"
[ $? = 1 ] && grep -q 'mtb-position=0x100: the file has only 0x40 bytes' "$tmp/why"
ok $? "--mtb-position: not in the file"

# A part of a packet, and places that cannot be.
head -c 21 "$tmp/trace" > "$tmp/cut"
# shellcheck disable=SC2086
elements $code "$tmp/cut" > "$tmp/got"
[ "$(tail -n 2 "$tmp/got" | head -n 1)" = 'gap cut, not traced: 0x2000' ]
ok $? "a packet that is cut off"
printf 'branch 0x100 0x1000 start\nbranch 0x1002 0x1000\n' | "$CSFLOW" asm --protocol=mtb -o "$tmp/odd" - 2> "$tmp/why"
# shellcheck disable=SC2086
elements $code "$tmp/odd" > "$tmp/got"
grep -q '^gap walk$' "$tmp/got"
ok $? "a branch from where no branch is"
perl -e 'srand 3; print chr rand 256 for 1..65536' > "$tmp/random"
# shellcheck disable=SC2086
elements $code "$tmp/random" > "$tmp/got"
tail -n 3 "$tmp/got" >> "$tmp/why"
tail -n 1 "$tmp/got" | grep -q '^end of trace'
ok $? "random bytes"
"$CSFLOW" dump --protocol=mtb --packets "$tmp/random" 2> "$tmp/why" | sed 's/^ *[0-9]* \[00\] //' |
	"$CSFLOW" asm --protocol=mtb -o "$tmp/back" - 2>> "$tmp/why"
cmp "$tmp/random" "$tmp/back" >> "$tmp/why"
ok $? "random bytes: packets back to the same bytes"
for line in 'branch 0x101 0x200' 'branch 0x100' 'branch 0x100 0x100000000' 'jump 0x100 0x200' 'branch 0x100 0x200 stop'; do
	echo "$line" | "$CSFLOW" asm --protocol=mtb -o "$tmp/back" - > "$tmp/why" 2>&1
	[ $? = 1 ] && grep -q "not understood" "$tmp/why"
	ok $? "asm: $line"
done

# ---------------------------------------------------------------- the way from a destination to the next source

# At 0x1000: NOP, ISB, IT eq, BX lr, B to the next, NOP, B 0x1000; at 0x1010: NOP, B 0x1010; handler at 0x2000: BX lr.
printf '\0\xbf\xbf\xf3\x6f\x8f\x08\xbf\x70\x47\xff\xe7\0\xbf\xf7\xe7\0\xbf\xfd\xe7' > "$tmp/way.bin"
printf '\x70\x47' > "$tmp/return.bin"

# way NAME PACKETS ELEMENTS: both with ";" between lines
way()
{
	tr ';' '\n' <<< "branch 0x100 0x1000 start;$2" | "$CSFLOW" asm --protocol=mtb -o "$tmp/trace" - 2> "$tmp/why"
	tr ';' '\n' <<< "trace on;context el0 secure 32;$3;end of trace" > "$tmp/want"
	elements --code="$tmp/way.bin@0x1000" --code="$tmp/return.bin@0x2000" "$tmp/trace" |
		sed 's/^end of trace, .*/end of trace/' > "$tmp/got"
	same "$tmp/want" "$tmp/got" "$1"
}

way "no packet: ISB, a branch that IT makes conditional, a branch to the next instruction" \
	"branch 0x100e 0x1000" "range 0x1000-0x1010 7 E branch t32"
way "the same before an exception" \
	"exception 0x100c 0x2000" "range 0x1000-0x100c 5 E branch t32;exception 0x0 at 0x100c"
way "an exception in an IT block, and its return there" \
	"exception 0x1008 0x2000;branch 0x2000 0xfffffffc;exception 0xfffffffc 0x1008;branch 0x100e 0x1000" \
	"range 0x1000-0x1008 3 E other t32;exception 0x0 at 0x1008;range 0x2000-0x2002 1 E indirect return t32;exception return;range 0x1008-0x1010 4 E branch t32"
way "a return into an IT block, and an exception after it" \
	"exception 0x1008 0x2000;branch 0x2000 0xfffffffc;exception 0xfffffffc 0x1008;exception 0x100c 0x2000" \
	"range 0x1000-0x1008 3 E other t32;exception 0x0 at 0x1008;range 0x2000-0x2002 1 E indirect return t32;exception return;range 0x1008-0x100c 2 E branch t32;exception 0x0 at 0x100c"
way "a branch that must have been taken" \
	"branch 0x1012 0x1010" "gap walk;range 0x1012-0x1014 1 E branch t32"
way "the same before an exception" \
	"exception 0x1010 0x2000" "range 0x1000-0x100e 6 E other t32;gap walk;exception 0x0 at 0x1010"
way "a branch that the IT block is too short for" \
	"exception 0x100a 0x1008;branch 0x100e 0x1000" "range 0x1000-0x100a 4 E indirect return t32;exception 0x0 at 0x100a;gap walk;range 0x100e-0x1010 1 E branch t32"
way "ISB is no branch" \
	"branch 0x1002 0x1006" "gap walk;gap walk"
way "a branch that does not lead there" \
	"branch 0x100e 0x1010;branch 0x1012 0x1010" "range 0x1000-0x1010 7 E branch t32;gap walk;range 0x1010-0x1014 2 E branch t32"
for kind in branch exception; do
	way "a return by FNC_RETURN, $kind" \
		"branch 0x100e 0x2000;branch 0x2000 0xfefffffe;$kind 0xfefffffe 0x1000;branch 0x100e 0x1000" \
		"range 0x1000-0x1010 7 E branch t32;gap walk;range 0x2000-0x2002 1 E indirect return t32;exception return;range 0x1000-0x1010 7 E branch t32"
done
way "it does, but tracing was off" \
	"branch 0x100e 0x1000;branch 0x100e 0x1010 start;branch 0x1012 0x1010" "range 0x1000-0x1010 7 E branch t32;trace on;range 0x1010-0x1014 2 E branch t32"

# ---------------------------------------------------------------- in a snapshot

# Eight packets: those from above, and three rounds of the loop; at 0x40 of a memory of 128 bytes the oldest is the fourth.
{ cat "$tmp/text"; for i in 1 2 3; do echo "branch 0x1006 0x1000"; done; } > "$tmp/long"
"$CSFLOW" asm --protocol=mtb -o "$tmp/order" "$tmp/long"
{ tail -c 24 "$tmp/order"; head -c 40 "$tmp/order"; } > "$tmp/ring"
{ head -c 64 /dev/zero; cat "$tmp/ring"; } > "$tmp/sram"
# shellcheck disable=SC2086
elements $code "$tmp/order" > "$tmp/eight"
head -n 8 "$tmp/eight" | tail -n 2 >> "$tmp/eight.loop"

# snapshot NAME BUFFER FORMAT REGISTERS: $s is its folder
snapshot()
{
	s=$tmp/$1
	mkdir "$s"
	cp "$tmp/main.bin" "$tmp/handler.bin" "$s"
	cp "$2" "$s/trace.bin"
	printf '[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=mtb.ini\n[trace]\nmetadata=trace.ini\n' > "$s/snapshot.ini"
	printf '[device]\nname=cpu_0\nclass=core\ntype=Cortex-M33\n[dump1]\nfile=main.bin\naddress=0x1000\n[dump2]\nfile=handler.bin\naddress=0x2000\n' > "$s/cpu.ini"
	printf '[device]\nname=mtb\nclass=trace_source\ntype=MTB\n[regs]\n' > "$s/mtb.ini"
	tr ' ' '\n' <<< "$4" >> "$s/mtb.ini"
	printf '[trace_buffers]\nbuffers=b\n[b]\nname=memory\nfile=trace.bin\nformat=%s\n[core_trace_sources]\ncpu_0=mtb\n' "$3" > "$s/trace.ini"
}

# shot NAME BUFFER FORMAT REGISTERS [WORDS]: elements are those of the eight packets; WORDS are said; without: nothing
shot()
{
	snapshot "$1" "$2" "$3" "$4"
	"$CSFLOW" dump --elements "$s" 2> "$tmp/said" | sed 's/^ *[0-9]* \[..\] //; s/^ *//; /^#/d' > "$tmp/got"
	diff "$tmp/eight" "$tmp/got" > "$tmp/why" 2>&1 && if [ -n "$5" ]; then grep -q -- "$5" "$tmp/said"; else [ ! -s "$tmp/said" ]; fi
	status=$?
	cat "$tmp/said" >> "$tmp/why"
	ok $status "a snapshot: $1"
}

shot "without POSITION the packets are in order" "$tmp/order" source_data ""
shot "POSITION: it has wrapped" "$tmp/ring" source_data "POSITION=0x1c"
shot "POSITION counts in the whole memory, MASTER tells the size of the buffer" "$tmp/ring" source_data "POSITION=0x5c MASTER=0x80000002"
shot "the buffer in the whole memory" "$tmp/sram" source_data "POSITION=0x5c MASTER=0x80000002"
{ cat "$tmp/order"; head -c 64 /dev/zero; } > "$tmp/rest"
shot "what was never written is not read" "$tmp/rest" source_data "POSITION(id:0)=0x40 MASTER(id:1)=0x3"
shot "an MTB writes no frames" "$tmp/ring" coresight "POSITION=0x1c" "format=source_data is meant"
shot "a part of a packet at the end of the memory" <(cat "$tmp/rest"; echo) source_data "POSITION=0x40" "not a multiple of 8"
shot "POSITION is not in the memory" "$tmp/order" source_data "POSITION=0x88" "POSITION=0x88: the buffer has only 0x40 bytes"
snapshot "no type" "$tmp/ring" source_data "POSITION=0x1c MASTER=0x80000002 FLOW=0"
sed -i '/^type=/d; /^class=/d' "$s/mtb.ini"
"$CSFLOW" dump --elements "$s" 2> "$tmp/why" | sed 's/^ *[0-9]* \[..\] //; s/^ *//; /^#/d' | diff "$tmp/eight" - >> "$tmp/why"
ok $? "a snapshot: no type: by its registers"

# The other commands take it as a recording.
snapshot recording "$tmp/ring" source_data "POSITION=0x1c MASTER=0x80000002"
awk '/^range/ { n += $3 } END { print n }' "$tmp/eight" > "$tmp/insns"
"$CSFLOW" script -F ip,addr "$s" > "$tmp/got" 2> "$tmp/why"
sed -i 's/^ *//; s/  *=>  */ /' "$tmp/got"
cat > "$tmp/want" << 'END'
0 1000
1002 2000
2002 1004
1006 1000
1006 1000
1006 1000
1006 1000
END
grep -q . "$tmp/got" && head -n 7 "$tmp/got" | diff "$tmp/want" - >> "$tmp/why"
ok $? "script: its branches"
"$CSFLOW" report "$s" 2> "$tmp/why" | tee -a "$tmp/why" | grep -q "^# Instructions: $(cat "$tmp/insns")\$"
ok $? "report: $(cat "$tmp/insns") instructions"
"$CSFLOW" profile --for=counts -o "$tmp/counts" "$s" > "$tmp/why" 2>&1 && grep -q ", $(cat "$tmp/insns") instructions in " "$tmp/why"
ok $? "profile: the same"
"$CSFLOW" tarmac --no-progress --records=inst "$s" 2> "$tmp/why" | wc -l | diff "$tmp/insns" - >> "$tmp/why"
ok $? "tarmac: the same"
"$CSFLOW" doctor "$s" > "$tmp/why" 2>&1 && grep -q "^verdict  *$(cat "$tmp/insns") instructions .* nothing is missing" "$tmp/why" && grep -q ' MTB' "$tmp/why"
ok $? "doctor: nothing is missing"

memfault=$CSFLOW_CORPUS/classic/memfault-mtb
if [ -z "$CSFLOW_CORPUS" ]; then
	skip "an MTB of silicon" "CSFLOW_CORPUS is not set"
else
	elements --code="$memfault/code_20000324.bin@0x20000324" --code="$memfault/code_20000368.bin@0x20000368" \
		"$memfault/loop.mtb.bin" | awk '/^range/ { print $2, $3; sum += $3 } END { print "total", sum }' > "$tmp/got"
	cat > "$tmp/want" << 'END'
0x20000368-0x20000372 4
0x20000324-0x2000034a 18
0x2000032a-0x2000034a 15
0x2000032a-0x2000034a 15
0x2000032a-0x2000034a 15
total 67
END
	same "$tmp/want" "$tmp/got" "an MTB of silicon: five ranges, 67 instructions"
fi
echo "1..$n"
