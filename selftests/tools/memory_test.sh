#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# --mem: with enough room nothing changes, however long the trace is; without, a command ends and
# says so.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs plain
tools=$O/selftests
for tool in make/mkperf make/mkstream make/mkblocks bench/bench_rusage; do
	[ -x "$tools/$tool" ] && continue
	echo "Bail out! no $tool: make opinions"
	exit 1
done
least=32

echo "TAP version 13"
record -u etm4=4.2,cid -- "$tmp/plain" 30 && "$tools/make/mkperf" "$tmp/data" "$tmp/piped" pipe 2> "$tmp/why"
ok $? "a recording in a pipe"
"$tools/make/mkstream" "$tmp/piped" 4 > "$tmp/small"
"$tools/make/mkstream" "$tmp/piped" 32 > "$tmp/large"

# kept FILE COMMAND...: its output, which goes to $tmp/made if it is told so, is the same with --mem
# and from a pipe as without and from the file, and it needed no more memory than that
kept()
{
	local file=$1 name="$2: $1, --mem=${least}M"

	shift
	rm -f "$tmp/made" "$tmp/use"
	"$csflow" "$@" - < "$tmp/$file" > "$tmp/one" 2> "$tmp/why"
	[ ! -e "$tmp/made" ] || mv "$tmp/made" "$tmp/one"
	"$tools/bench/bench_rusage" "$tmp/use" "$csflow" "$@" --mem=${least}M - < <(cat "$tmp/$file") > "$tmp/two" 2>> "$tmp/why"
	[ ! -e "$tmp/made" ] || mv "$tmp/made" "$tmp/two"
	[ -s "$tmp/one" ] && cmp "$tmp/one" "$tmp/two" >> "$tmp/why" 2>&1
	ok $? "$name"
	read -r _ kib < "$tmp/use"
	echo "$kib KiB" > "$tmp/why"
	[ "$kib" -le $((least << 10)) ]
	ok $? "$name: memory"
}

for file in small large; do
	kept $file dump --stats
	kept $file dump --stats -j64
	kept $file doctor
	kept $file profile --for=counts
	kept $file index -o "$tmp/made"
done
kept small script
kept small dump --packets

# refused WORD WHY COMMAND...: such a size is wrong
refused()
{
	local word=$1 text=$2

	shift 2
	"$csflow" "$@" --mem="$word" "$tmp/small" > "$tmp/one" 2> "$tmp/why"
	[ $? = 2 ] && grep -q -- "$text" "$tmp/why" && [ ! -s "$tmp/one" ]
	ok $? "--mem=$word: refused"
}

refused 31M "at least 32M are needed" dump --stats
refused 0 "at least 32M are needed" doctor
refused much "wants a size" profile
refused 64Q "wants a size" index
refused 64MB "wants a size" script

# Blocks are kept, and there are many.
"$tools/make/mkblocks" "$tmp/blocks" 500000 1500000 2> "$tmp/why"
ok $? "a trace of many blocks"
"$csflow" dump --stats "$tmp/blocks" > "$tmp/one" 2> "$tmp/why"
"$csflow" dump --stats --mem=1G "$tmp/blocks" > "$tmp/two" 2>> "$tmp/why"
[ -s "$tmp/one" ] && cmp "$tmp/one" "$tmp/two" >> "$tmp/why" 2>&1
ok $? "with room for them: as without --mem"
"$csflow" dump --stats --mem=${least}M "$tmp/blocks" > "$tmp/two" 2> "$tmp/why"
[ $? = 1 ] && grep -q "more memory is needed than --mem allows, $least MiB" "$tmp/why" && [ ! -s "$tmp/two" ]
ok $? "without: it ends, and says why"

# The file that it was writing is not there, and the file from before still is.
here=$tmp/here
mkdir "$here"
for command in "tarmac -o out" "script --itrace=bd"; do
	file=${command##*-o }
	[ "$file" = out ] || file=csflow.log
	find "$here" -mindepth 1 -delete
	echo "what was there" > "$here/$file"
	# shellcheck disable=SC2086 # words
	(cd "$here" && exec "$csflow" $command --mem=${least}M "$tmp/blocks") > "$tmp/two" 2> "$tmp/why"
	status=$?
	echo "status $status" >> "$tmp/why"
	ls -lA "$here" >> "$tmp/why"
	[ $status = 1 ] && grep -q "more memory is needed than --mem allows, $least MiB" "$tmp/why" &&
		[ "$(cat "$here/$file")" = "what was there" ] && [ "$(ls -A "$here")" = "$file" ]
	ok $? "without: ${command%% *} leaves the file that was there"
done

# A million blocks, each of one instruction that ran once. Status 1 means that two differ, so lack
# of memory has another status.
python3 - > "$tmp/counts" << 'END'
import struct, sys, zlib
body = b"\0\1\0\0\1x\0\x80\x80\x40" + b"\4\4\1\x40\0\0\1" * (1 << 20) + b"\0"
sys.stdout.buffer.write(b"CSFCOUNT" + struct.pack("<II", 1, zlib.crc32(body)) + body)
END
"$csflow" diff --counts --mem=1G "$tmp/counts" "$tmp/counts" > "$tmp/one" 2> "$tmp/why"
[ $? = 2 ] && grep -q '^csflow: .*: x, build-id' "$tmp/why"
ok $? "two tables of counts"
"$csflow" diff --counts --mem=${least}M "$tmp/counts" "$tmp/counts" > "$tmp/one" 2> "$tmp/why"
[ $? = 2 ] && grep -q "more memory is needed than --mem allows" "$tmp/why"
ok $? "without: no difference, but trouble"
echo "1..$n"
