#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record --machine: eleven programs without a system, in the rows of a pairwise table of machines' programs and
# settings of an ETMv4 of M profile.  What was decoded, and what the unit logged as lost on purpose, is exactly what was
# executed; and so it is without a layer of the decoder, another one in each row.  All packets that the unit can write
# were seen.
#
# CSFLOW_LONG: until there are 100,000,000 instructions.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-arm arm-linux-gnueabihf-gcc python3; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
want=10000000
[ -z "$CSFLOW_LONG" ] || want=100000000

. lib/tap.sh
. lib/pairwise.sh
CSFLOW=$csflow
. lib/without.sh

# build NAME SOURCE PROCESSOR BASE OPTIONS...
build()
{
	local name=$1 source=$2 cpu=$3 base=$4

	shift 4
	arm-linux-gnueabihf-gcc -mthumb -mcpu="$cpu" -O2 -g -ffreestanding -fno-pic -nostdlib -static \
		-Wl,--build-id=none -Wl,--defsym=BASE="$base" -T programs/cortex-m.ld "$@" \
		"programs/cortex-m$source.c" -o "$tmp/$name" 2> "$tmp/why"
	[ $? = 0 ] || ok 1 "$name is built"
}

soft=-mfloat-abi=soft
build m3 "" cortex-m3 0 $soft
build two "" cortex-m33 0x10000000 $soft -DTWO
build secure -secure cortex-m33 0x10000000 $soft -Wl,--defsym=NONSECURE=0x200000
build nest -nest cortex-m3 0 $soft
build fpu4 -fpu cortex-m4 0 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
build fpu33 -fpu cortex-m33 0x10000000 -mfpu=fpv5-sp-d16 -mfloat-abi=hard
build fault -fault cortex-m7 0 $soft
build switch -switch cortex-m33 0x10000000 $soft
build loops -loops cortex-m55 0x10000000 -mfloat-abi=hard
build jump3 -jump cortex-m3 0 $soft -falign-functions=2 -Os
build jump33 -jump cortex-m33 0x10000000 $soft

# Programs: name, machine, rounds that have about 120,000 instructions, what one prints that is not 0.
cat > "$tmp/programs" << 'END'
m3	mps2-an385	80	faults
two	mps2-an521	60	calls
secure	mps2-an505	0	calls
nest	mps2-an385	120	ticks
fpu4	mps2-an386	400	lazy
fpu33	mps2-an505	400	lazy
fault	mps2-an500	400	hard
switch	mps2-an505	100	yields
loops	mps3-an547	500	ticks
jump3	mps2-an385	350	jumps
jump33	mps3-an524	350	jumps
END
awk '{ printf "@%s ", $1 } END { print "" }' "$tmp/programs" > "$tmp/axes"
cat >> "$tmp/axes" << 'END'
etm4=4.0 etm4=4.1 etm4=4.2 etm4=4.3 etm4=4.4 etm4=4.5 etm4=4.6
- ,rs ,rs=2
- ,bb
- ,cc=4 ,cc=64
- ,ts=100 ,ts=3000 ,ts=500,marker
- ,sync=200 ,sync=100000
- ,q=30 ,spec=4:7 ,spec=8,commopt=0,cc=16 ,event=10 ,ignore=20 ,wfx=1
- ,overflow=500 ,truncate=500 ,discard=300 ,strobe=3000:1000
- --raw
END
# What there is only in later versions; one cc=; Q elements with all addresses; one unit for raw trace.
valid='!(row ~ /etm4=4.[012]/ && row ~ /ignore=|wfx=1/) && !(row !~ /etm4=4.6/ && row ~ /marker/) &&
	!(row ~ /commopt/ && row ~ /,cc=4|,cc=64/) && !(row ~ /q=30/ && row ~ /bb/) && !(row ~ /two|jump33/ && row ~ /raw/)'

# ---------------------------------------------------------------- packets

# Counts packets by their header byte and, of exceptions, the byte after it.
cat > "$tmp/headers.py" << 'END'
import sys
trace = open(sys.argv[1], "rb").read()
names = {0x01: "info", 0x02: "time", 0x03: "time with count", 0x04: "on", 0x05: "function return", 0x07: "exception return",
         0x0c: "cycles F2", 0x0d: "cycles F2", 0x0e: "cycles F1", 0x0f: "cycles F1 unknown", 0x2d: "commit", 0x2e: "cancel F1",
         0x2f: "cancel F1 mispredict", 0x70: "ignore", 0x80: "context same", 0x81: "context", 0x82: "addr32.ctx",
         0x83: "addr32.ctx.is1", 0x85: "addr64.ctx", 0x86: "addr64.ctx.is1", 0x88: "marker", 0x95: "short", 0x96: "short.is1",
         0x9a: "addr32", 0x9b: "addr32.is1", 0x9d: "addr64", 0x9e: "addr64.is1", 0xa5: "Q short", 0xa6: "Q short.is1",
         0xaa: "Q addr32", 0xab: "Q addr32.is1", 0xac: "Q count", 0xaf: "Q"}
ext = {0: "async", 3: "discard", 5: "overflow", 7: "branch future flush"}
def name(at):
    h = trace[at]
    if h == 0:
        return ext.get(trace[at + 1] if at + 1 < len(trace) else -1, "reserved")
    if h == 6:
        e = trace[at + 1]
        return "exception %d%d, %s" % (e >> 6 & 1, e & 1, "2 bytes" if e & 0x80 else "1 byte")
    if h in names:
        return names[h]
    for low, high, text in ((0x10, 0x1f, "cycles F3"), (0x30, 0x33, "mispredict"), (0x34, 0x37, "cancel F2"),
                            (0x38, 0x3f, "cancel F3"), (0x71, 0x7f, "event"), (0x90, 0x92, "same address"),
                            (0xa0, 0xa2, "Q same address"), (0xf6, 0xf7, "atom F1"), (0xd8, 0xdb, "atom F2"),
                            (0xf8, 0xff, "atom F3"), (0xdc, 0xdf, "atom F4"), (0xd5, 0xd7, "atom F5"), (0xf5, 0xf5, "atom F5"),
                            (0xc0, 0xd4, "atom F6"), (0xe0, 0xf4, "atom F6")):
        if low <= h <= high:
            return text
    return "reserved"
seen = {}
for line in sys.stdin:
    word = line.split()
    if word and word[0].isdigit() and int(word[0]) < len(trace) and "bad" not in word[2]:
        what = name(int(word[0]))
        seen[what] = seen.get(what, 0) + 1
for what in seen:
    print(seen[what], what)
END

# packets: of a raw recording
packets()
{
	"$csflow" dump --packets --no-progress "$tmp/snap" 2> /dev/null | grep -v '^#' | head -n 60000 |
		python3 "$tmp/headers.py" "$tmp/snap/trace.bin" >> "$tmp/packets" 2>> "$tmp/why"
}

# ---------------------------------------------------------------- recordings

match()
{
	"$csflow" match "$tmp/truth" "$tmp/snap" > "$tmp/why" 2>&1
}

total=0
# one PROGRAM OPTIONS...: recorded and compared
one()
{
	local name=$1 machine rounds prints layer=${layers[n % ${#layers[@]}]} insns

	shift
	read -r _ machine rounds prints < <(grep "^$name	" "$tmp/programs")
	rm -rf "$tmp/snap" "$tmp/truth"
	"$csflow" record -q --machine="$machine" -o "$tmp/snap" --truth "$tmp/truth" "$@" -- "$tmp/$name" "$rounds" \
		> "$tmp/out" 2> "$tmp/why" < /dev/null && grep "^$prints " "$tmp/out" > "$tmp/why" &&
		! grep -q ' 00000000$' "$tmp/why" && match
	ok $? "$machine, $name $*"
	insns=$(sed -n 's,.*/truth: \([0-9]*\) instructions.*,\1,p' "$tmp/why")
	total=$((total + ${insns:-0}))
	CSFLOW_WITHOUT=$layer match
	ok $? "$name, without $layer"
}

echo "TAP version 13"
: > "$tmp/packets"
seed=1
while :; do
	mapfile -t rows < <(pairwise $seed "$tmp/axes" "$valid")
	for row in "${rows[@]}"; do
		program=${row#*@}
		program=${program%% *}
		options_of "${row/@$program/-}"
		one "$program" "${options[@]}"
		[ $seed != 1 ] || [[ $row != *raw* ]] || packets
		[ $total -lt $want ] || [ $seed = 1 ] || break
	done
	[ $total -lt $want ] || break
	seed=$((seed + 1))
done
echo "# $total instructions compared in rows of $seed tables"
[ $total -ge $want ]
ok $? "at least $want instructions"

# seen TEXT: packets with that header
seen()
{
	awk -v text="$1" '{ n = $1; sub(/^[0-9]* /, ""); if ($0 == text) sum += n } END { print sum + 0 }' "$tmp/packets"
}

while read -r text; do
	count=$(seen "$text")
	[ "$count" -gt 0 ]
	ok $? "packets: $text: $count"
done << 'END'
async
discard
overflow
info
time
time with count
on
function return
exception return
exception 01, 1 byte
exception 01, 2 bytes
exception 10, 1 byte
exception 10, 2 bytes
cycles F1
cycles F1 unknown
cycles F2
cycles F3
commit
cancel F1
cancel F1 mispredict
cancel F2
cancel F3
mispredict
ignore
event
marker
context
addr32.ctx.is1
same address
short.is1
addr32.is1
Q same address
Q short.is1
Q addr32.is1
Q count
Q
atom F1
atom F2
atom F3
atom F4
atom F5
atom F6
END
# None of A32 or A64, and none that is reserved.
for text in addr32 addr64 addr32.ctx addr64.ctx addr64.is1 short "Q short" "Q addr32" reserved; do
	[ "$(seen "$text")" = 0 ]
	ok $? "no packets: $text"
done
awk '{ n = $1; sub(/^[0-9]* /, ""); sum[$0] += n } END { for (t in sum) print "# " t ": " sum[t] }' "$tmp/packets" | sort
echo "1..$n"
