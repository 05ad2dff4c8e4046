// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of PTM, however it is fed, against the naive walker, on traces made by dice, and
 * against what was executed.
 *
 *	ptm_random_test				CSFLOW_SEEDS traces; else 1500
 *	CSFLOW_SEED=n ptm_random_test		that one, with both texts if they differ
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../lib/random-classic.h"
#include "../lib/random-ptm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define EXECUTED	400

static void roll_cycles(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	if (!(c->config.etmcr & 1 << 12))
		return;
	pkt->flags |= CSF_PKT_COUNT;
	pkt->count = roll(d, 1u << roll(d, 20));
}

static const uint8_t short_bits[3] = { 6, 12, 19 };

static void put_branch(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_BRANCH };

	classic_roll_address(c, d, &pkt);
	if (!roll(d, 3))
		classic_roll_short(d, short_bits, &pkt);
	if (pkt.n > 6 && !roll(d, 3)) {
		pkt.flags |= CSF_PKT_CTXT;
		pkt.exception = roll(d, 17);
		pkt.info |= roll(d, 2) ? 0x08 : 0;
		pkt.info |= roll(d, 8) ? 0 : 0x02;
		pkt.info |= roll(d, 30) ? 0 : 0x04;
	}
	roll_cycles(c, d, &pkt);
	classic_put_packet(c, &pkt);
}

static void put_isync(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_ISYNC };
	const uint32_t reason = roll(d, 3) ? 0 : roll(d, 4);

	classic_roll_address(c, d, &pkt);
	pkt.info = reason << 5 | (roll(d, 3) ? 0 : 0x08) | (roll(d, 30) ? 0 : 0x04);
	if (reason)
		roll_cycles(c, d, &pkt);
	if (c->config.etmcr >> 14 & 3)
		pkt.contextid = roll(d, 3);
	classic_put_packet(c, &pkt);
}

static void put_atoms(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_ATOM, .n = 1 };

	if (!(c->config.etmcr & 1 << 12))
		pkt.n += roll(d, 5);
	pkt.val = roll(d, 1u << pkt.n);
	roll_cycles(c, d, &pkt);
	classic_put_packet(c, &pkt);
}

static void put_waypoint(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_WAYPOINT };

	classic_roll_address(c, d, &pkt);
	if (!roll(d, 3))
		classic_roll_short(d, short_bits, &pkt);
	classic_put_packet(c, &pkt);
}

static void put_time(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = 7 * (1 + roll(d, 3)) };

	pkt.val = roll(d, 1u << pkt.n);
	roll_cycles(c, d, &pkt);
	classic_put_packet(c, &pkt);
}

static void put_other(struct trace_case *c, struct dice *d)
{
	static const uint8_t types[] = {
		CSF_PKT_TRIGGER, CSF_PKT_IGNORE, CSF_PKT_ERET, CSF_PKT_ASYNC, CSF_PKT_CTXTID,
		CSF_PKT_VMID,
	};
	struct csf_packet pkt = { .type = types[roll(d, ARRAY_SIZE(types))] };

	if (pkt.type == CSF_PKT_VMID)
		pkt.vmid = roll(d, 3);
	if (pkt.type == CSF_PKT_CTXTID && c->config.etmcr >> 14 & 3)
		pkt.contextid = roll(d, 3);
	classic_put_packet(c, &pkt);
}

static void put_any(struct trace_case *c, struct dice *d)
{
	const uint8_t byte = roll(d, 256);

	switch (roll(d, 12)) {
	case 0 ... 4:
		put_atoms(c, d);
		break;
	case 5 ... 6:
		put_branch(c, d);
		break;
	case 7:
		put_isync(c, d);
		break;
	case 8:
		put_waypoint(c, d);
		break;
	case 9:
		put_time(c, d);
		break;
	default:
		put_other(c, d);
		break;
	}
	if (!roll(d, 100))
		random_put(c, &byte, 1);
}

static void roll_registers(struct csf_config *config, struct dice *d)
{
	config->etmcr = roll(d, 2) << 29 | roll(d, 4) << 14 | roll(d, 2) << 12 | roll(d, 2) << 8;
	config->etmccer = roll(d, 4) << 28 | roll(d, 2) << 24 | roll(d, 2) << 23;
	config->etmidr = roll(d, 2) ? 0x411cf312 : 0x411cf301;
	config->marks = roll(d, 2) ? CSF_MARK_DEFAULT | CSF_MARK_PACKET | CSF_MARK_INFO : 0;
}

static const struct classic_dice dice = {
	.config = "config ptm1.1", .registers = roll_registers, .isync = put_isync, .any = put_any,
};

TEST(as_the_walker)
{
	unsigned long seed, end;

	for (classic_seeds(CLASSIC_SEEDS, &seed, &end); seed < end; seed++) {
		struct trace_case c;

		ASSERT_TRUE(classic_make(&c, &dice, seed));
		EXPECT_TRUE(classic_as_walker(&c, seed));
		case_fini(&c);
	}
}

/* The flow is what was executed. */
TEST(as_executed)
{
	unsigned long seed, end;

	for (classic_seeds(CLASSIC_SEEDS / 5, &seed, &end); seed < end; seed++) {
		struct text text = { 0 }, truth = { 0 };
		struct dice d = { .state = seed * 91 + 5 };
		struct ptm_program *p = random_ptm_program(&d, &text);
		struct trace_case c;

		ASSERT_TRUE(classic_read_case(&c, text.s));
		roll_registers(&c.config, &d);
		c.config.etmcr &= ~(3u << 14);
		c.config.etmccer |= 3u << 28;
		c.config.etmidr = 0x411cf312;
		c.config.marks = 0;
		random_ptm_execution(&c, &d, p, EXECUTED, &truth);
		EXPECT_TRUE(classic_says(&c, &truth, false, seed));
		case_fini(&c);
		text_fini(&text);
		text_fini(&truth);
		free(p);
	}
}

TEST_HARNESS_MAIN
