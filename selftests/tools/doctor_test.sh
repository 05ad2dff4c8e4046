#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow doctor: its page, line by line, for recordings that lack one thing or another.

cd "$(dirname "$0")/.." || exit 1
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

. lib/tap.sh

why()
{
	cat "$tmp/page" "$tmp/err"
}

doctor()
{
	"$CSFLOW" doctor "$@" > "$tmp/page" 2> "$tmp/err"
	status=$?
}

# Each argument but the first is a line of the page, with its blanks.
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
	python3 make/wrap.py "$tmp/$out" --block "$etm:0x26d8:0x180" "$@"
}

doctor "$etm" --symfs "$tmp/sym"
says "all is here" \
	"trace 384 B in 4 fragments (frames), 1 buffer of CPUs" \
	"metadata version 1, 8 CPUs, trace IDs from metadata" \
	"threads from CONTEXTIDR_EL1; 1 known, 10 maps" \
	" 7 1e ETMv4.2 129 B 27 4 32 B 0 0" \
	" off 2 0 0 tracing was off, or filtered: nothing is lost" \
	" files, each with its share of all blocks that ran and atoms that were lost:" \
	" share instructions lost file" \
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
grep -q 'verdict.*; trace was lost while recording because a buffer was full: larger buffers' "$tmp/page" && ! grep -q 'nothing is missing' "$tmp/page"
ok $? "a truncated buffer is in the verdict"

doctor "$tmp/truncated" -C 0-6
says "no trace of those CPUs" \
	"verdict nothing can be decoded: no trace of the CPUs that were asked for"

echo hello > "$tmp/text"
doctor "$tmp/text"
says "no perf.data" "verdict nothing can be decoded: this is not a perf.data"
[ $status = 1 ] && grep -q "^csflow: $tmp/text: " "$tmp/err"
ok $? "status 1, and a reason"

# without trace: the AUXTRACE record and all after it cut off
at=$(perl -e 'local $/; open F, $ARGV[0]; $_ = <F>; print index($_, "\x47\0\0\0\0\0\x30\0")' "$tmp/nomap")
head -c "$at" "$tmp/nomap" > "$tmp/cut"
doctor "$tmp/cut"
says "no trace at all, and an AUX record that tells of some" \
	"verdict nothing can be decoded: trace was written, and it is not in the file: it was not saved, as where a disk is full, or is cut off (see trace)"
[ $status = 1 ]
ok $? "status 1: the file is damaged"

doctor "$tmp/no/such/file"
[ $status = 1 ] && [ ! -s "$tmp/page" ] && grep -q 'No such file' "$tmp/err"
ok $? "no file"

# ---------------------------------------------------------------- each advice, and what does not
# give it

verdict()
{
	sed -n 's/^verdict  *//p' "$tmp/page"
}

# gives NAME WORDS [NOT]: the verdict has WORDS, and not NOT
gives()
{
	verdict > "$tmp/verdict"
	grep -qF -- "$2" "$tmp/verdict" && { [ -z "$3" ] || ! grep -qF -- "$3" "$tmp/verdict"; } ||
		{ echo "# $(cat "$tmp/verdict")"; false; }
	ok $? "$1"
}

mkperf()
{
	"$O/selftests/make/mkperf" "$@" 2> "$tmp/err"
}

wrap here
mkperf "$tmp/here" "$tmp/data" size=0x180000 && doctor "$tmp/data" --symfs "$tmp/sym"
gives "bytes of an AUX record that are not in the file" "1.5 MiB of trace was written and is not in the file" "buffers"
doctor "$tmp/here" --symfs "$tmp/sym"
gives "and where all of them are" "nothing is missing" "in the file"
wrap data --saved=nothing && doctor "$tmp/data"
gives "no AUX record: nothing ran" "it holds no trace: nothing ran while tracing was on, the filter let nothing pass, or the recording ended before"
"$CSFLOW" dump "$tmp/data" > "$tmp/out" 2> "$tmp/why"
[ $? = 1 ] && grep -q "data: it holds no trace; see 'csflow doctor'" "$tmp/why"
ok $? "and dump of it says so"
wrap data --saved=records && doctor "$tmp/data"
gives "empty AUX records" "every AUX record is empty: the sink got no trace" "nothing ran"
wrap data --saved=records --truncated && doctor "$tmp/data"
gives "and if they are truncated" "every AUX record is empty and truncated: the buffer was full; larger buffers"
# A record at an offset beyond all trace: trace went that far through the ring.
wrap data --saved=records --truncated --repeat 4 && doctor "$tmp/data"
gives "and if they say that there was some" "trace was written, and it is not in the file" "larger buffers"
wrap data --saved=first --truncated --repeat 4 && doctor "$tmp/data" --symfs "$tmp/sym"
gives "and if the first is not empty" "; 768 B of trace was written and is not in the file" "larger buffers"
grep -q 'lost while recording: 0 buffers truncated, .* 768 B not in the file' "$tmp/page"
ok $? "which is said above, too"
wrap data --truncated --repeat 4 && mkperf "$tmp/data" "$tmp/full" flags=1:1 && doctor "$tmp/full" --symfs "$tmp/sym"
gives "a full buffer and no more" "because a buffer was full: larger buffers" "not in the file"
wrap data --saved=first --truncated --repeat 4 && mkperf "$tmp/data" "$tmp/full" size=-1:0 flags=1:0 && doctor "$tmp/full" --symfs "$tmp/sym"
gives "and one that was shortened at the end of the file" "of trace was written and is not in the file" "larger buffers"
wrap data --saved=nothing && truncate -s -150 "$tmp/data" && doctor "$tmp/data"
gives "no AUX record, and the file is damaged" "it holds no trace, and the file is damaged" "nothing ran"
mkperf "$tmp/here" "$tmp/data" info=0:99 && doctor "$tmp/data"
gives "metadata of another kind" "its AUXTRACE_INFO record is not of CoreSight, or cannot be read"
mkperf "$tmp/here" "$tmp/data" trace-id=0x55 && doctor "$tmp/data"
gives "trace of no unit" "no fragment belongs to a trace unit that can be decoded"
printf '\x3d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > "$tmp/frame"
python3 make/wrap.py "$tmp/data" --block "$tmp/frame:0:0x10" && doctor "$tmp/data" --symfs "$tmp/sym"
gives "no A-sync" "there is no A-sync in all the trace"
mkperf "$tmp/here" "$tmp/data" holes=24 && doctor "$tmp/data" --symfs "$tmp/sym"
gives "A-syncs, and no packet that is whole" "all of it is in the gaps above" "A-sync"
mkperf "$tmp/here" "$tmp/data" tid=17235:4 && doctor "$tmp/data"
gives "threads that no record names" "no record names the threads in the trace" "contextid"
wrap data --no-map && doctor "$tmp/data"
gives "a thread that is named, and has no maps" "the code that was executed is not here" "no record names"

# How to get a file: by its name, and by the recorder.
mends()
{
	wrap data --file "$2" && doctor "$tmp/data"
	grep -qF -- "$3" "$tmp/page" && ! grep -qF -- "$4" "$tmp/page"
	ok $? "$1"
}

mends "a file below /data that no Android recorded" /data/bin/program "copy it from there to DIR/data/bin/program" adb
mends "a file that only Android has" /apex/bin/linker64 "adb pull '/apex/bin/linker64'" "copy it"
mends "code made at run time" //anon "code made at run time: record it (perf record -k 1" "copy it"
mends "a file that was removed" "/lib/x.so (deleted)" "the file was removed or replaced while it ran" inject
mends "a page of the kernel's" "[vectors]" "the kernel gives it to programs: in no file" "copy it"
mends "a vDSO without build-id" "[vdso]" "perf kept no copy: record with perf record --no-buildid-mmap" "copy it"

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	skip "advices about recordings" "no $tool"
	echo "1..$n"
	exit 0
done

: "${CSFLOW_FAST:=$O/csflow}"
aarch64-linux-gnu-gcc -O2 -static -pthread -o "$tmp/plain" programs/plain.c 2> "$tmp/err"
ok $? "plain is built"

# record UNIT [OPTIONS]
record()
{
	local unit=$1

	shift
	"$CSFLOW_FAST" record -q -o "$tmp/data" --cpus=1 -u "$unit" "$@" -- "$tmp/plain" 4 > /dev/null 2> "$tmp/err"
}

overflowed="the trace unit overflowed [0-9]* times, which buffers do not help: trace less at once"
record ete=1.1,rs,cid,overflow=100 && doctor "$tmp/data"
grep -q "^verdict.*; $overflowed: only user code (cs_etm//u) or a filter\$" "$tmp/page" && ! grep -q 'larger buffers' "$tmp/page"
ok $? "a unit that overflows: $(grep -o 'overflowed [0-9]* times' "$tmp/page")"
record ete=1.1,bb,cc=4,ts=100,cid,overflow=100 && doctor "$tmp/data"
gives "and what of its configuration makes it write more" \
	"or a filter, no branch broadcast, no cycle counts, fewer timestamps, a return stack (retstack)" "larger buffers"
record ete=1.1,rs,cid && doctor "$tmp/data"
gives "neither" "nothing is missing"
mkperf "$tmp/data" "$tmp/full" flags=1 && doctor "$tmp/full"
gives "a buffer that was full" "because a buffer was full: larger buffers" "overflowed"
mkperf "$tmp/data" "$tmp/partial" flags=4 && doctor "$tmp/partial"
gives "partial AUX records" "AUX records say that trace is missing in or after them (partial, collision)" "buffers"

record ete=1.1,rs,cid,discard=1000 && doctor "$tmp/data"
gives "a unit that discards" " other gaps, see above" "overflowed"
record ete=1.1,rs,q=100 && doctor "$tmp/data"
gives "Q elements" " times the trace does not say what was executed (Q elements)" "record with contextid"

# Threads of one process, on two CPUs that name no thread: the running one is not known, but its
# code is.
aarch64-linux-gnu-gcc -O2 -static -pthread -o "$tmp/threads" programs/threads.c 2> "$tmp/err" &&
	"$CSFLOW_FAST" record -q -o "$tmp/data" --header=1 --cpus=2 -u etm4=4.0 -- "$tmp/threads" 1 > /dev/null 2> "$tmp/err" &&
	doctor "$tmp/data"
gives "no thread is named, and there is one process" "; nothing is missing" "unknown threads"
several="several processes, and nothing tells which of them ran: their code is left out"
[ ! -s "$tmp/err" ]
ok $? "and there is nothing to say of that"
mkperf "$tmp/data" "$tmp/forked" forked=1000000:0 && doctor "$tmp/forked"
gives "there are two" "atoms of unknown threads: record with contextid, or per thread" "nothing is missing"
grep -q "$several (record with contextid, or per thread)\$" "$tmp/err" && [ "$(grep -c several "$tmp/err")" = 1 ]
ok $? "which is said, once"
"$CSFLOW" script "$tmp/forked" 2> "$tmp/err" > "$tmp/page"
grep -q "$several" "$tmp/err"
ok $? "script says it, too"
"$CSFLOW" report "$tmp/forked" 2> "$tmp/err" > "$tmp/page"
grep -q "$several" "$tmp/err"
ok $? "and report"

# One thread: no switches
record etm4=4.0 && doctor "$tmp/data"
gives "one process that is alone" "; nothing is missing" "unknown threads"
grep -qx 'threads *from nothing in the trace: user code is that of the one process; .*' "$tmp/page"
ok $? "and where its code comes from"

# Code to which its library returns is in the program, and does not contradict it.
cat > "$tmp/calls.c" << 'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char text[64];

	for (int i = 0; i < 20; i++)
		snprintf(text, sizeof(text), "%d %s %f", i, "text", i * 1.5);
	return strlen(text) == 0;
}
END
aarch64-linux-gnu-gcc -O2 -o "$tmp/calls" "$tmp/calls.c" 2> "$tmp/err" &&
	QEMU_LD_PREFIX=/usr/aarch64-linux-gnu "$CSFLOW_FAST" record -q -o "$tmp/data" -u ete=1.1,rs,cid -- "$tmp/calls" 2> "$tmp/err" &&
	mv "$tmp/calls" "$tmp/away" && doctor "$tmp/data" --buildid-dir="$tmp/none"
gives "the program is missing, its library is not" "need code that is not here: see the files above" "returns lead back to no call"
! grep -q '^  stack' "$tmp/page" && grep -q '^ .* 0  *[1-9][0-9]*  missing .*/calls$' "$tmp/page"
ok $? "and all that is lost is lost for want of it: $(sed -n 's/^ .* 0  *\([1-9][0-9]*\)  missing .*/\1/p' "$tmp/page") atoms"
"$CSFLOW" dump --elements "$tmp/data" > "$tmp/page" 2> "$tmp/err"
grep -q 'gap image' "$tmp/page" && ! grep -q 'gap stack' "$tmp/page"
ok $? "dump says so, too"
"$CSFLOW" profile --for=json --quality --buildid-dir="$tmp/none" "$tmp/data" > "$tmp/page" 2> "$tmp/err"
grep -q 'image: [0-9]* atoms lost' "$tmp/err" && ! grep -q 'stack: [0-9]* atoms lost' "$tmp/err" && grep -q 'quality: trace 100.0 %' "$tmp/err"
ok $? "and what profile says of its quality"
"$CSFLOW" script --buildid-dir="$tmp/none" "$tmp/data" > "$tmp/page" 2> "$tmp/err"
! grep -q 'no return' "$tmp/page" "$tmp/err" && ! grep -q 'stack' "$tmp/err"
ok $? "and script"
"$CSFLOW" report --buildid-dir="$tmp/none" "$tmp/data" > "$tmp/page" 2> "$tmp/err"
! grep -q 'stack' "$tmp/page" "$tmp/err"
ok $? "and report"

# The same program from another compiler, if no build-id distinguishes the two.
record ete=1.1,rs,cid && aarch64-linux-gnu-gcc -O1 -static -pthread -Wl,--build-id=none -o "$tmp/plain" programs/plain.c &&
	doctor "$tmp/data" --buildid-dir="$tmp/none"
gives "code that differs" "places contradict the code: an unchecked file above may not be the one that ran"
echo "1..$n"
