// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts how often each block ran, from a capture in frames, with two threads:
 *
 *	count-frames FRAMES ID [FILE@ADDRESS | REGISTER=VALUE]...
 *
 * FRAMES holds frames of 16 bytes, as an ETR writes them.  ID is the trace ID of the unit.
 */
#include <inttypes.h>

#include "example.h"

/* Blocks and paths have numbers from 1 on. */
struct counts {
	uint64_t *block, *path;
	size_t n_block, n_path;
};

static void add(uint64_t **count, size_t *n, uint32_t number)
{
	if (number >= *n) {
		const size_t more = 2 * (size_t)number + 64;

		*count = realloc(*count, more * sizeof(**count));
		if (!*count)
			die("counts", csf_strerror(CSF_ERR_MEMORY));
		memset(*count + *n, 0, (more - *n) * sizeof(**count));
		*n = more;
	}
	(*count)[number]++;
}

static void count(struct counts *c, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		const uint32_t step = run->step[i];

		if (csf_step_is_path(step))
			add(&c->path, &c->n_path, step & ~CSF_PATH);
		else
			add(&c->block, &c->n_block, csf_step_block(step));
	}
}

/* A path was counted once for all its steps. */
static void unfold(struct counts *c, const struct csf_image *image)
{
	for (size_t p = 0; p < c->n_path; p++) {
		const uint32_t *steps;
		size_t n = c->path[p] ? csf_path(image, p, &steps) : 0;

		for (size_t i = 0; i < n; i++) {
			const uint32_t number = csf_step_block(steps[i]);

			add(&c->block, &c->n_block, number);
			c->block[number] += c->path[p] - 1;
		}
	}
}

static void print(const struct counts *c, const struct csf_image *image)
{
	for (size_t i = 1; i < c->n_block; i++) {
		struct csf_block block;

		if (c->block[i] && !csf_block(image, i, &block))
			printf("section %u offset %#" PRIx64 ": %u instructions, %" PRIu64
			       " times\n", block.section, block.offset, block.n_insn, c->block[i]);
	}
}

static void decode(struct counts *c, struct csf_decoder *dec)
{
	struct csf_run run;
	int err;

	while ((err = csf_next(dec, &run)) > 0)
		count(c, &run);
	if (err)
		die("decoder", csf_strerror(err));
}

int main(int argc, char **argv)
{
	struct csf_config config = { .size = sizeof(config) };
	struct csf_frames *frames = NULL;
	struct csf_threads *threads = NULL;
	struct csf_decoder *dec = NULL;
	struct csf_image *image;
	struct counts counts = { 0 };
	unsigned char *bytes;
	size_t n, at = 0;
	int err;

	if (argc < 3)
		die("count-frames", "want FRAMES ID [FILE@ADDRESS | REGISTER=VALUE]...");
	bytes = read_file(argv[1], &n);
	if (csf_image_new(&image))
		die("image", csf_strerror(CSF_ERR_MEMORY));
	take_words(image, &config, argv + 2);

	err = csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0);
	if (!err)
		err = csf_new(&dec, &config, image);
	if (!err)
		err = csf_ask_paths(dec, true);
	if (!err)
		err = csf_threads_new(&threads, 1);
	if (!err)
		err = csf_set_threads(dec, threads);
	if (!err)
		err = csf_attach(frames, strtoul(argv[2], NULL, 0), dec);
	if (err)
		die("decoder", csf_strerror(err));

	while (at < n) {
		const long taken = csf_frames_feed(frames, bytes + at, n - at);

		if (taken < 0)
			die(argv[1], csf_strerror(taken));
		at += taken;
		decode(&counts, dec);
	}
	csf_frames_end(frames);
	decode(&counts, dec);
	unfold(&counts, image);
	print(&counts, image);

	csf_frames_free(frames);
	csf_free(dec);
	csf_threads_free(threads);
	csf_image_free(image);
	free(counts.block);
	free(counts.path);
	free(bytes);
	return 0;
}
