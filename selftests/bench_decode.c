// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_decode - csflow and Debian's libopencsd over the same trace, in one run
 *
 *	bench_decode [-r ROUNDS] [-n KIB] SNAPSHOT...
 *
 * First both decode the whole buffer, and a checksum of (start, end, taken) of every range must be
 * equal.  Then each job is timed, both sides in turn, and the best CPU time of all rounds counts; a
 * side whose rounds take long has fewer of them.  Only the ratio means something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed.h"

/* A side that was at it for so many seconds has enough rounds; a round takes so long at least. */
#define ENOUGH	8.0
#define ROUND	0.02

struct side {
	double best, spent;
	struct speed_found found;
};

static void round_of(struct speed *s, enum speed_job job, bool peer, struct side *side)
{
	double start = speed_clock(), took;
	unsigned int n = 0;

	if (side->spent > ENOUGH)
		return;
	do {
		if (speed_pass(s, job, peer, &side->found))
			return;
		n++;
		took = speed_clock() - start;
	} while (took < ROUND);
	side->spent += took;
	took /= n;
	if (!side->best || took < side->best)
		side->best = took;
}

/* The first pass ever: no block is known yet. */
static void first_round(const char *dir, uint64_t kib, enum speed_job job, struct side *side)
{
	struct speed s = { .count = NULL };
	double start, took;

	if (side->spent <= ENOUGH && !speed_open(&s, dir, kib)) {
		start = speed_clock();
		if (!speed_pass(&s, job, false, &side->found)) {
			took = speed_clock() - start;
			side->spent += took;
			if (!side->best || took < side->best)
				side->best = took;
		}
	}
	speed_close(&s);
}

static void row(const struct speed *s, const char *name, const struct side *ours,
		const struct side *theirs, const struct rig_sum *sum)
{
	const double n = s->rig.n;

	if (!ours->best || !theirs->best)
		return;
	printf("  %-14s %8.1f MB/s %7.2f ns %8.0f Minsn/s   peer %7.2f MB/s %7.1f ns   ratio %6.1f\n",
	       name, n / ours->best / 1e6, ours->best * 1e9 / sum->ranges,
	       sum->insns / ours->best / 1e6, n / theirs->best / 1e6,
	       theirs->best * 1e9 / sum->ranges, theirs->best / ours->best);
	fflush(stdout);
}

/* Rounds of both in turn: what disturbs one is likely to disturb the other. */
static void bench_parts(struct speed *s, enum speed_job job, unsigned int rounds,
			const struct rig_sum *sum)
{
	struct side ours = { 0 }, theirs = { 0 };

	for (unsigned int i = 0; i < rounds; i++) {
		round_of(s, job, false, &ours);
		round_of(s, job, true, &theirs);
	}
	row(s, speed_job_name[job], &ours, &theirs, sum);
}

/* Runs and counts, first and warm: the peer has one job in place of the four. */
static void bench_blocks(struct speed *s, const char *dir, uint64_t kib, unsigned int rounds,
			 const struct rig_sum *sum)
{
	static const char *const name[] = { "runs, first", "counts, first", "runs, warm",
					    "counts, warm" };
	struct side ours[4] = { { 0 } }, theirs = { 0 };

	for (unsigned int i = 0; i < rounds; i++) {
		first_round(dir, kib, SPEED_RUNS, &ours[0]);
		first_round(dir, kib, SPEED_COUNTS, &ours[1]);
		round_of(s, SPEED_RUNS, true, &theirs);
		round_of(s, SPEED_RUNS, false, &ours[2]);
		round_of(s, SPEED_COUNTS, false, &ours[3]);
	}
	for (int i = 0; i < 4; i++)
		row(s, name[i], &ours[i], &theirs, sum);
}

/* Return: 0: both found the same ranges; 1: not; -1: it cannot be told. */
static int verify(struct speed *s, const char *dir, struct rig_sum *ours)
{
	struct peer *peer = peer_new(&s->rig, PEER_FULL);
	const uint16_t marks = s->rig.stream[0].config.marks;
	struct rig_sum theirs = { 0 };
	int ret = -1;

	ours->as_peer = s->rig.stream[0].config.trcconfigr >> 12 & 1;
	if (peer && !rig_marks(&s->rig, ours->as_peer ? CSF_MARK_INFO : marks) &&
	    !rig_sum(&s->rig, s->rig.data, s->rig.n, ours) && !rig_marks(&s->rig, marks) &&
	    !peer_run(peer, s->rig.data, s->rig.n, true, &theirs))
		ret = ours->sum == theirs.sum && ours->insns == theirs.insns ? 0 : 1;
	peer_free(peer);
	printf("%s: %zu bytes, %s, %llu ranges, %llu instructions\n", dir, s->rig.n,
	       s->rig.framed ? "frames" : "raw", (unsigned long long)ours->ranges,
	       (unsigned long long)ours->insns);
	if (ret > 0)
		printf("  not equal: the peer has %llu ranges, %llu instructions; not timed\n",
		       (unsigned long long)theirs.ranges, (unsigned long long)theirs.insns);
	else if (!ret)
		printf("  verified: the same ranges on both sides, checksum %016llx%s",
		       (unsigned long long)ours->sum, ours->left_out ? "" : "\n");
	if (!ret && ours->left_out)
		printf(";\n  and %llu that the peer loses at a Trace Info behind a return\n",
		       (unsigned long long)ours->left_out);
	fflush(stdout);
	return ret;
}

static int bench(const char *dir, uint64_t kib, unsigned int rounds)
{
	struct speed s = { .count = NULL };
	struct rig_sum sum = { 0 };
	int ret = -1;

	if (!speed_open(&s, dir, kib))
		ret = verify(&s, dir, &sum);
	if (!ret) {
		bench_parts(&s, SPEED_FRAMES, rounds, &sum);
		bench_parts(&s, SPEED_PACKETS, rounds, &sum);
		bench_blocks(&s, dir, kib, rounds, &sum);
	}
	speed_close(&s);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned int rounds = 5;
	uint64_t kib = 0;
	int i = 1, bad = 0;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (!strcmp(argv[i], "-r"))
			rounds = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "-n"))
			kib = strtoull(argv[i + 1], NULL, 10);
	}
	if (i >= argc || argv[i][0] == '-') {
		fprintf(stderr, "usage: bench_decode [-r ROUNDS] [-n KIB] SNAPSHOT...\n");
		return 2;
	}
	printf("peer: %s\n", peer_version());
	for (; i < argc; i++)
		bad |= bench(argv[i], kib, rounds);
	return bad ? 1 : 0;
}
