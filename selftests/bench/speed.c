// SPDX-License-Identifier: GPL-2.0-only
#include "speed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* Memory that is not touched costs nothing: enough for 10^7 blocks and more. */
#define N_COUNT	(1u << 25)

const char *const speed_job_name[SPEED_JOBS] = { "frames", "packets", "runs", "counts" };

/* Cuts the trace, or repeats it. */
static int resize(struct rig *rig, size_t n)
{
	const size_t once = rig->n;
	uint8_t *data;

	if (n > once) {
		n = (n + once - 1) / once * once;
		data = realloc(rig->data, n + 1);
		if (!data)
			return -1;
		rig->data = data;
		for (size_t i = once; i < n; i += once)
			memcpy(data + i, data, once);
	}
	rig->n = n;
	return 0;
}

/* The peer has had its code in memory for long; ours was mapped just now. */
static uint32_t touch_code(const struct rig *rig)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < rig->image.n_file; i++)
		for (size_t k = 0; k < rig->image.file[i].n; k += 4096)
			sum += rig->image.file[i].data[k];
	return sum;
}

int speed_open(struct speed *s, const char *dir, uint64_t kib)
{
	s->count = calloc(N_COUNT, sizeof(*s->count));
	if (!s->count || rig_open(&s->rig, dir, NULL) ||
	    (kib && s->rig.n && resize(&s->rig, kib << 10)))
		return -1;
	s->count[0] = touch_code(&s->rig);
	s->count[0] = 0;
	return 0;
}

void speed_close(struct speed *s)
{
	for (int i = 0; i < SPEED_JOBS; i++)
		peer_free(s->peer[i]);
	rig_close(&s->rig);
	free(s->count);
}

static void add_ranges(void *context, const struct rig_stream *stream, const struct csf_run *run)
{
	struct speed_found *found = context;

	found->ranges += run->n;
}

/* The counts end as they began, as zeros. */
static void add_counts(struct speed *s, struct speed_found *found)
{
	const struct csf_image *image = s->rig.image.image;
	const uint32_t n = csf_block_count(image);
	struct csf_block block;

	for (uint32_t i = 1; i <= n && i < N_COUNT / 2; i++) {
		uint64_t times = (uint64_t)s->count[2 * i] + s->count[2 * i + 1];

		if (!times)
			continue;
		csf_block(image, i, &block);
		found->ranges += times;
		found->insns += times * block.n_insn;
		s->count[2 * i] = 0;
		s->count[2 * i + 1] = 0;
	}
}

static int pass_ours(struct speed *s, enum speed_job job, struct speed_found *found)
{
	struct rig *rig = &s->rig;
	uint64_t n = 0;
	int ret;

	switch (job) {
	case SPEED_FRAMES:
		return rig_frames(rig, rig->data, rig->n, &n);
	case SPEED_PACKETS:
		return rig_packets(rig, rig->data, rig->n, &n);
	case SPEED_RUNS:
		rig_reset(rig);
		return rig_runs(rig, rig->data, rig->n, add_ranges, found);
	default:
		rig_reset(rig);
		ret = rig_count(rig, rig->data, rig->n, s->count, N_COUNT);
		add_counts(s, found);
		return ret;
	}
}

static int pass_peer(struct speed *s, enum speed_job job, struct speed_found *found)
{
	static const enum peer_mode mode[SPEED_JOBS] = { PEER_FRAMES, PEER_PACKETS, PEER_FULL,
							 PEER_FULL };
	struct rig_sum sum = { 0 };
	int ret;

	if (!s->peer[job])
		s->peer[job] = peer_new(&s->rig, mode[job]);
	if (!s->peer[job])
		return -1;
	ret = peer_run(s->peer[job], s->rig.data, s->rig.n, false, &sum);
	found->ranges += sum.ranges;
	found->insns += sum.insns;
	return ret;
}

/* callgrind counts what runs in a function of this name. */
__attribute__((noinline)) int speed_pass(struct speed *s, enum speed_job job, bool peer,
					 struct speed_found *found)
{
	*found = (struct speed_found){ 0 };
	if (job == SPEED_FRAMES && !s->rig.framed)
		return -1;
	return peer ? pass_peer(s, job, found) : pass_ours(s, job, found);
}

double speed_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

uint64_t speed_peak(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (uint64_t)used.ru_maxrss << 10;
}
