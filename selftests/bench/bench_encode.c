// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_encode - the cost of a block in the encoder
 *
 *	bench_encode [UNIT...]
 *
 * A way through a random program, walked again and again, without the cost of
 * finding it; for each option string given, or for a few.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../lib/encoder-program.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define WAY	20000
#define BLOCKS	20000000

struct stop {
	struct enc_block block;
	uint64_t next;
};

static struct stop way[WAY];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A loop of calls and conditional branches; the last block goes back to the first. */
static void find_way(const struct enc_setup *setup)
{
	struct program p;
	struct dice dice;
	enum enc_isa isa = ENC_A64;
	uint64_t pc, calls[64];
	unsigned int n_calls = 0;

	program_make(&p, PROGRAM_A64, 0, 1);
	dice_seed(&dice, 1);
	pc = program_target(&p, ENC_A64, false, &isa);
	for (int i = 0; i < WAY; i++) {
		const struct area *a = program_area(&p, pc);
		struct enc_block *b = &way[i].block;
		bool taken;

		*b = (struct enc_block){ .pc = pc, .isa = ENC_A64 };
		enc_scan(setup, b, a->code + (pc - a->addr), a->n - (pc - a->addr));
		taken = !(b->last.flags & ENC_COND) || dice_below(&dice, 2);
		pc += b->size;
		if (taken && b->last.flags & ENC_LINK && n_calls < 64)
			calls[n_calls++] = pc;
		if (taken && b->last.class == ENC_DIRECT)
			pc = b->last.target;
		else if (b->last.class == ENC_INDIRECT)
			pc = n_calls ? calls[--n_calls] : program_target(&p, ENC_A64, false, &isa);
		way[i].next = pc;
	}
	program_free(&p);
}

static int bench(const char *words)
{
	const struct enc_context context = { .security = CSF_NONSECURE, .bits64 = true };
	char problem[ENC_PROBLEM_MAX];
	struct enc_setup setup;
	struct enc_stats stats;
	struct encoder *e;
	const uint8_t *bytes;
	uint64_t insns = 0;
	double t;

	if (enc_setup_parse(&setup, words, problem) || enc_new(&e, &setup, &insns)) {
		fprintf(stderr, "bench_encode: %s\n", problem);
		return 1;
	}
	find_way(&setup);
	enc_start(e, way[0].block.pc, ENC_A64, &context);
	t = now();
	for (int i = 0; i < BLOCKS / WAY; i++) {
		for (int j = 0; j < WAY; j++) {
			const struct stop *s = &way[j];

			insns += s->block.n_insn;
			enc_block(e, &s->block, s->next, ENC_A64);
		}
		if (enc_pending(e) > 1 << 16)
			enc_take(e, &bytes);
	}
	t = now() - t;
	enc_stats(e, &stats);
	printf("%-40s %5.1f ns a block, %5.2f bytes, %4.1f instructions\n", words,
	       t * 1e9 / BLOCKS, (double)stats.bytes / BLOCKS, (double)insns / BLOCKS);
	enc_free(e);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {
		"ete=1.1", "ete=1.1,rs,cid", "rs,cid,ts=10000", "rs,cid,ts=10000,marker,cc=256",
		"rs,cc=4", "bb", "spec=8:100", "rs,q=20", "source=5",
	};
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= bench(argv[i]);
	for (size_t i = 0; argc < 2 && i < ARRAY_SIZE(usual); i++)
		bad |= bench(usual[i]);
	return bad;
}
