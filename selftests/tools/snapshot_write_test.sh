#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow snapshot: of a recording, and of parts: an ETE and a PTM in frames, an ITM and an STM.  What it wrote is decoded
# as what it was made of; all sources are listed in one order of time.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
csflow=$(realpath "$CSFLOW")
demo=$(realpath data/demo)
for tool in python3; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh
cd "$tmp" || exit 1

elements()
{
	"$csflow" dump --elements "$@" 2>> why | grep -v '^#'
}

echo "TAP version 13"

# ---------------------------------------------------------------- a recording

: > why
"$csflow" snapshot -o shot --symfs "$demo" "$demo/perf.data" 2> why
ok $? "a snapshot of a recording"
grep -q '^csflow: shot: 2 trace units, 3 trace buffers, 2504 bytes of memory$' why
ok $? "it says what it has"
elements --symfs "$demo" "$demo/perf.data" > want
elements --all-buffers shot > got
[ -s want ] && same want got "its elements are those of the recording"
for command in script report; do
	"$csflow" $command shot > got 2> why
	ok $? "csflow $command reads it"
done

# Arm's own lister, where it is installed.
if command -v trc_pkt_lister > /dev/null; then
	(cd shot && trc_pkt_lister -ss_dir . -decode -logfilename ../lister > /dev/null 2>&1)
	grep -a '^Idx' lister > want
	"$csflow" dump --format=opencsd --release=1.3.3 shot 2> why | grep -a '^Idx' > got
	[ -s want ] && same want got "trc_pkt_lister lists the same of it"
else
	skip "trc_pkt_lister lists the same of it" "no trc_pkt_lister"
fi

# A phone: several CPUs in a buffer; and a module of its kernel, whose code does not begin where the module does.
if [ -n "$CSFLOW_CORPUS" ]; then
	phone=$CSFLOW_CORPUS/simpleperf
	for name in perf_etm perf_kernel; do
		rm -rf phone
		"$csflow" snapshot -q -o phone --symfs="$phone" "$phone/$name.data" 2> why
		elements --symfs="$phone" "$phone/$name.data" | sed 's/\[..\]//' > want
		elements --all-buffers phone | sed 's/\[..\]//' > got
		[ -s want ] && same want got "$name: its elements are those of the recording"
	done
else
	skip "a phone" "CSFLOW_CORPUS is not set"
fi

# An empty recording, or another file, is none.
echo text > text
"$csflow" snapshot -o none text 2> why
[ $? = 1 ] && grep -qxF 'csflow snapshot: text: neither a perf.data, nor described by --raw=UNIT' why && [ ! -e none ]
ok $? "a text file is refused, and nothing is written"

# ---------------------------------------------------------------- parts

ete=protocol=ete,trcidr2=0xd0001088,trcconfigr=0x800,id=0x10,framing=frames
ptm=protocol=ptm,etmcr=0x10001000,etmccer=0x34c01ac2,etmidr=0x411cf312,id=0x11,framing=frames
itm=protocol=itm,itmtcr=0x20003
stm=protocol=stm

# NOP; B .+4
printf '\x1f\x20\x03\xd5\x01\0\0\x14' > a64.bin
for i in 1 2 3; do cat a64.bin; done > more && cat more >> a64.bin
# NOP; B .+4
printf '\0\xf0\x20\xe3\xff\xff\xff\xea' > a32.bin
for i in 1 2 3; do cat a32.bin; done > more && cat more >> a32.bin

"$csflow" asm --protocol=ete --trcidr2=0xd0001088 --trcconfigr=0x800 -o ete.bin - 2> why << 'END'
async
info
on
addr.ctx 0x1000 el1 ns 64
atom E
time 0x64/14
atom E
atom E
time 0x12c/14
atom E
END
ok $? "trace of an ETE"
"$csflow" asm --protocol=ptm --etmcr=0x10001000 --etmccer=0x34c01ac2 --etmidr=0x411cf312 -o ptm.bin - 2> why << 'END'
async
isync 0x8000 a32 periodic s
time 0x96/64 cc=0
atom E cc=100
atom E cc=50
time 0xfa/14 cc=50
END
ok $? "trace of a PTM"
# 'A', 10 ticks, global time 120; 'B' 10 ticks later, 'C' 20 more, global time 150; 'D'
printf '\0\0\0\0\0\x80\x01\x41\xc0\x0a\x94\xf8\x80\x80\0\xb4\x80\x80\x80\0\x01\x42\xc0\x0a\x01\x43\xc0\x14' > itm.bin
printf '\x94\x96\x01\x01\x44' >> itm.bin
# sync, version, 0x11 at 110, 0x22 at 260
printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x0f\x0f\x30' > stm.bin
python3 - << 'END' >> stm.bin
import sys
n = []
def ts(v, digits):
    n.extend([digits] + [v >> 4 * i & 15 for i in reversed(range(digits))])
for value, time in ((0x11, 110), (0x22, 260)):
    n += [0xf, 0x4, value >> 4, value & 15]      # D8TS
    ts(time, 3)
n += [0] * (len(n) % 2)
sys.stdout.buffer.write(bytes(n[i] | n[i + 1] << 4 for i in range(0, len(n), 2)))
END
# Frames, of one trace ID each, by turns.
python3 - << 'END' > frames.bin
import sys
streams = {0x10: open("ete.bin", "rb").read(), 0x11: open("ptm.bin", "rb").read()}
def frame(trace_id, data):
    slots = [trace_id << 1 | 1] + list(data)
    if len(slots) < 15:
        slots.append(1)                          # no more: ID 0
    slots += [0] * (15 - len(slots))
    low = 0
    for i in range(0, 15, 2):
        if i and i <= len(data):
            low |= (slots[i] & 1) << i // 2
            slots[i] &= 0xfe
    return bytes(slots) + bytes([low])
while any(streams.values()):
    for trace_id, data in streams.items():
        n = min(7, len(data))
        n -= n > 0 and n % 2 == 0
        if n:
            sys.stdout.buffer.write(frame(trace_id, data[:n]))
        streams[trace_id] = data[n:]
END
"$csflow" snapshot -o parts --raw=$ete --raw=$ptm,file=1 --raw=$itm,file=2 --raw=$stm,file=3 --core=Cortex-A53 \
	--code=a64.bin@0x1000 --code=a32.bin@0x8000 --reg=PC=0x1000 --reg=SP_EL1=0xffff000000001000 \
	frames.bin itm.bin stm.bin 2> why
ok $? "a snapshot of parts"
"$csflow" dump --all-buffers parts > all 2> why
ok $? "csflow dump reads it"
[ ! -s why ]
ok $? "without a word"
"$csflow" dump --protocol=ete --trcidr2=0xd0001088 --trcconfigr=0x800 --code=a64.bin@0x1000 --elements ete.bin 2> why |
	sed 's/^.*\] //' > want
elements --id=0x10 parts | sed 's/^.*\] //' > got
same want got "the elements of the ETE"
"$csflow" dump --protocol=ptm --etmcr=0x10001000 --etmccer=0x34c01ac2 --etmidr=0x411cf312 --code=a32.bin@0x8000 --elements \
	ptm.bin 2> why | sed 's/^.*\] //' > want
elements --id=0x11 parts | sed 's/^.*\] //' > got
same want got "the elements of the PTM"
for unit in itm stm; do
	"$csflow" dump --protocol=$unit --elements $unit.bin 2> why | sed 's/^.*\] //' > want
	elements --source=$unit parts | sed 's/^.*\] //' > got
	[ -s want ] && same want got "the messages of the ${unit^^}"
done
cat > want << 'END'
PC=0x1000
SP_EL1(size:64)=0xffff000000001000
type=Cortex-A53
END
sed -n '/^PC/p; /^SP/p; /^type/p' parts/cpu_0.ini | sort > got
same want got "registers and type of the processors"

"$csflow" dump --order=time parts > order 2> why
ok $? "all sources in one order of time"
cat > want << 'END'
# [frames.10] ete_0: ETE
# [frames.11] ptm_1: PTM
# [itm.00] itm_2: ITM
# [stm.00] stm_3: STM
END
head -n 4 order | sed 's/\[itm\...\]/[itm.00]/; s/\[stm\...\]/[stm.00]/' > got
same want got "which sources there are"
# time, source, what; the rest of the words does not matter here
grep -v '^#' order | sed -E 's/^ *([^ ]*) +[0-9]+ \[[a-z]*\.?([0-9a-f]*)\] ([a-z.]*).*/\1 \2 \3/' > got
cat > want << 'END'
-100 10 trace
-100 10 context
-100 10 range
100 10 time
110 13 data
-120 12 data
-120 12 time
-120 12 global
120 12 global
~130 12 data
~130 12 time
-150 11 context
150 11 time
~150 12 data
~150 12 time
150 12 global
150- 12 data
~200 11 range
~200 11 cycles
~225 11 range
~225 11 cycles
250 11 time
250- 11 end
260 13 data
100-300 10 range
100-300 10 range
300 10 time
300- 10 range
300- 10 end
END
same want got "their order"
grep '^# \[' order | tail -n +5 | sed -E 's/ [a-z]+_[0-9]:/:/' > got
cat > want << 'END'
# [frames.10]: 3 before its first timestamp, 100; 2 after its last timestamp, 300
# [frames.11]: 1 before its first timestamp, 150; 1 after its last timestamp, 250
# [itm.12]: 3 before its first timestamp, 120; 1 after its last timestamp, 150
END
same want got "what is not in order"
"$csflow" dump --order=time --skew=stm.13=100 --skew=11=-0x32 parts > got 2> why
[ $? = 0 ] && grep -q '^ *210 .*\[stm.13\] data 0 0x11' got && grep -q '^ *100 .*\[frames.11\] time 0x96' got
ok $? "--skew moves a source"
"$csflow" dump --order=time --skew=12 parts > got 2> why
[ $? = 2 ] && grep -q -- '--skew=12: want SOURCE=TICKS' why
ok $? "--skew without ticks"
"$csflow" dump --order=time --skew=etb.12=5 parts > got 2> why
[ $? = 1 ] && grep -q -- '--skew=etb.12=5: there is no source etb.12' why
ok $? "--skew of no source"
"$csflow" dump --order=time --source=stm parts 2> why | grep -v '^#' > got
[ "$(grep -c . got)" = 2 ]
ok $? "--source names one buffer"
for with in --packets --frames --stats --format=opencsd; do
	"$csflow" dump --order=time $with parts > got 2> why
	[ $? = 2 ] && grep -q -- '--order=time lists elements and messages' why
	ok $? "--order=time with $with is refused"
done

# ---------------------------------------------------------------- what is wrong

# refused STATUS WORDS ARGUMENTS...: says so, and writes nothing
refused()
{
	local want=$1 words=$2

	shift 2
	rm -rf none
	"$csflow" snapshot -o none "$@" > out 2> why
	[ $? = "$want" ] && grep -qF -e "$words" why && [ ! -e none ]
	ok $? "refused: $words"
}

refused 1 "ete.bin: no --raw= describes the unit that wrote it" --raw=$stm stm.bin ete.bin
refused 1 "--raw: 'protokol=stm' is not a word of it" --raw=protokol=stm stm.bin
refused 1 "frames: --raw: frames need id=ID" --raw=protocol=ptm,framing=frames frames.bin
refused 1 "stm: raw trace is of one unit" --raw=$stm --raw=$stm stm.bin
refused 1 "frames: two --raw= have the same id=" --raw=$ptm --raw=$ptm frames.bin
refused 1 "--raw: file=N: there are not so many files" --raw=$stm,file=2 stm.bin
refused 1 "none.bin: No such file or directory" --raw=$stm none.bin
refused 1 "text: not an ELF file" --raw=$stm --code=text stm.bin
refused 1 "--code: there is no such memory space" --raw=$stm --code=text@0x10:EL9 stm.bin
refused 1 "--reg: want NAME=VALUE" --raw=$stm --reg=PC stm.bin
refused 1 "frames: --raw: id= must be from 1 to 0x6f" --raw=protocol=ptm,framing=frames,id=0x70 frames.bin
refused 2 "one perf.data, or --raw=UNIT for files" stm.bin itm.bin

# An MTB: the oldest packets first; its processor is of M profile.
printf 'branch 0x100 0x1000 start\nbranch 0x1006 0x1000\nbranch 0x1006 0x1000\nbranch 0x1006 0x1000\n' > words
"$csflow" asm --protocol=mtb -o mtb.bin words 2> why
"$csflow" snapshot -q -o mtb --raw=protocol=mtb,mtb-position=0x14 mtb.bin 2> why
"$csflow" dump --protocol=mtb --mtb-position=0x14 --packets mtb.bin 2> why | sed 's/.*\] //' > want
"$csflow" dump --packets mtb 2> why | grep -v '^#' | sed 's/.*\] //' > got
[ -s want ] && same want got "the packets of an MTB" && grep -qx type=ARMv8-M mtb/cpu_0.ini
ok $? "its processor"

"$csflow" snapshot -q -o nibbles --raw=$stm,stp-order=1 stm.bin 2> why
[ $? = 0 ] && grep -q 'a snapshot cannot say the order of the nibbles of an STM' why
ok $? "the order of nibbles is not in a snapshot, which is said"

# Memory that overlaps: the first counts, and what is after it is there, too.
printf 'abcdefgh' > first
printf 'cdXfghijkl' > second
"$csflow" snapshot -q -o memory --raw=$stm --code=first@0x100 --code=second@0x102 --code=first@0x100 stm.bin 2> why
ok $? "memory that overlaps"
grep -qF 'second: it has other bytes than first at the addresses 0x100 to 0x108' why
ok $? "the difference is said"
grep -h '^address\|^length\|^offset' memory/*.ini > got
printf 'address=0x100\nlength=0x8\naddress=0x108\nlength=0x4\noffset=0x6\n' > want
same want got "the rest of the second is there"
echo "1..$n"
