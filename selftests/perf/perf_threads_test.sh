#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf with csflow inside decodes with csflow.threads threads: the output of script, and the file of
# inject, are the same for any number, from a file and from a pipe; and the threads really decode.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs plain threads signals
ours=$(realpath "${PERF:-$O/perf}") && [ -x "$ours" ] || {
	echo "Bail out! no perf with csflow in it: make perf"
	exit 1
}

# options of csflow record | program
rows='-u etm4=4.3,cid,ts=1000,sync=1024|plain 1
-u etm4=4.2,sync=1024|plain 1
-u ete=1.1,cid,ts=1000,sync=512 --cpus=3 --quantum=5000 --migrate=3|threads 5
--raw --per-thread --cpus=1 -u ete=1.1,cid,cc=16,rs,sync=1024|plain 1
--raw -u ete=1.0,cid,ts=1000,overflow=5000,sync=512|plain 1
-u etm4=4.2,cid,bb,spec=4:5,sync=1024|signals'

# ---------------------------------------------------------------- are there any?

# Counts threads, and prints at the end how long they worked, in microseconds.
cat > "$tmp/count.c" << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct work {
	void *(*fn)(void *arg);
	void *arg;
};

static unsigned int n;
static long worked;

static void *work(void *arg)
{
	struct work w = *(struct work *)arg;
	struct timespec t;
	void *ret;

	free(arg);
	ret = w.fn(w.arg);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	__atomic_add_fetch(&worked, t.tv_sec * 1000000 + t.tv_nsec / 1000, __ATOMIC_RELAXED);
	return ret;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *arg), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		dlsym(RTLD_NEXT, "pthread_create");
	struct work *w = malloc(sizeof(*w));

	*w = (struct work){ fn, arg };
	n++;
	return next(thread, attr, work, w);
}

__attribute__((destructor))
static void tell(void)
{
	FILE *f = n ? fopen(getenv("COUNT"), "w") : NULL;

	if (f)
		fprintf(f, "%u %ld\n", n, worked);
}
END
export COUNT=$tmp/count
: > "$tmp/none"
${CC:-gcc} -shared -fPIC -pthread -o "$tmp/count.so" "$tmp/count.c" -ldl 2> "$tmp/why" || give_up "no gcc"

# ours_with THREADS ARGS...: empty: the default
ours_with()
{
	local threads=$1

	shift
	: > "$tmp/config"
	[ -z "$threads" ] || printf '[csflow]\n\tthreads = %s\n' "$threads" > "$tmp/config"
	rm -f "$COUNT"
	(LD_PRELOAD=$tmp/count.so timeout 120 "$ours" "$@" < /dev/null; exit $?) 2> "$tmp/said"
}

# counted NAME TEST...: of the run before, $made threads that worked $worked us
counted()
{
	local name=$1 made=0 worked=0

	shift
	[ -s "$COUNT" ] && read -r made worked < "$COUNT"
	echo "made $made, worked $worked us" > "$tmp/why"
	# shellcheck disable=SC2294 # an expression
	(($*))
	ok $? "$name"
}

# makes THREADS NUMBER NAME: another thread starts if there is work and no thread waits for it, so
# on a busy machine one of the first may have done it before
makes()
{
	local made

	for _ in 1 2 3 4 5 6 7 8 9 10; do
		ours_with "$1" script -i "$tmp/data" --itrace=i1000000i > /dev/null
		made=0
		[ -s "$COUNT" ] && read -r made _ < "$COUNT"
		((made >= $2)) && break
	done
	counted "$3" "made == $2"
}

number()
{
	local options='-u etm4=4.2,sync=1024'

	# shellcheck disable=SC2086 # words
	record $options -- "$tmp/plain" 20
	for threads in "" 1 2 8; do
		makes "$threads" $((${threads:-1} - 1)) "csflow.threads=${threads:-(not set)}"
	done
	# On a busy machine its turn may come when all is done.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		ours_with 2 script -i "$tmp/data" --itrace=i1000000i > /dev/null
		read -r _ worked < "$COUNT" && [ "$worked" -gt 2000 ] && break
	done
	counted "a second thread decodes" "worked > 2000"
	makes 0 $(($(getconf _NPROCESSORS_ONLN) - 1)) "csflow.threads=0: of all processors"
	for threads in -1 1025 x; do
		ours_with $threads script -i "$tmp/data" --itrace=i1000000i > /dev/null
		grep -q "csflow.threads" "$tmp/said"
		ok $? "csflow.threads=$threads: there is a warning"
		counted "csflow.threads=$threads: one thread" "made == 0"
	done
}

# ---------------------------------------------------------------- the same

job_default()
{
	ours_with "$1" script -i "$tmp/data"
}

job_stacks()
{
	ours_with "$1" script -i "$tmp/data" --itrace=i1000il8g16e -F +brstack,+sym
}

job_report()
{
	ours_with "$1" report -i "$tmp/data" --itrace=i1000ig --children --stdio
}

# From a third of what the recording has to two thirds.
job_time()
{
	local from to

	read -r from to <<< "$(ours_with 1 script -i "$tmp/data" --itrace=i100i -F time |
		awk '{ sub(":", ""); t[NR] = $1 } END { print t[int(NR / 3)], t[int(NR * 2 / 3)] }')"
	ours_with "$1" script -i "$tmp/data" --time "$from,$to" --itrace=b
}

job_inject()
{
	ours_with "$1" inject -i "$tmp/data" -o "$tmp/injected" --itrace=i1000il64 --strip && cat "$tmp/injected"
}

job_pipe()
{
	rm -f "$COUNT"
	printf '[csflow]\n\tthreads = %s\n' "$1" > "$tmp/config"
	timeout 120 "$ours" inject -i "$tmp/data" -o - < /dev/null 2> "$tmp/said" |
		timeout 120 "$ours" script -i - 2>> "$tmp/said"
}

row()
{
	local options=$1 program=$2 job

	run_of "$program"
	# shellcheck disable=SC2086 # words
	record $options $extra -- "${run[@]}"
	ok $? "csflow record $options -- $program"
	for job in default stacks report time inject pipe; do
		job_$job 1 > "$tmp/one"
		cp "$tmp/said" "$tmp/said.one"
		for threads in $([ $job = default ] && echo 2) 8; do
			job_$job $threads > "$tmp/two"
			[ -s "$tmp/one" ] && cmp "$tmp/one" "$tmp/two" > "$tmp/why" 2>&1
			ok $? "$program $options: $job with $threads threads"
		done
		diff "$tmp/said.one" "$tmp/said" > "$tmp/why"
		ok $? "$program $options: $job: what is said"
	done
}

echo "TAP version 13"
number
while IFS='|' read -r options program; do
	row "$options" "$program"
done <<< "$rows"
echo "1..$n"
