// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speed of taking frames apart: bench_frame [FILE [TIMES [memory|tpiu|dstream]]]
 *
 * FILE "random" is 1 MiB of frames of which 27 % have an ID byte, at random places
 * and for five IDs; "single" is 1 MiB of one ID without any; without FILE it is both
 * in turn.  The clients attached take the bytes and forget them, so only frames and the map of
 * offsets are measured.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../decoder/frames.h"

#define SYNTHETIC	(1u << 20)

static int take(void *client, const void *trace, size_t n)
{
	*(uint64_t *)client += n;
	return 0;
}

static int end(void *client, bool last)
{
	return 0;
}

static void reset(void *client)
{
	*(uint64_t *)client = 0;
}

static const struct frame_taker taker = { .feed = take, .end = end, .reset = reset };

static uint32_t rnd(void)
{
	static uint64_t seed = 88172645463325252ull;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

static uint8_t *synthetic(bool ids)
{
	uint8_t *p = malloc(SYNTHETIC);
	size_t i;

	if (!p)
		return NULL;
	for (i = 0; i < SYNTHETIC; i++)
		p[i] = i % 16 % 2 ? rnd() : rnd() & 0xfe;
	for (i = 0; ids && i < SYNTHETIC; i += 16)
		if (rnd() % 100 < 27)
			p[i + rnd() % 8 * 2] = (0x10 + rnd() % 5) << 1 | 1;
	p[0] = 0x21;
	return p;
}

static uint8_t *whole(const char *path, size_t *n)
{
	FILE *file = fopen(path, "rb");
	uint8_t *p = NULL;
	long size;

	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	if (size > 0) {
		rewind(file);
		p = malloc(size);
		*n = p ? fread(p, 1, size, file) : 0;
	}
	fclose(file);
	return p;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec + now.tv_nsec * 1.0 / 1000000000;
}

static void pass(struct csf_frames *frames, const uint8_t *data, size_t n)
{
	long taken;

	while (n) {
		taken = csf_frames_feed(frames, data, n);
		if (taken <= 0)
			exit(1);
		data += taken;
		n -= taken;
	}
	csf_frames_end(frames);
}

static enum csf_framing framing_named(const char *name)
{
	if (!strcmp(name, "tpiu"))
		return CSF_FRAMES_TPIU;
	return strcmp(name, "dstream") ? CSF_FRAMES_MEMORY : CSF_FRAMES_DSTREAM;
}

static int bench(const char *name, int times, enum csf_framing framing)
{
	static uint64_t bytes[CSF_ID_MAX];
	struct csf_frames *frames;
	size_t n = SYNTHETIC;
	double best = 1e9;
	uint8_t *data;
	int i;

	if (!strcmp(name, "random") || !strcmp(name, "single"))
		data = synthetic(name[0] == 'r');
	else
		data = whole(name, &n);
	if (!data || !n || csf_frames_new(&frames, framing, 0)) {
		fprintf(stderr, "bench_frame: %s: no such file, or no memory\n", name);
		free(data);
		return 1;
	}
	for (i = 1; i < 0x70; i++)
		frames_attach(frames, i, &bytes[i], &taker);
	for (i = 0; i < times; i++) {
		const double from = seconds();
		double took;

		pass(frames, data, n);
		took = seconds() - from;
		best = took < best ? took : best;
	}
	printf("frames of %s: %zu bytes, best of %d: %.0f MB/s\n", name, n, times,
	       n / best / 1e6);
	csf_frames_free(frames);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	const int times = argc > 2 ? atoi(argv[2]) : 100;

	if (argc > 1)
		return bench(argv[1], times, framing_named(argc > 3 ? argv[3] : "memory"));
	return bench("single", times, CSF_FRAMES_MEMORY) ||
	       bench("random", times, CSF_FRAMES_MEMORY);
}
