#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow index on real trace: its cost, its answers, and its report of an old index.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
csflow=$CSFLOW
. lib/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
snapshot=$CSFLOW_CORPUS/snapshots/bugfix-exact-match
capture=$snapshot/cstrace.bin

if [ ! -r "$capture" ]; then
	echo "1..0 # SKIP CSFLOW_CORPUS has no bugfix-exact-match"
	exit 0
fi
unit="--framing=frames --id=0x12 --trcconfigr=1 --trcidr0=0x28000ea1 --trcidr1=0x4100f400 --trcidr2=0x488"

# $1: file, $2: the file whose size counts, $3: at most so many thousandths of that
small() { [ $(($(stat -c %s "$1") * 1000)) -le $(($2 * $3)) ]; }

echo "1..9"

size=$(stat -c %s "$capture")
$csflow index -o "$tmp/full" "$snapshot" > "$tmp/out" &&
	grep -q '^ETMv4 \[12\].* 974749 bytes' "$tmp/out" && small "$tmp/full" "$size" 20
ok $? "a full index takes at most 2 %"

for i in 1 2 3 4 5 6 7 8; do cat "$capture"; done > "$tmp/long"
$csflow index --sparse $unit "$tmp/long" > /dev/null && small "$tmp/long.tix" "$((8 * size))" 1
ok $? "a sparse one, beside the trace, 0.1 %"

$csflow dump $unit --packets "$capture" | sed -n 's/^ *\([0-9]*\) \[12\] async.*/\1/p' > "$tmp/syncs"
$csflow index --list -o "$tmp/full" "$capture" | cut -d ' ' -f 1 | while read -r at; do
	echo $((at))
done > "$tmp/entries"
[ -s "$tmp/entries" ] && [ -z "$(sort "$tmp/syncs" | comm -13 - <(sort "$tmp/entries"))" ]
ok $? "every entry is an A-sync that dump lists at that place"

$csflow index $unit -o "$tmp/pipe" - < <(cat "$capture") > /dev/null &&
	$csflow index $unit -o "$tmp/file" "$capture" > /dev/null && cmp "$tmp/pipe" "$tmp/file"
ok $? "through a pipe it is the same"

$csflow index --check -o "$tmp/full" "$capture" > /dev/null
ok $? "it fits its trace"
bad=0
for what in --timestamp=0xffffffffffffffff "--id=0x13 --offset=5000" "--id=0x13 --list"; do
	$csflow index $what -o "$tmp/full" "$capture" > "$tmp/out" 2> "$tmp/err"
	[ $? = 1 ] && [ ! -s "$tmp/out" ] && grep -q 'it has no such place' "$tmp/err" || bad=1
done
$csflow index --id=0x12 --offset=5000 -o "$tmp/full" "$capture" | grep -q '^0x[0-9a-f]* \[12\] stream' || bad=1
ok $bad "a question without an answer is said to be one"

cp "$capture" "$tmp/other" && printf x | dd of="$tmp/other" bs=1 seek=100 conv=notrunc status=none
! $csflow index --check -o "$tmp/full" "$tmp/other" 2> "$tmp/err" && grep -q 'does not belong to this trace' "$tmp/err"
ok $? "and not another one, which it says"

printf x | dd of="$tmp/full" bs=1 seek=3000 conv=notrunc status=none
! $csflow index --check -o "$tmp/full" "$capture" 2> "$tmp/err" && grep -q 'is damaged' "$tmp/err"
ok $? "a damaged one is refused"

! $csflow index $unit - < "$capture" 2> "$tmp/err" && grep -q 'name the index with -o' "$tmp/err"
ok $? "a pipe has nothing beside it"
