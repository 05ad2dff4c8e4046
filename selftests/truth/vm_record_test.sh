#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings that csflow vm makes of what runs in the machine, user space and kernel: csflow, with no option that says where
# files are, decodes exactly the instructions that the emulator has logged.
#
# CSFLOW_LONG: with Linux 6.1 and 7.2, too.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
# csflow record --kernel has no option for the cache.
export PERF_BUILDID_DIR=$tmp/ids XDG_CACHE_HOME=$tmp/cache
mkdir -p "$XDG_CACHE_HOME/csflow"
ln -s "$(realpath "$O/vm-cache")" "$XDG_CACHE_HOME/csflow/vm"
releases=6.12
[ -z "$CSFLOW_LONG" ] || releases="6.1 6.12 7.2"

. lib/tap.sh

cat > "$tmp/moves.c" << 'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>

int main(void)
{
	volatile int x = 0;

	for (int i = 0; i < 10; i++) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(i & 1, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		for (int k = 0; k < 1000 * i; k++)
			x += k & i;
	}
	printf("%d\n", x);
	return 0;
}
END
cp programs/signals.c programs/threads.c "$tmp/" || exit 1
for program in moves signals threads; do
	aarch64-linux-gnu-gcc -O1 -g -pthread -o "$tmp/$program" "$tmp/$program.c" || exit 1
done
aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/calls" programs/calls.c || exit 1
cd "$tmp" || exit 1

# printed NAME STATUS: the command has ended well, and printed something
printed()
{
	[ "$2" = 0 ] && [ -s out ]
	ok $? "$1: $(head -n 1 out)"
}

# same_as_log FILE NAME MIN: it has at least so many instructions, and they are those of the log, but for losses that the log
# has.  By CPU, because the log does not tell in which order a thread was on them; $by: what else.
same_as_log()
{
	local equal

	"$csflow" match --by="${by:-cpu}" -n 3 log "$1" > why 2>&1
	status=$?
	# csflow match also reports, by its status, that a CPU is not known.
	if [ -n "$by" ] && [ $status = 2 ]; then
		grep -q '^equal$' why && grep -q 'perf did not record which CPU' why
		status=$?
	fi
	equal=$(sed -n 's/^\([0-9]*\) instructions equal.*/\1/p' why)
	[ $status = 0 ] && [ "${equal:-0}" -ge "$3" ]
	ok $? "$2: $equal instructions equal, no difference"
	"$csflow" doctor "$1" > why 2>&1
	grep -q '^verdict .* nothing is missing' why
	ok $? "$2: $(sed -n 's/^verdict *//p' why)"
}

# vm OPTIONS...: with a log
vm()
{
	rm -rf log
	"$csflow" vm -q -k $release --truth=log "$@" > out 2> why
}

# has FILE DSO: the list of its branches has some in that one
has()
{
	"$csflow" script -F ip,sym,dso "$1" 2> why | grep -q "$2"
	ok $? "$1 has branches in $2"
}

for release in $releases; do
	# Its perf does not record the CPU with --per-thread.
	by=''
	[ $release != 6.1 ] || by=thread
	vm -- perf record -q --per-thread -e cs_etm//u -o thread.data ./signals
	printed "Linux $release, signals" $?
	same_as_log thread.data "a thread" 100000
	has thread.data 'usr/lib/.*/libc.so.6'
	found=$("$csflow" doctor thread.data 2> why | sed -n 's/^ *[0-9a-f]* *here: //p' | grep -c "^$PERF_BUILDID_DIR/")
	[ "$found" -ge 3 ]
	ok $? "$found files are in perf's cache"

	vm -- perf record -q --per-thread -e cs_etm//u -o moves.data ./moves
	printed "a thread that moves" $?
	same_as_log moves.data "a thread that moves" 100000
	if [ -n "$by" ]; then
		"$csflow" script -F cpu moves.data 2> why > shown
		grep -q 'perf did not record which CPU' why && [ "$(sort -u shown | wc -l)" = 1 ]
		ok $? "it is said that the CPUs are not known"
	else
		[ "$("$csflow" script -F cpu moves.data 2> why | sort -u | wc -l)" = 2 ]
		ok $? "it was on two CPUs"
	fi
	by=''

	vm -- perf record -q -e cs_etm//u -o cpus.data ./threads
	printed "four threads on two CPUs" $?
	same_as_log cpus.data "four threads" 300000
	[ "$("$csflow" script -F tid cpus.data 2> why | sort -u | wc -l)" -ge 5 ]
	ok $? "each has its branches"

	vm -f threads -f signals -- perf record -q --proc-map-timeout=60000 -a --kcore -e cs_etm// -o all.data sh -c './threads & ./signals; wait'
	printed "user and kernel, the whole machine" $?
	same_as_log all.data "the whole machine" 2000000
	has all.data 'kernel.kallsyms'
	has all.data 'busybox'

	vm --vhe -- perf record -q --kcore -e cs_etm// -o vhe.data ./calls
	printed "a kernel at EL2" $?
	same_as_log vhe.data "EL2" 100000
	has vhe.data 'kernel.kallsyms'
done

# The same by csflow record; the recording is in another folder.
rm log
mkdir away
"$csflow" record -q --kernel --truth=log --per-thread -u ete=1.3 -E NAME=value -o away/k.data -- calls > out 2> why
printed "csflow record --kernel" $?
same_as_log away/k.data "csflow record --kernel" 100000
"$csflow" doctor away/k.data 2> why | grep -q ' ETE1.3 ' && "$csflow" script -F ip,sym away/k.data 2> why | grep -q ' main'
ok $? "its unit, and its program"
for words in --machine=mps2-an385 --snapshot --header=1 --quantum=5 --migrate=2 --root=/ --qemu=x --plugin=x "-u ptm=1.1"; do
	# shellcheck disable=SC2086 # words
	"$csflow" record --kernel $words -- ./calls > out 2> why
	[ $? = 2 ] && [ "$(wc -l < why)" = 1 ] && ! [ -s out ]
	ok $? "csflow record --kernel $words: $(cat why)"
done

echo "1..$n"
