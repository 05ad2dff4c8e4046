// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of an MTB, however it is fed, against the naive walker, on packets made by dice.
 *
 *	mtb_random_test				CSFLOW_SEEDS traces; else 1500
 *	CSFLOW_SEED=n mtb_random_test		that one, with both texts if they differ
 */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../lib/random-classic.h"

#define PACKETS	40

static const char program[] =
	"config mtb\n"
	"code 0x1000 t32\n"
	"a:	nop\n"
	"	isb\n"
	"	beq a\n"
	"b:	.half 0xbf04\n"		/* itt eq */
	"	nop\n"
	"c:	bx\n"
	"	b .+2\n"
	"d:	bl f\n"
	"e:	cbz a\n"
	"	.half 0xbf01\n"		/* itttt eq */
	"	nop.w\n"
	"	nop\n"
	"	nop\n"
	"	b a\n"
	"f:	.half 0xb500\n"		/* push {lr} */
	"	le d\n"
	"g:	pop.pc\n"
	"code 0x2000 t32\n"
	"h:	bx\n"
	"i:	.repeat 1100 nop\n"
	"j:	b i\n";

static uint64_t roll_place(const struct trace_case *c, struct dice *d)
{
	static const uint32_t returns[] = { 0xfffffff8, 0xfffffffc, 0xfefffffe, 0xfdfffffe };

	if (!roll(d, 8))
		return returns[roll(d, 4)];
	return c->label[roll(d, c->n_label)].addr + (roll(d, 3) ? 0 : 2 * roll(d, 8));
}

/* Most packets begin after the place where the one before led to; an exception may begin there. */
static void make(struct trace_case *c, struct dice *d)
{
	uint64_t at = 0x1000;

	for (int i = 0; i < PACKETS; i++) {
		struct csf_packet pkt = { .type = CSF_PKT_BRANCH, .n = 32 };

		pkt.val = roll(d, 4) ? at + 2 * roll(d, 12) : roll_place(c, d);
		pkt.val2 = roll_place(c, d);
		pkt.info = (roll(d, 3) ? 0 : 0x01) | (roll(d, 12) ? 0 : 0x02);
		at = pkt.val2;
		if (at >= 0xfe000000)
			at -= 2 * roll(d, 2);
		classic_put_packet(c, &pkt);
	}
	if (!roll(d, 4))
		c->piece[0].n -= 1 + roll(d, 7);
}

TEST(as_the_walker)
{
	unsigned long seed, end;

	for (classic_seeds(CLASSIC_SEEDS, &seed, &end); seed < end; seed++) {
		struct dice d = { .state = seed * 53 + 9 };
		struct trace_case c;

		ASSERT_TRUE(classic_read_case(&c, program));
		make(&c, &d);
		EXPECT_TRUE(classic_as_walker(&c, seed));
		case_fini(&c);
	}
}

TEST_HARNESS_MAIN
