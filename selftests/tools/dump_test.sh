#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow dump and asm, from the command line: words to bytes and back, input of each kind, and
# messages and exit status if something is wrong.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
test=0
failed=0

report()
{
	test=$((test + 1))
	[ "$1" = 0 ] && echo "ok $test $2" || { echo "not ok $test $2"; failed=1; }
}

# exits STATUS WORDS-ON-STDERR ARGUMENTS...
exits()
{
	local want=$1 words=$2 got

	shift 2
	"$CSFLOW" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	got=$?
	[ $got = "$want" ] && { [ -z "$words" ] || grep -q -- "$words" "$tmp/err"; }
	report $? "csflow $*: exits with $want, '$words'" ||
		sed 's/^/# /' "$tmp/err"
}

# ---------------------------------------------------------------- words and bytes

cat > "$tmp/words" << 'END'
# a trace in words
async
info
on
addr32.ctx 0x1000 el1 ns 64
      21 [10] atom ENN		; as dump prints it
                 range 0x1000-0x1008 3 E branch
raw 70 f7
raw 05
END
printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04\x82\0\x08\0\0\x31\xf9\x70\xf7\x05' > "$tmp/bytes"
unit="--protocol=ete --trcidr0=0x2801cea1 --trcidr2=0xd0001088 --trcconfigr=1"

"$CSFLOW" asm $unit "$tmp/words" > "$tmp/asm" && cmp "$tmp/asm" "$tmp/bytes"
report $? "asm: words to bytes"
"$CSFLOW" asm $unit --id=0x11 "$tmp/words" | cmp - <(grep -v '\[10\]' "$tmp/words" | "$CSFLOW" asm $unit)
report $? "asm: lines of one trace ID"
"$CSFLOW" dump $unit --packets "$tmp/bytes" | "$CSFLOW" asm $unit -o "$tmp/again" &&
	cmp "$tmp/again" "$tmp/bytes"
report $? "asm: dump's packets back to the same bytes"
"$CSFLOW" dump $unit "$tmp/bytes" | "$CSFLOW" asm $unit | cmp - "$tmp/bytes"
report $? "asm: passes over elements"

# The listing has the registers of the unit: no option is needed, whatever the protocol; frames are taken off.
"$CSFLOW" tarmac --no-disasm --symfs=data/demo -o "$tmp/demo.log" data/demo/perf.data 2> "$tmp/err"
cat > "$tmp/arm.log" << 'END'
1 clk cpu0 IT (1) 00008000 e3a00001 A usr_ns : MOV r0,#1
2 clk cpu0 IT (2) 00008004 eb000002 A usr_ns : BL {pc}+16
3 clk cpu0 IT (3) 00008014 e12fff1e A usr_ns : BX lr
4 clk cpu0 IT (4) 00008008 eafffffe A usr_ns : B .
5 clk cpu0 IT (5) 00008008 eafffffe A usr_ns : B .
END
for of in ete=1.1:demo etm4=4.2:demo ptm=1.1:arm etm3=3.5:arm etm4=4.2:arm; do
	rm -rf "$tmp/raw" "$tmp/framed"
	"$CSFLOW" encode -u ${of%:*},cid -C 0 --format=snapshot -o "$tmp/raw" "$tmp/${of#*:}.log" 2> "$tmp/err" &&
		"$CSFLOW" encode -u ${of%:*},cid --formatted --format=snapshot -o "$tmp/framed" "$tmp/${of#*:}.log" 2> "$tmp/err"
	"$CSFLOW" dump "$tmp/raw" 2>> "$tmp/err" | "$CSFLOW" asm - | cmp - "$tmp/raw/trace0.bin" &&
		[ -s "$tmp/raw/trace0.bin" ]
	report $? "dump | asm without options: $of"
	"$CSFLOW" dump "$tmp/framed" 2>> "$tmp/err" | "$CSFLOW" asm --id=0x10 - | cmp - "$tmp/raw/trace0.bin"
	report $? "and out of frames"
done
"$CSFLOW" encode --formatted --format=snapshot -o "$tmp/both" "$tmp/demo.log" 2> "$tmp/err"
"$CSFLOW" dump --packets "$tmp/both" | "$CSFLOW" asm - > "$tmp/out" 2> "$tmp/err"
[ $? = 1 ] && grep -q 'trace ID 0x11 after lines of 0x10: choose one with --id' "$tmp/err"
report $? "lines of several trace IDs are refused"

# A number longer than needed: words alone would shorten it.
printf 'async\nraw 2d 81 00\n' | "$CSFLOW" asm $unit -o "$tmp/long"
"$CSFLOW" dump $unit --packets "$tmp/long" > "$tmp/got"
grep -q 'raw 2d 81 00 ; commit' "$tmp/got" && "$CSFLOW" asm $unit "$tmp/got" | cmp - "$tmp/long"
report $? "dump: packets that are written otherwise stay bytes"

# NOP; B.EQ +8, eight times
for i in 1 2 3 4 5 6 7 8; do printf '\x1f\x20\x03\xd5\x40\0\0\x54'; done > "$tmp/code"
cat > "$tmp/want" << 'END'
       0 [00] async
      12 [00] info
      14 [00] on
                 trace on
      15 [00] addr32.ctx 0x1000 el1 ns 64
                 context el1 nonsecure 64
      21 [00] atom ENN
                 range 0x1000-0x1008 2 E branch cond
                 range 0x100c-0x1010 1 N branch cond
                 range 0x1010-0x1018 2 N branch cond
      22 [00] ignore
      23 [00] atom E
                 range 0x1018-0x1020 2 E branch cond
      24 [00] raw 05 ; not of this trace unit
                 gap packet
                 end of trace
END
"$CSFLOW" dump $unit --code="$tmp/code@0x1000" "$tmp/bytes" > "$tmp/got"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: packets, and elements below them"
# T32 of an M-profile processor, at an address that is no multiple of 4: NOP; NOP; CBZ r0; BX lr
m='--protocol=etmv4 --profile=m --trcidr1=0x4100f432'
printf '\0\xbf\0\xbf\x30\xb1\x70\x47' > "$tmp/t32"
"$CSFLOW" asm $m -o "$tmp/m" << 'END'
async
info
addr32.ctx.is1 0x4f9a02 el0 s 32
atom N
atom E
END
cat > "$tmp/want" << 'END'
range 0x4f9a02-0x4f9a08 3 N branch cond t32
range 0x4f9a08-0x4f9a0a 1 E indirect return t32
END
"$CSFLOW" dump $m --code="$tmp/t32@0x4f9a02" --elements "$tmp/m" 2>&1 | sed -n 's/^.*\(range .*\)/\1/p' > "$tmp/got"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: code at an even address"
printf '%s\n' '.syntax unified' '.thumb' 'nop' 'nop' 'nop' '.short 0xb130' 'bx lr' > "$tmp/t32.s"
clang --target=armv7m-none-eabi -c -o "$tmp/t32.o" "$tmp/t32.s" 2> "$tmp/why" &&
	ld.lld --image-base=0x4f0000 -Ttext=0x4f9a00 -e 0x4f9a03 -o "$tmp/t32.elf" "$tmp/t32.o" 2>> "$tmp/why"
"$CSFLOW" dump $m --code="$tmp/t32.elf" --elements "$tmp/m" 2>> "$tmp/why" | sed -n 's/^.*\(range .*\)/\1/p' > "$tmp/got"
diff "$tmp/want" "$tmp/got" | cat - "$tmp/why" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: code of an ELF file"
"$CSFLOW" dump $m --code="$tmp/t32" --elements "$tmp/m" > "$tmp/got" 2> "$tmp/why"
[ $? = 1 ] && grep -q "t32: not an ELF file: --code=.*t32@ADDRESS" "$tmp/why"
report $? "dump: code of a file that is no ELF file, without an address"
mkdir "$tmp/even"
cp "$tmp/m" "$tmp/even/trace.bin"
cp "$tmp/t32" "$tmp/even/code.bin"
printf '%s\n' '[snapshot]' version=1.0 '[device_list]' d0=cpu.ini d1=etm.ini '[trace]' metadata=trace.ini \
	> "$tmp/even/snapshot.ini"
printf '%s\n' '[device]' name=cpu_0 class=core type=Cortex-M33 '[dump]' file=code.bin address=0x4f9a02 length=8 \
	> "$tmp/even/cpu.ini"
printf '%s\n' '[device]' name=ETM_0 class=trace_source type=ETM4 '[regs]' 'TRCIDR1(0x79)=0x4100f432' \
	'TRCIDR0(0x78)=0x28000ea1' 'TRCIDR2(0x7a)=0x20001088' 'TRCCONFIGR(4)=0' 'TRCTRACEIDR(0x10)=0x10' > "$tmp/even/etm.ini"
printf '%s\n' '[trace_buffers]' buffers=b0 '[b0]' name=ETB_0 file=trace.bin format=source_data \
	'[source_buffers]' ETM_0=ETB_0 '[core_trace_sources]' cpu_0=ETM_0 > "$tmp/even/trace.ini"
"$CSFLOW" dump --snapshot="$tmp/even" --elements 2>&1 | sed -n 's/^.*\(range .*\)/\1/p' > "$tmp/got"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: a snapshot with code at an even address"

# B.EQ +8 and RET; an interrupt to a handler that is not traced
printf '\x40\0\0\x54\xc0\x03\x5f\xd6' > "$tmp/branches"
cat > "$tmp/want" << 'END'
trace on
context el0 nonsecure 64
range 0x1000-0x1004 1 N branch cond
exception 0xe at 0x1004
context el1 nonsecure 64
trace on, not traced: 0xffff800010011480
context el0 nonsecure 64
range 0x1004-0x1008 1 E indirect return
trace on, not traced: 0x5000
context el0 nonsecure 64
range 0x1000-0x1004 1 E branch cond
trace on
range 0x1004-0x1008 1 E indirect return
end of trace, not traced: 0x6000
END
"$CSFLOW" asm $unit -o "$tmp/untraced" << 'END'
async
info
on
addr.ctx 0x1000 el0 ns 64
atom N
exception irq addr
addr32 0x1004
addr.ctx 0xffff800010011480 el1 ns 64
on
addr.ctx 0x1004 el0 ns 64
atom E
addr32 0x5000
on
addr.ctx 0x1000 el0 ns 64
atom E
on
addr32 0x1004
atom E
addr32 0x6000
END
"$CSFLOW" dump $unit --code="$tmp/branches@0x1000" --elements "$tmp/untraced" |
	sed 's/^[ 0-9]*\[[0-9a-f]*\] //; s/^ *//' > "$tmp/got"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: where an exception or a branch went of which nothing was traced"
"$CSFLOW" dump $unit --code="$tmp/code@0x1000" --elements "$tmp/bytes" | grep -c range | grep -qx 4
report $? "dump --elements"
"$CSFLOW" dump $unit --stats "$tmp/bytes" | grep -q '25 bytes, 1 skipped; 7 packets, 1 A-syncs'
report $? "dump --stats"

# ---------------------------------------------------------------- data accesses

# ldr; str; ldm r0, {r1-r3}; ldrb
printf '\0\0\x90\xe5\0\0\x80\xe5\x0e\0\x90\xe8\0\x10\xd0\xe5' > "$tmp/a32"
data='--protocol=etmv3 --etmcr=0xc'
"$CSFLOW" asm $data -o "$tmp/accesses" << 'END'
async
isync 0x8000 a32 on s
atom E
data 0x44332211/4 at=0x20001000/32
atom E
data.place 1 at=0x4/7
atom E
data 0x1/1 at=0x10/7
data 0x2/1
data.late 1 0x22/1
data.late 2 0x7/1
data.lost
atom E
data.place 3 at=0x1010/14
END
cat > "$tmp/want" << 'END'
      12 [00] atom E
                 range 0x8000-0x8004 1 E load a32
      13 [00] data 0x44332211/4 at=0x20001000/32
                 data read 0x20001000 = 0x44332211 size 4 of 0x8000
      23 [00] atom E
                 range 0x8004-0x8008 1 E store a32
      24 [00] data.place 1 at=0x4/7
      26 [00] atom E
                 range 0x8008-0x800c 1 E load a32
      27 [00] data 0x1/1 at=0x10/7
                 data read 0x20001010 = 0x1 size 4 of 0x8008
      30 [00] data 0x2/1
                 data read 0x20001014 next = 0x2 size 4 number 1 of 0x8008
      32 [00] data.late 1 0x22/1
                 data write 0x20001004 = 0x22 size 4 late of 0x8004
      34 [00] data.late 2 0x7/1
                 data = 0x7 late
      36 [00] data.lost
                 data lost
      37 [00] atom E
                 range 0x800c-0x8010 1 E load a32
      38 [00] data.place 3 at=0x1010/14
                 data read 0x20001010 size 1 lost of 0x800c
                 end of trace
END
"$CSFLOW" dump $data --code="$tmp/a32@0x8000" "$tmp/accesses" | sed 1,4d > "$tmp/got"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: data accesses, below the packet that completes them"
"$CSFLOW" dump $data --code="$tmp/a32@0x8000" --elements "$tmp/accesses" | grep -c '\] data' | grep -qx 7
report $? "dump --elements: likewise"
"$CSFLOW" dump $data --code="$tmp/a32@0x8000" --stats "$tmp/accesses" |
	grep -qx '  7 data accesses, 2 of them lost in part'
report $? "dump --stats: the number of accesses"
"$CSFLOW" dump $data --code="$tmp/a32@0x8000" --format=opencsd --elements "$tmp/accesses" > "$tmp/got"
[ $? = 0 ] && grep -q END "$tmp/got" && ! grep -q ' data read' "$tmp/got"
report $? "dump --format=opencsd: no accesses, which OpenCSD does not have"

# ---------------------------------------------------------------- frames

# 0x10: 00 00 00 00 00 80 08 00; 0x11: aa bb; 0x10: 80 00
printf '\x21\0\0\0\0\0\x80\x08\x23\0\xaa\xbb\x21\x80\0\x10' > "$tmp/frame"
cat > "$tmp/want" << 'END'
       1 [10] 00 00 00 00 00 80 08 00
      10 [11] aa bb
      13 [10] 80 00
END
"$CSFLOW" dump --frames --framing=frames "$tmp/frame" | cmp - "$tmp/want"
report $? "dump --frames"
"$CSFLOW" dump $unit --framing=frames --id=0x10 --packets "$tmp/frame" > "$tmp/got"
grep -q '^       1 \[10\] raw 00 00 00 00 00 80 08 00 80 00 ; out of sync$' "$tmp/got"
report $? "dump: one trace ID of frames"
# The place of a packet in the capture, where its frame says the same ID again or has a sync inside:
# FSYNC, a frame at 4, and one at 20 with the ID at 20, 22 and 28 and a half sync at 26.
printf '\xff\xff\xff\x7f\x21\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0' > "$tmp/frame"
printf '\x21\x04\x21\x71\x70\x71\xff\x7f\x21\x72\x70\x73\x70\x74\x70\x75\x70\0' >> "$tmp/frame"
cat > "$tmp/want" << 'END'
       5 [10] async
      17 [10] info
      21 [10] on
      23 [10] event 0x1
      25 [10] event 0x1
      29 [10] event 0x2
      31 [10] event 0x3
      33 [10] event 0x4
      35 [10] event 0x5
END
"$CSFLOW" dump $unit --framing=tpiu --id=0x10 --packets "$tmp/frame" | grep -v ignore > "$tmp/got"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: where a packet is, behind IDs and syncs inside a frame"

# The second frame begins with ID 0x11, whose first byte is still of 0x10; then comes 0x10 again.
printf '\x21\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0' > "$tmp/frame"
printf '\x23\x04\x21\x71\x70\x72\x70\x73\x70\x74\x70\x75\x70\x76\x70\x01' >> "$tmp/frame"
"$CSFLOW" dump $unit --framing=frames --id=0x10 --packets "$tmp/frame" |
	sed -n 's/.*\] //p' | grep -v ignore > "$tmp/got"
printf '%s\n' async info on 'event 0x'{1..6} > "$tmp/want"
diff "$tmp/want" "$tmp/got" | sed 's/^/# /'
cmp -s "$tmp/want" "$tmp/got"
report $? "dump: a trace ID with no bytes in a frame"

# ---------------------------------------------------------------- what is wrong

exits 2 "give one file at most" dump "$tmp/bytes" "$tmp/bytes"
exits 2 "there is no option --nonsense" dump --nonsense
exits 2 "could be --packets or --p" dump --p "$tmp/bytes"
exits 2 "wants a number" dump --id=x "$tmp/bytes"
exits 2 "does not know" dump --format=prose "$tmp/bytes"
printf '\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x23\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$tmp/two"
exits 2 "two: trace IDs 0x10, 0x11: name the trace unit with --id$" dump --framing=frames "$tmp/two"
exits 2 "dump: -: frames: name the trace unit with --id$" dump --framing=frames --stats -
exits 1 "index: $tmp/two: trace IDs 0x10, 0x11: name the trace unit with --id$" index --framing=frames -o "$tmp/tix" "$tmp/two"
exits 1 "csflow: $tmp/nothing: No such file" dump --framing=frames "$tmp/nothing"
head -c 16 /dev/zero > "$tmp/zeros"
exits 1 "zeros: no frame in it belongs to a trace unit: see --framing$" dump --framing=frames "$tmp/zeros"
head -c 16 "$tmp/frame" > "$tmp/single"
exits 0 "single: trace ID 0x10 is the only one$" dump --framing=frames $unit "$tmp/single"
exits 0 "index: $tmp/single: trace ID 0x10 is the only one$" index --framing=frames $unit -o "$tmp/tix" "$tmp/single"
"$CSFLOW" dump $unit --framing=frames --id=0x10 "$tmp/single" > "$tmp/want"
"$CSFLOW" dump $unit --framing=frames "$tmp/single" > "$tmp/got" 2> "$tmp/err"
[ -s "$tmp/want" ] && cmp -s "$tmp/want" "$tmp/got"
report $? "dump: --id is not needed where there is one"
"$CSFLOW" dump $unit --framing=frames - < "$tmp/single" > "$tmp/got" 2> "$tmp/err"
grep -qx "csflow dump: -: trace ID 0x10 is the only one" "$tmp/err" && cmp -s "$tmp/want" "$tmp/got"
report $? "dump: nor of standard input"
exits 2 "no ETMv4, ETE, ETMv3 or PTM" dump --protocol=ete --trcdevarch=1 --trcidr1=0x300 "$tmp/bytes"
exits 2 "a trace ID has 7 bits" dump --id=0x90 "$tmp/bytes"
exits 1 "a trace ID has 7 bits" index $unit --id=0x90 -o "$tmp/tix" "$tmp/bytes"
exits 1 "No such file" dump "$tmp/nothing"
for option in symfs vmlinux kcore kallsyms; do
	exits 2 "--$option: $tmp/nothing: No such file" script --$option="$tmp/nothing" "$tmp/bytes"
done
for command in report "annotate main" coverage; do
	# shellcheck disable=SC2086 # words
	exits 2 "--binary: $tmp/nothing: No such file" $command --binary="$tmp/nothing" "$tmp/bytes"
done
: > "$tmp/empty"
exits 1 "the file is empty" dump "$tmp/empty"
exits 1 "the file is empty" dump --stats "$tmp/empty"
exits 1 "the file is empty" dump -
exits 1 "the file is empty" index -o "$tmp/tix" "$tmp/empty"
exits 1 "a folder without snapshot.ini" dump --snapshot="$tmp"
exits 1 "wants FILE\[@ADDRESS\]" dump --code=x@y "$tmp/bytes"
exits 0 "" dump --help
exits 0 "" help asm
exits 0 "" --version
exits 2 "no command 'frobnicate'" frobnicate
exits 2 "usage" 
exits 2 "give one file at most" asm a b
printf 'async\natom X\n' > "$tmp/bad"
exits 1 ":2: not understood: 'X'" asm "$tmp/bad"
printf 'raw 1\n' > "$tmp/bad"
exits 1 ":1: a byte is two hexadecimal digits, not '1'" asm "$tmp/bad"
if [ -w /dev/full ]; then
	"$CSFLOW" dump $unit "$tmp/bytes" > /dev/full 2> "$tmp/err"
	[ $? = 1 ] && grep -q 'No space left' "$tmp/err"
	report $? "a full disk is a failure"
	"$CSFLOW" dump --help > /dev/full 2> "$tmp/err"
	[ $? = 1 ] && grep -q 'No space left' "$tmp/err"
	report $? "also of who asks for help"
fi

# ---------------------------------------------------------------- recordings

head -c -1000 data/demo/perf.data > "$tmp/cut.data"
exits 1 "offset 0x.*the file ends at" dump --stats "$tmp/cut.data"
[ -s "$tmp/out" ]
report $? "what there is of it was listed"
exits 1 "offset 0x.*the file ends at" index -o "$tmp/tix" "$tmp/cut.data"
for device in null full; do
	ln -s /dev/$device "$tmp/$device"
	exits $([ $device = null ]; echo $?) "" index -o "$tmp/$device" data/demo/perf.data
	[ -c "$tmp/$device" ]
	report $? "/dev/$device stays what it is"
done
grep -q 'No space left' "$tmp/err"
report $? "and that is full"
exits 1 "offset 0x.*the file ends at" tarmac "$tmp/cut.data"
mkdir "$tmp/folder" && cp data/demo/perf.data "$tmp/folder/data"
for cmd in "dump --stats" tarmac; do
	exits 0 "" $cmd "$tmp/folder" && cp "$tmp/out" "$tmp/want" &&
		"$CSFLOW" $cmd data/demo/perf.data 2> "$tmp/err" | cmp - "$tmp/want"
	report $? "a folder as perf record --threads writes it: $cmd"
done

# ---------------------------------------------------------------- corpus

# The registers of the first trace unit of a snapshot, as options.
registers()
{
	cat "$1"/*.ini | tr -d '\r' | sed -n '/^type=ETE/s/.*/--protocol=ete/p
		s/^\(TRC[A-Z]*[0-9]*\)[^=]*=/--\1=/p' |
		sed 's/^--TRC\(CONFIGR\|IDR[0-9]*\|DEVARCH\)=/--trc\L\1=/p;d;' | sort -u -t= -k1,1
	grep -qi '^type=ETE' "$1"/*.ini && echo --protocol=ete
}

if [ -z "$CSFLOW_CORPUS" ]; then
	test=$((test + 1))
	echo "ok $test raw traces through dump and asm # SKIP CSFLOW_CORPUS is not set"
else
	n=0
	for dir in "$CSFLOW_CORPUS"/snapshots-ete/* "$CSFLOW_CORPUS"/snapshots/init-short-addr; do
		for file in "$dir"/session*.bin "$dir"/tracebuffer.bin; do
			[ -s "$file" ] || continue
			unit=$(registers "$dir")
			"$CSFLOW" dump --packets $unit "$file" | "$CSFLOW" asm $unit | cmp - "$file"
			report $? "$(basename "$dir")/$(basename "$file"): dump and asm give the same"
			n=$((n + 1))
		done
	done
	[ $n -ge 30 ]
	report $? "30 raw traces at least"

	perf=$CSFLOW_CORPUS/simpleperf
	"$CSFLOW" dump --symfs="$perf" "$perf/perf_etm.data" > "$tmp/got" 2> "$tmp/err"
	awk '/^# buffer/ { b++ } /^ *range/ { r++ } /no code/ { n++ }
		END { exit b != 4 || r != 208 || n }' "$tmp/got"
	report $? "perf.data: four buffers, 208 ranges, no code missing"
	"$CSFLOW" dump --buffer=3 --symfs="$perf" "$perf/perf_etm.data" |
		cmp - <(sed -n '/^# buffer 3/,$p' "$tmp/got")
	report $? "perf.data: one buffer"
	exits 1 "there is no buffer 4, but 4 others" dump --buffer=4 "$perf/perf_etm.data"
	"$CSFLOW" dump --elements "$CSFLOW_CORPUS/snapshots/juno_r1_1" | grep -v ' trace$' |
		sed 's/.*\] //' > "$tmp/elements"
	"$CSFLOW" dump "$CSFLOW_CORPUS/snapshots/juno_r1_1" | grep -v ' trace$' |
		sed -n 's/^ \{17\}//p' | cmp - "$tmp/elements"
	report $? "frames: the same elements without packets"
fi
echo "1..$test"
exit $failed
