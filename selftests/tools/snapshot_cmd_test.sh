#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Snapshots that leave something out, or have it twice: what is taken instead, and the report of it.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
command -v python3 > /dev/null || {
	echo "1..0 # SKIP no python3"
	exit 0
}

# new NAME: a snapshot of two trace units of which both buffers have trace; $s is its folder
new()
{
	s=$tmp/$1
	mkdir "$s"
	cat > "$s/snapshot.ini" <<- END
	[snapshot]
	version=1.0
	[device_list]
	a=core.ini
	b=first.ini
	c=second.ini
	[trace]
	metadata=trace.ini
	END
	cat > "$s/trace.ini" <<- END
	[trace_buffers]
	buffers=x,y
	[x]
	name=left
	file=x.bin
	[y]
	name=right
	file=y.bin
	[core_trace_sources]
	cpu_0=etm_0
	END
	printf '[device]\nname=cpu_0\nclass=core\ntype=Cortex-A57\n[regs]\nPC(size:64)=0x1000\n' > "$s/core.ini"
	for unit in first second; do
		id=0x10
		[ $unit = second ] && id=0x11
		cat > "$s/$unit.ini" <<- END
		[device]
		name=etm_$((id - 16))
		class=trace_source
		type=ETM4.0
		[regs]
		TRCCONFIGR(0x004)=0x1
		TRCTRACEIDR(0x010)=$id
		TRCIDR0(0x078)=0x28000ea1
		TRCIDR1(0x079)=0x4100f403
		TRCIDR2(0x07a)=0x488
		END
	done
	# two frames of 0x10; in x one of 0x11, too
	printf '\x21\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0' > "$s/y.bin"
	printf '\x21\x04\x70\x71\x70\x72\x70\x73\x70\x74\x70\x75\x70\x76\x70\0' >> "$s/y.bin"
	cat "$s/y.bin" > "$s/x.bin"
	printf '\x23\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0' >> "$s/x.bin"
}

# run ARGUMENTS: csflow; its output, its messages, its status
run()
{
	"$CSFLOW" "$@" > "$tmp/out" 2> "$tmp/said" < /dev/null
	status=$?
	cat "$tmp/out" "$tmp/said" > "$tmp/why"
}

# said WORDS...: each is in its messages
said()
{
	for words in "$@"; do
		grep -qF -e "$words" "$tmp/said" || return
	done
}

new whole
run dump "$s"
cp "$tmp/out" "$tmp/right"
[ $status = 0 ] && [ ! -s "$tmp/said" ] && grep -q '\[10\] on' "$tmp/out" && grep -q '\[11\] async' "$tmp/out"
ok $? "a whole one: nothing is said"

# ---------------------------------------------------------------- classes

new no-class
sed -i '/^class=/d' "$s"/*.ini
run dump "$s"
[ $status = 0 ] && cmp -s "$tmp/out" "$tmp/right" && said "first.ini:1: the device has no class=; taken for trace_source" \
	"core.ini:1: the device has no class=; taken for core"
ok $? "no class=: by type and registers"

new no-type
sed -i '/^class=/d; /^type=/d' "$s"/{first,second}.ini
run dump "$s"
[ $status = 0 ] && cmp -s "$tmp/out" "$tmp/right" && said "trace source of unknown type '', taken for ETM4 by its registers"
ok $? "no type= either: by registers"

new other-class
sed -i 's/^class=.*/class=etm/' "$s/first.ini"
run dump "$s"
[ $status = 0 ] && cmp -s "$tmp/out" "$tmp/right" && said "first.ini:3: class 'etm' is none of core, trace_source, memory_space"
ok $? "another class=: by type"

# ---------------------------------------------------------------- trace IDs

new no-id
sed -i '/TRCTRACEIDR/d' "$s/second.ini"
run dump "$s"
[ $status = 0 ] && cmp -s "$tmp/out" "$tmp/right" && said "second.ini: no TRCTRACEIDR in [regs]; taken for 0x11"
ok $? "no TRCTRACEIDR: the one ID that no other unit has"

new no-ids
sed -i '/TRCTRACEIDR/d' "$s"/*.ini
run dump "$s"
[ $status = 1 ] && said "etm_0 is left out: no TRCTRACEIDR" "several trace IDs that no other one has: 0x10 0x11" "write the one"
ok $? "of both: which there are, and where to write it"

new same-id
sed -i 's/^TRCTRACEIDR.*/TRCTRACEIDR=0x10/' "$s/second.ini"
run dump "$s"
[ $status = 0 ] && grep -q '\[10\] on' "$tmp/out" &&
	said "etm_1 is left out: etm_0 has the same TRCTRACEIDR=0x10 in buffer left; correct it"
ok $? "two units of one ID: the first is listed"

new reserved-id
sed -i 's/^TRCTRACEIDR.*/TRCTRACEIDR=0x7d/' "$s/second.ini"
run dump "$s"
[ $status = 0 ] && grep -q '\[10\] on' "$tmp/out" && said "etm_1 is left out: TRCTRACEIDR=0x7d in [regs] is reserved"
ok $? "a reserved ID: the other unit is listed"

new other-unit
sed -i 's/^TRCIDR1.*/TRCIDR1=0x4100f250/' "$s/second.ini"
run dump "$s"
[ $status = 0 ] && grep -q '\[10\] on' "$tmp/out" && said "etm_1 is left out: [regs]: trcidr1: neither it nor TRCDEVARCH names ETMv4 or ETE: TRCIDR1=0x4100f250"
ok $? "registers of another unit: the other one is listed"

# ---------------------------------------------------------------- twice

new twice
sed -i 's/^TRCIDR2.*/&\nTRCIDR2=0x489/; s/^name=etm_0/name=other\n&/' "$s/first.ini"
sed -i 's/^file=x.bin/file=none.bin\n&/' "$s/trace.ini"
printf '[device]\nname=third\n' >> "$s/second.ini"
printf '[x]\nfile=y.bin\n' >> "$s/trace.ini"
run dump "$s"
[ $status = 0 ] && cmp -s <(grep -v '^#' "$tmp/out") <(grep -v '^#' "$tmp/right") &&
	said "first.ini:3: 'name' is repeated in [device]: this one is used, not that of line 2" \
	"first.ini:12: 'TRCIDR2' is repeated in [regs]: this one is used, not that of line 11" \
	"trace.ini:6: 'file' is repeated in [x]" \
	"second.ini:11: [device] is repeated: the one of line 1 is used" \
	"trace.ini:12: [x] is repeated: the one of line 3 is used"
ok $? "keys and sections: which one counts"

new registers-twice
printf '[regs]\nTRCIDR2=0x489\n' >> "$s/first.ini"
run dump "$s"
[ $status = 0 ] && cmp -s <(grep -v '^#' "$tmp/out") <(grep -v '^#' "$tmp/right") &&
	said "'TRCIDR2' is repeated in [regs]: this one is used, not that of line"
ok $? "a register in two sections: which one counts"

new same-name
sed -i 's/etm_1/etm_0/' "$s/second.ini"
run dump "$s"
said "second.ini: device 'etm_0' is repeated: the name means the one of" "/first.ini"
ok $? "a device's name: which one is meant"

new gone
rm "$s/second.ini"
run dump "$s"
said "csflow dump: $s/second.ini: No such file or directory"
ok $? "a file of it that is missing, by its path"

# ---------------------------------------------------------------- registers for asm

new asm
run dump --packets "$s"
grep -qF '# [10] --protocol=etmv4 --trcconfigr=0x1 --trcidr0=0x28000ea1 --trcidr1=0x4100f403 --trcidr2=0x488' "$tmp/out" &&
	"$CSFLOW" asm --id=0x10 "$tmp/out" > "$tmp/stream" 2> "$tmp/why" &&
	cmp "$tmp/stream" <(printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04\x70\x71\x70\x72\x70\x73\x70\x74\x70\x75\x70\x76\x70') 2> "$tmp/why"
ok $? "dump | asm, without options, gives the bytes of the stream"
sed 's/^# \[10\].*/# [10] --protocol=ete --trcidr2=0x/' "$tmp/out" > "$tmp/bad"
run asm --id=0x10 "$tmp/bad"
[ $status = 1 ] && said ":1: not an option of a trace unit, or not a value of it: '--trcidr2=0x'"
ok $? "asm: registers that are none"
printf 'async\n# [10] this is no option\n#[x\n# [99]\n#' > "$tmp/words"
run asm "$tmp/words"
[ $status = 0 ] && [ "$(wc -c < "$tmp/out")" = 12 ]
ok $? "asm: other comments"
printf '# [10] --protocol=ete --trcidr2=0x488\n[10] q 3 5\n' > "$tmp/words"
run asm "$tmp/words"
[ $status = 1 ] && said ":2: " "with a line '# [ID] --protocol=...' before this one" || said "not understood"
ok $? "asm: a packet that the unit does not have, and the way out"

# ---------------------------------------------------------------- index

new index
run index "$s"
cp "$s.tix" "$tmp/first.tix"
run index --source=right "$s/"
cmp -s "$s.tix" "$tmp/first.tix" && [ -f "$s.right.tix" ] && ! cmp -s "$s.tix" "$s.right.tix"
ok $? "index --source: has a name of its own"
run index --list "$s"
[ $status = 0 ] && grep -q '\[10\] stream' "$tmp/out" && grep -q '\[11\] stream' "$tmp/out"
ok $? "index --list DIR"
run index --list --source=right "$s"
[ $status = 0 ] && grep -q '\[10\] stream' "$tmp/out" && ! grep -q '\[11\] stream 0x0 .*syncs 1' "$tmp/out"
ok $? "index --list --source=BUFFER DIR"
printf x >> "$s/x.bin"
run index --check "$s"
[ $status = 1 ] && said "does not belong to this trace"
ok $? "index --check DIR: a buffer that has changed"
run index --source=middle "$s"
[ $status = 1 ] && said "there is no buffer middle" "but there is left" "but there is right"
ok $? "index: a buffer that is not there"
rm "$s.tix"
run index --list "$s"
[ $status = 1 ] && said "there is no index: make it with csflow index"
ok $? "index --list without an index: how to make it"
sed -i '/^type=/d; /TRC/d' "$s"/{first,second}.ini
run index "$s"
[ $status = 1 ] && said "no trace unit that csflow reads wrote into buffer left" && [ ! -e "$s.tix" ]
ok $? "index: nothing that can be decoded"
# ---------------------------------------------------------------- crash dumps

# crash RRP RWP STATUS: both regions of a crashed kernel in registers.bin, of 4 KiB, and ring.bin, which has
# the frames of y.bin from the second one on; \$BAD spoils one
crash()
{
	python3 - "$s" "$@" << 'END'
import os, struct, sys, zlib
folder, (rrp, rwp, status) = sys.argv[1], (int(v, 0) for v in sys.argv[2:5])
frames = open(folder + "/y.bin", "rb").read()
ring = frames[16:] + frames[:16]
bad = os.environ.get("BAD", "")

def kernel_crc(data):
    # bit by bit, as the kernel's crc32_le(0, ...) is defined
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xedb88320 if crc & 1 else 0)
    return crc

base = 0x80000000
registers = struct.pack("<10I4Q3Q", 0, kernel_crc(ring), 2 << 16 if bad == "version" else 1 << 16, bad != "valid",
                        len(ring) // 4, status, 0, 0x1133, 2, 0, base + rrp, base + rwp, base, base, 0, 0, 0)
assert len(registers) == 96
registers = struct.pack("<I", kernel_crc(registers[4:])) + registers[4:]
if bad == "registers":
    registers = registers[:24] + b"\1" + registers[25:]
if bad == "trace":
    ring = ring[:-1] + b"\2"
if bad == "cut":
    ring = ring[:-8]
open(folder + "/registers.bin", "wb").write(registers if bad == "one" else registers.ljust(4096, b"\0"))
open(folder + "/ring.bin", "wb").write(ring if bad in ("one", "cut") else ring.ljust(8192, b"\xff"))
open(folder + "/both.bin", "wb").write(registers.ljust(4096, b"\0") + ring)
END
}

new crash
sed -i 's/^file=y.bin/file=registers.bin,ring.bin\nformat=tmc_crash/' "$s/trace.ini"
cp -r "$s" "$tmp/plain"
sed -i '/^format=/d; s/^file=registers.bin.*/file=y.bin/' "$tmp/plain/trace.ini"
run dump --source=right "$tmp/plain"
cp "$tmp/out" "$tmp/right"

crash 16 16 1
run dump --source=right "$s"
[ $status = 0 ] && cmp "$tmp/out" "$tmp/right" > "$tmp/why" 2>&1 && [ ! -s "$tmp/said" ]
ok $? "a crash dump, the ring full: from the read pointer on"
crash 16 32 0
run dump --source=right "$s"
[ $status = 0 ] && ! cmp -s "$tmp/out" "$tmp/right" && grep -q '^ *1 \[10\] async' "$tmp/out" &&
	! grep -q '\[10\] event' "$tmp/out" && [ ! -s "$tmp/said" ]
ok $? "not full: up to the write pointer"
crash 16 16 1
sed -i 's/registers.bin,ring.bin/both.bin/' "$s/trace.ini"
run dump --source=right "$s"
[ $status = 0 ] && cmp "$tmp/out" "$tmp/right" > "$tmp/why" 2>&1 && [ ! -s "$tmp/said" ]
ok $? "both regions in one file"
run index --source=right "$s" && run index --check --source=right "$s"
[ $status = 0 ]
ok $? "index of it"
sed -i 's/both.bin/registers.bin,ring.bin/' "$s/trace.ini"
while IFS=: read -r bad want words; do
	BAD=$bad crash 16 16 1
	run dump --source=right "$s"
	[ $status = "$want" ] && said "$s/registers.bin: $words"
	ok $? "$bad: $words"
done << END
registers:0:offset 0: the checksum of the registers is wrong
trace:0:offset 4: the checksum of the trace is wrong
valid:0:offset 12: the registers are marked as not valid
cut:0:the trace buffer has 0x18 bytes here, and had 0x20
version:1:these are not the registers of a TMC of a crashed kernel: 4096 bytes, version 2.0; expected at least 96 bytes
END
crash 64 16 1
run dump --source=right "$s"
[ $status = 0 ] && said "offset 40: trace begins 0x40 into a buffer of 0x20 bytes"
ok $? "pointers that are none"
printf 'x' > "$s/registers.bin"
run dump --source=right "$s"
[ $status = 1 ] && said "registers.bin: these are not the registers of a TMC of a crashed kernel: 1 bytes"
ok $? "a file that is too short"

# Files that are not there, and names of nothing: each is said with its line; the rest is listed.
new missing
rm "$s/x.bin"
run dump --source=left "$s"
[ $status = 1 ] && said "$s/trace.ini:5: a file of buffer left cannot be read" "$s/x.bin: No such file or directory"
ok $? "a buffer whose file is missing: the line that names it"
run dump --order=time "$s"
[ $status = 1 ] && said "$s/trace.ini:5: a file of buffer left cannot be read" && grep -q '\[right.10\] end of trace' "$tmp/out"
ok $? "the other buffer is listed all the same"
rm "$s/y.bin"
mkfifo "$s/y.bin"
run dump --order=time "$s"
[ $status = 1 ] && said "$s/trace.ini:8: a file of buffer right cannot be read" "$s/y.bin: a pipe, not a file"
ok $? "a pipe in place of a buffer"
rm "$s/y.bin"
ln -s y.bin "$s/y.bin"
run dump --order=time "$s"
[ $status = 1 ] && said "$s/y.bin: Too many levels of symbolic links"
ok $? "a link to itself"
new clusters
printf '[clusters]\nbig=cpu_0, cpu_9\n' >> "$s/snapshot.ini"
run dump "$s"
[ $status = 0 ] && said "$s/snapshot.ini:10: cluster 'big': there is no device 'cpu_9'"
ok $? "a cluster of a device that is not there"
new itself
sed -i 's/second.ini/snapshot.ini/; s/first.ini/trace.ini/' "$s/snapshot.ini"
run dump --order=time "$s"
[ $status != 0 ] && said "$s/snapshot.ini: the device has no name"
ok $? "files that name themselves as devices"
# A trace source without a name and without a trace ID, and no maps: it has the name of its file.
new nameless
sed -i '/^name=/d; /TRCTRACEIDR/d' "$s/first.ini"
sed -i '/^\[core_trace_sources\]/,$d' "$s/trace.ini"
sed -i 's/^buffers=.*/buffers=y/' "$s/trace.ini"
sed -i '/second/d' "$s/snapshot.ini"
run dump --order=time "$s"
[ $status = 0 ] && said "$s/first.ini:1: the device has no name: it gets that of its file" &&
	grep -q '^# \[10\] first.ini: ETMv4$' "$tmp/out"
ok $? "a trace source without a name"
echo "1..$n"
