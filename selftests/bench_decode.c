// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_decode - csflow and Debian's libopencsd over the same trace, in one run
 *
 *	bench_decode [-r ROUNDS] SNAPSHOT...
 *
 * First both decode the buffer and a checksum of (start, end, taken) over every
 * range must be equal; then frames, packets and full decode are timed in turn,
 * and the best CPU time of all rounds counts.  Only the ratio means something.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "peer.h"

#define N_COUNT	(1u << 22)

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct bench {
	struct rig rig;
	struct peer *peer[3];
	uint32_t *count;
	struct rig_sum ours, theirs;
};

/* One pass of ours; @mode as the peer's. */
static int pass(struct bench *b, enum peer_mode mode)
{
	uint64_t n = 0;

	switch (mode) {
	case PEER_FRAMES:
		return rig_frames(&b->rig, b->rig.data, b->rig.n, &n);
	case PEER_PACKETS:
		return rig_packets(&b->rig, b->rig.data, b->rig.n, &n);
	case PEER_FULL:
		rig_reset(&b->rig);
		return rig_count(&b->rig, b->rig.data, b->rig.n, b->count, N_COUNT);
	}
	return -1;
}

/* Best seconds of a pass: repeats short ones until 20 ms have gone by. */
static double time_ours(struct bench *b, enum peer_mode mode)
{
	double start = cpu(), took;
	unsigned int n = 0;

	do {
		pass(b, mode);
		n++;
		took = cpu() - start;
	} while (took < 0.02);
	return took / n;
}

static double time_peer(struct bench *b, enum peer_mode mode)
{
	double start = cpu(), took;
	struct rig_sum sum = { 0 };
	unsigned int n = 0;

	do {
		peer_run(b->peer[mode], b->rig.data, b->rig.n, false, &sum);
		n++;
		took = cpu() - start;
	} while (took < 0.02);
	return took / n;
}

static void row(struct bench *b, enum peer_mode mode, unsigned int rounds)
{
	static const char *const name[] = { "frames", "packets", "full decode, warm" };
	double ours = 1e9, theirs = 1e9;

	if (!b->peer[mode]) {
		printf("  %-18s the peer cannot do it\n", name[mode]);
		return;
	}
	for (unsigned int i = 0; i < rounds; i++) {
		double t = time_ours(b, mode);

		ours = t < ours ? t : ours;
		t = time_peer(b, mode);
		theirs = t < theirs ? t : theirs;
	}
	printf("  %-18s %10.1f MB/s  peer %8.1f MB/s  ratio %6.1f", name[mode],
	       b->rig.n / ours / 1e6, b->rig.n / theirs / 1e6, theirs / ours);
	if (mode == PEER_FULL)
		printf("   %.2f ns a range, peer %.1f", ours * 1e9 / b->ours.ranges,
		       theirs * 1e9 / b->theirs.ranges);
	putchar('\n');
}

/* The peer has had its code in memory for long; ours was mapped just now. */
static uint8_t touch_code(const struct rig *rig)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < rig->image.n_file; i++)
		for (size_t k = 0; k < rig->image.file[i].n; k += 4096)
			sum += rig->image.file[i].data[k];
	return sum;
}

/* The first pass ever: no block is known yet. */
static void first_pass(const char *dir, struct bench *warm, unsigned int rounds)
{
	double best = 1e9, theirs = 1e9;

	for (unsigned int i = 0; i < rounds; i++) {
		struct bench b = { .count = warm->count };
		double start, t;

		if (!rig_open(&b.rig, dir, NULL)) {
			b.count[0] += touch_code(&b.rig);
			start = cpu();
			pass(&b, PEER_FULL);
			t = cpu() - start;
			best = t < best ? t : best;
			t = time_peer(warm, PEER_FULL);
			theirs = t < theirs ? t : theirs;
		}
		rig_close(&b.rig);
	}
	printf("  %-18s %10.1f MB/s  peer %8.1f MB/s  ratio %6.1f\n", "full decode, first",
	       warm->rig.n / best / 1e6, warm->rig.n / theirs / 1e6, theirs / best);
}

static int bench(const char *dir, unsigned int rounds)
{
	struct bench b = { .count = calloc(N_COUNT, sizeof(uint32_t)) };
	int ret = -1;

	if (!b.count || rig_open(&b.rig, dir, NULL))
		goto out;
	for (int m = PEER_FRAMES; m <= PEER_FULL; m++)
		b.peer[m] = m == PEER_FRAMES && !b.rig.framed ? NULL : peer_new(&b.rig, m);
	if (!b.peer[PEER_FULL])
		goto out;
	if (rig_sum(&b.rig, b.rig.data, b.rig.n, &b.ours) ||
	    peer_run(b.peer[PEER_FULL], b.rig.data, b.rig.n, true, &b.theirs))
		goto out;
	printf("%s: %zu bytes, %llu ranges, %llu instructions\n", dir, b.rig.n,
	       (unsigned long long)b.ours.ranges, (unsigned long long)b.ours.insns);
	ret = b.ours.sum == b.theirs.sum && b.ours.insns == b.theirs.insns ? 0 : 1;
	if (ret)
		printf("  not equal: the peer has %llu ranges, %llu instructions; not timed\n",
		       (unsigned long long)b.theirs.ranges, (unsigned long long)b.theirs.insns);
	else
		printf("  verified: the same ranges on both sides, checksum %016llx\n",
		       (unsigned long long)b.ours.sum);
	for (int m = b.rig.framed ? PEER_FRAMES : PEER_PACKETS; !ret && m <= PEER_FULL; m++)
		row(&b, m, rounds);
	if (!ret)
		first_pass(dir, &b, rounds);
out:
	for (int m = PEER_FRAMES; m <= PEER_FULL; m++)
		peer_free(b.peer[m]);
	rig_close(&b.rig);
	free(b.count);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned int rounds = 5;
	int i = 1, bad = 0;

	if (argc > 2 && !strcmp(argv[1], "-r")) {
		rounds = strtoul(argv[2], NULL, 10);
		i = 3;
	}
	if (i == argc) {
		fprintf(stderr, "usage: bench_decode [-r ROUNDS] SNAPSHOT...\n");
		return 2;
	}
	printf("peer: %s\n", peer_version());
	for (; i < argc; i++)
		bad |= bench(argv[i], rounds);
	return bad ? 1 : 0;
}
