// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of ETMv3 against the naive walker, on traces made by dice: their text must be the
 * same, however the decoder is fed.
 *
 *	etm3_random_test			CSFLOW_SEEDS traces; else 1500
 *	CSFLOW_SEED=n etm3_random_test	that one, with both texts if they differ
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../lib/random-classic.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Of either encoding. */
static void roll_short(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	static const uint8_t bits[] = { 6, 13, 20 }, alt_bits[] = { 6, 12, 19 };

	classic_roll_short(d, c->config.etmidr >> 20 & 1 ? alt_bits : bits, pkt);
}

static void roll_exception(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	const bool whole = pkt->n == 32, alt = c->config.etmidr >> 20 & 1;

	if (!whole && (!alt || pkt->n == 6))
		return;
	if (whole && !alt && !(pkt->info | pkt->flags) && !roll(d, 4)) {
		pkt->info = 0x80 | (roll(d, 2) ? 0x20 : 0);
		pkt->exception = roll(d, 8);
		return;
	}
	pkt->flags |= CSF_PKT_CTXT;
	pkt->exception = roll(d, 3) ? roll(d, 17) : roll(d, 40);
	pkt->info |= (roll(d, 2) ? 0x08 : 0) | (roll(d, 2) ? 0x20 : 0) | (roll(d, 8) ? 0 : 0x40);
	pkt->info |= roll(d, 30) ? 0 : 0x04;
	if (pkt->exception > 15 || !roll(d, 4))
		pkt->info |= roll(d, 4) ? 0x01 : 0x03;
}

static void put_branch(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_BRANCH };

	classic_roll_address(c, d, &pkt);
	if (!roll(d, 3))
		roll_short(c, d, &pkt);
	if (!roll(d, 2))
		roll_exception(c, d, &pkt);
	classic_put_packet(c, &pkt);
}

static void put_isync(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_ISYNC }, second = { 0 };
	const uint32_t reason = roll(d, 3) ? 0 : roll(d, 4);

	if (!(c->config.etmcr >> 20 & 1))
		classic_roll_address(c, d, &pkt);
	pkt.info |= reason << 5 | (roll(d, 3) ? 0 : 0x08) | (roll(d, 30) ? 0 : 0x04);
	if (reason && roll(d, 2)) {
		pkt.flags |= CSF_PKT_COUNT;
		pkt.count = roll(d, 1u << roll(d, 20));
	}
	if (c->config.etmcr >> 14 & 3)
		pkt.contextid = roll(d, 3);
	if (pkt.n && !roll(d, 8)) {
		roll_short(c, d, &second);
		pkt.info |= 0x80;
		pkt.val2 = second.val;
		pkt.commit = second.n;
	}
	classic_put_packet(c, &pkt);
}

/* Any header of atoms; some are reserved. */
static void put_atoms(struct trace_case *c, struct dice *d)
{
	const uint8_t header = 0x80 | roll(d, 64) << 1;

	if (header != 0x80 && (!(header & 2) || (header & 0xf3) == 0x82))
		random_put(c, &header, 1);
}

static void put_time(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = 7 * (1 + roll(d, 3)) };

	pkt.val = roll(d, 1u << pkt.n);
	classic_put_packet(c, &pkt);
}

/* A whole address, or the low bits of one. */
static void roll_data_address(struct dice *d, struct csf_packet *pkt)
{
	if (!roll(d, 3))
		return;
	pkt->info |= 0x01;
	pkt->flags |= CSF_PKT_ADDR;
	pkt->commit = roll(d, 5) ? 7 * (1 + roll(d, 4)) : 32;
	pkt->val2 = roll(d, 4) ? 0x2004 + roll(d, 0x100) : 0xfffffffc;
	if (pkt->commit < 32)
		pkt->val2 &= (1u << pkt->commit) - 1;
	else
		pkt->info |= roll(d, 4) ? 0 : 0x02;
}

static void put_data(struct trace_case *c, struct dice *d)
{
	static const uint8_t types[] = {
		CSF_PKT_DATA, CSF_PKT_DATA, CSF_PKT_DATA, CSF_PKT_DATA_PLACE, CSF_PKT_DATA_LATE,
		CSF_PKT_DATA_PLACE, CSF_PKT_DATA_LATE, CSF_PKT_DATA_UNTRACED,
		CSF_PKT_DATA_FAILED, CSF_PKT_DATA_LOST,
	};
	struct csf_packet pkt = { .type = types[roll(d, ARRAY_SIZE(types))] };
	const bool values = c->config.etmcr >> 1 & 3;

	if (pkt.type == CSF_PKT_DATA_PLACE || pkt.type == CSF_PKT_DATA_LATE)
		pkt.info = (1 + roll(d, 3)) << 4;
	if (pkt.type == CSF_PKT_DATA || pkt.type == CSF_PKT_DATA_PLACE ||
	    pkt.type == CSF_PKT_DATA_UNTRACED)
		roll_data_address(d, &pkt);
	if (!(c->config.etmcr >> 3 & 1)) {
		pkt.flags = 0;
		pkt.commit = 0;
		pkt.val2 = 0;
		pkt.info &= ~0x02;
	}
	if (values && (pkt.type == CSF_PKT_DATA || pkt.type == CSF_PKT_DATA_LATE)) {
		pkt.n = roll(d, 3);
		pkt.val = pkt.n ? roll(d, 1u << 8 * pkt.n) : 0;
	}
	classic_put_packet(c, &pkt);
}

static void put_other(struct trace_case *c, struct dice *d)
{
	static const uint8_t types[] = {
		CSF_PKT_TRIGGER, CSF_PKT_IGNORE, CSF_PKT_ERET, CSF_PKT_ASYNC, CSF_PKT_CTXTID,
		CSF_PKT_VMID, CSF_PKT_CYCLES, CSF_PKT_EXC_ENTRY,
	};
	struct csf_packet pkt = { .type = types[roll(d, ARRAY_SIZE(types))] };

	if (pkt.type == CSF_PKT_VMID)
		pkt.vmid = roll(d, 3);
	if (pkt.type == CSF_PKT_CTXTID && c->config.etmcr >> 14 & 3)
		pkt.contextid = roll(d, 3);
	if (pkt.type == CSF_PKT_CYCLES) {
		pkt.flags = CSF_PKT_COUNT;
		pkt.count = roll(d, 200);
	}
	classic_put_packet(c, &pkt);
}

static void put_any(struct trace_case *c, struct dice *d)
{
	static const uint8_t zeros[48];
	const uint8_t byte = roll(d, 256);

	if (c->config.etmcr & 0xe && roll(d, 2)) {
		put_data(c, d);
		return;
	}
	switch (roll(d, 12)) {
	case 0 ... 5:
		put_atoms(c, d);
		break;
	case 6 ... 7:
		put_branch(c, d);
		break;
	case 8:
		put_isync(c, d);
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
	if (!roll(d, 200))
		random_put(c, zeros, roll(d, sizeof(zeros)));
}

static void roll_registers(struct csf_config *config, struct dice *d)
{
	static const uint32_t idr[] = { 0x4104f230, 0x4114f240, 0x4100f210 };

	config->etmcr = roll(d, 4) << 14 | roll(d, 2) << 12 | roll(d, 8) << 1;
	config->etmcr |= roll(d, 20) ? 0 : 1 << 20;
	config->etmccer = roll(d, 4) << 28 | roll(d, 2) << 26;
	config->etmidr = idr[roll(d, 3)];
	config->profile = roll(d, 3) ? CSF_PROFILE_A : CSF_PROFILE_M;
	config->marks = roll(d, 2) ? CSF_MARK_DEFAULT | CSF_MARK_PACKET | CSF_MARK_ERET : 0;
	if (roll(d, 4))
		config->marks = (config->marks ?: CSF_MARK_DEFAULT) | CSF_MARK_DATA;
}

static const struct classic_dice dice = {
	.config = "config etmv3.3", .registers = roll_registers, .isync = put_isync, .any = put_any,
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

TEST_HARNESS_MAIN
