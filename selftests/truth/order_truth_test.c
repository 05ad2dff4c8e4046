// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace units of processors that run at once, at different paces and with a skew, share a clock.
 * What they traced is merged by time: each range is where the truth has it, as exactly as its
 * timestamps allow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/encoder/encode-dice.h"
#include "../../tools/encoder/encoder.h"
#include "../../tools/input/order-event.h"
#include "../../tools/input/stream.h"

#define UNITS	3
#define BLOCKS	3000
#define CODE	0x10000		/* where the code of each is */
#define SIZE	64		/* bytes of a block; a power of two */
#define N_CODE	16		/* blocks of code */

/**
 * struct cpu - a processor and its trace unit
 * @ended: time when each block was over; @next: when the current one is
 * @clock_of: its own clock, which is @ahead of the common one
 * @ranges: decoded so far
 */
struct cpu {
	struct enc_setup setup;
	struct encoder *e;
	uint32_t code[N_CODE * SIZE / 4];
	uint64_t ended[BLOCKS], next, clock_of;
	int64_t ahead;
	size_t n, ranges;
	unsigned int pace, at;
	uint8_t *trace;
	size_t n_trace;
	struct input_source source;
	struct input in;
	struct csf_image *image;
	struct stream stream;
	struct order_clock clock;
	struct csf_element element;
};

FIXTURE(order)
{
	struct cpu cpu[UNITS];
	struct dice dice;
	uint64_t clock;
	struct order *order;
	int known;			/* 1: the skew of clocks is told; -1: it is wrong */
	uint64_t n[ORDER_KINDS];	/* ranges */
	uint64_t since, until;		/* sums, of those between */
};

static bool is_a64(const struct cpu *c)
{
	return enc_setup_a64(&c->setup);
}

/* Blocks of 1 to 15 NOPs and a branch to another block. */
static void make_code(struct cpu *c, struct dice *dice)
{
	for (int i = 0; i < N_CODE; i++) {
		uint32_t *block = &c->code[i * SIZE / 4];
		const int n = 1 + dice_below(dice, SIZE / 4 - 2);
		const int to = dice_below(dice, N_CODE);
		const int32_t words = (to - i) * (SIZE / 4) - n;

		for (int k = 0; k < n; k++)
			block[k] = is_a64(c) ? 0xd503201f : 0xe1a00000;
		block[n] = is_a64(c) ? 0x14000000 | (words & 0x3ffffff) :
				       0xea000000 | ((words - 2) & 0xffffff);
	}
}

static void make_cpu(struct cpu *c, struct dice *dice, const char *words, unsigned int pace,
		     uint64_t skew, const uint64_t *clock)
{
	const struct enc_context context = {
		.el = 1, .security = CSF_NONSECURE, .bits64 = true,
	};
	char problem[ENC_PROBLEM_MAX];

	if (enc_setup_parse(&c->setup, words, problem) || enc_new(&c->e, &c->setup, clock))
		abort();
	make_code(c, dice);
	c->pace = pace;
	c->next = skew;
	if (is_a64(c)) {
		enc_start(c->e, CODE, ENC_A64, &context);
		return;
	}
	enc_start(c->e, CODE, ENC_A32,
		  &(struct enc_context){ .el = 1, .security = CSF_NONSECURE });
}

/* The block is over now: tells its unit, and begins the next one. */
static void run_block(struct cpu *c, uint64_t now)
{
	struct enc_block block = {
		.pc = CODE + c->at * SIZE, .isa = is_a64(c) ? ENC_A64 : ENC_A32,
	};

	enc_scan(&c->setup, &block, &c->code[c->at * SIZE / 4], SIZE);
	if (enc_block(c->e, &block, block.last.target, block.isa) != ENC_KEPT)
		abort();
	c->ended[c->n++] = now;
	c->at = (block.last.target - CODE) / SIZE;
	c->next = now + (uint64_t)c->pace * block.n_insn;
}

/* All run until each has done its blocks. */
static void run(struct _test_data_order *self, unsigned int n)
{
	for (;;) {
		struct cpu *first = NULL;

		for (unsigned int i = 0; i < n; i++) {
			struct cpu *c = &self->cpu[i];

			if (c->n < BLOCKS && (!first || c->next < first->next))
				first = c;
		}
		if (!first)
			return;
		self->clock = first->next;
		first->clock_of = self->clock + first->ahead;
		run_block(first, self->clock);
	}
}

static void take_trace(struct cpu *c)
{
	const uint8_t *bytes;
	long n;

	enc_stop(c->e);
	enc_flush(c->e);
	n = enc_take(c->e, &bytes);
	c->trace = n > 0 ? malloc(n) : NULL;
	if (!c->trace)
		abort();
	memcpy(c->trace, bytes, n);
	c->n_trace = n;
}

static void open_stream(struct cpu *c)
{
	int text;

	if (csf_image_new(&c->image))
		abort();
	text = csf_section_bytes(c->image, (const uint8_t *)c->code, sizeof(c->code));
	csf_map(c->image, CSF_SPACE_ALL, CODE, sizeof(c->code), text, 0);
	c->source = (struct input_source){ .config = c->setup.config };
	c->in = (struct input){
		.name = "trace", .data = c->trace, .n = c->n_trace, .framing = INPUT_RAW,
		.source = &c->source, .n_source = 1, .image = c->image,
	};
	if (stream_open(&c->stream, &c->in, &c->source, 0, 0, false))
		abort();
}

static int next_of(void *owner, struct order_item *item)
{
	struct cpu *c = owner;
	const struct csf_element *e = stream_next(&c->stream);

	if (!e)
		return c->stream.error;
	c->element = *e;
	item->data = &c->element;
	item->n = sizeof(c->element);
	order_element(&c->clock, e, item);
	stream_take(&c->stream);
	return 1;
}

static void merge(struct _test_data_order *self, unsigned int n)
{
	struct order_source source[UNITS];

	for (unsigned int i = 0; i < n; i++) {
		struct cpu *c = &self->cpu[i];

		take_trace(c);
		open_stream(c);
		source[i] = (struct order_source){
			.next = next_of, .owner = c, .skew = self->known > 0 ? -c->ahead : 0,
			.clock = order_clock_of(&c->in, &c->source, i, &c->clock),
		};
	}
	if (order_new(&self->order, source, n, 0))
		abort();
}

FIXTURE_SETUP(order)
{
	dice_seed(&self->dice, 1);
	self->clock = 1;
}

FIXTURE_TEARDOWN(order)
{
	order_free(self->order);
	for (int i = 0; i < UNITS; i++) {
		struct cpu *c = &self->cpu[i];

		stream_close(&c->stream);
		csf_image_free(c->image);
		enc_free(c->e);
		free(c->trace);
	}
}

/* Is the truth within what is said of the time of a range? */
static bool is_true(const struct order_placed *p, uint64_t truth)
{
	switch ((enum order_kind)p->kind) {
	case ORDER_EXACT:
		return p->at == truth;
	case ORDER_TICKED:
	case ORDER_BETWEEN:
		return p->since <= truth && truth <= p->until && p->since <= p->at &&
		       p->at <= p->until;
	case ORDER_BEFORE:
		return truth <= p->until && p->at == p->until;
	case ORDER_AFTER:
		return p->since <= truth && p->at == p->since;
	default:
		return true;
	}
}

/* Looks at all items.  Return: how many are wrong; it says which. */
static unsigned int count_wrong(struct _test_data_order *self)
{
	struct order_placed p;
	unsigned int wrong = 0;
	uint64_t at = 0;
	int got;

	while ((got = order_next(self->order, &p)) > 0) {
		struct cpu *c = &self->cpu[p.source];
		struct csf_element e;
		bool good = true;

		memcpy(&e, p.data, sizeof(e));
		if (e.type == CSF_ELEM_INSTR_RANGE && c->ranges < BLOCKS) {
			good = is_true(&p, c->ended[c->ranges++]);
			self->n[p.kind]++;
			self->since += p.kind == ORDER_BETWEEN ? p.since : 0;
			self->until += p.kind == ORDER_BETWEEN ? p.until : 0;
		} else if (e.type == CSF_ELEM_TIMESTAMP && p.kind == ORDER_EXACT && c->ranges) {
			/* to the tick: when the range before it was over */
			good = e.timestamp == c->ended[c->ranges - 1] + c->ahead &&
			       p.at == c->ended[c->ranges - 1];
		}
		good &= p.kind == ORDER_NONE || p.at >= at;
		at = p.at;
		if (!good && wrong++ < 5 && self->known >= 0)
			printf("# unit %zu, range %zu: truth %llu, %s %llu-%llu at %llu\n",
			       p.source, c->ranges,
			       (unsigned long long)(c->ranges ? c->ended[c->ranges - 1] : 0),
			       order_kind_name(p.kind), (unsigned long long)p.since,
			       (unsigned long long)p.until, (unsigned long long)p.at);
	}
	return wrong + (got ? 1 : 0);
}

/* All ranges were seen, and nothing was wrong. */
#define CHECK(units) \
	do { \
		EXPECT_EQ(0, count_wrong(self)); \
		for (int i_ = 0; i_ < (units); i_++) \
			EXPECT_EQ(BLOCKS, self->cpu[i_].ranges); \
	} while (0)

TEST_F(order, timestamps_now_and_then)
{
	make_cpu(&self->cpu[0], &self->dice, "ete=1.1,ts=100", 1, 10, &self->clock);
	make_cpu(&self->cpu[1], &self->dice, "ptm=1.1,ts=300", 3, 777, &self->clock);
	make_cpu(&self->cpu[2], &self->dice, "etm4=4.2,ts=1000", 2, 5, &self->clock);
	run(self, 3);
	merge(self, 3);
	CHECK(3);
	/* most are between two timestamps, as far apart as was asked for */
	EXPECT_LT(8800, self->n[ORDER_BETWEEN]);
	EXPECT_LT((self->until - self->since) / self->n[ORDER_BETWEEN], 1000);
}

/* With a timestamp after each branch the whole order is known, to the tick. */
TEST_F(order, timestamps_always)
{
	struct order_placed p;
	uint64_t last = 0;

	/* at a periodic sync a PTM has one timestamp for two branches */
	make_cpu(&self->cpu[0], &self->dice, "ete=1.1,ts=1", 2, 10, &self->clock);
	make_cpu(&self->cpu[1], &self->dice, "ptm=1.1,ts=1,sync=1000000", 3, 777, &self->clock);
	run(self, 2);
	merge(self, 2);
	while (order_next(self->order, &p) > 0) {
		struct cpu *c = &self->cpu[p.source];
		struct csf_element e;

		memcpy(&e, p.data, sizeof(e));
		if (e.type != CSF_ELEM_INSTR_RANGE)
			continue;
		EXPECT_EQ(c->ended[c->ranges], p.at);
		EXPECT_LE(last, p.at);
		last = p.at;
		c->ranges++;
	}
	EXPECT_EQ(BLOCKS, self->cpu[0].ranges);
	EXPECT_EQ(BLOCKS, self->cpu[1].ranges);
}

/* The clock of one unit is ahead, by a number of ticks that is known, or not. */
static unsigned int skewed(struct _test_data_order *self, int known)
{
	self->known = known;
	self->clock = 100000;
	self->cpu[1].ahead = -12345;
	make_cpu(&self->cpu[0], &self->dice, "ete=1.1,ts=50", 1, 100010, &self->clock);
	make_cpu(&self->cpu[1], &self->dice, "etm4=4.2,ts=50", 3, 100777,
		 &self->cpu[1].clock_of);
	run(self, 2);
	merge(self, 2);
	return count_wrong(self);
}

TEST_F(order, known_skew)
{
	EXPECT_EQ(0, skewed(self, 1));
	EXPECT_EQ(BLOCKS, self->cpu[1].ranges);
}

TEST_F(order, unknown_skew)
{
	EXPECT_LT(BLOCKS - 100, skewed(self, -1));
}

TEST_F(order, markers)
{
	make_cpu(&self->cpu[0], &self->dice, "ete=1.1,ts=100,marker", 1, 10, &self->clock);
	make_cpu(&self->cpu[1], &self->dice, "etm4=4.6,ts=300,marker,cc=4", 3, 777, &self->clock);
	run(self, 2);
	merge(self, 2);
	EXPECT_EQ(0, count_wrong(self));
	EXPECT_EQ(BLOCKS, self->cpu[1].ranges);
}

/* Cycles are those of the clock, but for a factor and chance: most ranges are near the truth. */
TEST_F(order, cycles)
{
	make_cpu(&self->cpu[0], &self->dice, "ete=1.1,ts=1000,cc=4", 1, 10, &self->clock);
	make_cpu(&self->cpu[1], &self->dice, "ptm=1.1,ts=1000,cc", 3, 777, &self->clock);
	run(self, 2);
	merge(self, 2);
	CHECK(2);
	EXPECT_LT(5500, self->n[ORDER_TICKED]);
}

/* One of them sends no timestamps: all that is known of it is said to be unknown. */
TEST_F(order, no_timestamps)
{
	char words[200];

	make_cpu(&self->cpu[0], &self->dice, "ete=1.1,ts=100", 1, 10, &self->clock);
	make_cpu(&self->cpu[1], &self->dice, "ptm=1.1", 3, 777, &self->clock);
	run(self, 2);
	merge(self, 2);
	CHECK(2);
	EXPECT_EQ(BLOCKS, self->n[ORDER_NONE]);
	EXPECT_TRUE(order_words(order_state(self->order, 1), ORDER_NO_CLOCK, words,
				sizeof(words)));
	EXPECT_STREQ("it has no timestamps: it is not in order with the others", words);
}

TEST_HARNESS_MAIN
