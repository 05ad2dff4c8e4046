#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Unchanged perf, 6.1 of Debian and the one of linux-source-6.12, with Debian's libopencsd and with
# ours in its place: both must print the same.
#
# Each row: which perf, what must be the same, options of csflow record, program (loops).  This must
# be the same:
#
#	same	branches, branch stacks, packets: all the same, byte for byte
#	timed	that, and by time, too, once what stock loses at the ends of buffers is put back: the same
#		instructions as without regard to time, and those are all that csflow knows
#	more	a defect of OpenCSD's decoder (return-at-sync, cut-frame): every instruction that it
#		finds we find in its place, and all that csflow knows
#	cpus	the branches are the same, CPU by CPU, for several that write to one buffer may be in another
#		order; what stock loses at the end of a buffer is put back
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
command -v perf > /dev/null || give_up "no perf"
build_programs loops threads
find_stock

rows='6.1	timed	--header=1 -u ete=1.0,cid,ts=1000
6.1	same	--header=0 -u etm4=4.3,cid
6.1	same	--header=1 --per-thread -u ete=1.0
6.1	same	--header=1 --raw -u ete=1.0,cid,strobe=500:500
6.1	more	--header=0 -u etm4=4.3,rs,cid,sync=1024
6.12	timed	-m 8192 -u ete=1.0,cid,ts=100
6.12	timed	--raw -m 8192 -u ete=1.0,cid,ts=100
6.12	same	--per-thread -u ete=1.1,bb,cc=16,ts=4096,event=100,ignore=50,marker
6.12	same	-u etm4=4.2,cid,spec=4:5
6.12	same	-u ete=1.0,cid,source=10,tm=100
6.12	same	-u ete=1.0,cid,q=50
6.12	same	-u ete=1.0,cid,overflow=5000
6.12	same	-u ete=1.0,cid,discard=1000
6.12	more	-u ete=1.0,cid,truncate=1000
6.12	cpus	--cpus=3 --quantum=5000 --migrate=3 -u ete=1.1,cid	threads'

mkdir "$tmp/lib"
ln -s "$(realpath "$O")/libopencsd_c_api.so.1" "$tmp/lib/" || exit 1

# with NAME VERSION ARGUMENT...: perf script with Debian's library, in NAME.debian, and ours
with()
{
	local name=$tmp/$1 perf=perf

	[ "$2" = 6.12 ] && perf=$stock
	shift 2
	$perf script -i "$tmp/data" "$@" > "$name.debian" 2> /dev/null
	LD_LIBRARY_PATH=$tmp/lib $perf script -i "$tmp/data" "$@" > "$name.ours" 2> /dev/null
}

# Minimum numbers, so that the comparison means something.
check()
{
	local name=$tmp/$1 least=$2

	if [ "$(wc -l < "$name.debian")" -lt "$least" ]; then
		echo "$1: perf prints $(wc -l < "$name.debian") lines"
		return 1
	fi
	cmp -s "$name.debian" "$name.ours" && return
	echo "$1:"
	diff "$name.debian" "$name.ours" | head -6
	return 1
}

# All that csflow knows of:  CPU and address of each instruction, and files in the same order.
known()
{
	local file key=1

	"$csflow" script -i "$tmp/data" --itrace=i1i -F cpu,ip 2> /dev/null | in_order > "$tmp/known"
	for file in "$@"; do
		in_order < "$file" > "$tmp/ordered" && mv "$tmp/ordered" "$file"
	done
}

# Is every line of $2 in $1, after the line before?
within()
{
	awk 'BEGIN { i = 0; n = 0 }
	     NR == FNR { ours[n++] = $0; next }
	     { while (i < n && ours[i] != $0) i++
	       if (i++ >= n) { print "perf alone has line " FNR ": " $0; exit 1 } }' "$1" "$2"
}

see_same()
{
	with branches "$1" --itrace=Zb -F comm,tid,cpu,event,ip,addr,flags,insn
	with stacks "$1" --itrace=Zi1000il16 -F cpu,ip,period,brstack
	with packets "$1" -D
	check branches 1000 && check stacks 100 && check packets 1000
}

# If a buffer ends while perf shall wait, the library does not say that the last frame is taken.  So
# perf comes back for waiting elements, and those that stock loses are put back.
cat > "$tmp/hold.c" << 'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

uint32_t ocsd_dt_process_data(void *tree, uint32_t op, uint32_t idx, uint32_t n, const uint8_t *p,
			      uint32_t *taken)
{
	static uint32_t (*data)(void *tree, uint32_t op, uint32_t idx, uint32_t n, const uint8_t *p,
				uint32_t *taken);
	static void *holds[64];
	static int n_holds;
	uint32_t resp;
	int i = 0;

	if (!data)
		*(void **)&data = dlsym(RTLD_NEXT, "ocsd_dt_process_data");
	while (i < n_holds && holds[i] != tree)
		i++;
	if (!op && i < n_holds) {
		holds[i] = holds[--n_holds];
		*taken = n;
		return 0;
	}
	resp = data(tree, op, idx, n, p, taken);
	if (!op && resp >= 3 && resp <= 5 && *taken == n && n >= 16 && n_holds < 64) {
		holds[n_holds++] = tree;
		*taken -= 16;
	}
	return resp;
}
EOF
${CC:-gcc} -shared -fPIC -o "$tmp/hold.so" "$tmp/hold.c" -ldl 2> "$tmp/why" || give_up "no gcc"

# The order of several CPUs is not known, and each has its own ends of buffers.  With Debian's
# library perf prints one of them differently in one recording of a hundred: without the last
# branch, or as a call that no exception followed.
see_cpus()
{
	local name

	LD_PRELOAD=$tmp/hold.so with branches "$1" --itrace=Zb -F comm,tid,cpu,event,ip,addr,flags,insn
	for name in debian ours; do
		in_order < "$tmp/branches.$name" > "$tmp/ordered" && mv "$tmp/ordered" "$tmp/branches.$name"
	done
	check branches 1000
}

see_timed()
{
	with timed "$1" --itrace=i1i -F cpu,ip
	cp "$tmp/timed.debian" "$tmp/timed.loses"
	LD_PRELOAD=$tmp/hold.so with timed "$1" --itrace=i1i -F cpu,ip
	with timeless "$1" --itrace=Zi1i -F cpu,ip
	known "$tmp"/time*.debian "$tmp"/time*.ours
	check timeless 1000 && check timed 1000 || return
	cmp "$tmp/timeless.ours" "$tmp/known" || return
	# perf drops samples before the first timestamp.
	cmp "$tmp/timed.ours" <(tail -n "$(wc -l < "$tmp/timed.ours")" "$tmp/known")
}

see_more()
{
	with packets "$1" -D
	with timeless "$1" --itrace=Zi1i -F cpu,ip
	check packets 1000 || return
	known "$tmp"/timeless.{debian,ours}
	cmp "$tmp/timeless.ours" "$tmp/known" || return
	[ "$(wc -l < "$tmp/timeless.debian")" -lt "$(wc -l < "$tmp/known")" ] || return
	within "$tmp/known" "$tmp/timeless.debian"
}

see()
{
	case $2 in
	same)	see_same "$@" ;;
	cpus)	see_cpus "$@" ;;
	timed)		see_same "$@" && see_timed "$@" ;;
	more)		see_more "$@" ;;
	esac
}

lost=0
while IFS=$'\t' read -r version seen options program; do
	name="perf $version, $seen: $options${program:+ $program}"
	# shellcheck disable=SC2086 # the options are words
	record $options -- "$tmp/${program:-loops}" && see "$version" "$seen" > "$tmp/why" 2>&1
	ok $? "$name"
	[ "$seen" = timed ] || continue
	lost=$((lost + $(wc -l < "$tmp/timed.ours") - $(wc -l < "$tmp/timed.loses")))
done <<< "$rows"
echo "# by time, stock lost $lost instructions at the ends of buffers"
[ $lost -gt 0 ]
ok $? "stock loses the ends of buffers, by time"

cp data/demo/perf.data "$tmp/data"
for version in 6.1 6.12; do
	with branches $version --symfs data/demo --itrace=Zb -F comm,tid,cpu,ip,addr,flags
	with packets $version -D
	{ check branches 10 && check packets 100; } > "$tmp/why" 2>&1
	ok $? "perf $version: the recording of the demo"
done

# A loop of 900 rounds in A32, for PTM and ETMv3: perf passes neither ETMIDR nor ETMCCER to the library, so without
# a return stack and timestamps.
awk 'function it(a, w, what) { t++; printf "%d clk cpu0 %s (%d) %08x %s A usr_ns : X\n", t, what, t, a, w }
BEGIN { for (i = 1; i <= 900; i++) {
		it(32768, "e320f000", "IT"); it(32772, "eb000002", "IT")
		it(32788, "e320f000", "IT"); it(32792, "e12fff1e", "IT")
		it(32776, "e2500001", "IT"); it(32780, "1afffffb", i < 900 ? "IT" : "IS")
	}
	it(32784, "e320f000", "IT") }' > "$tmp/log"
for unit in ptm=1.1 etm3=3.5; do
	for framed in '' --formatted; do
		# shellcheck disable=SC2086 # it may be no word
		"$csflow" encode -u $unit,cid $framed --format=perf -o "$tmp/data" "$tmp/log"
		for version in 6.1 6.12; do
			with branches $version --itrace=b -F comm,tid,cpu,event,ip,addr,flags,insn
			with insns $version --itrace=i1i -F cpu,ip
			with packets $version -D
			{ check branches 2700 && check insns 5400 && check packets 1900; } > "$tmp/why" 2>&1
			ok $? "perf $version: -u $unit${framed:+, in frames}"
		done
	done
done

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "recordings of a telephone" "CSFLOW_CORPUS is not set"
else
	mkdir -p "$tmp/fs/data/local/tmp"
	cp "$CSFLOW_CORPUS/simpleperf/etm_test_loop" "$tmp/fs/data/local/tmp/"
	cp "$CSFLOW_CORPUS/simpleperf/perf_etm.data" "$tmp/data"
	with branches 6.1 --symfs "$tmp/fs" --itrace=b
	with packets 6.1 -D
	{ check branches 200 && check packets 1000; } > "$tmp/why" 2>&1
	ok $? "perf 6.1: user space of a telephone"
	cp "$CSFLOW_CORPUS/simpleperf/perf_kernel.data" "$tmp/data"
	with packets 6.1 -D
	check packets 20000 > "$tmp/why" 2>&1
	ok $? "perf 6.1: packets of its kernel"
fi
echo "1..$n"
