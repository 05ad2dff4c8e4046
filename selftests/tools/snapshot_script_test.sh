#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Snapshots, and the trace of a kernel that crashed, in commands that read recordings: as in a recording of the
# same.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
command -v python3 > /dev/null || {
	echo "1..0 # SKIP no python3"
	exit 0
}

# run ARGUMENTS: csflow; its output, what it says, its status
run()
{
	"$CSFLOW" "$@" > "$tmp/out" 2> "$tmp/said" < /dev/null
	status=$?
	cat "$tmp/out" "$tmp/said" > "$tmp/why"
}

# Two CPUs, a loop of 900 rounds each, at different addresses.
awk 'function it(c, a, w, what) { t++; printf "%d clk cpu%d %s (%d) %08x %s O EL1h_n : X\n", t, c, what, t, a, w }
BEGIN { for (i = 1; i <= 900; i++)
		for (c = 0; c < 2; c++) {
			it(c, 4096 + c * 65536, "d503201f", "IT"); it(c, 4100 + c * 65536, "d503201f", "IT")
			it(c, 4104 + c * 65536, "b5ffffc0", i < 900 ? "IT" : "IS")
		} }' > "$tmp/log"

for formatted in '' --formatted; do
	"$CSFLOW" encode -u ete=1.1,cid $formatted --format=snapshot -o "$tmp/shot$formatted" "$tmp/log" 2> "$tmp/why"
	"$CSFLOW" encode -u ete=1.1,cid $formatted --format=perf -o "$tmp/data$formatted" "$tmp/log" 2>> "$tmp/why"
done

# samples FILE OPTIONS: the executed code, CPU by CPU
samples()
{
	run script --itrace=i1i -F cpu,ip,insn -i "$@"
	sort -s -k1,1 "$tmp/out" > "$tmp/samples"
	return $status
}

samples "$tmp/data--formatted"
cp "$tmp/samples" "$tmp/right"
[ "$(wc -l < "$tmp/right")" = 5400 ]
ok $? "a recording: all that ran"
samples "$tmp/shot--formatted"
same "$tmp/right" "$tmp/samples" "script: a snapshot of it, in frames"
samples "$tmp/shot--formatted/snapshot.ini"
same "$tmp/right" "$tmp/samples" "script: its snapshot.ini"
"$CSFLOW" dump "$tmp/shot--formatted" > "$tmp/all" 2>&1
run dump "$tmp/shot--formatted/snapshot.ini"
[ $status = 0 ] && diff "$tmp/all" "$tmp/out" > "$tmp/why"
ok $? "dump: its snapshot.ini"
run report "$tmp/shot--formatted"
[ $status = 0 ] && grep -q '^# Instructions: 5400$' "$tmp/out"
ok $? "report: a snapshot"
run report --show=loops "$tmp/shot--formatted"
[ $status = 0 ] && [ "$(grep -c ' 900 ' "$tmp/out")" = 2 ]
ok $? "report: its loops"

# ---------------------------------------------------------------- raw trace

mapfile -t buffers < <(sed -n 's/^name=//p' "$tmp/shot/trace.ini")
: > "$tmp/all"
for buffer in "${buffers[@]}"; do
	samples "$tmp/shot" --buffer="$buffer"
	cat "$tmp/samples" >> "$tmp/all"
done
same "$tmp/right" "$tmp/all" "raw trace, buffer by buffer"
samples "$tmp/shot" --buffer=all
[ $status = 0 ] && same "$tmp/right" "$tmp/samples" "raw trace, all buffers at once"
samples "$tmp/shot"
[ "$(wc -l < "$tmp/samples")" = 2700 ] && grep -q "buffer ${buffers[0]} is read, the first of 2" "$tmp/said"
ok $? "several buffers: which is read is said"
run report --show=loops "$tmp/shot"
[ "$(grep -c 'is read, the first of 2' "$tmp/said")" = 1 ] && [ $status = 0 ]
ok $? "and said once"

# ---------------------------------------------------------------- other commands

# insns FILE: how many instructions a profile of it has
insns()
{
	run profile --for=json "$@"
	sed -n 's/^ *"instructions": *\([0-9]*\),*$/\1/p' "$tmp/out" | head -n 1
}

for buffer in "${buffers[@]}"; do
	[ "$(insns --buffer="$buffer" "$tmp/shot")" = 2700 ] && [ $status = 0 ]
	ok $? "profile: buffer $buffer"
done
[ "$(insns "$tmp/shot--formatted")" = 5400 ] && [ $status = 0 ]
ok $? "profile: a snapshot, in frames"
[ "$(insns --buffer=all "$tmp/shot")" = 5400 ] && [ $status = 0 ]
ok $? "profile: all buffers"
run quick -o "$tmp/quick" "$tmp/shot--formatted"
[ $status = 0 ] && [ "$(insns "$tmp/quick")" = 5400 ]
ok $? "quick: a profile of its file has the same"
run timeline --for=chrome "$tmp/shot--formatted"
[ $status = 0 ] && python3 -c 'import json, sys; sys.exit(not json.load(open(sys.argv[1]))["traceEvents"])' "$tmp/out" 2>> "$tmp/why"
ok $? "timeline: a snapshot has events"
run doctor "$tmp/shot--formatted"
[ "$(grep -c '^  *[01]  *[0-9a-f]*  ETE1.1 ' "$tmp/out")" = 2 ]
ok $? "doctor: both trace units of a snapshot"
[ "$(head -n 1 "$tmp/out")" = "snapshot   $tmp/shot--formatted" ]
ok $? "doctor: it is called a snapshot"
run diff --kernel "$tmp/shot--formatted" "$tmp/shot--formatted/snapshot.ini"
[ $status = 0 ] && grep -q 'A: .* 5400 instructions' "$tmp/said" && grep -q 'B: .* 5400 instructions' "$tmp/said"
ok $? "diff: a snapshot and the same once more"

# ---------------------------------------------------------------- its program

cat > "$tmp/prog.c" << 'END'
__attribute__((noreturn)) void start(unsigned long n)
{
	do {
		__asm__ volatile("nop");
		n--;
	} while (n);
	for (;;)
		;
}
END
aarch64-linux-gnu-gcc -g -O1 -nostdlib -static -Wl,-Ttext=0x1000 -Wl,-e,start -o "$tmp/prog.elf" "$tmp/prog.c" 2> "$tmp/why"
awk 'function it(a, w, what) { t++; printf "%d clk cpu0 %s (%d) %08x %s O EL1h_n : X\n", t, what, t, a, w }
BEGIN { for (i = 1; i <= 900; i++) {
		it(4096, "d503201f", "IT"); it(4100, "f1000400", "IT"); it(4104, "54ffffc1", i < 900 ? "IT" : "IS")
	} }' > "$tmp/log"
"$CSFLOW" encode -u ete=1.1,cid --format=snapshot -o "$tmp/own" "$tmp/log" 2> "$tmp/why"
rm "$tmp/own/code"*.bin
run report --elf="$tmp/prog.elf" "$tmp/own"
grep -q '100.00%  *2700  *swapper  prog.elf  *\[k\] start$' "$tmp/out"
ok $? "--elf: its functions are known, without a dump"
run coverage --elf="$tmp/prog.elf" "$tmp/own"
grep -q '^DA:6,900$' "$tmp/out" && grep -q '^BRDA:6,0,0,899$' "$tmp/out" && grep -q '^DA:7,0$' "$tmp/out"
ok $? "--elf: and its lines"
run profile --elf="$tmp/prog.elf" "$tmp/own"
grep -q '^1008->1000:899$' "$tmp/out"
ok $? "--elf: and its counts"
run report --elf="$tmp/log" "$tmp/shot--formatted"
[ $status = 1 ] && grep -q "csflow: $tmp/log: not an ELF file" "$tmp/said"
ok $? "--elf: not an ELF file"
run report --elf="$tmp/nothing" "$tmp/shot--formatted"
[ $status != 0 ] && grep -q "nothing: No such file or directory" "$tmp/said"
ok $? "--elf: no such file"

# ---------------------------------------------------------------- a kernel that crashed

# crash SHIFT: the trace of shot--formatted becomes both regions that a kernel leaves, the ring begins at SHIFT
crash()
{
	rm -rf "$tmp/crash"
	cp -r "$tmp/shot--formatted" "$tmp/crash"
	python3 - "$tmp/crash" "$1" << 'END'
import re, struct, sys, zlib
folder, shift = sys.argv[1], int(sys.argv[2])
ini = open(folder + "/trace.ini").read()
name = re.search(r"^file=(.*)$", ini, re.M).group(1)
trace = open(folder + "/" + name, "rb").read()
ring = trace[-shift:] + trace[:-shift] if shift else trace
def kernel_crc(data):
    return zlib.crc32(data, 0xffffffff) ^ 0xffffffff
base = 0x80000000
registers = struct.pack("<9I4Q3Q", kernel_crc(ring), 1 << 16, 1, len(ring) // 4, 1, 0, 0x1133, 2, 0,
                        base + shift, base + shift, base, base, 0, 0, 0)
registers = struct.pack("<I", kernel_crc(registers)) + registers
open(folder + "/registers.bin", "wb").write(registers.ljust(4096, b"\0"))
open(folder + "/ring.bin", "wb").write(ring)
ini = ini.replace("file=" + name, "file=registers.bin,ring.bin")
ini = re.sub(r"^format=.*$", "format=tmc_crash", ini, flags=re.M)
open(folder + "/trace.ini", "w").write(ini)
END
}
for shift in 0 16 144; do
	crash $shift
	samples "$tmp/crash"
	[ $status = 0 ] && ! grep -q registers.bin "$tmp/said" && diff "$tmp/right" "$tmp/samples" > "$tmp/why"
	ok $? "script: a crash dump, the ring begins at $shift"
done
run report "$tmp/crash"
[ $status = 0 ] && grep -q '^# Instructions: 5400$' "$tmp/out"
ok $? "report: a crash dump"
printf '\1' | dd of="$tmp/crash/registers.bin" conv=notrunc status=none
samples "$tmp/crash"
grep -q 'registers.bin: offset 0: the checksum of the registers is wrong' "$tmp/said" &&
	diff "$tmp/right" "$tmp/samples" > "$tmp/why"
ok $? "a wrong checksum is said, and all is read"

# ---------------------------------------------------------------- what is wrong

cp -r "$tmp/shot--formatted" "$tmp/bad"
code=$(sed -n 's/^file=//p' "$tmp/bad"/*.ini | grep -vxF "$(sed -n 's/^file=//p' "$tmp/bad/trace.ini")" | head -n 1)
rm "$tmp/bad/$code"
samples "$tmp/bad"
grep -q "$code: No such file or directory" "$tmp/said"
ok $? "a dump that is missing is said to be"
cp -r "$tmp/shot--formatted" "$tmp/twice"
head -c 4096 /dev/zero > "$tmp/twice/zero.bin"
printf '[dump2]\nfile=zero.bin\naddress=0x1000\nlength=4096\n' >> "$tmp/twice/cpu_1.ini"
samples "$tmp/twice"
same "$tmp/right" "$tmp/samples" "of dumps that overlap the first counts"
sed -i 's/^\(\[dump[^]]*\]\)$/\1\nspace=EL1N/' "$tmp/shot--formatted/cpu_0.ini"
samples "$tmp/shot--formatted"
[ "$(grep -c 'the dump is of one memory space, but is used in all of them' "$tmp/said")" = 1 ] &&
	diff "$tmp/right" "$tmp/samples" > "$tmp/why"
ok $? "a dump of one memory space is in all, which is said"
mv "$tmp/bad" "$tmp/module"
cp "$tmp/shot--formatted/$code" "$tmp/module/$code.ko"
sed -i "s/^file=$code\$/&.ko/" "$tmp/module"/cpu_*.ini
samples "$tmp/module"
[ $status = 0 ] && [ "$(wc -l < "$tmp/samples")" -lt 5400 ] && grep -q 'gaps: image' "$tmp/said"
ok $? "no module is a flat file"
run script "$tmp/shot" --buffer=nobody
[ $status = 1 ] && grep -q 'buffer nobody: there is none' "$tmp/said"
ok $? "no such buffer"
mkdir "$tmp/empty"
run report "$tmp/empty"
[ $status = 1 ] && grep -q snapshot.ini "$tmp/said"
ok $? "a folder that is nothing"
cp -r "$tmp/shot--formatted" "$tmp/probe"
sed -i 's/^format=.*/format=dstream_coresight/' "$tmp/probe/trace.ini"
for command in script report; do
	run $command "$tmp/probe"
	[ $status = 1 ] && sed 's/ read them$//; s/.*which no recording has: csflow //; t; d' "$tmp/said" > "$tmp/who" && [ -s "$tmp/who" ]
	ok $? "$command of frames of a DSTREAM: it says who reads them"
done
tr -s ', ' '\n' < "$tmp/who" | grep -v '^and$' > "$tmp/why"
bad=0
while read -r command; do
	case $command in
	match)	"$CSFLOW" match "$tmp/probe" "$tmp/probe" ;;
	dump)	"$CSFLOW" dump --frames "$tmp/probe" ;;
	*)	"$CSFLOW" "$command" -o "$tmp/made" "$tmp/probe" ;;
	esac > "$tmp/out" 2> "$tmp/said" < /dev/null
	grep -q DSTREAM "$tmp/said" && bad=1
	[ -e "$tmp/made" ] || [ -s "$tmp/out" ] || bad=1
	rm -rf "$tmp/made"
done < "$tmp/why"
[ $bad = 0 ] && [ "$(wc -l < "$tmp/why")" = 5 ]
ok $? "and so they do"
# ---------------------------------------------------------------- real ones

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "snapshots of silicon and of models" "CSFLOW_CORPUS is not set"
else
	for s in tc2-ptm-rstk-t32 juno_r1_1 juno-ret-stck test-file-mem-offsets a57_single_step ../snapshots-ete/{001-ack_test,ete_ip,ete_mem,q_elem,rme_test,src_addr,tme_test,trace_file_cid_vmid}; do
		s=$CSFLOW_CORPUS/snapshots/$s
		"$CSFLOW_FAST" script --itrace=i1i -F cpu,ip -i "$s" 2> "$tmp/said" | sed 's/[][]//g' |
			sort -s -k1,1n | awk '{ print $2 }' > "$tmp/one"
		"$CSFLOW_FAST" tarmac --records=inst --no-disasm --no-progress "$s" 2> /dev/null |
			sed -n 's/^.* ([0-9]*) 0*\([0-9a-f][0-9a-f]*\)[: ].*/\1/p' > "$tmp/two"
		[ -s "$tmp/one" ] && diff "$tmp/two" "$tmp/one" > "$tmp/why"
		ok $? "$(basename "$s"): script lists what tarmac does"
	done
fi
# Two units with one trace ID, in two buffers of frames.
cp -r "$tmp/shot--formatted" "$tmp/same-id"
sed -i 's/^buffers=buffer0/buffers=buffer0,buffer1/; /^\[source_buffers\]/,$d' "$tmp/same-id/trace.ini"
printf '[buffer1]\nname=OTHER\nfile=trace0.bin\nformat=coresight\n[source_buffers]\nunit_0=BUFFER_0\nunit_1=OTHER\n' >> "$tmp/same-id/trace.ini"
id=$(sed -n 's/^TRCTRACEIDR=//p' "$tmp/same-id/unit_0.ini")
sed -i "s/^TRCTRACEIDR=.*/TRCTRACEIDR=$id/" "$tmp/same-id/unit_1.ini"
run script --buffer=all "$tmp/same-id"
[ $status = 1 ] && grep -q "trace ID $id is that of other trace units in other buffers: read one buffer" "$tmp/said"
ok $? "two units with one trace ID in two buffers are refused"
echo "1..$n"
