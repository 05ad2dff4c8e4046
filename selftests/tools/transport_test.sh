#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What is around trace that came over a serial wire: samples of a logic analyser, packets of Orbuculum, frames without
# syncs, from which bytes may be missing.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh

dump()
{
	"$CSFLOW" dump --protocol=itm "$@" 2> "$tmp/why"
}

echo "TAP version 13"
# Frames as the TPIU of a Cortex-M has them: most end in padding, and trace ID 2 is between those of ID 1.
python3 - "$tmp/frames" "$tmp/bare" << 'END'
import random, sys
random.seed(4)
stream = {1: b"", 2: b""}
frames = b""
for i in range(400):
    id = 2 if i % 11 == 5 else 1
    size = random.choice((1, 2, 4))
    value = bytes(random.randrange(256) for _ in range(size))
    packet = bytes([random.randrange(6) << 3 | (3 if size == 4 else size)]) + value
    if i % 3 == 0:
        packet += bytes([0x17]) + (0x08000200 + random.randrange(64) * 2).to_bytes(4, "little")
    packet = packet if id == 1 else bytes([0x42] * 9)
    data = [(id, byte) for byte in packet]
    # ID, bytes, ID 0, zeros to the end
    frame, aux, at = [0] * 16, 0, 1
    frame[0] = id << 1 | 1
    null = False
    for k in range(1, 15):
        if not k % 2 and not data and not null:
            frame[k], null = 1, True
            continue
        if not data:
            continue
        byte = data.pop(0)[1]
        frame[k] = byte & 0xfe if k % 2 == 0 else byte
        aux |= (byte & 1) << k // 2 if k % 2 == 0 else 0
        stream[id] += bytes([byte])
        if not data and k % 2 == 0 and k < 14:
            # the byte after it is still of this ID: an overflow, or anything
            frame[k + 1] = 0x70 if id == 1 else 0
            stream[id] += bytes([frame[k + 1]])
    frame[15] = aux
    frames += bytes(frame)
open(sys.argv[1], "wb").write(frames)
open(sys.argv[2], "wb").write(stream[1])
END
dump --framing=raw --elements "$tmp/bare" | sed 's/^ *[0-9]* \[..\] //' > "$tmp/want"
dump --framing=frames --id=1 --elements "$tmp/frames" | sed 's/^ *[0-9]* \[..\] //' > "$tmp/got"
[ "$(wc -l < "$tmp/want")" -gt 500 ] && ! grep -q gap "$tmp/want"
ok $? "there are frames to find"
same "$tmp/want" "$tmp/got" "frames and a bare stream have the same messages"

dump --framing=frames --id=1 "$tmp/frames" > "$tmp/want"
dump --framing=swo --id=1 "$tmp/frames" > "$tmp/got"
same "$tmp/want" "$tmp/got" "frames that begin at once"
failed=
for skip in 1 2 3 7 8 14 15; do
	{ head -c "$skip" /dev/zero | tr '\0' '\125'; cat "$tmp/frames"; } > "$tmp/shifted"
	dump --framing=swo --id=1 --elements "$tmp/shifted" | sed 's/^ *[0-9]* \[..\] //' > "$tmp/got"
	grep -q "$skip bytes in 1 places are in no frame" "$tmp/why" || failed+=" $skip"
	dump --framing=frames --id=1 --elements "$tmp/frames" | sed 's/^ *[0-9]* \[..\] //' | cmp - "$tmp/got" > /dev/null 2>&1 ||
		failed+=" $skip"
done
echo "at $failed" > "$tmp/why"
[ -z "$failed" ]
ok $? "frames that begin at any byte"
{ printf 'U'; cat "$tmp/frames"; } > "$tmp/shifted"
dump --framing=swo --id=1 --packets "$tmp/shifted" | sed -n '2s/ \[.*//p' | tr -d ' ' > "$tmp/got"
dump --framing=frames --id=1 --packets "$tmp/frames" | sed -n '2s/ \[.*//p' | awk '{ print $1 + 1 }' > "$tmp/want"
same "$tmp/want" "$tmp/got" "offsets are those of the file"
dump --framing=swo --id=1 --frames "$tmp/shifted" | head -1 > "$tmp/got"
echo '       0 skipped 1 55' > "$tmp/want"
same "$tmp/want" "$tmp/got" "--frames shows what is in no frame"
dump --framing=swo --id=1 --stats "$tmp/shifted" | grep -v : > "$tmp/got"
dump --framing=swo --id=1 --stats - < "$tmp/shifted" | grep -v : | cmp - "$tmp/got" > "$tmp/why" 2>&1
ok $? "standard input"
dump --framing=swo --stats "$tmp/shifted" > "$tmp/got"
grep -q 'trace IDs 0x01, 0x02: name the trace unit with --id' "$tmp/why"
ok $? "two trace IDs, and none is named"

# messages: without offset, and without a time that the lost bytes made unsure
messages() { sed 's/^ *[0-9]* \[..\] //; s/ at [0-9]* time-lost//' | sort; }

# kept ORIGINAL DAMAGED OPTIONS...: of the messages of a capture, how many are still there; in thousandths
kept()
{
	local from=$1 to=$2

	shift 2
	dump "$@" --framing=frames --elements "$from" | messages > "$tmp/a"
	dump "$@" --framing=swo --elements "$to" | messages > "$tmp/b"
	echo $((1000 * $(comm -12 "$tmp/a" "$tmp/b" | wc -l) / $(wc -l < "$tmp/a")))
}

# Bytes are lost at five places: each costs the frame, and what comes before the next ID.
least=1000 trials=${CSFLOW_LONG:+200}
: "${trials:=6}"
for seed in $(seq 1 "$trials"); do
	tools/swo_samples.py slip "$seed" 5 "$tmp/frames" "$tmp/slipped" 2> /dev/null
	is=$(kept "$tmp/frames" "$tmp/slipped" --id=1)
	[ "$is" -lt "$least" ] && least=$is
done
echo "at least $least of a thousand messages are kept" > "$tmp/why"
[ "$least" -ge 960 ]
ok $? "bytes were lost at five places"

# Samples: the code and the speed are found, or given.
tools/swo_samples.py uart 8 "$tmp/bare" "$tmp/wire.sr"
if ! dump "$tmp/wire.sr" > "$tmp/got" && grep -q 'it is not installed' "$tmp/why"; then
	skip "samples" "no libzip"
	echo "1..$n"
	exit 0
fi
head -c 800 "$tmp/bare" > "$tmp/short"
dump "$tmp/short" > "$tmp/want"
for code in uart manchester; do
	for bit in 6 9.4 26.1; do
		tools/swo_samples.py $code $bit "$tmp/short" "$tmp/wire.sr" && dump "$tmp/wire.sr" > "$tmp/got"
		cp "$tmp/why" "$tmp/said"
		same "$tmp/want" "$tmp/got" "$code, $bit samples a bit, a file of sigrok"
		grep -q ": $code, [0-9]* bit/s, 800 bytes, 0 damaged" "$tmp/said"
		ok $? "and what was found is said"
	done
	tools/swo_samples.py $code 12 "$tmp/short" "$tmp/wire"
	dump --line=$code --wire=3 "$tmp/wire" > "$tmp/got"
	same "$tmp/want" "$tmp/got" "$code, only samples"
	dump --line=$code --wire=3 --rate=12000000 --baud=1000000 "$tmp/wire" > "$tmp/got"
	same "$tmp/want" "$tmp/got" "$code, only samples, the speed is given"
	dump --line=$code --wire=3 --stats - < "$tmp/wire" | grep -v : > "$tmp/got"
	dump --stats "$tmp/short" | grep -v : | cmp - "$tmp/got" > "$tmp/why" 2>&1
	ok $? "$code, from standard input"
done
tools/swo_samples.py uart 8 "$tmp/frames" "$tmp/wire.sr" trace
dump --wire=TRACE --framing=swo --id=1 "$tmp/wire.sr" > "$tmp/got"
dump --framing=frames --id=1 "$tmp/frames" > "$tmp/want"
same "$tmp/want" "$tmp/got" "frames in samples of a channel with a name"
dump --wire=3 --framing=swo --id=1 "$tmp/wire.sr" > "$tmp/got"
same "$tmp/want" "$tmp/got" "with a number"

"$CSFLOW" messages --protocol=itm --framing=frames --id=1 "$tmp/frames" > "$tmp/want" 2> "$tmp/why"
"$CSFLOW" messages --protocol=itm --wire=3 --framing=swo --id=1 "$tmp/wire.sr" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "csflow messages, of frames in samples"
"$CSFLOW" messages --protocol=itm --wire=3 --framing=swo --id=1 - < "$tmp/wire.sr" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "from standard input"
{ printf 'UUU'; cat "$tmp/frames"; } > "$tmp/shifted"
"$CSFLOW" messages --protocol=itm --framing=swo --id=1 "$tmp/shifted" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "of frames that begin at any byte"

# Packets of Orbuculum.
tools/swo_samples.py orbflow 1 "$tmp/bare" "$tmp/orbflow"
dump "$tmp/bare" | sed 's/\[00\]/[01]/' > "$tmp/want"
dump --framing=orbflow --id=1 "$tmp/orbflow" > "$tmp/got"
same "$tmp/want" "$tmp/got" "packets of Orbuculum"
"$CSFLOW" messages --protocol=itm "$tmp/bare" > "$tmp/want" 2> "$tmp/why"
"$CSFLOW" messages --protocol=itm --framing=orbflow --id=1 "$tmp/orbflow" > "$tmp/got" 2> "$tmp/why"
same "$tmp/want" "$tmp/got" "csflow messages, of packets of Orbuculum"
dump --framing=orbflow "$tmp/orbflow" > "$tmp/got"
[ $? = 2 ] && grep -q 'tags 0x01, 0x02: name the trace unit with --id' "$tmp/why"
ok $? "two tags, and none is named"

# wrong WORDS OPTIONS...: exit status 1, and these words
wrong()
{
	local words=$1

	shift
	dump "$@" > "$tmp/got"
	[ $? = 1 ] && grep -qF -- "$words" "$tmp/why" && [ ! -s "$tmp/got" ]
	ok $? "$words"
}

wrong 'it has no channel of the name in --wire' --wire=nothing "$tmp/wire.sr"
wrong 'see --wire' "$tmp/wire.sr"
head -c 300 "$tmp/wire.sr" > "$tmp/cut.sr"
wrong 'a damaged zip' "$tmp/cut.sr"
wrong 'a bit of each byte' --line=uart --wire=SWO "$tmp/wire"
wrong 'needs --rate, too' --baud=1000 "$tmp/wire"
head -c 4000 /dev/zero > "$tmp/still"
wrong 'the wire never changes' --line=uart "$tmp/still"
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("a", "b")' "$tmp/other.zip"
wrong 'it has no metadata' "$tmp/other.zip"

if [ -n "$CSFLOW_CORPUS" ]; then
	f105=$CSFLOW_CORPUS/classic/sigrok-dumps/stm32f105
	dump --framing=frames --id=1 "$f105/swo.uart.bin" > "$tmp/want"
	dump --framing=swo --id=1 "$f105/trace_example.sr" > "$tmp/got"
	same "$tmp/want" "$tmp/got" "a real capture: 7,856 bytes of the wire, 491 frames"
	least=1000
	for seed in $(seq 1 "$trials"); do
		tools/swo_samples.py slip "$seed" 5 "$f105/swo.uart.bin" "$tmp/slipped"
		is=$(kept "$f105/swo.uart.bin" "$tmp/slipped" --id=1)
		[ "$is" -lt "$least" ] && least=$is
	done
	echo "at least $least of a thousand messages are kept" > "$tmp/why"
	[ "$least" -ge 930 ]
	ok $? "bytes were lost at five places of it"
else
	skip "a real capture" "CSFLOW_CORPUS is not set"
fi
echo "1..$n"
