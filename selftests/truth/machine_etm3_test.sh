#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record --machine -u etm3: programs on a Cortex-M3, M4 and M7 with an ETMv3 of M profile, in the rows of a
# pairwise table.  What was decoded, and what the unit logged as lost on purpose, is exactly what was executed; and so it
# is without a layer of the decoder, another one in each row.
#
# CSFLOW_LONG: until there are 10,000,000 instructions.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-arm arm-linux-gnueabihf-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
want=1000000
[ -z "$CSFLOW_LONG" ] || want=10000000

. lib/tap.sh
. lib/pairwise.sh
CSFLOW=$csflow
. lib/without.sh

# build NAME SOURCE PROCESSOR OPTIONS...
build()
{
	local name=$1 source=$2 cpu=$3

	shift 3
	arm-linux-gnueabihf-gcc -mthumb -mcpu="$cpu" -O2 -g -ffreestanding -fno-pic -nostdlib -static \
		-Wl,--build-id=none -Wl,--defsym=BASE=0 -T programs/cortex-m.ld "$@" \
		"programs/cortex-m$source.c" -o "$tmp/$name" 2> "$tmp/why"
	[ $? = 0 ] || ok 1 "$name is built"
}

soft=-mfloat-abi=soft
build calls "" cortex-m3 $soft
build nest -nest cortex-m3 $soft
build fpu -fpu cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
build fault -fault cortex-m7 $soft
build switch -switch cortex-m3 $soft
build jump -jump cortex-m3 $soft -falign-functions=2 -Os

# Programs: name, machine, rounds that have about 50,000 instructions, what one prints that is not 0.
cat > "$tmp/programs" << 'END'
calls	mps2-an385	30	faults
nest	mps2-an385	40	ticks
fpu	mps2-an386	150	lazy
fault	mps2-an500	150	hard
switch	mps2-an385	40	yields
jump	mps2-an385	150	jumps
END
awk '{ printf "@%s ", $1 } END { print "" }' "$tmp/programs" > "$tmp/axes"
cat >> "$tmp/axes" << 'END'
etm3=3.4 etm3=3.4,alt etm3=3.5 etm3=3.5,alt
- ,halves
- ,bb
- ,cc
- ,ts=100 ,ts=3000,gray ,ts=500,tsbits=48
- ,sync=200 ,sync=100000
- ,event=10 ,ignore=20
- ,overflow=500 ,truncate=500 ,strobe=3000:1000
- --raw
END

match()
{
	"$csflow" match "$tmp/truth" "$tmp/snap" > "$tmp/why" 2>&1
}

# record NAME OPTIONS...: the program prints what it has to
record()
{
	local name=$1 machine rounds prints

	shift
	read -r _ machine rounds prints < <(grep "^$name	" "$tmp/programs")
	rm -rf "$tmp/snap" "$tmp/truth"
	"$csflow" record -q --machine="$machine" -o "$tmp/snap" --truth "$tmp/truth" "$@" -- "$tmp/$name" "${ROUNDS:-$rounds}" \
		> "$tmp/out" 2> "$tmp/why" < /dev/null && grep "^$prints " "$tmp/out" > "$tmp/why" &&
		! grep -q ' 00000000$' "$tmp/why"
}

total=0
# one PROGRAM OPTIONS...: recorded and compared
one()
{
	local name=$1 layer=${layers[n % ${#layers[@]}]} insns

	record "$@" && match
	ok $? "$*"
	insns=$(sed -n 's,.*/truth: \([0-9]*\) instructions.*,\1,p' "$tmp/why")
	total=$((total + ${insns:-0}))
	CSFLOW_WITHOUT=$layer match
	ok $? "$name, without $layer"
}

echo "TAP version 13"
seed=1
while :; do
	mapfile -t rows < <(pairwise $seed "$tmp/axes" 1)
	for row in "${rows[@]}"; do
		program=${row#*@}
		program=${program%% *}
		options_of "${row/@$program/-}"
		one "$program" "${options[@]}"
		[ $total -lt $want ] || [ $seed = 1 ] || break
	done
	[ $total -lt $want ] || break
	seed=$((seed + 1))
done
echo "# $total instructions compared in rows of $seed tables"
[ $total -ge $want ]
ok $? "at least $want instructions"

# The log has conditions from the unit itself.  But of an IT block that does not change the flags, all instructions agree:
# the first two of ITTE NE have an atom E, or the third has.  Exceptions come in the middle of some.
ROUNDS=1000 record calls -u etm3=3.5
ok $? "IT blocks are recorded"
base=$((0x$(arm-linux-gnueabihf-nm "$tmp/calls" | sed -n 's/ t conditional$//p')))
"$csflow" dump --elements "$tmp/snap" 2> "$tmp/why" |
	awk -v first=$((base + 10)) '
	BEGIN {
		place[sprintf("0x%x-0x%x", first, first + 2)] = 1
		place[sprintf("0x%x-0x%x", first + 2, first + 6)] = 2
		place[sprintf("0x%x-0x%x", first + 6, first + 8)] = 3
	}
	$3 == "range" && $4 in place {
		k = place[$4]
		got[k] = $6
		line[k] = NR
		if (k == 3) {
			blocks++
			apart += line[3] != line[1] + 2
			wrong += got[1] got[2] got[3] != "EEN" && got[1] got[2] got[3] != "NNE"
		}
	}
	END { print blocks + 0, apart + 0, wrong + 0 }' > "$tmp/blocks"
read -r blocks apart bad < "$tmp/blocks"
cp "$tmp/blocks" "$tmp/why"
[ "$blocks" -gt 1000 ] && [ "$apart" -gt 0 ] && [ "$bad" = 0 ]
ok $? "IT blocks: $blocks, with exceptions inside: $apart, that contradict themselves: $bad"

# ---------------------------------------------------------------- what goes wrong

# fails NAME TEXT OPTIONS...: it does, and says so
fails()
{
	local name=$1 text=$2

	shift 2
	"$csflow" record "$@" -o "$tmp/snap" -- "$tmp/calls" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? != 0 ] && grep -q -- "$text" "$tmp/why"
	ok $? "$name"
}

fails "security states" "wants a Cortex-M3, M4 or M7" --machine=mps2-an505 -u etm3=3.5
fails "data" "traces no data" --machine=mps2-an385 -u etm3=3.5,data
fails "coprocessors" "traces no data" --machine=mps2-an385 -u etm3=3.5,cprt
fails "before M profile" "m: from ETMv3.4 on" --machine=mps2-an385 -u etm3=3.3
fails "context IDs" "cid: M profile has none" --machine=mps2-an385 -u etm3=3.5,cid
echo "1..$n"
