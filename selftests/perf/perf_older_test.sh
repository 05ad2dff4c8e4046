#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf with csflow in it, over recordings of 32-bit programs with an ETMv3 or a PTM: branches and
# instructions are those of csflow script, whatever the registers say; reports count the same.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
for name in qemu-arm arm-linux-gnueabihf-gcc; do
	command -v $name > /dev/null || give_up "no $name"
done
find_ours
arm-linux-gnueabihf-gcc -O2 -static -o "$tmp/program" programs/calls.c 2> "$tmp/why" || {
	sed 's/^/# /' "$tmp/why"
	exit 1
}

# The fields that both print alike.  Where trace ends ("tr end"), perf gets the target 0: its consumers would take the code
# from there to the next branch as executed.
script()
{
	"$1" script "${@:2}" -F flags,ip,addr -i "$tmp/data" 2> "$tmp/why" |
		sed 's/^ *//; s/ *$//; s/  */ /g; /^tr end/s/=> [0-9a-f]*$/=> 0/'
}

while read -r options; do
	# shellcheck disable=SC2086 # words
	record $options -- "$tmp/program" || { ok 1 "record $options"; continue; }
	for events in b i1i; do
		script "$ours" -f --itrace=$events > "$tmp/perf"
		script "$csflow" --itrace=$events > "$tmp/csflow"
		[ "$(wc -l < "$tmp/csflow")" -gt 1000 ]
		ok $? "$options: $(wc -l < "$tmp/csflow") lines with --itrace=$events"
		same "$tmp/csflow" "$tmp/perf" "$options: perf has the same"
	done
	"$ours" report -f --itrace=i1i --stdio -n -s sym -i "$tmp/data" 2> "$tmp/why" |
		sed -n 's/^ *[0-9.]*% *\([0-9]*\) .*/\1/p' | paste -sd+ | bc > "$tmp/perf"
	script "$csflow" --itrace=i1i | wc -l > "$tmp/csflow"
	same "$tmp/csflow" "$tmp/perf" "$options: a report counts $(cat "$tmp/csflow") instructions"
done << 'END'
-u ptm=1.1,cid,ts=1000
-u ptm=1.1,rs,cid,ts=500,cc
-u ptm=1.0,cid,bb
--per-thread -u ptm=1.1,rs,ts=1000
--raw -u ptm=1.1,cid,ts=1000,sync=500
--raw -u ptm=1.1,cid,ts=1000,overflow=500
-u etm3=3.5,cid,ts=1000
-u etm3=3.3,cid
END
echo "1..$n"
