#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What csflow messages writes for other programs: babeltrace2 reads the folder of CTF, protoc the trace for Perfetto.
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

echo "TAP version 13"
# Thread, SysTick, IRQ 4 preempts it, back to SysTick, back to Thread; a watched variable; text; a loss in a handler.
{
	bytes 00 00 00 00 00 80
	bytes 01 48 01 69 01 0a 10
	bytes 0e 0f 10 c0 64
	bytes 0e 14 10 c0 64
	bytes 8f 2a 00 00 00 c0 0a
	bytes 17 10 00 00 08 10
	bytes 0e 14 20 0e 0f 30 c0 64
	bytes 8f 2b 00 00 00 10
	bytes 0e 0f 20 0e 00 30 c0 64
	bytes 0e 0f 10 10 70
	bytes 01 21 c0 05
} > "$tmp/itm"

# ---------------------------------------------------------------- CTF

"$CSFLOW" messages --format=ctf -o "$tmp/ctf" --text=0 --frequency=1kHz "$tmp/itm" 2> "$tmp/why"
ok $? "a folder of CTF"
cat > "$tmp/want" << 'END1'
[00:00:00.001000000] (+?.?????????) text: { time = 1, flags = 0x1, channel = 0, words = "", text = "Hi" }
[00:00:00.101000000] (+0.100000000) exception: { time = 101, flags = 0x1, size = 2, value = 0xF, words = "entered" }
[00:00:00.201000000] (+0.100000000) exception: { time = 201, flags = 0x1, size = 2, value = 0x14, words = "entered" }
[00:00:00.211000000] (+0.010000000) write: { time = 211, flags = 0x1, channel = 0, size = 4, value = 0x2A, pc = 0x0, address = 0x0 }
[00:00:00.212000000] (+0.001000000) pc: { time = 212, flags = 0x1, size = 4, value = 0x8000010 }
[00:00:00.312000000] (+0.100000000) exception: { time = 312, flags = 0x1, size = 2, value = 0x14, words = "exited" }
[00:00:00.312000000] (+0.000000000) exception: { time = 312, flags = 0x1, size = 2, value = 0xF, words = "returned" }
[00:00:00.313000000] (+0.001000000) write: { time = 313, flags = 0x1, channel = 0, size = 4, value = 0x2B, pc = 0x0, address = 0x0 }
[00:00:00.413000000] (+0.100000000) exception: { time = 413, flags = 0x1, size = 2, value = 0xF, words = "exited" }
[00:00:00.413000000] (+0.000000000) exception: { time = 413, flags = 0x1, size = 2, value = 0x0, words = "returned" }
[00:00:00.414000000] (+0.001000000) exception: { time = 414, flags = 0x1, size = 2, value = 0xF, words = "entered" }
END1
if command -v babeltrace2 > /dev/null; then
	babeltrace2 "$tmp/ctf" 2> "$tmp/why" | head -11 > "$tmp/got"
	same "$tmp/want" "$tmp/got" "babeltrace2 reads it"
	[ "$(babeltrace2 "$tmp/ctf" 2>> "$tmp/why" | wc -l)" = 13 ]
	ok $? "all of it"
	python3 -c 'import sys
for i in range(40000): sys.stdout.buffer.write(bytes([1, 65 + i % 26, 0xc0, 9]))' > "$tmp/long"
	"$CSFLOW" messages --format=ctf -o "$tmp/long.ctf" "$tmp/long" 2> "$tmp/why"
	[ "$(babeltrace2 "$tmp/long.ctf" 2>> "$tmp/why" | wc -l)" = 40000 ]
	ok $? "a longer trace, in many packets"
	# two sources: frames with an ITM, ID 1, and an STM, ID 2
	mkdir "$tmp/snapshot"
	s=$tmp/snapshot
	bytes 03 01 48 c0 05 05 ff ff ff ff ff ff ff ff ff 00 > "$s/trace.bin"
	bytes 05 ff 0e f0 00 3c 04 41 05 00 00 00 00 00 00 00 > "$s/rest"
	printf '[snapshot]\nversion=1.0\n[device_list]\nd0=itm.ini\nd1=stm.ini\n[trace]\nmetadata=trace.ini\n' > "$s/snapshot.ini"
	printf '[device]\nname=ITM_0\nclass=trace_source\ntype=ITM\n[regs]\nITM_CTRL=0x00010003\n' > "$s/itm.ini"
	printf '[device]\nname=STM_0\nclass=trace_source\ntype=STM\n[regs]\nSTMTCSR=0x00020003\n' > "$s/stm.ini"
	printf '[trace_buffers]\nbuffers=b0\n[b0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n' > "$s/trace.ini"
	"$CSFLOW" messages --format=ctf -o "$tmp/two.ctf" "$s" 2> "$tmp/why"
	babeltrace2 "$tmp/two.ctf" > "$tmp/got" 2>> "$tmp/why" && grep -q ' data: ' "$tmp/got"
	ok $? "two sources"
else
	skip "babeltrace2 reads it" "no babeltrace2"
fi
"$CSFLOW" messages --format=ctf -o "$tmp/ctf" "$tmp/itm" 2> "$tmp/why"
[ $? = 1 ] && grep -q "$tmp/ctf: it is not empty" "$tmp/why"
ok $? "a folder that is not empty is refused"
mkdir "$tmp/new"
"$CSFLOW" messages --format=ctf -o "$tmp/new" "$tmp/itm" 2> "$tmp/why" && [ -s "$tmp/new/metadata" ]
ok $? "an empty one is used"
"$CSFLOW" messages --format=ctf -o "$tmp/none" "$tmp/nothing" 2> "$tmp/why"
[ ! -e "$tmp/none" ]
ok $? "no folder is left of a command that failed"

# ---------------------------------------------------------------- Perfetto

cat > "$tmp/trace.proto" << 'END1'
syntax = "proto2";
message CounterDescriptor { optional string unit_name = 6; }
message TrackDescriptor {
	optional uint64 uuid = 1; optional string name = 2; optional uint64 parent_uuid = 5;
	optional CounterDescriptor counter = 8;
}
message DebugAnnotation { optional uint64 uint_value = 3; optional string name = 10; }
message TrackEvent {
	repeated DebugAnnotation debug_annotations = 4; optional int32 type = 9;
	optional uint64 track_uuid = 11; repeated string categories = 22; optional string name = 23;
	optional int64 counter_value = 30;
}
message TracePacket {
	optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10;
	optional TrackEvent track_event = 11; optional TrackDescriptor track_descriptor = 60;
}
message Trace { repeated TracePacket packet = 1; }
END1
cat > "$tmp/tracks.py" << 'END1'
# protoc's text, on standard input, as a line for each event: its track, its time, its type, its name or value.
import re
import sys

tracks, packet, depth = {}, {}, 0
for line in sys.stdin:
    line = line.strip()
    if line.endswith('{'):
        depth += 1
        if depth == 1:
            packet = {}
    elif line == '}':
        depth -= 1
        if depth == 0 and 'uuid' in packet:
            parent = packet.get('parent_uuid')
            assert parent is None or parent in tracks, packet
            tracks[packet['uuid']] = (tracks[parent] + '/' if parent else '') + packet['name']
        elif depth == 0:
            kind = ['', 'begin', 'end', 'instant', 'counter'][int(packet['type'])]
            print(tracks[packet['track_uuid']], packet['timestamp'], kind,
                  packet.get('counter_value', packet.get('name', '')))
    elif depth == 2:
        name, value = line.split(': ', 1)
        packet[name] = value.strip('"')
    elif depth == 1:
        name, value = line.split(': ', 1)
        packet[name] = value
END1
cat > "$tmp/want" << 'END1'
ITM/port 0 1000000 instant Hi
ITM/exceptions 101000000 begin SysTick
ITM/exceptions 201000000 begin IRQ 4
ITM/comparator 0 211000000 counter 42
ITM/program counter 212000000 instant 0x8000010
ITM/exceptions 312000000 end 
ITM/comparator 0 313000000 counter 43
ITM/exceptions 413000000 end 
ITM/exceptions 414000000 begin SysTick
ITM/exceptions 414000000 end 
ITM 414000000 instant overflow
ITM/port 0 419000000 instant !
END1
if command -v protoc > /dev/null; then
	"$CSFLOW" messages --format=perfetto --text=0 --frequency=1kHz "$tmp/itm" 2> "$tmp/why" |
		protoc -I"$tmp" --decode=Trace "$tmp/trace.proto" 2>> "$tmp/why" | python3 "$tmp/tracks.py" > "$tmp/got"
	same "$tmp/want" "$tmp/got" "Perfetto: tracks, nested exceptions, a counter, lines, and no handler after a loss"
else
	skip "Perfetto" "no protoc"
fi
# ---------------------------------------------------------------- the picture of the documentation

python3 - > "$tmp/made" << 'END1'
import sys

trace = bytearray(b'\0\0\0\0\0\x80')


def time(ticks):
    payload = []
    while not payload or ticks:
        payload.append(ticks & 0x7f | 0x80)
        ticks >>= 7
    payload[-1] &= 0x7f
    trace.extend([0xc0] + payload)


def exception(number, function):
    trace.extend([0x0e, number, function << 4])


def say(text):
    for c in text:
        trace.extend([1, ord(c)])


level = 10
say('start\n')
time(300)
for k in range(8):
    exception(15, 1)
    time(120)
    level = (level * 7 + k * 5) % 90
    trace.extend([0x8d, level])
    time(80)
    if k in (2, 5):
        exception(20, 1)
        time(150)
        say('rx %d\n' % k)
        time(60)
        exception(20, 2)
        exception(15, 3)
        time(90)
    exception(15, 2)
    exception(0, 3)
    time(700)
sys.stdout.buffer.write(trace)
END1
"$CSFLOW" messages --frequency=1MHz --text=0 --format=csv "$tmp/made" 2> "$tmp/why" | python3 tools/draw_tracks.py > "$tmp/got"
same ../Documentation/user/messages.svg "$tmp/got" "the picture in cortex-m.rst"
echo "1..$n"
