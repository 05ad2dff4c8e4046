#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow doctor: its page, line by line, for recordings that lack one thing or another.

cd "$(dirname "$0")" || exit 1
export LC_ALL=C

corpus=$CSFLOW_CORPUS/simpleperf
if [ -z "$CSFLOW_CORPUS" ] || [ ! -f "$corpus/perf_etm.data" ]; then
	echo "1..0 # SKIP CSFLOW_CORPUS names no corpus with a recording"
	exit 0
fi
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
mkdir -p "$tmp/sym" "$tmp/none" "$tmp/wrong"
cp "$corpus/etm_test_loop" "$tmp/sym"
etm=$corpus/perf_etm.data

. ./tap.sh

why()
{
	cat "$tmp/page" "$tmp/err"
}

doctor()
{
	"$CSFLOW" doctor "$@" > "$tmp/page" 2> "$tmp/err"
	status=$?
}

# Each argument but the first is a line of the page, blanks as they come.
says()
{
	local name=$1 line missing=0

	shift
	for line; do
		tr -s ' ' < "$tmp/page" | grep -qxF -- "$line" && continue
		echo "# not there: $line"
		missing=1
	done
	ok $missing "$name"
}

wrap()
{
	local out=$1

	shift
	python3 ./wrap.py "$tmp/$out" --block "$etm:0x26d8:0x180" "$@"
}

doctor "$etm" --symfs "$tmp/sym"
says "all is here" \
	"trace 384 B in 4 fragments (frames), 1 buffer of CPUs" \
	"metadata version 1, 8 CPUs, trace IDs from metadata" \
	"threads from CONTEXTIDR_EL1; 1 known, 10 maps" \
	" 7 1e ETMv4.2 129 B 27 4 32 B 0 0" \
	" off 2 0 0 tracing was off, or filtered: nothing is lost" \
	" 100.0% 944 0 found /data/local/tmp/etm_test_loop" \
	" 0c9a20bf9c009d0e4e8bbf9fad0300ae00000000 here: $tmp/sym/etm_test_loop" \
	"verdict 944 instructions in 208 blocks decoded; nothing is missing"
[ $status = 0 ] && [ ! -s "$tmp/err" ]
ok $? "status 0, nothing on standard error"
[ "$(wc -l < "$tmp/page")" -le 60 ]
ok $? "one page"

doctor "$etm" --symfs "$tmp/none"
says "the program is missing" \
	" image 3 208 0 code is missing: see below" \
	" 100.0% 0 208 missing /data/local/tmp/etm_test_loop" \
	" mkdir -p \"symfs\$(dirname '/data/local/tmp/etm_test_loop')\" && adb pull '/data/local/tmp/etm_test_loop' 'symfs/data/local/tmp/etm_test_loop'" \
	"verdict nothing can be decoded: the code that was executed is not here: see the files above"

# one bit of the build-id
cp "$corpus/etm_test_loop" "$tmp/wrong"
printf '\xff' | dd of="$tmp/wrong/etm_test_loop" bs=1 seek=$((0x2e8)) conv=notrunc 2> /dev/null
doctor "$etm" --symfs "$tmp/wrong"
says "another program of that name" \
	" 100.0% 0 208 different /data/local/tmp/etm_test_loop" \
	" 0c9a20bf9c009d0e4e8bbf9fad0300ae00000000 here: $tmp/wrong/etm_test_loop"

mkdir -p "$tmp/cache/.build-id/0c/9a20bf9c009d0e4e8bbf9fad0300ae"
cp "$corpus/etm_test_loop" "$tmp/cache/.build-id/0c/9a20bf9c009d0e4e8bbf9fad0300ae/elf"
doctor "$etm"
says "the program is in the build-id cache" \
	" 100.0% 944 0 found /data/local/tmp/etm_test_loop" \
	"verdict 944 instructions in 208 blocks decoded; nothing is missing"

doctor "$corpus/perf_kernel.data"
says "a kernel is missing" \
	" lost while recording: 2 buffers truncated, 0 partial, 0 collisions, 0 empty; 0 B not in the file" \
	" csflow script -k VMLINUX $corpus/perf_kernel.data (its vmlinux, with symbols)" \
	"verdict nothing can be decoded: the code that was executed is not here: see the files above"
[ "$(wc -l < "$tmp/page")" -le 60 ]
ok $? "one page"

wrap nomap --no-map
doctor "$tmp/nomap"
says "nobody says what was mapped" \
	" 100.0% 0 208 unknown addresses where nothing is known to have been mapped"

wrap file --file /usr/bin/nothing-of-the-kind
doctor "$tmp/file"
says "a file without build-id is missing" \
	" copy it from there to DIR/usr/bin/nothing-of-the-kind; then --symfs DIR"

wrap odd --file $'/tmp/\e[31mred\'; reboot'
doctor "$tmp/odd"
says "names are harmless" " 100.0% 0 208 missing /tmp/?[31mred?; reboot"

wrap truncated --truncated
doctor "$tmp/truncated" --symfs "$tmp/sym"
grep -q 'verdict.*trace was lost while recording: larger buffers' "$tmp/page" && ! grep -q 'nothing is missing' "$tmp/page"
ok $? "a truncated buffer is in the verdict"

doctor "$tmp/truncated" -C 0-6
says "no trace of those CPUs" \
	"verdict nothing can be decoded: no trace of the CPUs that were asked for"

echo hello > "$tmp/text"
doctor "$tmp/text"
says "no perf.data" "verdict nothing can be decoded: this is no perf.data"
[ $status = 1 ] && grep -q "^csflow: $tmp/text: " "$tmp/err"
ok $? "status 1, and a reason"

# without trace: the AUXTRACE record and all behind it cut off
at=$(perl -e 'local $/; open F, $ARGV[0]; $_ = <F>; print index($_, "\x47\0\0\0\0\0\x30\0")' "$tmp/nomap")
head -c "$at" "$tmp/nomap" > "$tmp/cut"
doctor "$tmp/cut"
grep -q '^verdict    nothing can be decoded: it holds no trace' "$tmp/page" && [ $status = 1 ]
ok $? "no trace at all"

doctor "$tmp/no/such/file"
[ $status = 1 ] && [ ! -s "$tmp/page" ] && grep -q 'No such file' "$tmp/err"
ok $? "no file"

echo "1..$n"
