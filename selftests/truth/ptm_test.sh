#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record with a unit of PTM: programs of A32, T32 and both, in the rows of a pairwise table of
# the settings of the unit and of the recording.  The decoded code, and the code that the unit logged
# as lost on purpose, are together exactly the executed code.  ptm_encoder_test has what no program
# of Linux does: other security states, exception returns, debug halts.
#
# CSFLOW_LONG: 100,000,000 instructions.

cd "$(dirname "$0")/.." || exit 1
. lib/programs-32.sh
build t32-loops loops -mthumb -static
build rewrite rewrite-arm -marm -static

# Program, and its argument.
cat > "$tmp/programs" << 'EOF'
a32		1
a32-signals	1
both		10
t32		1
t32-threads	1
a32-shared	1
t32-signals	1
t32-loops	3
t32-shared	1
a32-threads	1
rewrite		2
EOF

cat > "$tmp/axes" << 'EOF'
ptm=1.1 ptm=1.0
- ,rs ,rs=2
- ,bb
- ,cc
,ts=3000 ,ts=200 ,ts=500,gray ,ts=500,tsbits=48
,cid ,cid,vmid
- ,barriers
- ,sync=300 ,sync=100000
- ,event=10,ignore=20
- ,overflow=500 ,truncate=500 ,strobe=3000:1000 ,exclude=0x10400-0x11000
- --raw --per-thread --raw_--per-thread
--cpus=1 --cpus=2_--quantum=3000
--header=2 --header=1 --header=0
EOF
# What exclude each other: PFT 1.0 with settings of 1.1.
valid='!(row ~ /ptm=1.0/ && row ~ /gray|vmid/)'

echo "TAP version 13"

compare_rows "$tmp/programs" "$tmp/axes" "$valid"
echo "# $total instructions compared"
[ $total -ge $want ]
ok $? "at least $want instructions"

# A program of Linux is traced from one system call to the next, so no context ID changes meanwhile.
seen async isync atom branch waypoint time vmid trigger ignore
! grep -q ' bad$' "$tmp/packets"
ok $? "packets: none is bad"

# The metadata does not tell which clock timestamps have, so AUX records tell when code changed.
for options in --header=2 --header=1 --raw --per-thread; do
	one rewrite 2 -u ptm=1.1,rs,cid,ts=100 --cpus=1 $options
done

# A Cortex-A15 with a return stack of one entry, it seems, sent this; our unit, told what it
# executed, sends the same bytes, from the first I-sync up to the second A-sync.
real=$CSFLOW_CORPUS/snapshots/tc2-ptm-rstk-t32
if [ -e "$real/PTM_0_2.bin" ]; then
	"$csflow" encode --format=raw --open-end -u ptm=1.1,rs=1,sync=0 -o "$tmp/encoded" "$real" > "$tmp/why" 2>&1
	cmp -i 12 -n 1067 "$real/PTM_0_2.bin" "$tmp/encoded" >> "$tmp/why" 2>&1
	ok $? "the first 1067 bytes are those of a Cortex-A15"
	rm -rf "$tmp/encoded"
else
	skip "the first 1067 bytes are those of a Cortex-A15" "no corpus"
fi

# Branches inside the program: perf does not print the handler of an exception.
ends()
{
	awk '$1 != "0" && $NF !~ /^(0|ffff00..)$/ { print $1, $NF }'
}

if command -v perf > /dev/null; then
	for unit in ptm=1.1,cid,ts=1000,tsbits=48 ptm=1.0,cid,cc,ts=100,event=50; do
		one t32 1 -u $unit --cpus=1 --header=1
		"$csflow" script -F ip,addr "$tmp/data" 2> "$tmp/why" | ends > "$tmp/ours"
		perf script -f --itrace=bZ -F ip,addr -i "$tmp/data" 2> "$tmp/why" | ends > "$tmp/perf"
		[ "$(wc -l < "$tmp/ours")" -gt 100000 ] && same "$tmp/ours" "$tmp/perf" "perf finds the same branches, $unit"
	done
else
	skip "perf finds the same branches" "no perf"
fi

# A PTM does not tell EL0 from EL1: all code is compared.
one t32 1 -u ptm=1.1,cid --cpus=1
"$csflow" diff "$tmp/data" "$tmp/data" > "$tmp/same" 2> "$tmp/why"
[ $? = 0 ] && [ "$(sed -n 's/^csflow: A: 1 thread, \([0-9]*\) branches.*/\1/p' "$tmp/why")" -gt 1000 ]
ok $? "diff compares the program: $(sed -n 's/^csflow: A: //p' "$tmp/why")"

# A log of what was executed, as a snapshot and as a perf.data
one both 3 -u ptm=1.1,cid,rs --cpus=1
"$csflow" tarmac --no-progress "$tmp/data" > "$tmp/log" 2> "$tmp/why"
ok $? "tarmac of the recording"
for format in snapshot perf; do
	"$csflow" encode --format=$format -u ptm=1.1,rs,cid,ts=1000 -o "$tmp/encoded" "$tmp/log" > "$tmp/why" 2>&1 &&
		"$csflow" match "$tmp/log" "$tmp/encoded" > "$tmp/why" 2>&1
	ok $? "encoded again as $format, it is the same"
	[ $format = perf ] || cat "$tmp/encoded/unit_0.ini" > "$tmp/ini"
	rm -rf "$tmp/encoded"
done
for line in type=PTM1.1 ETMCR=0x3000c000 ETMIDR=0x4100f311 ETMCCER=0x34c00000 ETMTRACEIDR=0x10; do
	grep -q "^$line\$" "$tmp/ini"
	ok $? "the snapshot has $line"
done

# fails NAME TEXT COMMAND...: it does, and says so
fails()
{
	local name=$1 text=$2

	shift 2
	"$csflow" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? != 0 ] && grep -q -- "$text" "$tmp/why"
	ok $? "$name"
}

fails "a program of A64" "64 bits, which PTM cannot trace" record -u ptm=1.1 -- data/demo/demo-sort
fails "short context IDs" "cid: want 32 bits" record -u ptm=1.1,cid=8 -- "$tmp/a32"
fails "a Cortex-M" "m: PTM does not have it" record --machine=mps2-an385 -u ptm=1.1 -- "$tmp/a32"
fails "what PTM does not have" "q: PTM does not have it" record -u ptm=1.1,q=5 -- "$tmp/a32"

echo "1..$n"
