// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkblocks DIR BLOCKS STEPS [HOT [UNIT]]
 *
 * Makes a snapshot in DIR of a program of BLOCKS blocks of 16 bytes, and of STEPS of them, in an
 * order that is always the same.  By turns a block ends with a conditional branch to another, and
 * with an indirect branch to any.  With HOT, the first so many are where 90 % of the steps are.
 * UNIT traces it: etm4=4.2.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/encoder/encode-dice.h"
#include "../../tools/encoder/encoder.h"
#include "snap-write.h"

#define BASE		0x400000ull
#define SIZE		16u
#define NOP		0xd503201fu
#define BR_X0		0xd61f0000u
#define TAKE_AT		65536u		/* bytes */

/**
 * struct blocks - the program
 * @code: four instructions for each of @n blocks
 * @hot: of these the first
 */
struct blocks {
	uint32_t *code;
	uint32_t n, hot;
	struct dice dice;
};

/* Sometimes one of the cold blocks, otherwise one of the hot ones. */
static uint32_t any_block(struct blocks *b)
{
	if (b->hot < b->n && dice_once_in(&b->dice, 10))
		return b->hot + dice_below(&b->dice, b->n - b->hot);
	return dice_below(&b->dice, b->hot);
}

/* B.EQ reaches 1 MiB: to a block near by, and of the same kind. */
static uint32_t branch_from(struct blocks *b, uint32_t i)
{
	const uint32_t from = i < b->hot ? 0 : b->hot, to = i < b->hot ? b->hot : b->n;
	const uint32_t first = i - from > 1000 ? i - 1000 : from;
	const uint32_t last = to - i > 1000 ? i + 1000 : to;
	const uint32_t target = first + dice_below(&b->dice, last - first);

	return 0x54000000 | (((target - i) * 4 - 3) << 5 & 0x00ffffe0);
}

static void make_code(struct blocks *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		b->code[4 * i] = NOP;
		b->code[4 * i + 1] = NOP;
		b->code[4 * i + 2] = NOP;
		b->code[4 * i + 3] = i % 2 ? BR_X0 : branch_from(b, i);
	}
}

static void take(struct encoder *e, FILE *out)
{
	const uint8_t *bytes;
	size_t n = enc_take(e, &bytes);

	fwrite(bytes, 1, n, out);
}

static void make_trace(struct blocks *b, const struct enc_setup *setup, uint64_t steps, FILE *out)
{
	const struct enc_context context = { .security = CSF_NONSECURE, .bits64 = true };
	const uint64_t clock = 0;
	struct encoder *e;
	uint32_t at = 0;

	if (enc_new(&e, setup, &clock))
		exit(1);
	enc_start(e, BASE, ENC_A64, &context);
	while (steps--) {
		struct enc_block block = { .pc = BASE + (uint64_t)SIZE * at, .isa = ENC_A64 };

		enc_scan(setup, &block, b->code + 4 * (size_t)at, SIZE);
		if (block.last.class == ENC_INDIRECT)
			at = any_block(b);
		else if (dice_below(&b->dice, 2))
			at = (block.last.target - BASE) / SIZE;
		else
			at++;
		enc_block(e, &block, BASE + (uint64_t)SIZE * at, ENC_A64);
		if (enc_pending(e) > TAKE_AT)
			take(e, out);
	}
	enc_stop(e);
	take(e, out);
	enc_free(e);
}

static void make_snapshot(struct blocks *b, const char *dir, uint64_t steps, const char *unit)
{
	char problem[ENC_PROBLEM_MAX];
	struct enc_setup setup;
	FILE *f;

	if (enc_setup_parse(&setup, unit, problem)) {
		fprintf(stderr, "mkblocks: %s\n", problem);
		exit(2);
	}
	snap_begin(dir, &setup.config, 0x10, true);
	f = snap_core(dir);
	snap_code(f, "code.bin", BASE, (uint64_t)SIZE * b->n);
	snap_close(f);
	f = snap_make(dir, "code.bin");
	fwrite(b->code, SIZE, b->n, f);
	snap_close(f);
	f = snap_make(dir, "trace.bin");
	make_trace(b, &setup, steps, f);
	snap_close(f);
}

int main(int argc, char **argv)
{
	struct blocks b = { .n = argc > 3 ? strtoul(argv[2], NULL, 10) & ~1u : 0 };

	b.hot = argc > 4 ? strtoul(argv[4], NULL, 10) & ~1u : b.n;
	if (argc < 4 || argc > 6 || b.n < 2 || b.hot < 2 || b.hot > b.n) {
		fprintf(stderr, "usage: mkblocks DIR BLOCKS STEPS [HOT [UNIT]]\n");
		return 2;
	}
	b.code = calloc(b.n, SIZE);
	if (!b.code)
		return 1;
	dice_seed(&b.dice, 1);
	make_code(&b);
	make_snapshot(&b, argv[1], strtoull(argv[3], NULL, 10), argc > 5 ? argv[5] : "etm4=4.2");
	free(b.code);
	return 0;
}
