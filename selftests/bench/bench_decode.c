// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_decode - csflow and Debian's libopencsd over the same trace, in one run
 *
 *	bench_decode [-r ROUNDS] [-n KIB] SNAPSHOT...
 *
 * First both decode the whole buffer, and a checksum of (start, end, taken) of every range must be
 * equal.  Then each job is timed, both sides in turn, and the best CPU time of all rounds counts; a
 * side whose rounds take long has fewer of them.  Only the ratio means something.
 *
 * "first": no code is known yet, and all of the trace is timed; "unseen": likewise, but only the
 * last three quarters are timed, which is more like a long trace; "warm": all of it was decoded
 * before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed.h"

/* A side that has run for so many seconds has enough rounds; a round takes at least so long. */
#define ENOUGH	8.0
#define ROUND	0.02

struct side {
	double best, spent;
	struct speed_found found;
};

/* The timed jobs. */
struct part {
	uint64_t bytes, ranges, insns;
};

static void keep_best(struct side *side, double took)
{
	if (!side->best || took < side->best)
		side->best = took;
}

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
	keep_best(side, took / n);
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
			keep_best(side, took);
		}
	}
	speed_close(&s);
}

/* The first quarter, in whole frames. */
static size_t quarter_of(const struct speed *s)
{
	return s->rig.n / 4 & ~(size_t)15;
}

static void take_clock(void *clock)
{
	*(double *)clock = speed_clock();
}

/* One pass; only the part after the first quarter is timed. */
static void rest_of_pass(struct speed *s, enum speed_job job, bool peer, struct side *side)
{
	double quarter = 0;

	s->rig.tell_at = quarter_of(s);
	s->rig.tell = take_clock;
	s->rig.tell_context = &quarter;
	if (!speed_pass(s, job, peer, &side->found) && quarter) {
		quarter = speed_clock() - quarter;
		side->spent += quarter;
		keep_best(side, quarter);
	}
	s->rig.tell = NULL;
}

/* Only the first quarter was seen before. */
static void unseen_round(const char *dir, uint64_t kib, enum speed_job job, struct side *side)
{
	struct speed s = { .count = NULL };

	if (side->spent <= ENOUGH && !speed_open(&s, dir, kib))
		rest_of_pass(&s, job, false, side);
	speed_close(&s);
}

static void row(const char *name, const struct side *ours, const struct side *theirs,
		const struct part *part)
{
	const double n = part->bytes;

	if (!ours->best || !theirs->best)
		return;
	printf("  %-14s %8.1f MB/s %7.2f ns %8.0f Minsn/s   peer %7.2f MB/s %7.1f ns   ratio %6.1f\n",
	       name, n / ours->best / 1e6, ours->best * 1e9 / part->ranges,
	       part->insns / ours->best / 1e6, n / theirs->best / 1e6,
	       theirs->best * 1e9 / part->ranges, theirs->best / ours->best);
	fflush(stdout);
}

/* Rounds of both in turn: a disturbance is likely to hit both. */
static void bench_parts(struct speed *s, enum speed_job job, unsigned int rounds,
			const struct part *all)
{
	struct side ours = { 0 }, theirs = { 0 };

	for (unsigned int i = 0; i < rounds; i++) {
		round_of(s, job, false, &ours);
		round_of(s, job, true, &theirs);
	}
	row(speed_job_name[job], &ours, &theirs, all);
}

/* Runs and counts, first and warm: the peer has one job in place of the four. */
static void bench_blocks(struct speed *s, const char *dir, uint64_t kib, unsigned int rounds,
			 const struct part *all)
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
		row(name[i], &ours[i], &theirs, all);
}

/* Likewise after the first quarter. */
static void bench_unseen(struct speed *s, const char *dir, uint64_t kib, unsigned int rounds,
			 const struct part *rest)
{
	struct side runs = { 0 }, counts = { 0 }, theirs = { 0 };

	for (unsigned int i = 0; i < rounds; i++) {
		unseen_round(dir, kib, SPEED_RUNS, &runs);
		unseen_round(dir, kib, SPEED_COUNTS, &counts);
		if (theirs.spent <= ENOUGH)
			rest_of_pass(s, SPEED_RUNS, true, &theirs);
	}
	row("runs, unseen", &runs, &theirs, rest);
	row("counts, unseen", &counts, &theirs, rest);
}

/* The ranges up to a quarter of the trace. */
struct quarter {
	const struct rig_sum *sum;
	struct part part;
};

static void take_part(void *context)
{
	struct quarter *q = context;

	q->part.ranges = q->sum->ranges;
	q->part.insns = q->sum->insns;
}

/* Every range, summed up; and the ranges of the first quarter. */
static int sum_up(struct speed *s, struct rig_sum *sum, struct part *first)
{
	struct quarter q = { .sum = sum, .part.bytes = quarter_of(s) };
	int ret;

	s->rig.tell_at = q.part.bytes;
	s->rig.tell = take_part;
	s->rig.tell_context = &q;
	ret = rig_sum(&s->rig, s->rig.data, s->rig.n, sum);
	s->rig.tell = NULL;
	*first = q.part;
	return ret;
}

/* Return: 0: both found the same ranges; 1: not; -1: unknown. */
static int verify(struct speed *s, const char *dir, struct rig_sum *ours, struct part *first)
{
	struct peer *peer = peer_new(&s->rig, PEER_FULL);
	const uint16_t marks = s->rig.stream[0].config.marks;
	struct rig_sum theirs = { 0 };
	int ret = -1;

	ours->as_peer = s->rig.stream[0].config.trcconfigr >> 12 & 1;
	if (peer && !rig_marks(&s->rig, ours->as_peer ? CSF_MARK_INFO : marks) &&
	    !sum_up(s, ours, first) && !rig_marks(&s->rig, marks) &&
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
	struct part all, rest;
	int ret = -1;

	if (!speed_open(&s, dir, kib))
		ret = verify(&s, dir, &sum, &rest);
	if (!ret) {
		all = (struct part){ s.rig.n, sum.ranges, sum.insns };
		rest = (struct part){
			all.bytes - rest.bytes, all.ranges - rest.ranges, all.insns - rest.insns,
		};
		bench_parts(&s, SPEED_FRAMES, rounds, &all);
		bench_parts(&s, SPEED_PACKETS, rounds, &all);
		bench_blocks(&s, dir, kib, rounds, &all);
		bench_unseen(&s, dir, kib, rounds, &rest);
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
