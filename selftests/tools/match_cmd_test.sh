#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow match, from the command line: options of the Trace Matcher, formats of files, exit
# statuses, pipes, and memory.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

why()
{
	cat "$tmp/out" "$tmp/err" | head -30
}

# is STATUS WORDS NAME ARGUMENTS...: WORDS must be in what is printed
is()
{
	local want=$1 words=$2 name=$3 got

	shift 3
	"$CSFLOW" match "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	got=$?
	[ $got = "$want" ] && { [ -z "$words" ] || cat "$tmp/out" "$tmp/err" | grep -q -- "$words"; }
	ok $? "$name"
}

cat > "$tmp/a" << 'END'
Tarmac Text Rev 3t
1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP
2 clk cpu0 IT (2) 00001004 d2800020 O EL1h_n : MOV x0,#1
2 clk cpu0 R X0 0000000000000001
3 clk cpu0 IT (3) 00001008:000080001008_NS b9000020 O EL1h_n : STR w0,[x1]
3 clk cpu0 MW4 00008000:000080008000_NS 00000001
3 clk cpu0 R CNTPCT_EL0 0000000000000100
4 clk cpu0 IT (4) 0000100c 14000000 O EL1h_n : B
5 clk cpu0 IT (5) 0000100c 14000000 O EL1h_n : B
END
# What the Trace Matcher's own format leaves out, in another order and with another time
cat > "$tmp/b" << 'END'
11 clk 0 IT (1) 00001000 d503201f O svc_ns : nop
12 clk 0 IT (2) 00001004 d2800020 O svc_ns : mov x0,#1
12 clk R x0 0000000000000001
13 clk 0 IT (3) 00001008 b9000020 O svc_ns : str w0,[x1]
13 clk R cntpct_el0 0000000000000107
13 clk MW4 00008000 00000001
14 clk 0 IT (4) 0000100c 14000000 O svc_ns : b
END
a=$tmp/a b=$tmp/b
some='tolerance reg=cnt* 7'
echo 'ignore kind=R name=cnt*	# counters' > "$tmp/rules"

# waits ROUNDS: waits in a loop, one time for so many rounds, then twice for 2,000, with 1,500 instructions after each
waits()
{
	awk -v rounds="$1" 'function insn(addr) {
			printf "%d clk cpu0 IT (%d) %08x d503201f O EL1h_n : NOP\n", ++n, n, addr
		}
		BEGIN {
			print "Tarmac Text Rev 3t"
			for (part = 0; part < 3; part++) {
				for (i = 0; i < 8 * (part ? 2000 : rounds); i++)
					insn(4096 + 4 * (i % 8))
				for (i = 0; i < 1500; i++)
					insn(65536 * (part + 1) + 4 * i)
			}
		}'
}

is 0 '^equal' "a file equals itself" "$a" "$a"
waits 5000 > "$tmp/long"
waits 100 > "$tmp/short"
is 1 '^37300 instructions equal' "a wait that is far shorter in one: all the rest is equal" "$tmp/long" "$tmp/short"
grep -q '^39200 missing' "$tmp/out" && ! grep -q 'extra\|changed\|did not meet' "$tmp/out"
ok $? "and nothing is extra"
is 1 '^37300 instructions equal' "the other way round" "$tmp/short" "$tmp/long"
sed 's/) 000/) 010/' "$tmp/short" > "$tmp/elsewhere"
is 1 'did not meet' "code at other addresses: they do not meet" "$tmp/long" "$tmp/elsewhere"
is 1 'different, in 2 places' "another file differs" "$a" "$b"
is 1 '1 order' "records are in another order" "$a" "$b" -sr --rule="$some"
is 0 '^equal' "rules, a window, and no rest" "$a" "$b" -sr -w 3 --rules "$tmp/rules"
is 0 '^equal' "repeated records" "$a" "$b" -se -w 3 --rules "$tmp/rules"
is 0 '^equal' "by time" "$a" "$b" -sr --window-ticks=0 --rules "$tmp/rules"
# Records that only one side has at the end need not wait.
awk 'BEGIN { for (i = 1; i <= 60000; i++) printf "%d clk cpu0 IT (%d) %08x d503201f O EL1h_n : NOP\n", i, i, 4 * i }' > "$tmp/long"
head -n 9 "$tmp/long" > "$tmp/short"
is 1 '^59991 extra' "a window at the end of one" "$tmp/short" "$tmp/long" -w 3 -n 2
grep -q '^CPU 0, behind 9 and 10 instructions: in B only' "$tmp/out"
ok $? "does not wait: it is told where it is"
is 1 '1 order' "-w without a number is one by one" -w "$a" "$b" -sr --rule "$some"
is 1 'differs in: value' "counters" "$a" "$b" -sr -w 3
is 0 '^equal' "a tolerance" "$a" "$b" -sr -w 3 --rule="tolerance reg=cntpct_el0 7"
sed 's/^13 clk MW4/15 clk MW4/' "$b" > "$tmp/later"
is 1 'differs in: time' "times" "$a" "$tmp/later" -sr -w 3 --rules "$tmp/rules" \
	--rule="compare field=time"
is 0 '^equal' "but not by much" "$a" "$tmp/later" -sr -w 3 --rules "$tmp/rules" \
	--rule="compare field=time" --rule="tolerance time=2"
is 0 '^3 instructions equal' "boot code" -bs 2 "$a" "$a"
is 0 '^3 instructions equal' "a start" -sa 00001008 "$a" "$a"
is 2 'nothing to compare after that address' "no such start" -sa 2000 "$a" "$a"
is 1 'different, in 1 place$' "-fds" -fds "$a" "$b"
is 0 '' "three files" "$a" "$a" "$a"
is 1 '' "three files, one differs" "$a" "$a" "$b"
is 1 '^-.*MW4' "unified" --format=unified "$a" "$b" -sr
is 1 '"summary":true' "JSON" --format=json "$a" "$b"
python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' < "$tmp/out" 2> "$tmp/err"
ok $? "and it is JSON"
is 1 '' "quiet" -q "$a" "$b"
[ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]
ok $? "and it is"
is 0 'CPU 0' "debug" -d "$a" "$a"

# ---------------------------------------------------------------- what is wrong

is 2 'give two files at least' "one file" "$a"
is 2 'No such file' "no file" "$a" "$tmp/none"
is 2 'no line of it is Tarmac' "an empty file" "$a" /dev/null
perl -e 'srand 1; print chr rand 256 for 1 .. 5000' | tr '\0-\37IR' x > "$tmp/noise"
is 2 '' "noise" "$a" "$tmp/noise"
is 2 'there is no option' "no such option" "$a" "$b" --none
is 2 'not an address' "-sa without an address" -sa x "$a" "$b"
is 2 'is not from 1' "a window of none" -w 0 "$a" "$b"
is 2 'an unknown word' "a bad rule" --rule='ignore colour=red' "$a" "$b"
echo 'forget it' > "$tmp/bad"
is 2 'bad:1: a rule is' "a bad file of rules" --rules="$tmp/bad" "$a" "$b"
is 2 'none' "no file of rules" --rules="$tmp/none" "$a" "$b"
is 2 'Is a directory' "rules that cannot be read" --rules="$tmp" "$a" "$b"
printf 'CSFTRUTH\2\0\0\0\0\0\0\0' > "$tmp/tomorrow"
is 2 'another version' "a truth log of tomorrow" "$tmp/tomorrow" "$a"
printf 'CSFTRUTH\1\0\0\0\0\0\0\0' > "$tmp/nothing"
printf 'CSFTRUTH\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$tmp/broken"
is 2 'not a chunk' "a truth log that is none" "$tmp/broken" "$a"
is 2 'nothing to compare' "a truth log without anything" "$tmp/nothing" "$a"

# ---------------------------------------------------------------- truth logs and recordings

# two instructions at 0x1000, two at 0x1008; the first are executed, then the second
def='\377\377\377\377\40\0\0\0\0\1\15\1\200\40\0\2\37\40\3\325\40\0\200\322\0\1\15\2\210\40\0\2\40\0\0\271\0\0\0\24'
truth='CSFTRUTH\1\0\0\0\0\0\0\0'$def'\0\0\0\0\6\0\0\0\1\2\0\16\1\2'
printf "$truth" > "$tmp/truth"
is 0 '^4 instructions equal' "truth log and Tarmac" "$tmp/truth" "$a" -sr
is 0 '^4 instructions equal' "and with itself" "$tmp/truth" "$tmp/truth"
head -c -4 "$tmp/truth" > "$tmp/cut"
is 2 'the end is missing' "cut off: what there is is compared" "$tmp/cut" "$a" -sr
grep -q '^4 instructions equal' "$tmp/out"
ok $? "all of it"
"$CSFLOW" match - "$a" -sr < "$tmp/truth" > "$tmp/out" 2> "$tmp/err"
ok $? "on standard input"
"$CSFLOW" match <(cat "$tmp/truth") <(cat "$a") -sr > "$tmp/out" 2> "$tmp/err"
ok $? "from pipes"

demo=data/demo/perf.data
is 0 '^3902 instructions equal' "a recording" $demo $demo --symfs=data/demo
is 2 'A has nothing to compare' "a recording without code" $demo $demo --symfs="$tmp"
is 1 '' "a recording and another program" $demo "$tmp/truth" --symfs=data/demo

# ---------------------------------------------------------------- data trace

# The log of a model has what the trace has, with values where it has none; a failed store is in neither.
. lib/data-snapshot.sh
data_snapshot "$tmp/data"
cat > "$tmp/model" << 'END'
1 clk cpu0 IT (1) 00008000 e5900000 A svc_s : LDR r0,[r0,#0]
1 clk cpu0 MR4 20001000 44332211
2 clk cpu0 IT (2) 00008004 e5800000 A svc_s : STR r0,[r0,#0]
2 clk cpu0 MW4 20001004 00000022
3 clk cpu0 IT (3) 00008008 e890000e A svc_s : LDM r0,{r1-r3}
3 clk cpu0 MR4 20001010 00000001
3 clk cpu0 MR4 20001014 00000002
4 clk cpu0 IT (4) 0000800c e5d01000 A svc_s : LDRB r1,[r0,#0]
4 clk cpu0 MR1 20001010 61
5 clk cpu0 IT (5) 00008010 ee110f10 A svc_s : MRC p15,#0x0,r0,c1,c0,#0
6 clk cpu0 IT (6) 00008014 e1812f90 A svc_s : STREX r2,r0,[r1]
END
is 0 '^6 instructions equal, 5 other records' "a log and data trace" "$tmp/model" "$tmp/data"
sed 's/MW4 20001004 00000022/MW4 20001004 00000023/' "$tmp/model" > "$tmp/other"
is 1 'MW4 20001004 00000023 .*| MW4 20001004 00000022' "another value" "$tmp/other" "$tmp/data"
sed 's/MR4 20001014/MR4 20001018/' "$tmp/model" > "$tmp/other"
is 1 'MR4 20001018' "another address" "$tmp/other" "$tmp/data"
is 0 '^6 instructions equal' "another address, not compared" "$tmp/other" "$tmp/data" --rule='ignore kind=M'
grep -v ' M[RW]' "$tmp/model" > "$tmp/other"
is 1 'MR1 20001010 xx' "a log without memory" "$tmp/other" "$tmp/data"

# Values without addresses are not compared.
ETMCR=0x4 data_snapshot "$tmp/values" 2> /dev/null
"$CSFLOW" asm --protocol=etmv3 --etmcr=0x4 -o "$tmp/values/trace.bin" << 'END'
async
isync 0x8000 a32 on s
atom E
data 0x11/1
atom E
END
sed -n '1p;3p' "$tmp/model" > "$tmp/other"
is 0 '^2 instructions equal' "data trace without addresses" "$tmp/other" "$tmp/values"

# ---------------------------------------------------------------- memory, byte by byte

# The same accesses as numbers, as diagrams, as other numbers, and as of simulations of RTL.
cat > "$tmp/numbers" << 'END'
1 clk cpu0 IT (1) 00008000 e5910000 A svc_ns : LDR r0,[r1]
1 clk cpu0 MR4 00001000 12345678
2 clk cpu0 IT (2) 00008004 e8a10003 A svc_ns : STM r1!,{r0,r1}
2 clk cpu0 MW4 0000100e 00020001
2 clk cpu0 MW4 00001012 00040003
2 clk cpu0 R r1 00001016
3 clk cpu0 IT (3) 00008008 e1a00000 A svc_ns : NOP
END
cat > "$tmp/diagrams" << 'END'
1 clk cpu0 IT (1) 00008000 e5910000 A svc_ns : LDR r0,[r1]
1 clk cpu0 LD 00001000 ........ ........ ........ 12345678
2 clk cpu0 IT (2) 00008004 e8a10003 A svc_ns : STM r1!,{r0,r1}
2 clk cpu0 ST 00001000 0001.... ........ ........ ........
              00001010 ........ ........ ....0004 00030002
2 clk cpu0 R r1 00001016
3 clk cpu0 IT (3) 00008008 e1a00000 A svc_ns : NOP
END
cat > "$tmp/parts" << 'END'
1 clk cpu0 IT (1) 00008000 e5910000 A svc_ns : LDR r0,[r1]
1 clk cpu0 MR2 00001002 1234
1 clk cpu0 MR2 00001000 5678
2 clk cpu0 IT (2) 00008004 e8a10003 A svc_ns : STM r1!,{r0,r1}
2 clk cpu0 R r1 00001016
2 clk cpu0 MW8 0000100e 0004000300020001
3 clk cpu0 IT (3) 00008008 e1a00000 A svc_ns : NOP
END
sed 's/MR4 00001000 12345678/MNR4___D 00001000 78563412/' "$tmp/numbers" > "$tmp/rtl"
for one in numbers diagrams parts rtl; do
	for other in numbers diagrams parts rtl; do
		is 0 '^3 instructions equal, [345] other records' "$one and $other" "$tmp/$one" "$tmp/$other"
	done
done
# differs NAME WORDS FROM TO: that edit of the diagrams is a difference from the numbers, in both directions
differs()
{
	sed "s/$3/$4/" "$tmp/diagrams" > "$tmp/edited"
	cmp -s "$tmp/diagrams" "$tmp/edited" && ok 1 "$1: nothing was edited"
	is 1 "$2" "$1" "$tmp/numbers" "$tmp/edited"
	is 1 "$2" "$1, the other way" "$tmp/edited" "$tmp/numbers"
}
differs "a byte of a diagram" 'different, in 1 place' 12345678 12345679
differs "a byte that was not accessed" 'different, in 1 place' 12345678 ..345678
differs "a byte more" 'different, in 1 place' '\.\.\. 12345678' '.00 12345678'
differs "another address" 'different, in 1 place' 'LD 00001000' 'LD 00001010'
differs "a store" 'different, in 1 place' LD ST
differs "the second line" 'different, in 1 place' 00030002 00030003
sed 's/12345678/##345678/' "$tmp/diagrams" > "$tmp/edited"
is 0 '^3 instructions equal' "a byte that is not shown is any byte" "$tmp/numbers" "$tmp/edited"
sed 's/12345678/..345678/' "$tmp/diagrams" > "$tmp/edited"
is 1 'differs in: value' "a diagram and another with a byte less" "$tmp/diagrams" "$tmp/edited"
is 0 '^3 instructions equal' "values that are not compared" "$tmp/numbers" <(sed s/12345678/11345678/ "$tmp/diagrams") \
	--rule='ignore kind=M field=value'
sed 's/MR4/MU4_ADD/' "$tmp/numbers" > "$tmp/edited"
is 1 'different, in 1 place' "an atomic operation is no load" "$tmp/edited" "$tmp/diagrams"

# ---------------------------------------------------------------- threads of a perf.data

# Thread 1 calls the kernel, which is not traced, and comes back on the CPU that thread 2 was on.  Its old CPU does not go on, so
# nothing there says that it was off.
cat > "$tmp/moved.log" << 'END'
Tarmac Text Rev 3t
10 clk cpu0 R CONTEXTIDR_EL1 0000000000000001
10 clk cpu0 IT (1) 00008000 14000001 O EL0t_n : B 0x8004
11 clk cpu0 IT (2) 00008004 d4000001 O EL0t_n : SVC #0
11 clk cpu0 E 00008008 00000088 CoreEvent_LOWER_64_SYNC
12 clk cpu0 IT (3) 00010400 d503201f O EL1h_n : NOP
10 clk cpu1 R CONTEXTIDR_EL1 0000000000000002
10 clk cpu1 IT (4) 00009000 14000001 O EL0t_n : B 0x9004
20 clk cpu1 IT (5) 00009004 14000001 O EL0t_n : B 0x9008
30 clk cpu1 IT (6) 00009008 d4000001 O EL0t_n : SVC #0
30 clk cpu1 E 0000900c 00000088 CoreEvent_LOWER_64_SYNC
31 clk cpu1 IT (7) 00010400 d503201f O EL1h_n : NOP
40 clk cpu1 R CONTEXTIDR_EL1 0000000000000001
40 clk cpu1 IT (8) 00010404 d69f03e0 O EL1h_n : ERET
41 clk cpu1 IT (9) 00008008 d503201f O EL0t_n : NOP
42 clk cpu1 IT (10) 0000800c 14000001 O EL0t_n : B 0x8010
END
"$CSFLOW" encode --by=cpu -u ete=1.1,cid,ts=1,range=0x8000-0xffff -o "$tmp/moved" "$tmp/moved.log" 2> "$tmp/err"
"$CSFLOW" tarmac --by=thread -C 1 --records=inst,gap --no-disasm "$tmp/moved" 2>> "$tmp/err" |
	awk '{ print ($3 == "thread.1" && $4 == "GAP:") ? $5 : $6 }' > "$tmp/out"
printf '%s\n' 00008000 00008004 off 00008008 0000800c | diff - "$tmp/out" >> "$tmp/err"
ok $? "a thread has a gap where it came to another CPU"

# ---------------------------------------------------------------- memory and speed

# 2 MB, over and over
awk 'BEGIN { for (i = 0; i < 26000; i++)
	printf "%d clk cpu0 IT (%d) %08x d503201f O EL0t_n : NOP a few words more\n", i, i,
	       4096 + i * 4 }' > "$tmp/once"
times=${CSFLOW_LONG:+512}
for ((i = 0; i < ${times:-24}; i++)); do
	cat "$tmp/once"
done > "$tmp/long"
(
	ulimit -v 120000
	"$CSFLOW_FAST" match "$tmp/long" "$tmp/long" > "$tmp/out" 2> "$tmp/err"
)
ok $? "$(($(wc -c < "$tmp/long") >> 20)) MB twice in memory that does not grow"

echo "1..$n"
