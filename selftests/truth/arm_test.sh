#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record of 32-bit Arm programs of Linux: A32, T32 and both, static and with shared libraries,
# under several trace units.  What was decoded is what was executed; and what the commands say of the
# recording is what the log says.  record_test.sh has more trace units.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-arm arm-linux-gnueabihf-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh

# build NAME OPTIONS...
build()
{
	local name=$1

	shift
	arm-linux-gnueabihf-gcc -O2 -g -pthread -Wno-unused-result -o "$tmp/$name" "$@" 2> "$tmp/why"
	[ $? = 0 ] || ok 1 "$name is built"
}

build a32 -marm -static programs/plain.c
build t32 -mthumb -static programs/plain.c
build a32-shared -marm programs/plain.c
build t32-shared -mthumb programs/plain.c
build both -static programs/interwork.c programs/over-page.S

# name, argument
cat > "$tmp/programs" << 'END'
a32		1
t32		1
a32-shared	1
t32-shared	1
both		30
END

cat > "$tmp/units" << 'END'
etm4=4.0
etm4=4.2,rs,cid,ts=1000
etm4=4.6,bb,cid,sync=500
ete=1.1,rs=3,cc=4,cid,ts=300
etm4=4.4,cc=64,vmid,sync=300,ts=5000
END

# record PROGRAM ARGUMENT UNIT
record()
{
	rm -f "$tmp/data" "$tmp/truth"
	"$csflow" record -q -o "$tmp/data" --truth "$tmp/truth" -u "$3" -L /usr/arm-linux-gnueabihf \
		--cpus=1 -- "$tmp/$1" "$2" > "$tmp/out" 2> "$tmp/why" < /dev/null
}

# How many instructions the log has, by the words of match.
executed()
{
	sed -n 's,.*/truth: \([0-9]*\) instructions.*,\1,p' "$tmp/why"
}

echo "TAP version 13"

while read -r name argument; do
	most=0
	while read -r unit; do
		record "$name" "$argument" "$unit" &&
			"$csflow" match "$tmp/truth" "$tmp/data" > "$tmp/why" 2>&1
		ok $? "$name, unit $unit"
		insns=$(executed)
		most=$((most + ${insns:-0}))
	done < "$tmp/units"
	echo "# $name: $most instructions compared"
	[ $most -ge 1000000 ]
	ok $? "$name: at least 1000000 instructions"
done < "$tmp/programs"

# Both instruction sets, as the commands see them
for name in a32-shared both; do
	record $name 1 etm4=4.2,rs,cid,ts=1000
	"$csflow" match "$tmp/truth" "$tmp/data" > "$tmp/why" 2>&1
	insns=$(executed)
	for log in truth data; do
		"$csflow" tarmac --no-progress --records=inst "$tmp/$log" 2> "$tmp/said" |
			sed 's/ usr_ns : / : /' > "$tmp/$log.log"
	done
	[ "$(wc -l < "$tmp/truth.log")" = "$insns" ] && grep -q ' A : ' "$tmp/truth.log" &&
		grep -q ' T : ' "$tmp/truth.log"
	ok $? "$name: the log has A32 and T32"
	same "$tmp/truth.log" "$tmp/data.log" "$name: tarmac of the recording is that of the log"
	sed 's/.*) 0*\([0-9a-f]*\) .*/\1/' "$tmp/truth.log" > "$tmp/want"
	"$csflow" script --itrace=i1i -F ip "$tmp/data" 2> "$tmp/said" | sed 's/^ *//' > "$tmp/got"
	same "$tmp/want" "$tmp/got" "$name: script prints each instruction"
	"$csflow" report "$tmp/data" > "$tmp/got" 2> "$tmp/why"
	grep -q "^# Instructions: $insns\$" "$tmp/got"
	ok $? "$name: report counts all instructions"
	"$csflow" profile --for=counts -o "$tmp/counts" "$tmp/data" > "$tmp/why" 2>&1
	grep -q ", $insns instructions in .*; lost: 0 atoms" "$tmp/why"
	ok $? "$name: so does profile"
	"$csflow" coverage -o "$tmp/got" "$tmp/data" > "$tmp/why" 2>&1
	grep -q '^FNDA:[1-9][0-9]*,main$' "$tmp/got"
	ok $? "$name: coverage has main"
done

echo "1..$n"
