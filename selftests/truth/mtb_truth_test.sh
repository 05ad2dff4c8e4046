#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record --machine -u mtb: programs on a Cortex-M with an MTB, whose memory has wrapped many times when they end.
# What was decoded is exactly what was executed, from some place up to the last branch that was taken.
#
# CSFLOW_LONG: more rounds of the programs.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-arm arm-linux-gnueabihf-gcc python3; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
scale=1
[ -z "$CSFLOW_LONG" ] || scale=10

# build NAME PROCESSOR BASE OPTIONS...
build()
{
	local name=$1 cpu=$2 base=$3

	shift 3
	arm-linux-gnueabihf-gcc -mthumb -mcpu="$cpu" -mfloat-abi=soft -O2 -g -ffreestanding -fno-pic \
		-nostdlib -static -Wl,--build-id=none -Wl,--defsym=BASE="$base" -T programs/cortex-m.ld \
		"$@" -o "$tmp/$name" 2> "$tmp/why"
	[ $? = 0 ] || ok 1 "$name is built"
}

build m3 cortex-m3 0 programs/cortex-m.c
build m33 cortex-m33 0x10000000 programs/cortex-m.c
build m55 cortex-m55 0x10000000 -DLOOPS programs/cortex-m.c
build secure cortex-m33 0x10000000 -Wl,--defsym=NONSECURE=0x200000 programs/cortex-m-secure.c

# record MACHINE PROGRAM UNIT ROUNDS
record()
{
	rm -rf "$tmp/snap" "$tmp/truth"
	"$csflow" record --machine="$1" -o "$tmp/snap" --truth "$tmp/truth" -u "$3" -- "$tmp/$2" "$4" \
		> "$tmp/out" 2> "$tmp/why" < /dev/null
}

# Prints how many instructions of a Tarmac log, its second, are a part of the first that ends near its end.
cat > "$tmp/part.py" << 'END'
import sys
from collections import deque
NEAR = 2000
def read(path, last):
    with open(path, "rb") as f:
        return list(deque((tuple(line.split(None, 7)[5:7]) for line in f), last))
got = read(sys.argv[2], None)
want = read(sys.argv[1], len(got) + NEAR)
for behind in range(NEAR):
    end = len(want) - behind
    if end >= len(got) and got and want[end - 1] == got[-1] and want[end - len(got):end] == got:
        print(len(got))
        sys.exit(0)
sys.exit("%d instructions are no part of %d" % (len(got), len(want)))
END

echo "TAP version 13"
total=0
while read -r machine program unit rounds; do
	record "$machine" "$program" "$unit" $((rounds * scale))
	ok $? "$machine, $program, $unit"
	grep -qi '^POSITION=0x.......[4c]$' "$tmp/snap/etm0.ini"
	ok $? "its memory has wrapped"
	"$csflow" dump --elements "$tmp/snap" 2>> "$tmp/why" | grep ' gap ' > "$tmp/gaps"
	cat "$tmp/gaps" >> "$tmp/why"
	[ ! -s "$tmp/gaps" ]
	ok $? "there is no gap"
	"$csflow" tarmac --no-progress --records=inst -o "$tmp/want" "$tmp/truth" 2> "$tmp/why"
	"$csflow" tarmac --no-progress --records=inst -o "$tmp/got" "$tmp/snap" 2>> "$tmp/why"
	n_insn=$(python3 "$tmp/part.py" "$tmp/want" "$tmp/got" 2>> "$tmp/why")
	ok $? "its instructions were executed, the last ones of all: $n_insn"
	total=$((total + ${n_insn:-0}))
done << 'END'
mps2-an385 m3 mtb=0x80000 300
mps2-an500 m3 mtb=16 50
mps2-an505 m33 mtb=0x100000 600
mps2-an505 m33 mtb 100
mps2-an505 m33 mtb=0x400,seed=7 100
mps2-an505 secure mtb=0x20000 0
mps3-an547 m55 mtb=0x40000 200
END
echo "# $total instructions compared"
[ $total -ge 1000000 ]
ok $? "at least 1000000 instructions"

# Tracing begins many times: what is decoded, and what the unit logged as lost, is what was executed.
while read -r program unit; do
	record mps2-an505 "$program" "$unit" 30
	"$csflow" match -sr --rule='ignore kind=exception' --rule='ignore kind=context' "$tmp/truth" "$tmp/snap" > "$tmp/why" 2>&1
	ok $? "$program, $unit: match"
	"$csflow" dump --packets "$tmp/snap" 2> /dev/null | grep -c ' start$' >> "$tmp/why"
	[ "$(tail -n 1 "$tmp/why")" -gt 20 ]
	ok $? "tracing began $(tail -n 1 "$tmp/why") times"
done << 'END'
m33 mtb=0x100000,strobe=300:100
m33 mtb=0x100000,exclude=0x10000080-0x10000100
secure mtb=0x100000,strobe=1000:30
END

# ---------------------------------------------------------------- what goes wrong

# fails NAME TEXT COMMAND...: it does, and says so
fails()
{
	local name=$1 text=$2

	shift 2
	"$csflow" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? != 0 ] && grep -q -- "$text" "$tmp/why"
	ok $? "$name"
}

fails "no power of two" "want a power of two" record --machine=mps2-an505 -o "$tmp/snap" -u mtb=100 -- "$tmp/m33"
fails "return stack" "rs: MTB does not have it" record --machine=mps2-an505 -o "$tmp/snap" -u mtb,rs -- "$tmp/m33"
fails "two processors" "an MTB wants --machine" record --machine=mps2-an521 -o "$tmp/snap" -u mtb -- "$tmp/m33"
fails "a program of Linux" "an MTB wants --machine" record -o "$tmp/perf.data" -u mtb -- /bin/true
fails "encode" "only csflow record --machine has an MTB" encode -u mtb -o "$tmp/perf.data" "$tmp/want"
echo "1..$n"
