#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The contents of a recording of csflow record besides trace: features, the order of its records,
# switches to the idle task; and csflow's report when the emulator holds up a thread.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
unset QEMU_LD_PREFIX

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-aarch64 aarch64-linux-gnu-gcc perf; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for program in plain threads; do
	aarch64-linux-gnu-gcc -O2 -static -pthread -w -o "$tmp/$program" programs/$program.c 2> "$tmp/why" ||
		ok 1 "$program is built"
done

# record OPTIONS...: of version 1, which any perf reads
record()
{
	"$csflow" record -o "$tmp/perf.data" --header=1 "$@" > /dev/null 2> "$tmp/why"
}

record -q -- "$tmp/plain" 2
perf report --header-only -i "$tmp/perf.data" > "$tmp/header" 2>> "$tmp/why"
while read -r what; do
	grep -q "^# $what" "$tmp/header"
	ok $? "perf report --header: $what"
done << END_OF_FEATURES
hostname : $(uname -n)$
os release : $(uname -r)$
perf version : csflow 
arch : aarch64$
nrcpus online : 2$
cpudesc : QEMU
cpuid : 0x00000000000f0510$
total memory : [1-9][0-9]* kB$
cmdline : csflow record .* -- $tmp/plain 2
pmu mappings: software = 1, cs_etm = 8$
event : name = cs_etm//
contains AUX area data
END_OF_FEATURES

# Small buffers, and threads that take turns: many rounds.
for form in "" "--raw" "--per-thread" "--raw --cpus=8"; do
	for i in 1 2 3 4 5; do
		# shellcheck disable=SC2086 # words
		record -q -m 8000 --quantum=3000 $form -- "$tmp/threads" 4 &&
			perf report -D -i "$tmp/perf.data" 2> "$tmp/why" > "$tmp/dump"
		! grep -q 'out of order' "$tmp/why" || break
	done
	! grep -q 'out of order' "$tmp/why" && [ "$(grep -c FINISHED_ROUND "$tmp/dump")" -ge 4 ]
	ok $? "perf: no record is out of order, $form"
done

# Two threads work, each on a CPU; then one works while the other waits: the CPU of the waiting one
# goes to the idle task, and comes back from it.
cat > "$tmp/wait.c" << 'END_OF_C'
#include <pthread.h>
static pthread_barrier_t barrier;
static unsigned int work(unsigned int n)
{
	unsigned int sum = n;

	while (n--) {
		sum += n ^ sum >> 3;
		asm volatile("" : "+r"(sum));
	}
	return sum;
}
static void *other(void *arg)
{
	work(300000);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return (void *)(unsigned long)work(100000);
}
int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, 0, 2);
	pthread_create(&thread, 0, other, 0);
	work(300000);
	pthread_barrier_wait(&barrier);
	work(1000000);
	pthread_barrier_wait(&barrier);
	return pthread_join(thread, 0);
}
END_OF_C
aarch64-linux-gnu-gcc -O1 -static -pthread -o "$tmp/wait" "$tmp/wait.c" && record -q --truth="$tmp/truth" -- "$tmp/wait" &&
	perf script --no-itrace --show-switch-events -i "$tmp/perf.data" > "$tmp/switches" 2>> "$tmp/why"
grep -q 'PERF_RECORD_SWITCH_CPU_WIDE OUT  *next pid/tid: *0/0' "$tmp/switches" &&
	grep -q 'PERF_RECORD_SWITCH_CPU_WIDE IN  *prev pid/tid: *0/0' "$tmp/switches"
ok $? "a CPU whose thread waits goes to the idle task, and comes from it"
"$csflow" match "$tmp/truth" "$tmp/perf.data" > "$tmp/why" 2>&1
ok $? "and what was executed is in the trace"

# QEMU forks when no other thread executes, and waits for a thread that waits for the CPU.
cat > "$tmp/alone.c" << 'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int done;
static void *work(void *arg)
{
	unsigned int sum = 1;

	while (!done)
		for (int i = 0; i < 1000; i++)
			sum += i ^ sum >> 3;
	return (void *)(unsigned long)sum;
}
int main(void)
{
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], 0, work, 0);
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, 0, 0);
	}
	done = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], 0);
	return 0;
}
END_OF_C
aarch64-linux-gnu-gcc -O1 -static -pthread -o "$tmp/alone" "$tmp/alone.c" &&
	record --cpus=1 --quantum=100 --truth="$tmp/truth" -- "$tmp/alone"
ok $? "a thread that QEMU runs alone"
blocks=$(sed -n 's/^csflow: the emulator held up a thread: \([1-9][0-9]*\) blocks\{0,1\} without trace$/\1/p' "$tmp/why")
[ -n "$blocks" ]
ok $? "csflow record says of how many blocks there is no trace"
"$csflow" match "$tmp/truth" "$tmp/perf.data" > "$tmp/why" 2>&1 &&
	[ "$(sed -n 's/.* lost and logged as signal, \([0-9]*\) times/\1/p' "$tmp/why")" = "$blocks" ]
ok $? "and so many the log has as lost"

echo "1..$n"
