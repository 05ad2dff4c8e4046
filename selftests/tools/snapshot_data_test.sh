#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Snapshots of an ETMv4 with data trace: its data stream has the trace ID after that of its instruction
# stream, and perhaps a buffer of its own.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
command -v python3 > /dev/null || {
	echo "1..0 # SKIP no python3"
	exit 0
}

# check NAME COMMAND...: it succeeds
check()
{
	local name=$1

	shift
	"$@" > /dev/null 2>&1
	ok $? "$name"
}

# new NAME: a snapshot of a core and its trace unit; $s is its folder.  FORMAT of the buffer, and the
# lines of [source_buffers] come on standard input
new()
{
	s=$tmp/$1
	mkdir "$s"
	printf '[snapshot]\nversion=1.0\n[device_list]\na=core.ini\nb=etm.ini\n[trace]\nmetadata=trace.ini\n' \
		> "$s/snapshot.ini"
	printf '[device]\nname=cpu_0\nclass=core\ntype=Cortex-R52\n[regs]\nPC(size:64)=0x1000\n' \
		> "$s/core.ini"
	cat > "$s/etm.ini" <<- END
	[device]
	name=ETM_0
	class=trace_source
	type=ETM4.0
	[regs]
	TRCCONFIGR(0x004)=${2:-0x30001}
	TRCTRACEIDR(0x010)=0x10
	TRCIDR0(0x078)=0x28000eb9
	TRCIDR1(0x079)=0x4100f403
	TRCIDR2(0x07a)=0x488
	END
	cat > "$s/trace.ini"
}

# A frame each of 0x10 (A-sync, Trace Info), of 0x11 (A-sync, four bytes).
frames()
{
	printf '\x21\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\0\x23\0\0\0\0\0\0\0\0\0\0\0\x80\x7a\0\0' > "$s/x.bin"
	printf '\x23\x12\x34\0\0\0\0\0\0\0\0\0\0\0\0\0' >> "$s/x.bin"
}

one_buffer()
{
	cat <<- END
	[trace_buffers]
	buffers=x
	[x]
	name=ETB
	file=x.bin
	format=coresight
	[core_trace_sources]
	cpu_0=ETM_0
	END
}

two_buffers()
{
	cat <<- END
	[trace_buffers]
	buffers=x,y
	[x]
	name=I
	file=x.bin
	format=source_data
	[y]
	name=D
	file=y.bin
	format=source_data
	[core_trace_sources]
	cpu_0=ETM_0
	[source_buffers]
	ETM_0(stream:0)=I
	ETM_0(stream:1)=D
	END
	}

new one < <(one_buffer)
frames
"$CSFLOW" dump "$s" > "$tmp/out" 2> "$tmp/err"
check "dump succeeds" test $? = 0
check "the instruction stream is listed" grep -q '\[10\] info' "$tmp/out"
check "the data stream is listed: A-sync" grep -q '\[11\] async' "$tmp/out"
check "the data stream is listed: bytes" grep -q '\[11\] raw 7a 00 12 34 00' "$tmp/out"
check "dump says what is not known" \
	grep -q 'etm.ini: data trace of ETM_0, trace ID 0x11: .*bytes' "$tmp/err"
"$CSFLOW" dump --packets --stats "$s" > "$tmp/out" 2> "$tmp/err"
check "statistics after the listing" grep -q '^ETM_0 \[11\]: 28 bytes of a data stream, 1 A-syncs$' "$tmp/out"
"$CSFLOW" dump --packets "$s" 2> /dev/null > "$tmp/out"
unit=$(sed -n 's/^# \[11\] //p' "$tmp/out")
# shellcheck disable=SC2086
"$CSFLOW" asm $unit --id=0x11 "$tmp/out" > "$tmp/bytes"
printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x7a\0\x12\x34\0\0\0\0\0\0\0\0\0\0\0\0' > "$tmp/want"
check "asm makes the same bytes of the listing" cmp "$tmp/bytes" "$tmp/want"
"$CSFLOW" dump --packets --stats "$s" > "$tmp/out" 2> "$tmp/err"
check "the ID is listed" grep -q ' bytes of ID 11$' "$tmp/out"
"$CSFLOW" dump --stats "$s" > "$tmp/out" 2> "$tmp/err"
check "statistics alone: only bytes" grep -q ' bytes of ID 11, not listed$' "$tmp/out"
"$CSFLOW" dump --id=0x11 "$s" > "$tmp/out" 2> "$tmp/err"
check "--id lists it alone" test "$(grep -c '\[1[01]\]' "$tmp/out")" = "$(grep -c '\[11\]' "$tmp/out")" \
	-a "$(grep -c '\[11\]' "$tmp/out")" -gt 0

for command in index report script tarmac; do
	# shellcheck disable=SC2086
	"$CSFLOW" $command "$s" > /dev/null 2> "$tmp/err"
	check "$command says that it is left out" \
		grep -q 'etm.ini: data trace of ETM_0, trace ID 0x11, is left out' "$tmp/err"
	rm -f "$s"/*.csidx
done

new off 0x1 < <(one_buffer)
frames
"$CSFLOW" dump "$s" > "$tmp/out" 2> "$tmp/err"
check "without data trace there is no such stream" test -z "$(grep '\[11\]' "$tmp/out")"
check "nothing is said of it" test -z "$(grep -i 'data trace' "$tmp/err")"

new two < <(two_buffers)
printf '\0\0\0\0\0\0\0\0\0\0\0\x80\x01\0\x04\xf7' > "$s/x.bin"
printf '\0\0\0\0\0\0\0\0\0\0\0\x80\xf7\x04' > "$s/y.bin"
"$CSFLOW" dump "$s" > "$tmp/out" 2> "$tmp/err"
check "the first buffer is the instruction stream" grep -q '\[10\] atom E' "$tmp/out"
check "and has nothing of the other" test -z "$(grep '\[11\]' "$tmp/out")"
"$CSFLOW" dump --source=D "$s" > "$tmp/out" 2> "$tmp/err"
check "the buffer of the data stream is not instruction trace" test -z "$(grep 'atom' "$tmp/out")"
check "it is all listed" grep -q '\[11\] async' "$tmp/out"
check "it is listed as bytes" grep -q '\[11\] raw f7 04' "$tmp/out"
"$CSFLOW" dump --stats --source=D "$s" > "$tmp/out" 2> "$tmp/err"
check "its statistics" grep -q '^ETM_0 \[11\]: 14 bytes of a data stream, 1 A-syncs$' "$tmp/out"
"$CSFLOW" script --buffer=D "$s" > "$tmp/out" 2> "$tmp/err"
check "script: no unit that it reads wrote it" grep -q 'data trace of ETM_0' "$tmp/err"

echo "1..$n"
