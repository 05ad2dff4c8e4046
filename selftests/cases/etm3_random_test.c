// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of ETMv3 against the naive walker, on traces made by dice: their text must be the
 * same, however the decoder is fed.
 *
 *	etm3_random_test			CSFLOW_SEEDS traces; else SEEDS
 *	CSFLOW_SEED=n etm3_random_test	that one, with both texts if they differ
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/csflow-debug.h"
#include "../lib/case-run.h"
#include "../lib/random-case.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define SEEDS	1500
#define PACKETS	60

static const struct feeding ways[] = {
	{ .offsets = true },
	{ .chunk = 1, .offsets = true },
	{ .chunk = 90, .seed = 5, .run_max = 3, .offsets = true },
	{ .chunk = 40, .seed = 5, .flush = 1, .offsets = true },
	{ .chunk = 200, .seed = 5, .flush = -1, .offsets = true },
	{ .chunk = 200, .seed = 5, .ask = true, .offsets = true },
	{ .run_max = 1, .offsets = true },
	{ .paths = true, .offsets = true },
	{ .without = CSF_WITHOUT_ALL, .offsets = true },
	{ .without = CSF_WITHOUT_ADDRESSES, .chunk = 17, .offsets = true },
};

static const char program[] =
	"config etmv3.3\n"
	"code 0x8000 a32\n"
	"a:	dmb\n"
	"a1:	blx t\n"
	"a2:	blne a4\n"
	"	nop\n"
	"a3:	beq a\n"
	"	svc\n"
	"a4:	bx\n"
	"	isb\n"
	"a5:	bl a3\n"
	"	pop.pc\n"
	"code 0x8100 t32\n"
	"t:	dmb\n"
	"	nop\n"
	"t1:	cbz t3\n"
	"	beq t\n"
	"t2:	bl t4\n"
	"	it\n"
	"	bx\n"
	"t3:	blx a\n"
	"	nop.w\n"
	"t4:	bx\n"
	"	.repeat 1200 nop\n"
	"t5:	b t\n";

static void put_packet(struct trace_case *c, struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX];
	const int n = csf_packet_write(&c->config, bytes, pkt);

	if (n > 0)
		random_put(c, bytes, n);
}

/* An address in the program, mostly one of a label. */
static void roll_address(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	pkt->val = c->label[roll(d, c->n_label)].addr;
	pkt->n = 32;
	if (!roll(d, 4))
		pkt->val += 2 * roll(d, 12);
	if (pkt->val >= 0x8100)
		pkt->flags |= CSF_PKT_IS1;
	else
		pkt->val &= ~3ull;
	if (!roll(d, 40))
		pkt->info |= 0x10;
}

/* Of either encoding. */
static void roll_short(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	static const uint8_t bits[] = { 6, 13, 20 }, alt_bits[] = { 6, 12, 19 };

	pkt->n = (c->config.etmidr >> 20 & 1 ? alt_bits : bits)[roll(d, 3)];
	pkt->val = (0x8000 >> (1 + roll(d, 2))) + roll(d, 0x40);
	pkt->val &= (1u << pkt->n) - 1;
	pkt->info = 0;
	pkt->flags = 0;
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
	if (pkt->exception > 15 || !roll(d, 4))
		pkt->info |= roll(d, 4) ? 0x01 : 0x03;
}

static void put_branch(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_BRANCH };

	roll_address(c, d, &pkt);
	if (!roll(d, 3))
		roll_short(c, d, &pkt);
	if (!roll(d, 2))
		roll_exception(c, d, &pkt);
	put_packet(c, &pkt);
}

static void put_isync(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_ISYNC }, second = { 0 };
	const uint32_t reason = roll(d, 3) ? 0 : roll(d, 4);

	if (!(c->config.etmcr >> 20 & 1))
		roll_address(c, d, &pkt);
	pkt.info |= reason << 5 | (roll(d, 3) ? 0 : 0x08);
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
	put_packet(c, &pkt);
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
	put_packet(c, &pkt);
}

static void put_other(struct trace_case *c, struct dice *d)
{
	static const uint8_t types[] = {
		CSF_PKT_TRIGGER, CSF_PKT_IGNORE, CSF_PKT_ERET, CSF_PKT_ASYNC, CSF_PKT_CTXTID,
		CSF_PKT_VMID, CSF_PKT_CYCLES, CSF_PKT_EXC_ENTRY, CSF_PKT_DATA, CSF_PKT_DATA_LATE,
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
	if (pkt.type == CSF_PKT_DATA_LATE)
		pkt.info = 0x10;
	put_packet(c, &pkt);
}

static void put_any(struct trace_case *c, struct dice *d)
{
	static const uint8_t zeros[48];
	const uint8_t byte = roll(d, 256);

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

	config->etmcr = roll(d, 4) << 14 | roll(d, 2) << 12 | roll(d, 4) << 2;
	config->etmcr |= roll(d, 20) ? 0 : 1 << 20;
	config->etmccer = roll(d, 4) << 28 | roll(d, 2) << 26;
	config->etmidr = idr[roll(d, 3)];
	config->profile = roll(d, 3) ? CSF_PROFILE_A : CSF_PROFILE_M;
	config->marks = roll(d, 2) ? CSF_MARK_DEFAULT | CSF_MARK_PACKET | CSF_MARK_ERET : 0;
}

static bool make(struct trace_case *c, unsigned long seed)
{
	FILE *f = fmemopen((void *)program, sizeof(program) - 1, "r");
	const struct csf_packet async = { .type = CSF_PKT_ASYNC };
	struct dice d = { .state = seed * 77 + 1 };
	struct text error = { 0 };
	bool ok = f && case_read(c, f, "program", 0, &error) > 0;

	if (!ok)
		ksft_print_msg("%s\n", error.s ?: "");
	text_fini(&error);
	if (f)
		fclose(f);
	roll_registers(&c->config, &d);
	for (int i = 0; ok && i < PACKETS; i++) {
		if (!roll(&d, 15) || !i) {
			put_packet(c, (struct csf_packet *)&async);
			if (roll(&d, 5))
				put_isync(c, &d);
		}
		put_any(c, &d);
	}
	if (ok && !roll(&d, 4))
		random_damage(c, &d);
	return ok;
}

/* Returns whether walker and decoder agree. */
static bool agree(const struct trace_case *c, unsigned long seed)
{
	struct text want = { 0 }, got = { 0 }, why = { 0 };
	bool ok = !case_walk(c, true, &want);

	for (size_t i = 0; ok && i < ARRAY_SIZE(ways); i++) {
		ok = !case_decode(c, &ways[i], &got) && !strcmp(want.s ?: "", got.s ?: "");
		if (ok)
			continue;
		case_differ(&want, &got, &why);
		ksft_print_msg("seed %lu, way %zu: %s\n", seed, i, why.s ?: "");
		if (getenv("CSFLOW_SEED")) {
			random_print(c, &why);
			printf("%s\nwant:\n%s\ngot:\n%s\n", why.s, want.s ?: "", got.s ?: "");
		}
	}
	text_fini(&want);
	text_fini(&got);
	text_fini(&why);
	return ok;
}

static unsigned long setting(const char *name, unsigned long otherwise)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 0) : otherwise;
}

TEST(as_the_walker)
{
	const unsigned long one = setting("CSFLOW_SEED", 0), n = setting("CSFLOW_SEEDS", SEEDS);

	for (unsigned long seed = one; seed < (one ? one + 1 : n); seed++) {
		struct trace_case c;

		ASSERT_TRUE(make(&c, seed));
		EXPECT_TRUE(agree(&c, seed));
		case_fini(&c);
	}
}

TEST_HARNESS_MAIN
