#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow tarmac: its output for trace, against the log of the model that made the trace and against
# csflow script; one style to another; wrong lines.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
demo=data/demo/perf.data
snapshot=$CSFLOW_CORPUS/snapshots-ete/002-ack_test_scr
# LLVM is not ours to mend.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > "$tmp/leaks"

. lib/tap.sh

# Executed or not, address and opcode of each instruction; gaps stay.  With -m its mode, too.
insns()
{
	local mode=0

	[ "$1" != -m ] || { mode=1; shift; }
	awk -v mode=$mode '$5 == "GAP:" || $4 == "GAP:" { print "GAP" }
	$4 == "IT" || $4 == "IS" {
		sub(/:.*/, "", $6)
		print $4, $6, $7 (mode ? " " $9 : "")
	}' "$@"
}

# Every piece of $1 between two gaps is somewhere in $2, after the piece before.
pieces()
{
	awk 'NR == FNR { log_[++n_log] = $0; next }
	$0 == "GAP" { piece(); next }
	{ part[++n_part] = $0; total++ }
	function piece(	at, i)
	{
		if (!n_part)
			return
		for (at = from; at + n_part <= n_log + 1; at++) {
			for (i = 1; i <= n_part && part[i] == log_[at + i - 1]; i++)
				continue
			if (i > n_part)
				break
		}
		if (at + n_part > n_log + 1) {
			print "a piece of " n_part " that is not there, it begins " part[1]
			bad = 1
		} else {
			from = at + n_part
		}
		n_part = 0
	}
	BEGIN { from = 1 }
	END { piece(); print total + 0; exit bad }' "$2" "$1"
}

echo "TAP version 13"
echo "1..44"

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "the trace of a model, against its log" "CSFLOW_CORPUS is not set"
	skip "the log of a model, written and written again" "CSFLOW_CORPUS is not set"
else
	"$CSFLOW" tarmac "$snapshot" > "$tmp/trace" 2> "$tmp/why"
	insns -m "$tmp/trace" > "$tmp/a"
	insns -m "$snapshot/test_TARMAC" > "$tmp/b"
	pieces "$tmp/a" "$tmp/b" > "$tmp/why"
	[ $? = 0 ] && [ "$(cat "$tmp/why")" -gt 5000 ]
	ok $? "the trace of a model, against its log"

	"$CSFLOW_FAST" tarmac "$snapshot/test_TARMAC" > "$tmp/once" 2> "$tmp/why" &&
		"$CSFLOW_FAST" tarmac - < "$tmp/once" > "$tmp/twice" 2>> "$tmp/why"
	status=$?
	grep -vc '^$' "$snapshot/test_TARMAC" > "$tmp/lines"
	wc -l < "$tmp/once" | diff - "$tmp/lines" >> "$tmp/why" && cmp "$tmp/once" "$tmp/twice" >> "$tmp/why" &&
		[ $status = 0 ]
	ok $? "the log of a model, written and written again"
fi

"$CSFLOW" tarmac --symfs=data/demo "$demo" > "$tmp/demo" 2> "$tmp/why"
"$CSFLOW" script --symfs=data/demo --itrace=i1i -F cpu,ip -i "$demo" 2>> "$tmp/why" |
	sed 's/\[0*\([0-9]\)/\1/; s/\]//; s/0x//' | awk '{ print $1, $2 }' | sort -s -n -k1,1 > "$tmp/script"
awk '$4 == "IT" || $4 == "IS" { sub(/cpu/, "", $3); sub(/^0+/, "", $6); print $3, $6 }' \
	"$tmp/demo" > "$tmp/got"
[ "$(wc -l < "$tmp/got")" -gt 3000 ] || echo "only $(wc -l < "$tmp/got") instructions" > "$tmp/script"
same "$tmp/script" "$tmp/got" "a perf.data, against csflow script, CPU by CPU"

"$CSFLOW" tarmac --symfs=data/demo "$demo" > "$tmp/again" 2> "$tmp/why"
same "$tmp/demo" "$tmp/again" "two runs give the same bytes"

# A taken branch is a step from one instruction to one that is not the next.
"$CSFLOW" tarmac --no-disasm --symfs=data/demo --records=inst,flow,gap "$demo" 2> "$tmp/why" |
	python3 -c '
import sys
last = flow = None
n = 0
for line in sys.stdin:
    w = line.split()
    if w[3] in ("IT", "IS"):
        pc = int(w[5], 16)
        if last is not None and pc != (flow if flow is not None else last + 4):
            print("from", hex(last), "to", hex(pc), "and flow says", flow)
        last, flow = pc, None
    elif w[3] in ("FD", "FI"):
        if int(w[5], 16) != last:
            print("a flow record from elsewhere:", line)
        flow = int(w[6], 16)
        n += 1
    else:
        last = flow = None
if n < 100:
    print("only", n, "flow records")
' > "$tmp/why"
[ ! -s "$tmp/why" ]
ok $? "a flow record for each step aside"

"$CSFLOW" tarmac --symfs=data/demo --style=matcher "$demo" > "$tmp/matcher" 2> "$tmp/why"
awk '$4 == "IT" || $4 == "IS" { print $4, $6, $7 }' "$tmp/matcher" > "$tmp/a"
insns "$tmp/demo" | grep -v GAP > "$tmp/b"
same "$tmp/b" "$tmp/a" "the matcher's style has the same instructions"
grep -q 'cpu\|GAP' "$tmp/matcher" > "$tmp/why"
[ $? = 1 ]
ok $? "and nothing that the matcher does not know"

"$CSFLOW" tarmac --style=es "$tmp/matcher" 2> "$tmp/why" |
	sed -n 's/.* ES (\([0-9a-f]*\):\([0-9a-f]*\)).*: CCFAIL.*/IS \1 \2/p
		s/.* ES (\([0-9a-f]*\):\([0-9a-f]*\)).*/IT \1 \2/p' > "$tmp/es"
same "$tmp/b" "$tmp/es" "from one style to another"

cat > "$tmp/wrong.log" <<- END
	1 clk cpu0 IT (1) 00008000 e3a00001 A svc_ns : MOV r0,#1
	2 clk cpu0 IT (2) what is this
	3 clk cpu0 R r0 00000001
END
"$CSFLOW" tarmac "$tmp/wrong.log" > "$tmp/out" 2> "$tmp/err"
status=$?
echo "csflow tarmac: $tmp/wrong.log:2:19: IT: no address; taken for text" | diff - "$tmp/err" > "$tmp/why" &&
	diff "$tmp/wrong.log" "$tmp/out" >> "$tmp/why" && [ $status = 1 ]
ok $? "a line that is wrong is told, and the others are there"

"$CSFLOW" tarmac "$tmp/nothing" > "$tmp/out" 2> "$tmp/err"
[ $? = 1 ] && grep -q 'nothing: No such file' "$tmp/err"
ok $? "no file"

"$CSFLOW" tarmac --records=inst,what "$tmp/wrong.log" > "$tmp/out" 2> "$tmp/err"
[ $? = 2 ] && grep -q "does not know 'what', only inst, flow" "$tmp/err"
ok $? "a kind of record that there is not"

if [ -c /dev/full ]; then
	"$CSFLOW" tarmac -o /dev/full "$tmp/wrong.log" > "$tmp/out" 2> "$tmp/err"
	[ $? = 1 ] && grep -q '/dev/full: No space left' "$tmp/err"
	ok $? "a full disk"
else
	skip "a full disk" "no /dev/full"
fi

# An exception and a return to code that is not traced: both lead there.  B.EQ +8;  RET;  B .
mkdir "$tmp/left"
printf '\x40\0\0\x54\xc0\x03\x5f\xd6\0\0\0\x14' > "$tmp/left/code.bin"
"$CSFLOW" asm --protocol=ete --trcidr2=0xd0001088 -o "$tmp/left/trace.bin" 2> "$tmp/why" << 'END'
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
END
printf '%s\n' '[snapshot]' version=1.0 '[device_list]' d0=cpu.ini d1=etm.ini '[trace]' metadata=trace.ini \
	> "$tmp/left/snapshot.ini"
printf '%s\n' '[device]' name=cpu_0 class=core type=ARMv8-A '[dump]' file=code.bin address=0x1000 length=12 \
	> "$tmp/left/cpu.ini"
printf '%s\n' '[device]' name=ETE_0 class=trace_source type=ETE '[regs]' 'TRCIDR0(0x78)=0x28000ea1' \
	'TRCIDR2(0x7a)=0xd0001088' 'TRCCONFIGR(4)=0' 'TRCTRACEIDR(0x10)=0x10' > "$tmp/left/etm.ini"
printf '%s\n' '[trace_buffers]' buffers=b0 '[b0]' name=ETB_0 file=trace.bin format=source_data \
	'[source_buffers]' ETE_0=ETB_0 '[core_trace_sources]' cpu_0=ETE_0 > "$tmp/left/trace.ini"
"$CSFLOW" tarmac --no-disasm --records=inst,flow,event "$tmp/left" > "$tmp/out" 2> "$tmp/err"
awk '/ I[TS] / { print $4, $6 } / F[DI] / { print $4, $6, $7 } / E / { print $4, $5, $7 }' "$tmp/out" > "$tmp/got"
sed 's/^	*//' > "$tmp/want" << 'END'
	IS 00001000
	E 00001004 00000019
	E 00001004 CoreEvent_LOWER_64_IRQ
	E 00000000 00000019
	IT 00001004
	FI 00001004 00005000
	IT 00001000
	FD 00001000 00001008
END
same "$tmp/want" "$tmp/got" "an exception and branches to what is not traced lead there"

# Data trace: records of memory after their instruction, wherever the value was; messages for the rest.
. lib/data-snapshot.sh
data_snapshot "$tmp/data"
"$CSFLOW" tarmac --no-disasm --records=inst,mem "$tmp/data" > "$tmp/out" 2> "$tmp/err"
awk '/ I[TS] / { print $4, $6; next } { sub(/ clk cpu0/, ""); print }' "$tmp/out" > "$tmp/got"
cat > "$tmp/want" << 'END'
IT 00008000
1 MR4 20001000 44332211
IT 00008004
2 MW4 20001004 00000022
IT 00008008
3 MR4 20001010 00000001
3 MR4 20001014 00000002
3 DATA: lost
IT 0000800c
4 MR1 20001010 xx
IT 00008010
5 DATA: read register = 0x7 size 4 of 0x8010
IT 00008014
6 DATA: write 0x20001018 = 0x9 size 4 failed of 0x8014
END
same "$tmp/want" "$tmp/got" "accesses to data"
"$CSFLOW" tarmac --no-disasm --style=matcher "$tmp/data" 2> "$tmp/err" | grep -v ' IT ' > "$tmp/got"
printf '%s\n' '1 clk MR4 20001000 44332211' '2 clk MW4 20001004 00000022' '3 clk MR4 20001010 00000001' \
	'3 clk MR4 20001014 00000002' '4 clk MR1 20001010 xx' > "$tmp/want"
same "$tmp/want" "$tmp/got" "accesses to data, for the Trace Matcher"
"$CSFLOW" tarmac --no-disasm --style=es "$tmp/data" 2> "$tmp/err" | grep -c '^[1-4] clk cpu0 M[RW][14] ' | grep -qx 5
ok $? "accesses to data, as of RTL"
"$CSFLOW" tarmac --records=inst,event,reg,gap "$tmp/data" > "$tmp/out" 2>&1
! grep -q ' M[RW][1-8] \|DATA' "$tmp/out" && grep -q ' IT ' "$tmp/out"
ok $? "accesses to data are left out on demand"

# Records that the log has in one line, and words that are no record: both are recognised.
cat > "$tmp/two.log" <<- 'END'
	Tarmac Text Rev 3t
	       2100 tic ES  (00001010:4a03) T thrd_s:         LDR      r2,[pc,#12]
	                    R R2 20       ST 20001040 11...... ........ ........ ........    S:000020001040    NM NSH
	       2200 tic 2fb  (00001012:4b04) T thrd_s:         LDR      r3,[pc,#16]
	       2300 tic ES  (00001014:1899) T thrd_s:         ADDS     r1,r3,r2
END
"$CSFLOW" tarmac "$tmp/two.log" > "$tmp/out" 2> "$tmp/err"
status=$?
echo "csflow tarmac: $tmp/two.log:4:17: 2fb: no record that is known; taken for text" | diff - "$tmp/err" > "$tmp/why" &&
	[ "$(awk '{ print $4 }' "$tmp/out" | paste -sd' ')" = "3t ES R ST (00001012:4b04) ES" ] && [ $status = 1 ]
ok $? "two records in a line, and a record that is not known"
"$CSFLOW" match "$tmp/two.log" "$tmp/two.log" > "$tmp/out" 2> "$tmp/err"
[ $? = 2 ] && grep -q 'two.log:4:17: 2fb' "$tmp/err"
ok $? "of what is not known nobody says that it is equal"
(echo Fast Models 11; sed '/2fb/d' "$tmp/two.log") > "$tmp/greeting.log"
"$CSFLOW" match "$tmp/greeting.log" "$tmp/greeting.log" > "$tmp/out" 2> "$tmp/err" &&
	grep -q 'greeting.log:1: the first of 1 lines that are no record' "$tmp/err"
ok $? "other lines are counted"

# The bytes that come through a pipe tell the format.
"$CSFLOW_FAST" tarmac --no-disasm --symfs=data/demo "$demo" > "$tmp/demo"
for way in 'cat $demo | "$CSFLOW" tarmac --no-disasm --symfs=data/demo -' '"$CSFLOW" tarmac --no-disasm --symfs=data/demo - < $demo' \
	'"$CSFLOW" tarmac --no-disasm --symfs=data/demo <(cat $demo)'; do
	eval "$way" 2> "$tmp/err" | cmp - "$tmp/demo" || echo "$way"
done > "$tmp/why" 2>&1
[ ! -s "$tmp/why" ]
ok $? "a piped perf.data"
awk 'BEGIN { srand(1); for (i = 0; i < 4096; i++) printf "%c", 1 + int(rand() * 255) }' > "$tmp/noise"
"$CSFLOW" tarmac - < "$tmp/noise" > "$tmp/out" 2> "$tmp/err"
[ $? = 1 ] && [ ! -s "$tmp/out" ] && grep -q 'no line of it is Tarmac' "$tmp/err"
ok $? "piped noise"
(echo 'a text that goes on'; cat "$tmp/noise") | "$CSFLOW" tarmac - > "$tmp/out" 2> "$tmp/err"
[ $? = 1 ] && grep -q 'no text; left out' "$tmp/err" && ! LC_ALL=C grep -q $'[\001-\010]' "$tmp/out"
ok $? "noise behind a text"
printf '%s\n' '12 cs W04 X 20000040 5a17c3e9' '13 cyc MNW4___D 200041c8 9b3d0472' | "$CSFLOW" tarmac - > "$tmp/out" 2> "$tmp/why" &&
	printf '%s\n' '12 cs cpu0 W04 X 20000040 5a17c3e9' '13 cyc cpu0 MNW4___D 200041c8 9b3d0472' | diff - "$tmp/out" > "$tmp/why"
ok $? "stores of simulations of RTL"

# A log with every kind of record, from each style to each other and back: all of it is the same, or the command says what
# the other style cannot say.
sed '/^# spoiled/,$d; /^#/d; /^\t/d' data/tarmac/examples.txt > "$tmp/all"
# losses FILE: what it says is lost
losses()
{
	sed -n 's/.*: style [a-z0-9]* cannot say //p' "$1"
}
for a in fm matcher es gem5; do
	"$CSFLOW" tarmac --style=$a "$tmp/all" > "$tmp/all.$a" 2> "$tmp/err"
	losses "$tmp/err" > "$tmp/lost.$a"
done
for a in fm matcher es gem5; do
	for b in fm matcher es gem5; do
		"$CSFLOW_FAST" tarmac --style=$b "$tmp/all.$a" > "$tmp/other" 2> "$tmp/err"
		status=$?
		"$CSFLOW_FAST" tarmac --style=$a "$tmp/other" 2> "$tmp/more" | diff "$tmp/all.$a" - > "$tmp/why"
		same=$?
		losses "$tmp/err" > "$tmp/lost"
		case $a-$b in
		*-fm | es-es | matcher-matcher | gem5-gem5)
			[ $same = 0 ] && [ ! -s "$tmp/lost" ] ;;
		fm-*)
			[ $same = 1 ] && diff "$tmp/lost.$b" "$tmp/lost" >> "$tmp/why" ;;
		*)
			[ -s "$tmp/lost" ] && [ -s "$tmp/other" ] ;;
		esac && [ $status = 0 ]
		ok $? "$a to $b and back: $(wc -l < "$tmp/lost") losses"
	done
done
cat > "$tmp/want" << 'END'
records of kind text: 3 left out
records of kind header: 1 left out
records of kind flow: 4 left out
records of kind update: 2 left out
records of kind diagram: 4 left out
records of kind bus: 3 left out
records of kind event: 8 left out
records of kind maintenance: 4 left out
records of kind line: 15 left out
records of kind walk: 11 left out
records of kind tlb: 13 left out
records of kind signal: 4 left out
records of kind exception: 4 left out
records of kind note: 10 left out
system operations: 4 left out
accesses without data: 2 left out
IF and ES (they become IT or IS): lost in 6 records
hexadecimal or two-part numbers of instructions: lost in 2 records
that an instruction has no number (it becomes 0): lost in 7 records
T16 and T32 (they become T): lost in 3 records
that an instruction has no instruction set (it becomes A): lost in 2 records
security states other than s and ns (they become ns): lost in 4 records
security states and second pages of physical addresses: lost in 6 records
ranges of bits and texts of registers: lost in 6 records
letters and texts of accesses: lost in 13 records
units of time other than clk: lost in 14 records
fractions of a time: lost in 1 record
END
same "$tmp/want" "$tmp/lost.gem5" "what gem5's style cannot say"
grep -v '^T16\|^units\|^security.*pages\|^letters' "$tmp/want" | sed '/^security/a physical addresses: lost in 23 records\
another processor than that of the instruction before: lost in 5 records\
names of processors (they become numbers): lost in 2 records\
capital letters in names of registers: lost in 18 records
/^ranges/a letters and texts of accesses: lost in 11 records' > "$tmp/want.matcher"
same "$tmp/want.matcher" "$tmp/lost.matcher" "what the matcher's style cannot say"
printf '%s\n' 'IT, IS and IF (they become ES): lost in 37 records' 'numbers of instructions: lost in 35 records' \
	'physical addresses: lost in 20 records' > "$tmp/want"
same "$tmp/want" "$tmp/lost.es" "what the style of RTL cannot say"
"$CSFLOW_FAST" tarmac --symfs=data/demo --style=gem5 -o "$tmp/gem5" "$demo" 2> "$tmp/err"
"$CSFLOW_FAST" match --symfs=data/demo "$tmp/gem5" "$demo" > "$tmp/out" 2> "$tmp/why"
[ $? = 0 ] && losses "$tmp/err" | grep -qx 'records of kind note: [0-9]* left out' &&
	grep -q '^3902 instructions equal' "$tmp/out"
ok $? "a recording in gem5's style equals itself, and the gaps are lost"
