#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow encode: trace of a model's log decodes back to it, for many trace units; of small logs of
# A32 and T32, of exceptions, of a log whose opcodes are in an ELF file; impossible logs are
# reported.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# LLVM is not ours to mend.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > "$tmp/leaks"
log=$CSFLOW_CORPUS/snapshots-ete/002-ack_test_scr/test_TARMAC

. lib/tap.sh

# back LOG NAME [OPTIONS]: LOG encoded and decoded is LOG again
back()
{
	local from=$1 name=$2

	shift 2
	rm -rf "$tmp/out"*
	"$CSFLOW" encode -o "$tmp/out" "$from" "$@" > "$tmp/why" 2>&1 &&
		[ ! -s "$tmp/why" ] && "$CSFLOW" match "$from" "$tmp/out" > "$tmp/why" 2>&1
	ok $? "$name"
}

echo "TAP version 13"
echo "1..50"

units=(
	"ete=1.0"
	"ete=1.1,rs,marker,ts=50"
	"ete=1.3,rs=5,cc=16,cid,vmid,source=10"
	"etm4=4.0,sync=100"
	"etm4=4.2,rs,bb,ts=100,cc=4"
	"etm4=4.5,rs,spec=8:5,commopt=0,cc=8"
	"ete=1.2,wfx=0,event=20,ignore=20"
)
for unit in "${units[@]}"; do
	if [ -z "$CSFLOW_CORPUS" ]; then
		skip "a model's log, $unit" "CSFLOW_CORPUS is not set"
		skip "the same in frames, as a snapshot" "CSFLOW_CORPUS is not set"
	else
		back "$log" "a model's log, $unit" --unit="$unit"
		back "$log" "the same in frames, as a snapshot" --unit="$unit" --format=snapshot --formatted
	fi
done

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "two runs give the same bytes" "CSFLOW_CORPUS is not set"
	skip "what is lost is told" "CSFLOW_CORPUS is not set"
else
	for i in 1 2; do
		rm -rf "$tmp/out"* "$tmp/run$i"
		mkdir "$tmp/run$i"
		"$CSFLOW" encode -o "$tmp/out" --unit=rs,spec=4:5,ts=77,cid "$log" > "$tmp/why" 2>&1
		mv "$tmp/out"* "$tmp/run$i"
	done
	diff -r "$tmp/run1" "$tmp/run2" >> "$tmp/why" && [ "$(ls "$tmp/run1" | wc -l)" = 2 ]
	ok $? "two runs give the same bytes"

	"$CSFLOW" encode -o "$tmp/out" --unit=overflow=50,strobe=300:100 "$log" 2> "$tmp/why"
	[ $? = 0 ] && grep -q 'of 28008 instructions are not in the trace: strobe [0-9]*, overflow [0-9]' "$tmp/why"
	ok $? "what is lost is told"
fi

# BNE that fails and one that does not; an interrupt; a call into T32 and back; IT blocks.
cat > "$tmp/arm.log" <<- 'END'
	1 clk cpu0 IT (1) 00008000 e3a00001 A svc_ns : MOV r0,#1
	2 clk cpu0 IS (2) 00008004 1a00000d A svc_ns : BNE 0x8040
	3 clk cpu0 IT (3) 00008008 e3500002 A svc_ns : CMP r0,#2
	4 clk cpu0 IT (4) 0000800c 1a00000b A svc_ns : BNE 0x8040
	5 clk cpu0 IT (5) 00008040 e1a00000 A svc_ns : NOP
	5 clk cpu0 E 00008044 00000007 CoreEvent_IRQ
	6 clk cpu0 IT (6) 00000018 e1a00000 A irq_ns : NOP
	7 clk cpu0 IT (7) 0000001c e25ef004 A irq_ns : SUBS pc,lr,#4
	8 clk cpu0 IT (8) 00008044 fa0003ed A svc_ns : BLX 0x9000
	9 clk cpu0 IT (9) 00009000 2800 T svc_ns : CMP r0,#0
	10 clk cpu0 IT (10) 00009002 bf14 T svc_ns : ITE NE
	11 clk cpu0 IT (11) 00009004 3001 T svc_ns : ADDNE r0,#1
	12 clk cpu0 IS (12) 00009006 3801 T svc_ns : SUBEQ r0,#1
	13 clk cpu0 IT (13) 00009008 f000f80a T svc_ns : BL 0x9020
	14 clk cpu0 IT (14) 00009020 4770 T svc_ns : BX lr
	15 clk cpu0 IT (15) 0000900c f3af8000 T svc_ns : NOP.W
	16 clk cpu0 IT (16) 00009010 4700 T svc_ns : BX r0
	17 clk cpu0 IT (17) 00008048 ef000007 A svc_ns : SVC #7
	17 clk cpu0 E 00000007 00000003 CoreEvent_SWI
	18 clk cpu0 IT (18) 00000008 e1b0f00e A svc_ns : MOVS pc,lr
	19 clk cpu0 IT (19) 0000804c e5901000 A svc_ns : LDR r1,[r0]
	19 clk cpu0 E 0000804c 00000005 CoreEvent_DataAbort
	20 clk cpu0 IT (20) 00000010 e25ef008 A abt_ns : SUBS pc,lr,#8
	21 clk cpu0 IT (21) 0000804c e5901000 A svc_ns : LDR r1,[r0]
END
rm -rf "$tmp/out"*
"$CSFLOW" encode -v -o "$tmp/out" --unit=rs "$tmp/arm.log" 2> "$tmp/why"
"$CSFLOW" tarmac --no-disasm "$tmp/out" 2>> "$tmp/why" > "$tmp/back"
awk '$4 == "IT" || $4 == "IS" { print $4, $6, $7, $8 }' "$tmp/back" > "$tmp/got"
# Trace does not tell IS for an instruction that is no branch; the load that aborted was not
# executed.
awk '$4 == "IT" || $4 == "IS" { if ($7 == "3801") $4 = "IT"; if ($5 != "(19)") print $4, $6, $7, $8 }' \
	"$tmp/arm.log" | diff - "$tmp/got" >> "$tmp/why"
status=$?
ok $status "A32 and T32"

grep ' E ' "$tmp/back" | grep -v 'ModeChange\|DebugEvent' | awk '{ print $6, $7 }' > "$tmp/got"
printf '%s\n' '00000007 CoreEvent_IRQ' '00000003 CoreEvent_SWI' '00000005 CoreEvent_DataAbort' |
	diff - "$tmp/got" > "$tmp/why"
ok $? "and their exceptions"

# clang, which the tests are built with, brings LLVM.
"$CSFLOW" tarmac "$tmp/out" 2> "$tmp/why" | sed -n 's/.* I[TS] (\([0-9]*\)) .* : /\1 /p' |
	grep -E '^(1|4|8|10|11|12|13|14) ' > "$tmp/got"
diff - "$tmp/got" >> "$tmp/why" <<- 'END'
	1 mov r0, #1
	4 bne #0x2c ; 0x8040
	8 blx #0xfb4 ; 0x9000
	10 ite ne
	11 addne r0, #0x1
	12 subeq r0, #0x1
	13 bl #0x14 ; 0x9020
	14 bx lr
END
ok $? "disassembly, also in an IT block"

# Without registers the event of an interrupt says where the branch before it went.
cat > "$tmp/next.log" <<- 'END'
	1 clk cpu0 IT (1) 00008000 d2800001 O EL0t_n : MOV x1,#0
	2 clk cpu0 IT (2) 00008004 d61f0020 O EL0t_n : BR x1
	2 clk cpu0 E 00009000 00000089 CoreEvent_LOWER_64_IRQ
	3 clk cpu0 IT (3) 00000480 d69f03e0 O EL1h_n : ERET
	4 clk cpu0 IT (4) 00009000 b4000041 O EL0t_n : CBZ x1,0x9008
	4 clk cpu0 E 00009008 0000008a CoreEvent_LOWER_64_FIQ
	5 clk cpu0 IT (5) 00000500 d69f03e0 O EL1h_n : ERET
	6 clk cpu0 IT (6) 00009008 b4000041 O EL0t_n : CBZ x1,0x9010
	6 clk cpu0 E 0000900c 00000089 CoreEvent_LOWER_64_IRQ
	7 clk cpu0 IT (7) 00000480 d69f03e0 O EL1h_n : ERET
	8 clk cpu0 IT (8) 0000900c d65f03c0 O EL0t_n : RET
	8 clk cpu0 E 00009020 00000089 CoreEvent_LOWER_64_IRQ
	9 clk cpu0 IT (9) 00000480 d69f03e0 O EL1h_n : ERET
	10 clk cpu0 IT (10) 00009020 d503201f O EL0t_n : NOP
END
back "$tmp/next.log" "interrupts behind branches, without registers" --unit=ete=1.1

# Return addresses by ELR; faults by ESR; context IDs.
cat > "$tmp/el.log" <<- 'END'
	1 clk cpu0 IT (1) 00400000 d2800540 O EL0t_n : MOV x0,#42
	2 clk cpu0 IT (2) 00400004 b4000040 O EL0t_n : CBZ x0,0x40000c
	2 clk cpu0 E 0040000c EL1h 00000019 CoreEvent_ModeChange
	2 clk cpu0 E 0040000c 00000089 CoreEvent_LOWER_64_IRQ
	2 clk cpu0 R ELR_EL1 00000000:0040000c
	3 clk cpu0 IT (3) ffff000000080480 d5033fdf O EL1h_n : ISB
	3 clk cpu0 R CONTEXTIDR_EL1 00000000:0000002a
	4 clk cpu0 IT (4) ffff000000080484 d69f03e0 O EL1h_n : ERET
	4 clk cpu0 E 00000000 EL0t 00000019 CoreEvent_ModeChange
	5 clk cpu0 IT (5) 0040000c f9400000 O EL0t_n : LDR x0,[x0]
	5 clk cpu0 E 0040000c 00000088 CoreEvent_LOWER_64_SYNC
	5 clk cpu0 R ESR_EL1 92000007
	5 clk cpu0 R ELR_EL1 00000000:0040000c
	6 clk cpu0 IT (6) ffff000000080400 d69f03e0 O EL1h_n : ERET
	7 clk cpu0 IT (7) 0040000c f9400000 O EL0t_n : LDR x0,[x0]
	8 clk cpu0 IT (8) 00400010 d4000001 O EL0t_n : SVC #0
	9 clk cpu0 IT (9) 00400014 d503201f O EL0t_n : NOP
	10 clk cpu0 IT (10) 00400018 14000000 O EL0t_n : B {pc}
END
"$CSFLOW" encode -o "$tmp/raw" --format=raw --unit=ete=1.1,cid "$tmp/el.log" > "$tmp/why" 2>&1
"$CSFLOW" dump --packets --protocol=ete --trcidr0=0x2801cea1 --trcidr2=0xd0001088 --trcconfigr=0x41 \
	"$tmp/raw" 2>> "$tmp/why" | sed 's/^ *[0-9]* \[[0-9a-f]*\] //' > "$tmp/packets"
grep -E '^exception' "$tmp/packets" | awk '{ print $2 }' | paste -sd' ' > "$tmp/got"
echo "irq data.fault call debug.halt" | diff - "$tmp/got" >> "$tmp/why"
ok $? "exception types by event and by ESR"
grep -q '0x2a\|=42' "$tmp/packets"
ok $? "context IDs"

# No exception is taken to EL0: the code there comes after it, and tracing was off.
cat > "$tmp/user.log" <<- 'END'
	1 clk cpu0 IT (1) 00400000 d503201f O EL0t_n : NOP
	1 clk cpu0 E 00400004 00000089 CoreEvent_LOWER_64_IRQ
	2 clk cpu0 IT (2) 00400040 d503201f O EL0t_n : NOP
	3 clk cpu0 IT (3) 00400044 14000000 O EL0t_n : B {pc}
	4 clk cpu0 IT (4) 00400050 d503201f O EL0t_n : NOP
	5 clk cpu0 IT (5) 00400054 14000000 O EL0t_n : B {pc}
END
"$CSFLOW" encode -o "$tmp/raw" --format=raw "$tmp/user.log" > "$tmp/why" 2>&1
grep -q '^csflow encode: 1 times the log goes on elsewhere' "$tmp/why"
ok $? "a jump for no reason is told"
"$CSFLOW" dump --packets --protocol=ete --trcidr0=0x2801cea1 --trcidr2=0xd0001088 --trcconfigr=1 \
	"$tmp/raw" > "$tmp/why" 2>&1
[ "$(grep -c '\] on$' "$tmp/why")" = 3 ]
ok $? "and tracing goes off and on there, and behind exceptions"

# No opcodes: they come from a program file.
awk '{ if ($4 == "IT" || $4 == "IS") $7 = "--------"; print }' "$tmp/el.log" > "$tmp/no.log"
"$CSFLOW" encode -o "$tmp/out2" "$tmp/no.log" 2> "$tmp/why"
grep -q '10 instructions have no opcode' "$tmp/why"
ok $? "instructions without opcodes are told"
rm -rf "$tmp/out"*
"$CSFLOW" encode -o "$tmp/prog" "$tmp/el.log" > "$tmp/why" 2>&1
"$CSFLOW" encode -o "$tmp/out" --elf="$tmp/prog.1.elf" "$tmp/no.log" >> "$tmp/why" 2>&1 &&
	"$CSFLOW" tarmac --no-disasm "$tmp/out" 2>> "$tmp/why" | awk '$4 == "IT" || $4 == "IS" { print $6, $7, $9 }' > "$tmp/got"
awk '$4 == "IT" && $5 != "(5)" { print $6, $7, $9 }' "$tmp/el.log" | diff - "$tmp/got" >> "$tmp/why"
ok $? "or are in an ELF file"

echo '5 clk cpu7 R r0 00000001' | cat "$tmp/el.log" - > "$tmp/idle.log"
"$CSFLOW" encode -o "$tmp/out" --formatted "$tmp/idle.log" > "$tmp/why" 2>&1
[ $? = 0 ] && ! grep -v '1 instructions faulted' "$tmp/why"
ok $? "a processor that executed nothing"

# Half an opcode is not an opcode.
head -n 2 "$tmp/user.log" | sed 's/E 00400004.*/IT (2) 00400004 d503 O EL0t_n : NOP/' > "$tmp/half.log"
"$CSFLOW" encode -o "$tmp/out" "$tmp/half.log" > "$tmp/why" 2>&1
grep -q '1 instructions have no opcode' "$tmp/why"
ok $? "so are those that have only half of it"

# A file that has no room in the folder of temporary files is missed, even if others have room
# elsewhere.
awk 'BEGIN { for (i = 1; i < 900; i++) printf "%d clk cpu0 IT (%d) 00400%s d61f0000 O EL0t_n : BR x0\n", i, i, i % 2 ? "000" : "800" }' > "$tmp/long.log"
"$CSFLOW" encode -o "$tmp/all" --format=raw "$tmp/long.log" 2> "$tmp/why" && [ "$(stat -c %s "$tmp/all")" -gt 1024 ] &&
	[ "$(stat -c %s "$tmp/all")" -lt 4096 ] && ! (
	trap '' XFSZ
	ulimit -f 1
	"$CSFLOW" encode -o "$tmp/out" --format=raw "$tmp/long.log" > "$tmp/why" 2>&1
) && grep -q 'long.log: File too large' "$tmp/why"
ok $? "no room for temporary files"

# The kernel is not in it: after each call tracing is off.
"$CSFLOW" tarmac --symfs=data/demo --records=inst,event data/demo/perf.data > "$tmp/demo" 2> "$tmp/why" &&
	"$CSFLOW" encode -o "$tmp/out" --symfs=data/demo data/demo/perf.data 2>> "$tmp/why" &&
	"$CSFLOW" match "$tmp/demo" "$tmp/out" >> "$tmp/why" 2>&1 &&
	"$CSFLOW" tarmac --records=inst,event "$tmp/out" 2>> "$tmp/why" | grep -c 'LOWER_64_SYNC' > "$tmp/got"
grep -c 'LOWER_64_SYNC' "$tmp/demo" | diff - "$tmp/got" >> "$tmp/why"
ok $? "what was decoded of a perf.data, and its exceptions"

# Two clusters, of which each begins to count at 0.
for i in 0 1; do
	echo "1 clk cpu$i IT (1) 0040${i}000 d503201f O EL0t_n : NOP"
	echo "2 clk cpu$i IT (2) 0040${i}004 14000000 O EL0t_n : B {pc}"
done > "$tmp/two.log"
rm -rf "$tmp/two" && "$CSFLOW" encode -o "$tmp/two" --format=snapshot --formatted "$tmp/two.log" 2> "$tmp/why"
sed -i 's/^name=cpu_1/name=big_0/; s/^cpu_1=/big_0=/' "$tmp"/two/*.ini
"$CSFLOW" tarmac --no-disasm "$tmp/two" 2>> "$tmp/why" | awk '$4 == "IT" { print $3, $6 }' > "$tmp/got"
sed 's/cpu1/cpu65536/' "$tmp/two.log" | awk '{ print $3, $6 }' | diff - "$tmp/got" >> "$tmp/why"
ok $? "cores of the same number are two"

echo '5 clk cpu0 IT (5) what' >> "$tmp/el.log"
"$CSFLOW" encode -o "$tmp/out" "$tmp/el.log" > "$tmp/why" 2>&1
[ $? = 1 ] && grep -q 'el.log:19:19: IT: no address' "$tmp/why" &&
	[ "$("$CSFLOW" tarmac "$tmp/out" 2>> "$tmp/why" | grep -c ' I[TS] ')" = 9 ]
ok $? "what came before a line that is wrong is there"

"$CSFLOW" encode -o "$tmp/out" --unit=ete=1.1,morse "$tmp/arm.log" > "$tmp/why" 2>&1
[ $? = 2 ] && grep -q morse "$tmp/why"
ok $? "a word that the trace unit does not know"

# ---------------------------------------------------------------- every log comes back

# CBZ and TBZ that are not taken are IT in some logs, and IS in others.
cat > "$tmp/compare.log" <<- 'END'
	1 clk cpu0 IT (1) 00008000 b4000041 O EL0t_n : CBZ x1,0x8008
	2 clk cpu0 IS (2) 00008004 b7000041 O EL0t_n : TBNZ x1,#32,0x800c
	3 clk cpu0 IT (3) 00008008 b7000041 O EL0t_n : TBNZ x1,#32,0x8010
	4 clk cpu0 IS (4) 0000800c 54000041 O EL0t_n : B.NE 0x8014
	5 clk cpu0 IT (5) 00008010 14000000 O EL0t_n : B {pc}
END
back "$tmp/compare.log" "branches that compare, not taken"

# A log of M profile, as simulations of RTL write it: exceptions as text, CBZ without CCFAIL.
cat > "$tmp/m.log" <<- 'END'
	Tarmac Text Rev 3t
	       2000 tic ES  EXC [1] Reset
	                    R MSP_S 20004000
	                    BR (00001010) T
	       2100 tic ES  (00001010:4a03) T thrd_s:         LDR      r2,[pc,#12]
	       2400 tic ES  (00001012:b108) T thrd_s:         CBZ      r0,{pc}+6
	       2500 tic ES  (00001014:d0fe) T thrd_s: CCFAIL  BEQ      .
	       2600 tic ES  (00001016:df01) T thrd_s:         SVC      #1
	                    EXC [11] SVC
	                    BR (00002000) T
	       2700 tic ES  (00002000:bf00) T hndl_s:         NOP
	       2800 tic ES  (00002002:4770) T hndl_s:         BX       lr
	                    BR (00001018) T
	       2900 tic ES  (00001018:bf00) T thrd_s:         NOP
	                    EXC [15] SysTick
	       3000 tic ES  (00002100:bf00) T hndl_s:         NOP
	       3100 tic ES  (00002102:4770) T hndl_s:         BX       lr
	       3200 tic ES  (0000101a:e7fe) T thrd_s:         B        .
END
back "$tmp/m.log" "M profile"

# Random ways through a program of A64.
awk 'BEGIN {
	srand(7)
	for (n = 1; n < 5000; n++) {
		kind = i % 7
		op = kind == 3 ? "b4000041" : kind == 5 ? "b7000061" : kind == 1 ? "54000041" : "d503201f"
		step = kind == 3 || kind == 1 ? 2 : kind == 5 ? 3 : 1
		if (i >= 255) {
			op = sprintf("%08x", 335544320 + 67108864 - i)
			step = -i
		}
		not = i < 255 && step > 1 && rand() < .5
		printf "%d clk cpu0 %s (%d) %08x %s O EL0t_n : -\n", n, not && (kind == 1 || rand() < .5) ? "IS" : "IT",
			n, 32768 + 4 * i, op
		i += not ? 1 : step
	}
}' > "$tmp/random.log"
# where a branch may be, at its end
sed -i '$d' "$tmp/random.log" && echo '5000 clk cpu0 IT (5000) 00008000 d503201f O EL0t_n : NOP' > "$tmp/tail"
while tail -1 "$tmp/random.log" | grep -q ' [b5][47]0000\| 17ff'; do sed -i '$d' "$tmp/random.log"; done
back "$tmp/random.log" "random ways"
back "$tmp/random.log" "random ways, speculation" --unit=etm4=4.5,rs,spec=8:5,commopt=0,cc=8

# Those of A32 and T32, in which a branch may lead to the next instruction, a call may fail, and an
# interrupt may come in an IT block.
# random_ways [m]: logs of several seeds come back, by units of all kinds
random_ways()
{
	local seed unit

	for seed in {1..8}; do
		unit=${units[$((seed % ${#units[@]}))]}
		rm -rf "$tmp/out"*
		python3 tools/random_log.py $seed 1500 "$@" > "$tmp/random.log" 2> "$tmp/said" &&
			"$CSFLOW" encode -o "$tmp/out" --unit=$unit "$tmp/random.log" > "$tmp/said" 2>&1 && [ ! -s "$tmp/said" ] &&
			"$CSFLOW" match "$tmp/random.log" "$tmp/out" > "$tmp/said" 2>&1 && continue
		echo "seed $seed, $unit:"
		tail -5 "$tmp/said"
	done > "$tmp/why"
	[ ! -s "$tmp/why" ]
}

if command -v python3 > /dev/null; then
	random_ways
	ok $? "random ways of A32 and T32"
	random_ways m
	ok $? "of M profile"
else
	skip "random ways of A32 and T32" "no python3"
	skip "of M profile" "no python3"
fi

# Each alone: to the next instruction, not taken and taken; SVC that fails; in an IT block.
cat > "$tmp/next32.log" <<- 'END'
	1 clk cpu0 IS (1) 00008000 1affffff A svc_ns : BNE 0x8004
	2 clk cpu0 IT (2) 00008004 1affffff A svc_ns : BNE 0x8008
	3 clk cpu0 IT (3) 00008008 112fff10 A svc_ns : BXNE r0
	4 clk cpu0 IS (4) 0000800c 112fff10 A svc_ns : BXNE r0
	5 clk cpu0 IT (5) 00008010 e1a00000 A svc_ns : NOP
	6 clk cpu0 IS (6) 00008014 1f000001 A svc_ns : SVCNE #1
	7 clk cpu0 IT (7) 00008018 ea000000 A svc_ns : B 0x8020
	8 clk cpu0 IT (8) 00008020 e12fff11 A svc_ns : BX r1
	9 clk cpu0 IT (9) 00009000 bf18 T svc_ns : IT NE
	9 clk cpu0 E 00009002 00000007 CoreEvent_IRQ
	10 clk cpu0 IT (10) 00000018 e25ef004 A irq_ns : SUBS pc,lr,#4
	11 clk cpu0 IS (11) 00009002 4700 T svc_ns : BXNE r0
	12 clk cpu0 IT (12) 00009004 bf00 T svc_ns : NOP
END
back "$tmp/next32.log" "branches to the next instruction, calls that fail, IT after an interrupt"

# Code that cannot be fetched: the event says where the branch before it led.
cat > "$tmp/fetch.log" <<- 'END'
	1 clk cpu0 IT (1) 00400000 d503201f O EL0t_n : NOP
	2 clk cpu0 IT (2) 00400004 d63f0000 O EL0t_n : BLR x0
	2 clk cpu0 E 00001000 00000088 CoreEvent_LOWER_64_SYNC
	3 clk cpu0 IT (3) 00000400 d503201f O EL1h_n : NOP
	4 clk cpu0 IT (4) 00000404 d69f03e0 O EL1h_n : ERET
	5 clk cpu0 IT (5) 00400008 14000000 O EL0t_n : B {pc}
END
back "$tmp/fetch.log" "a branch to code that cannot be fetched"

# Executions that trace cannot carry are reported, with their line.
"$CSFLOW" encode -o "$tmp/out" "$tmp/arm.log" 2> "$tmp/why"
[ $? = 0 ] && grep -q "1 instructions faulted: they are in the log, and not in the trace; first at $tmp/arm.log:21\$" "$tmp/why"
ok $? "an instruction that faulted"
for i in 0 4 8; do echo "$i clk cpu0 IT (1) 0000800$i e3a00001 A svc_ns : MOV r0,#1"; done > "$tmp/end.log"
echo '12 clk cpu0 IT (4) 0000800c e12fff1e A svc_ns : BX lr' >> "$tmp/end.log"
rm -rf "$tmp/out"* && "$CSFLOW" encode -o "$tmp/out" "$tmp/end.log" 2> "$tmp/why"
grep -q "1 times the log ends with a branch whose target is not known; first at $tmp/end.log:4\$" "$tmp/why" &&
	"$CSFLOW" tarmac --no-disasm "$tmp/out" 2>> "$tmp/why" | grep -c ' IT ' | diff - <(echo 3) >> "$tmp/why"
ok $? "a branch at the end; what is before it is there"
grep -q 'there; first at .*user.log:5$' <("$CSFLOW" encode -o "$tmp/raw" --format=raw "$tmp/user.log" 2>&1)
ok $? "where the log goes on elsewhere"

# Logs of real programs, in all styles.
if command -v qemu-aarch64 qemu-arm aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc clang > /dev/null; then
	# recording NAME GCC FLAGS...: NAME.log of what the emulator says was executed
	recording()
	{
		local name=$1 gcc=$2

		shift 2
		"$gcc" -static -o "$tmp/$name" "$@" > "$tmp/why" 2>&1 &&
			"$CSFLOW_FAST" record -q --truth "$tmp/$name.truth" -o "$tmp/$name.data" -- "$tmp/$name" 5 > /dev/null 2>> "$tmp/why"
	}

	# forth NAME: the truth log and the recording as Tarmac, in each style; encoded, decoded, the same
	forth()
	{
		local file style

		for file in "$tmp/$1.truth" "$tmp/$1.data"; do
			for style in fm es matcher; do
				"$CSFLOW_FAST" tarmac --no-disasm --style=$style -o "$tmp/a.log" "$file" 2> "$tmp/said"
				rm -rf "$tmp/out"*
				"$CSFLOW_FAST" encode -o "$tmp/out" "$tmp/a.log" 2> "$tmp/said" && [ ! -s "$tmp/said" ] &&
					"$CSFLOW_FAST" match "$tmp/a.log" "$tmp/out" > "$tmp/said" 2>&1 && continue
				echo "$file, $style:"
				tail -3 "$tmp/said"
			done
		done > "$tmp/why"
		[ ! -s "$tmp/why" ]
	}

	recording a64 aarch64-linux-gnu-gcc -O2 programs/branches.c && forth a64
	ok $? "a program of A64"
	recording a32 arm-linux-gnueabihf-gcc -O2 -marm programs/interwork.c programs/over-page.S && forth a32
	ok $? "of A32 and T32"
	clang --target=arm-linux-gnueabihf -mthumb -mcpu=cortex-a9 -mfpu=vfpv3-d16 -O2 -c -o "$tmp/it.o" programs/branches.c 2> "$tmp/why" &&
		recording it arm-linux-gnueabihf-gcc "$tmp/it.o" && forth it
	ok $? "of T32 with IT"

	for name in calls stacks; do
		recording $name-64 aarch64-linux-gnu-gcc -O1 programs/$name.c && forth $name-64 &&
			recording $name-32 arm-linux-gnueabihf-gcc -O1 -marm programs/$name.c && forth $name-32 &&
			recording $name-t arm-linux-gnueabihf-gcc -O2 -mthumb programs/$name.c && forth $name-t
		ok $? "of all three: $name"
	done
else
	skip "a program of A64" "no qemu or compilers"
	skip "of A32 and T32" "no qemu or compilers"
	skip "of T32 with IT" "no qemu or compilers"
	skip "of all three: calls" "no qemu or compilers"
	skip "of all three: stacks" "no qemu or compilers"
fi

rm -rf "$tmp/two" && "$CSFLOW" encode -o "$tmp/two" --format=snapshot "$tmp/two.log" 2> "$tmp/why"
[ "$(grep -c '^TRCAUTHSTATUS=0xcc$' "$tmp"/two/unit_*.ini | grep -c ':1$')" = 2 ]
ok $? "a snapshot has TRCAUTHSTATUS, which others want"
