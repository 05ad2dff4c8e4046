#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record with a unit of ETMv3: programs of A32, T32 and both, in the rows of a pairwise table
# of the settings of the unit and of the recording.  The decoded code, and the code that the unit
# logged as lost on purpose, are together exactly the executed code; each atom is that of the log, and
# so are address and value of each access to memory.  etm3_encoder_test has what no program of Linux
# does: other security states, exception returns, debug halts, values that come late.
#
# CSFLOW_LONG: 100,000,000 instructions.

cd "$(dirname "$0")/.." || exit 1
. lib/programs-32.sh
build a32-kinds exclusive -marm -static
build t32-kinds exclusive -mthumb -static

# Program, and its argument.
cat > "$tmp/programs" << 'EOF'
a32		1
a32-signals	1
both		10
t32		1
t32-threads	1
a32-shared	1
a32-kinds	3000
t32-signals	1
t32-kinds	3000
t32-shared	1
a32-threads	1
EOF

cat > "$tmp/axes" << 'EOF'
etm3=3.5 etm3=3.4 etm3=3.3 etm3=3.2 etm3=3.1 etm3=3.0
- ,alt
- ,halves
- ,bb
- ,cc
,ts=3000 ,ts=200,gray ,ts=500,tsbits=48
,cid ,cid,vmid
,data - ,data=values,late=20 ,data=addresses ,data,cprt,suppress=300,untraced=9
- ,sync=300 ,sync=100000
- ,event=10,ignore=20
- ,overflow=2000 ,truncate=2000 ,strobe=3000:1000 ,exclude=0x10400-0x11000
- --raw --per-thread --raw_--per-thread --snapshot
--cpus=1 --cpus=2_--quantum=3000
EOF
# What exclude each other: versions and what came later; one buffer, and several.
valid='!(row ~ /etm3=3.[0-4]/ && row ~ /vmid/) && !(row ~ /etm3=3.[0-3]/ && row ~ /alt/)'

echo "TAP version 13"

compare_rows "$tmp/programs" "$tmp/axes" "$valid" \
	'--raw.*--snapshot|--snapshot.*--(raw|per-thread)'
echo "# $total instructions and $others other records, nearly all of memory, compared"
[ $total -ge $want ]
ok $? "at least $want instructions"
[ $others -ge 1000000 ]
ok $? "at least 1000000 accesses"

# A program of Linux is traced from one system call to the next, so no context ID changes meanwhile.
rm -rf "$tmp/data"
"$csflow" record -q -o "$tmp/data" -u etm3=3.5,data,cprt,late=30,suppress=3000,cc,cid,vmid --cpus=1 -- \
	"$tmp/t32-kinds" 100 > "$tmp/out" 2> "$tmp/why"
packets "$tmp/data"
seen async isync atom branch time vmid trigger ignore cycles data data.place data.late \
	data.untraced data.failed data.lost
! grep -q ' bad$' "$tmp/packets"
ok $? "packets: none is bad"

# ---------------------------------------------------------------- snapshots and logs

one both 3 -u etm3=3.5,cid,data,alt --cpus=1 --snapshot
for line in type=ETM3.5 ETMCR=0x0000c00c ETMIDR=0x411cf250 ETMCCER=0x34400000 ETMTRACEIDR=0x10; do
	name=${line%%=*}
	got=$(sed -n "s/^$name=//p" "$tmp/data/etm0.ini")
	[ "$name" = type ] && [ "$got" = "${line#*=}" ] || [ $((got)) = $((${line#*=})) ] 2> /dev/null
	ok $? "the snapshot has $line"
done
"$csflow" tarmac --no-progress "$tmp/data" > "$tmp/log" 2> "$tmp/why"
ok $? "tarmac of the recording"
grep -q ' MW4 ' "$tmp/log" && grep -q ' IS (' "$tmp/log"
ok $? "it has memory, and instructions whose condition failed"
for from in truth log data; do
	for format in snapshot perf; do
		"$csflow" encode --format=$format -u etm3=3.4,cid,ts=1000,data -o "$tmp/encoded" "$tmp/$from" \
			> "$tmp/why" 2>&1 && "$csflow" match "$tmp/$from" "$tmp/encoded" > "$tmp/why" 2>&1
		ok $? "$from encoded again as $format, it is the same"
		rm -rf "$tmp/encoded"
	done
done

# A log that is not that of the trace is told apart, by an atom, and by a value.
sed '0,/ IS (/s// IT (/' "$tmp/log" > "$tmp/other"
! "$csflow" match "$tmp/other" "$tmp/data" > "$tmp/why" 2>&1
ok $? "another atom is another execution"
sed '0,/ MW4 \([0-9a-f]*\) ......../s// MW4 \1 deadbeef/' "$tmp/log" > "$tmp/other"
! "$csflow" match "$tmp/other" "$tmp/data" > "$tmp/why" 2>&1
ok $? "another value is another execution"

# fails NAME TEXT COMMAND...: it does, and says so
fails()
{
	local name=$1 text=$2

	shift 2
	"$csflow" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? != 0 ] && grep -q -- "$text" "$tmp/why"
	ok $? "$name"
}

fails "a program of A64" "64 bits, which ETMv3 cannot trace" record -u etm3=3.5 -- data/demo/demo-sort
fails "short context IDs" "cid: want 32 bits" record -u etm3=3.5,cid=8 -- "$tmp/a32"
fails "a Cortex-M33" "wants a Cortex-M3, M4 or M7" record --machine=mps2-an505 -u etm3=3.4 -- "$tmp/a32"
fails "what ETMv3 does not have" "rs: ETMv3 does not have it" record -u etm3=3.5,rs -- "$tmp/a32"
fails "raw of two CPUs" "for one processor" record --snapshot --raw -u etm3=3.5 -- "$tmp/a32"
fails "a buffer for each thread" "not for snapshots" record --snapshot --per-thread -- "$tmp/a32"
fails "both kinds of snapshot" "writes anyway" record --snapshot --machine=mps2-an385 -- "$tmp/a32"

echo "1..$n"
