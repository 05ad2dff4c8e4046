#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow messages: sources, filters, lines of text, files of bytes, errors.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh

# bytes HEX...: to standard output
bytes()
{
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$(printf '\\x%s' "$@")"
}

# writes PORT TEXT: an ITM's packets for the bytes of TEXT, of which printf makes escapes
writes()
{
	local header
	header=$(printf '%02x' $(($1 << 3 | 1)))
	# shellcheck disable=SC2046,SC2059 # words; the text is a format
	bytes $(printf "$2" | od -An -v -tx1 | tr ' ' '\n' | sed -n "/./s/^/$header /p")
}

messages()
{
	"$CSFLOW" messages "$@" 2> "$tmp/why"
}

# said STATUS WORDS NAME: the last command ended so, and said that
said()
{
	[ "$status" = "$1" ] && grep -qF -- "$2" "$tmp/why"
	ok $? "$3"
}

echo "TAP version 13"
bytes 00 00 00 00 00 80 01 48 c0 05 0e 0f 10 57 aa b8 00 08 9d 17 c0 07 70 17 aa b8 00 08 04 > "$tmp/itm"
cat > "$tmp/want" << 'END1'
#         time  source      channel  kind         value
             5  ITM               0  data         0x48 'H'
            12  ITM               -  exception    SysTick entered
            12  ITM               1  write        0x17 pc 0x0800b8aa
             -  ITM               -  overflow
             -  ITM               -  pc           0x0800b8aa
             -  ITM               -  gap          1 bytes packet
END1
messages "$tmp/itm" > "$tmp/got"
same "$tmp/want" "$tmp/got" "text: an access is one line"
[ ! -s "$tmp/why" ]
ok $? "nothing is said of a trace that has a sync"
messages - < "$tmp/itm" > "$tmp/got"
same "$tmp/want" "$tmp/got" "standard input"
tail -c +1 "$tmp/itm" | messages - > "$tmp/got"
same "$tmp/want" "$tmp/got" "a pipe"
messages -o "$tmp/made" "$tmp/itm"
same "$tmp/want" "$tmp/made" "a file"
messages --frequency=1kHz "$tmp/itm" | sed -n 's/^ *\(0.012[0-9]*\) .* write .*/\1/p' > "$tmp/got"
[ "$(cat "$tmp/got")" = 0.012000000 ]
ok $? "seconds"
tail -c +7 "$tmp/itm" > "$tmp/unsynced"
messages "$tmp/unsynced" > "$tmp/got"
grep -q 'no sync: its first byte is taken for the start of a packet' "$tmp/why"
ok $? "a trace without a sync: it is said"

# ---------------------------------------------------------------- CSV and JSON

cat > "$tmp/want" << 'END1'
time,seconds,global,source,id,master,channel,kind,size,value,pc,address,words,flags,text,origin,location,offset
5,0.005000000,,ITM,0,,0,data,1,0x48,,,,,,,,6
12,0.012000000,,ITM,0,,,exception,2,0x000f,,,entered,,,,,10
12,0.012000000,,ITM,0,,1,write,1,0x17,0x0800b8aa,,,,,,,13
,,,ITM,0,,,overflow,,,,,,,,,,22
,,,ITM,0,,,pc,4,0x0800b8aa,,,,,,,,23
,,,ITM,0,,,gap,,0x1,,,packet,,,,,28
END1
messages --format=csv --frequency=1kHz "$tmp/itm" > "$tmp/csv"
same "$tmp/want" "$tmp/csv" "CSV"
messages --format=json --frequency=1kHz "$tmp/itm" > "$tmp/json"
cat > "$tmp/compare.py" << 'END1'
# Reads CSV and JSON with the readers of Python: are they the same?
import csv
import json
import sys

rows = list(csv.DictReader(open(sys.argv[1], newline='')))
objects = [json.loads(line) for line in open(sys.argv[2])]
assert len(rows) == len(objects), (len(rows), len(objects))
for row, o in zip(rows, objects):
    for name, text in row.items():
        value = o.get(name)
        if name in ('origin', 'location'):
            value = o.get('syst', {}).get(name)
        if text == '':
            assert value is None or value == '', (name, row, o)
        elif isinstance(value, (int, float)):
            assert value == (float(text) if '.' in text else int(text, 0)), (name, row, o)
        else:
            assert value == text, (name, row, o)
END1
python3 "$tmp/compare.py" "$tmp/csv" "$tmp/json" > "$tmp/why" 2>&1
ok $? "JSON has the same, and Python reads both"

# ---------------------------------------------------------------- filters

# kept WANT NAME OPTIONS...: the values of the rows that are left
kept()
{
	local want=$1 name=$2

	shift 2
	messages --format=csv "$@" | sed -n '1!p' | cut -d, -f10 | paste -sd' ' > "$tmp/got"
	echo "$want" > "$tmp/want"
	same "$tmp/want" "$tmp/got" "$name"
}

kept "0x48 0x0800b8aa" "--kind" --kind=data,pc "$tmp/itm"
kept "0x17" "--channel" --channel=1-3 "$tmp/itm"
kept "0x48" "--time, in ticks" --time=,5 "$tmp/itm"
kept "0x000f 0x17" "--time, in seconds" --time=0.006s,1s --frequency=1kHz "$tmp/itm"
kept "0x00000005 0x00000007" "--kind=time" --kind=time "$tmp/itm"
messages --time=1s, "$tmp/itm" > "$tmp/got"
status=$?
said 1 "the frequency of the clock is not known; --frequency gives it" "seconds without a frequency"

# ---------------------------------------------------------------- an STM

# A-sync, VERSION 3, FREQ 1 kHz, M8 65, C8 2, D8TS, D8, FLAG_TS, M8 66, D16, D8MTS
python3 - > "$tmp/stm" << 'END1'
import sys
text = 'f' * 21 + '0' + 'f003' + 'f08000003e8' + '141' + '302' + 'f448' + '2ff' + '469' + 'e41f40'
text += '142' + '51234' + '8992' + '10'
text += '0' * (len(text) % 2)
sys.stdout.buffer.write(bytes(int(text[i + 1] + text[i], 16) for i in range(0, len(text), 2)))
END1
messages --protocol=stm --format=csv "$tmp/stm" | cut -d, -f1,2,6-8,10,14 > "$tmp/got"
cat > "$tmp/want" << 'END1'
time,seconds,master,channel,kind,value,flags
,,,,frequency,0x000003e8,
255,0.255000000,65,2,data,0x48,
,,65,2,data,0x69,
8000,8.000000000,65,2,flag,,
,,66,0,data,0x1234,
7952,7.952000000,66,0,data,0x99,marked
END1
same "$tmp/want" "$tmp/got" "an STM: masters, channels, its frequency"
kept "0x1234 0x99" "--master" --protocol=stm --master=66 "$tmp/stm"
kept "0x48 0x69" "--channel=MASTER:CHANNEL" --protocol=stm --channel=65:2 --kind=data "$tmp/stm"
messages --protocol=stm --text=65:2 --kind=text --format=csv "$tmp/stm" | sed 1d | cut -d, -f1,15 > "$tmp/got"
echo 255,Hi > "$tmp/want"
same "$tmp/want" "$tmp/got" "a flag ends a line"

# ---------------------------------------------------------------- text and bytes

{
	writes 0 'one\r\ntw'
	writes 1 'other'
	writes 0 'o\n\n"a,b"\t\x01\xff\\\\ \xc3\xa4\xe2\x82\xac\xc2\x85\r.\n'
	bytes 23 68 61 6c 66
	bytes 70
	writes 0 'rest'
} > "$tmp/text"
messages --text=0,1,4 --format=json "$tmp/text" > "$tmp/json"
python3 - "$tmp/json" > "$tmp/got" << 'END1'
import json
import sys
for line in open(sys.argv[1]):
    o = json.loads(line)
    print(o.get('channel', '-'), o['kind'], o.get('words', 'whole'), o.get('text', '-'))
END1
cat > "$tmp/want" << 'END1'
0 text whole one
0 text whole two
0 text whole 
0 text whole "a,b"\t\x01\xff\\\\ ä€\xc2\x85\r.
1 text partial other
4 text partial half
- overflow whole -
0 text partial rest
END1
LC_ALL=C.UTF-8 same "$tmp/want" "$tmp/got" "lines: two ports, both ends of a line, hostile bytes, a loss, the end"
messages --text=0,1,4 --format=csv "$tmp/text" > "$tmp/csv"
python3 "$tmp/compare.py" "$tmp/csv" "$tmp/json" > "$tmp/why" 2>&1
ok $? "the same in CSV"
messages --text=0 "$tmp/text" | LC_ALL=C.UTF-8 grep -q '[[:cntrl:]]' && false
[ $? = 1 ]
ok $? "no control characters in the listing"

messages --binary=4="$tmp/half" --binary=0-1="$tmp/zero" "$tmp/text" > "$tmp/got"
printf half > "$tmp/want"
same "$tmp/want" "$tmp/half" "bytes of a port"
printf 'one\r\ntwothero\n' > "$tmp/want"
head -c 14 "$tmp/zero" | tr -d '\n' | grep -q 'one.twothero'
ok $? "bytes of two ports"
[ ! -s "$tmp/got" ]
ok $? "and no listing"
messages --binary=4="$tmp/half" --format=csv "$tmp/text" | grep -c ',data,' > "$tmp/got"
[ "$(cat "$tmp/got")" = 40 ]
ok $? "with --format the other ports are listed"

# ---------------------------------------------------------------- errors

messages --text=7 "$tmp/text" > "$tmp/got"
status=$?
said 1 "no message came from 7; messages came from 0, 1, 4" "a port without messages"
for wrong in --text=x --text=1- "--text=0,," --channel=4-2 --binary=0 --binary=x=y --binary=0= --master=65536 \
	--time=5 --time=9,5 --frequency=0 --frequency=1x --text=65536; do
	messages "$wrong" "$tmp/text" > "$tmp/got"
	status=$?
	said 2 "${wrong%%=*}" "refused: $wrong"
done
messages "$tmp/nothing" > "$tmp/got"
status=$?
said 1 "$tmp/nothing: No such file" "a file that is not there"
echo old > "$tmp/out"
for format in text csv; do
	messages --format=$format -o "$tmp/out" "$tmp"
	messages --format=$format "$tmp" > "$tmp/got"
	status=$?
	said 1 "a folder without snapshot.ini" "$format: a folder that is nothing"
	[ ! -s "$tmp/got" ]
	ok $? "$format: no head if nothing was read"
done
echo old | cmp - "$tmp/out"
ok $? "the old output stays if nothing was read"
! messages --format=ctf -o "$tmp/ctf-of-nothing" "$tmp" && [ ! -e "$tmp/ctf-of-nothing" ]
ok $? "ctf: no folder if nothing was read"
: > "$tmp/empty"
messages "$tmp/empty" > "$tmp/got"
status=$?
said 1 "the file is empty" "an empty file"
messages --protocol=ete "$tmp/itm" > "$tmp/got"
status=$?
said 1 "no source of messages: it has an ETE without instrumentation" "a source without messages"
messages --format=ctf "$tmp/itm" > "$tmp/got"
status=$?
said 2 "name it with --output" "ctf without a folder"
messages --elf="$tmp/itm" "$tmp/itm" > "$tmp/got"
status=$?
said 2 "--elf is for --format=samples" "--elf without samples"
messages -o "$tmp/no/folder" "$tmp/itm" > "$tmp/got"
status=$?
said 1 "$tmp/no/folder: No such file" "no folder for the output"
echo '<a/>' > "$tmp/xml"
messages --syst="$tmp/xml" "$tmp/itm" > "$tmp/got"
status=$?
said 1 "not a collateral of SyS-T: it has no element Collateral" "another XML file"
printf '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<a>&b;</a>\n' > "$tmp/xml"
messages --syst="$tmp/xml" "$tmp/itm" > "$tmp/got"
status=$?
said 1 "line 2: entities are not supported" "an XML file with entities"
messages --kind=flag "$tmp/itm" > "$tmp/got"
status=$?
said 0 "no messages of these, but others" "nothing is left"
messages -o /dev/full "$tmp/itm"
status=$?
said 1 "No space left on device" "a full disk"

# ---------------------------------------------------------------- several sources

# A snapshot of two STMs, IDs 1 and 2; all bytes of the first come before those of the second.
s=$tmp/snapshot
mkdir "$s"
python3 - > "$s/trace.bin" << 'END1'
import sys


def stm(master, writes):
    text = 'f' * 21 + '0' + 'f003' + '1%02x' % master
    for value, time in writes:
        text += 'f4%02x2%02x' % (value, time)
    text += '0' * (len(text) % 2)
    return bytes(int(text[i + 1] + text[i], 16) for i in range(0, len(text), 2))


# Each frame has bytes of one source: its ID, 14 bytes, and the low bits of those at even places.
def frames(number, data):
    for at in range(0, len(data), 14):
        frame = bytearray([number << 1 | 1]) + data[at:at + 14].ljust(14, b'\0')
        aux = 0
        for i in range(2, 15, 2):
            aux |= (frame[i] & 1) << i // 2
            frame[i] &= 0xfe
        sys.stdout.buffer.write(frame + bytes([aux]))


frames(1, stm(0x41, [(1, 0x10), (3, 0x30), (5, 0x50)]))
frames(2, stm(0x42, [(2, 0x20), (4, 0x40)]))
END1
printf '[snapshot]\nversion=1.0\n[device_list]\nd0=a.ini\nd1=b.ini\n[trace]\nmetadata=trace.ini\n' > "$s/snapshot.ini"
printf '[device]\nname=STM_A\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x00010003\n' > "$s/a.ini"
printf '[device]\nname=STM_B\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x00020003\n' > "$s/b.ini"
printf '[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB\nfile=trace.bin\nformat=coresight\n' > "$s/trace.ini"
messages --format=csv --kind=data "$s" | cut -d, -f1,4,5,6,10 > "$tmp/got"
cat > "$tmp/want" << 'END1'
time,source,id,master,value
16,STM_A,1,65,0x01
32,STM_B,2,66,0x02
48,STM_A,1,65,0x03
64,STM_B,2,66,0x04
80,STM_A,1,65,0x05
END1
same "$tmp/want" "$tmp/got" "two sources of a snapshot are in one order of time"
messages --format=csv --kind=data --id=2 "$s" | cut -d, -f10 | paste -sd' ' > "$tmp/got"
echo "value 0x02 0x04" > "$tmp/want"
same "$tmp/want" "$tmp/got" "one of them"
messages --buffer=ETX "$s" > "$tmp/got"
status=$?
said 1 "but there is ETB" "a buffer that is not there"
messages --format=csv --kind=data --protocol=stm --framing=frames --id=1 "$s/trace.bin" | cut -d, -f10 | paste -sd' ' > "$tmp/got"
echo "value 0x01 0x03 0x05" > "$tmp/want"
same "$tmp/want" "$tmp/got" "plain frames, of one ID"
messages --protocol=stm --framing=frames - < "$s/trace.bin" > "$tmp/got"
status=$?
said 2 "name the source with --id" "frames through a pipe want an ID"

# ---------------------------------------------------------------- samples

bytes 17 00 00 00 08 17 00 00 00 08 17 10 00 00 08 15 00 > "$tmp/pc"
messages --format=samples "$tmp/pc" | sed '1,3d; s/ *$//' > "$tmp/got"
cat > "$tmp/want" << 'END1'
    50.00%        2  0x08000000
    25.00%        1  0x08000010
    25.00%        1  [asleep]

END1
same "$tmp/want" "$tmp/got" "samples of the program counter"

# ---------------------------------------------------------------- instrumentation of an ETE

ete="--protocol=ete --trcdevarch=0x47735a13 --trcidr0=0x28c1cea1 --trcidr2=0xd0001088"
printf 'async\ninfo\ntime 0x64\nite el1 0x1122334455667788\ntime 0x65\nite el0 0x5\n' > "$tmp/words"
# shellcheck disable=SC2086 # words
"$CSFLOW" asm $ete -o "$tmp/ete" "$tmp/words" 2> "$tmp/why"
# shellcheck disable=SC2086 # words
messages $ete --format=csv "$tmp/ete" | cut -d, -f1,3,4,7,8,9,10 > "$tmp/got"
cat > "$tmp/want" << 'END1'
time,global,source,channel,kind,size,value
100,100,ETE,1,instrumentation,8,0x1122334455667788
101,101,ETE,0,instrumentation,8,0x0000000000000005
END1
same "$tmp/want" "$tmp/got" "instrumentation of an ETE, with the timestamps before it"

# The same in a snapshot, beside an ITM without a common clock, which comes after it.
s=$tmp/both
mkdir "$s"
cat > "$tmp/frames.py" << 'END1'
# frames.py ID FILE...: the bytes of each file in frames of their own
import sys

for number, path in zip(sys.argv[1::2], sys.argv[2::2]):
    data = open(path, 'rb').read()
    for at in range(0, len(data), 14):
        frame = bytearray([int(number) << 1 | 1]) + data[at:at + 14].ljust(14, b'\0')
        aux = 0
        for i in range(2, 15, 2):
            aux |= (frame[i] & 1) << i // 2
            frame[i] &= 0xfe
        sys.stdout.buffer.write(frame + bytes([aux]))
END1
bytes 01 48 c0 05 01 49 c0 05 60 60 60 60 60 60 > "$tmp/itm14"
python3 "$tmp/frames.py" 1 "$tmp/itm14" 16 "$tmp/ete" > "$s/trace.bin"
printf '[snapshot]\nversion=1.0\n[device_list]\nd0=a.ini\nd1=b.ini\n[trace]\nmetadata=trace.ini\n' > "$s/snapshot.ini"
printf '[device]\nname=ITM_A\nclass=trace_source\ntype=ITM\n[regs]\nITM_CTRL=0x00010003\n' > "$s/a.ini"
{
	printf '[device]\nname=ETE_B\nclass=trace_source\ntype=ETE\n[regs]\nTRCTRACEIDR=0x10\nTRCCONFIGR=0x801\n'
	printf 'TRCDEVARCH=0x47735a13\nTRCIDR0=0x28c1cea1\nTRCIDR2=0xd0001088\nTRCIDR1=0x4100fff3\nTRCIDR8=0\n'
} > "$s/b.ini"
printf '[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB\nfile=trace.bin\nformat=coresight\n' > "$s/trace.ini"
messages --format=csv --kind=data,instrumentation "$s" | sed 1d | cut -d, -f1,4,8,10 > "$tmp/got"
cat > "$tmp/want" << 'END1'
100,ETE_B,instrumentation,0x1122334455667788
101,ETE_B,instrumentation,0x0000000000000005
5,ITM_A,data,0x48
10,ITM_A,data,0x49
END1
same "$tmp/want" "$tmp/got" "a snapshot of an ETE and an ITM"
messages "$s" > "$tmp/got"
grep -q 'ITM_A: .*of a clock of its own' "$tmp/why"
ok $? "a clock of its own: it is said"
echo "1..$n"
