// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_pass [-p] [-w] [-n KIB] SNAPSHOT frames|packets|runs|counts
 *
 * One job over the trace of a snapshot, by us or by the peer (-p); over its first KIB, or if it has
 * less, over it again and again.  With -w all of it twice, and the second pass counts.
 *
 * Prints bytes of trace, ranges, instructions, seconds of CPU time, and bytes of memory at the peak
 * beyond those of the trace.  Under callgrind, --toggle-collect=measured counts what it executes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed.h"

static double seconds;

__attribute__((noinline)) int measured(struct speed *s, enum speed_job job, bool peer,
				       struct speed_found *found)
{
	double start = speed_clock();
	int ret = speed_pass(s, job, peer, found);

	seconds = speed_clock() - start;
	return ret;
}

static int usage(void)
{
	fprintf(stderr, "usage: bench_pass [-p] [-w] [-n KIB] SNAPSHOT JOB\n");
	return 2;
}

static enum speed_job job_named(const char *name)
{
	enum speed_job job = 0;

	while (job < SPEED_JOBS && strcmp(speed_job_name[job], name))
		job++;
	return job;
}

static int run(const char *dir, enum speed_job job, bool peer, bool warm, uint64_t kib)
{
	struct speed s = { .count = NULL };
	struct speed_found found;
	int ret = speed_open(&s, dir, kib);

	/* The peer is made when first needed: not in the pass that is measured. */
	if (!ret && (warm || peer))
		ret = speed_pass(&s, job, peer, &found);
	if (!ret)
		ret = measured(&s, job, peer, &found);
	if (!ret)
		printf("%zu %llu %llu %.6f %llu\n", s.rig.n, (unsigned long long)found.ranges,
		       (unsigned long long)found.insns, seconds,
		       (unsigned long long)(speed_peak() - s.rig.n));
	speed_close(&s);
	return ret ? 1 : 0;
}

int main(int argc, char **argv)
{
	bool peer = false, warm = false;
	uint64_t kib = 0;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "-p"))
			peer = true;
		else if (!strcmp(argv[i], "-w"))
			warm = true;
		else if (!strcmp(argv[i], "-n") && i + 1 < argc)
			kib = strtoull(argv[++i], NULL, 10);
		else
			return usage();
	}
	if (argc - i != 2 || job_named(argv[i + 1]) == SPEED_JOBS)
		return usage();
	return run(argv[i], job_named(argv[i + 1]), peer, warm, kib);
}
