// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_samples - the cost of making samples of runs
 *
 *	bench_samples SNAPSHOT...
 *
 * The runs of a trace are kept; then samples are made of them again and again,
 * as perf asks for them, and the best CPU time counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../perf-plugin/perf-sample.h"
#include "../lib/rig.h"

struct kept {
	struct csf_run run;
	struct csf_decoder *dec;
	unsigned int stream;
};

struct bench {
	struct rig rig;
	struct kept *kept;
	size_t n, size;
	uint64_t steps, insns, taken, samples;
	bool failed;
};

static void *copy(const void *p, size_t n)
{
	void *c = malloc(n + 1);

	return c ? memcpy(c, p, n) : NULL;
}

static void keep(void *context, const struct rig_stream *stream, const struct csf_run *run)
{
	struct bench *b = context;
	struct kept *k;

	if (b->n == b->size) {
		b->size = 2 * b->size + 1024;
		k = realloc(b->kept, b->size * sizeof(*k));
		if (!k) {
			b->failed = true;
			b->size = b->n;
			return;
		}
		b->kept = k;
	}
	k = &b->kept[b->n++];
	*k = (struct kept){ .run = *run, .dec = stream->dec, .stream = stream - b->rig.stream };
	k->run.step = copy(run->step, run->n * sizeof(*run->step));
	k->run.mark = copy(run->mark, run->n_mark * sizeof(*run->mark));
	b->failed |= !k->run.step || !k->run.mark;
	b->steps += run->n;
}

/* Return: seconds. */
static double pass(struct bench *b, const struct cs_samples_options *options)
{
	struct cs_sample_state state[RIG_STREAMS] = { 0 };
	struct cs_sample sample;
	struct cs_samples it;
	clock_t start;

	cs_samples_init(&it, options, b->rig.image.image);
	b->taken = 0;
	b->samples = 0;
	b->insns = 0;
	start = clock();
	for (size_t i = 0; i < b->n && !b->failed; i++) {
		const struct kept *k = &b->kept[i];
		const struct cs_samples_input in = { .dec = k->dec, .run = &k->run };

		if (cs_samples_run(&it, &state[k->stream], &in))
			break;
		while (cs_samples_next(&it, &sample)) {
			b->taken += sample.moves;
			b->samples += sample.wanted;
		}
	}
	for (unsigned int i = 0; i < b->rig.n_stream; i++)
		b->insns += state[i].clock.insns;
	start = clock() - start;
	cs_samples_fini(&it);
	return (double)start / CLOCKS_PER_SEC;
}

static double best(struct bench *b, const struct cs_samples_options *options)
{
	double least = 1e9;

	for (int i = 0; i < 7; i++) {
		double t = pass(b, options);

		least = t < least ? t : least;
	}
	return least * 1e9;
}

static void rows(struct bench *b)
{
	const struct cs_samples_options rare = { .insns = true, .period = 1000000 };
	const struct cs_samples_options stack = {
		.insns = true, .period = 1000, .moves = true, .insn_bytes = true,
	};
	const struct cs_samples_options branches = { .branches = true, .insn_bytes = true };
	const struct cs_samples_options all = { .insns = true, .period = 1, .insn_bytes = true };
	double t = best(b, &rare);

	printf("  i1000000i  %6.2f ns a step (%llu steps, %llu instructions)\n", t / b->steps,
	       (unsigned long long)b->steps, (unsigned long long)b->insns);
	t = best(b, &stack);
	printf("  i1000il    %6.2f ns a branch taken (%llu)\n", t / b->taken,
	       (unsigned long long)b->taken);
	t = best(b, &branches);
	printf("  b          %6.2f ns a sample (%llu)\n", t / b->samples,
	       (unsigned long long)b->samples);
	t = best(b, &all);
	printf("  i1i        %6.2f ns a sample (%llu)\n", t / b->samples,
	       (unsigned long long)b->samples);
}

static int bench(const char *dir)
{
	struct bench b = { 0 };
	int ret = -1;

	if (!rig_open(&b.rig, dir, NULL) && !rig_runs(&b.rig, b.rig.data, b.rig.n, keep, &b) &&
	    !b.failed) {
		printf("samples of %s: %zu runs\n", dir, b.n);
		rows(&b);
		ret = 0;
	}
	for (size_t i = 0; i < b.n; i++) {
		free((void *)b.kept[i].run.step);
		free((void *)b.kept[i].run.mark);
	}
	free(b.kept);
	rig_close(&b.rig);
	return ret;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: bench_samples SNAPSHOT...\n");
		return 2;
	}
	for (int i = 1; i < argc; i++)
		bad |= bench(argv[i]);
	return bad ? 1 : 0;
}
