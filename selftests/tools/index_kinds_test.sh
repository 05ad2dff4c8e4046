#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow index of all protocols: timestamps, addresses and contexts of ETMv3 and PTM, messages of ITM and STM.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
csflow=$(realpath "$CSFLOW")
. lib/tap.sh
command -v python3 > /dev/null || {
	echo "1..0 # SKIP no python3"
	exit 0
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

# index FILE WORDS...: its entries, in the file got
index()
{
	local file=$1

	shift
	rm -f tix
	"$csflow" index -o tix "$@" "$file" > out 2> why && "$csflow" index --list -o tix "$file" > got 2>> why
}

echo "TAP version 13"

# A PTM 1.1 without bit 28 of ETMCCER sends Gray code: 0x3, 0x2 and 0x6 are 2, 3 and 4.
ptm="--protocol=ptm --etmcr=0x1000c000 --etmidr=0x411cf312"
cat > words << 'END'
async
isync 0x8000 a32 on s cid=0x4711
time 0x3/48
atom E
time 0x2/7
atom E
time 0x6/7
vmid 0x5
trigger
END
# shellcheck disable=SC2086 # words
"$csflow" asm $ptm -o ptm words 2> why
ok $? "trace of a PTM"
# shellcheck disable=SC2086 # words
"$csflow" dump $ptm --elements ptm 2> why | sed -n 's/.* time //p' > times
printf '0x2\n0x3\n0x4\n' > want
same want times "csflow dump has these times"
# shellcheck disable=SC2086 # words
index ptm $ptm
echo '0x0 [00] stream 0x0 time 2-4 address 0x8000 context ID 0x4711 VMID 0x5 trigger syncs 1' > want
same want got "a PTM, in Gray code"
# shellcheck disable=SC2086 # words
index ptm $ptm --etmccer=0x10000000
echo '0x0 [00] stream 0x0 time 2-6 address 0x8000 context ID 0x4711 VMID 0x5 trigger syncs 1' > want
same want got "the same in binary"
"$csflow" index --trigger -o tix ptm > trigger 2> why
same want trigger "--trigger finds it"

# An ITM: two stretches of 4,096 bytes, each from a sync.
: > itm
for port in 1 33; do
	printf '\0\0\0\0\0\x80' >> itm
	# page 1: ports 32 and up
	[ $port = 1 ] || printf '\x18' >> itm
	for i in $(seq 1100); do printf '\x09\x41\xc0\x05'; done >> itm
	printf '\x70' >> itm
done
index itm --protocol=itm
# the reader is ahead of its messages: where the second begins is known to some bytes
sed -E 's/0x1[01][0-9a-f]{2}/SOME/g; s/messages [0-9]*/messages N/; s/time (.)[0-9]*-[0-9]*/time \1/' got > round
cat > want << 'END'
0x0 [00] stream 0x0 time 5 messages N channels 1,33 syncs 1 losses 1
SOME [00] stream SOME time 5 messages N channels 33 syncs 1 losses 1
END
same want round "an ITM"
sed -n 1p got > first
"$csflow" index --channel=1 -o tix itm > answer 2> why
same first answer "--channel=1"
"$csflow" index --channel=33 -o tix itm > answer 2> why
same got answer "--channel=33"
"$csflow" index --channel=2 -o tix itm > answer 2> why
[ $? = 1 ] && [ ! -s answer ] && grep -q 'it has no such place' why
ok $? "--channel=2: there is none"
"$csflow" index --timestamp=6000 -o tix itm > answer 2> why
sed -n 2p got > second
same second answer "--timestamp"
# All that the entry has is read from its place on.
tail -c +$(($(cut -d ' ' -f 1 second) + 1)) itm > rest
"$csflow" dump --protocol=itm --elements rest 2> why | grep -vc gap > some
[ "$(cat some)" -ge "$(sed 's/.*messages \([0-9]*\).*/\1/' second)" ]
ok $? "reading can begin at the place of an entry"

# A global timestamp, whole: local ones do not count beside it.
printf '\0\0\0\0\0\x80\x09\x41\xc0\x05\x94\xf8\x80\x80\0\xb4\x80\x80\x80\0\x09\x42\xc0\x05' > global
index global --protocol=itm
echo '0x0 [00] stream 0x0 time 120-120 messages 6 channels 1 syncs 1' > want
same want got "an ITM with global timestamps"

# An STM: sync, version 3, D8TS 0x11 at 16, trigger 0x55, D8TS 0x22 at 32
printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x0f\x0f\x30' > stm
python3 - << 'END' >> stm 2> why
import sys
n = [0xf, 4, 1, 1, 2, 1, 0, 0xf, 0, 6, 5, 5, 0xf, 4, 2, 2, 2, 2, 0, 0]
sys.stdout.buffer.write(bytes(n[i] | n[i + 1] << 4 for i in range(0, len(n), 2)))
END
"$csflow" dump --protocol=stm --elements stm > listed 2> why
index stm --protocol=stm
echo '0x0 [00] stream 0x0 time 16-32 messages 3 channels 0 trigger syncs 1' > want
same want got "an STM"
"$csflow" index --trigger -o tix stm > answer 2> why
same want answer "its trigger"

# All sources of a snapshot, in frames and not, are in the index of their buffer.
frames=$CSFLOW_CORPUS/snapshots/TC2
if [ -r "$frames/cstrace.bin" ]; then
	"$csflow" index -o tix "$frames" > out 2> why
	grep -c '^\(ETMv3\|PTM\|ITM\) \[' out > count
	echo 6 > want
	same want count "all six sources of TC2"
	"$csflow" index --list -o tix "$frames/cstrace.bin" > got 2> why
	[ "$(grep -c '^0x[0-9a-f]* \[1.\] stream .* time .* address 0x' got)" -ge 8 ]
	ok $? "their times and addresses"
	"$csflow" dump --order=time "$frames" 2> why | sed -n 's/^ *\([0-9]*\) .*\[\(1.\)\] time .*/\2 \1/p' |
		sort -k1,1 -k2,2n | awk '$1 != id { if (id) print last; print $1, $2; id = $1 } { last = $2 } END { print last }' |
		paste - - > want
	awk '{ id = substr($2, 2, 2); split($6, t, "-"); if (!(id in a)) a[id] = t[1]; b[id] = t[2] }
		END { for (id in a) print id, a[id] "\t" b[id] }' got | sort > ours
	same want ours "first and last time of each are those that are listed"
else
	skip "TC2" "CSFLOW_CORPUS is not set"
fi
echo "1..$n"
