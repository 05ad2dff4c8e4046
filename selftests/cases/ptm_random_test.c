// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decoder of PTM, however it is fed, against the naive walker, on traces made by dice, and
 * against what was executed.
 *
 *	ptm_random_test				CSFLOW_SEEDS traces; else SEEDS
 *	CSFLOW_SEED=n ptm_random_test		that one, with both texts if they differ
 */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/csflow-debug.h"
#include "../lib/case-run.h"
#include "../lib/random-ptm.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define SEEDS	1500
#define PACKETS	60
#define EXECUTED	400

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
	"config ptm1.1\n"
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

static void roll_cycles(const struct trace_case *c, struct dice *d, struct csf_packet *pkt)
{
	if (!(c->config.etmcr & 1 << 12))
		return;
	pkt->flags |= CSF_PKT_COUNT;
	pkt->count = roll(d, 1u << roll(d, 20));
}

static void roll_short(struct dice *d, struct csf_packet *pkt)
{
	static const uint8_t bits[] = { 6, 12, 19 };

	pkt->n = bits[roll(d, 3)];
	pkt->val = (0x8000 >> (1 + roll(d, 2))) + roll(d, 0x40);
	pkt->val &= (1u << pkt->n) - 1;
	pkt->info = 0;
	pkt->flags = 0;
}

static void put_branch(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_BRANCH };

	roll_address(c, d, &pkt);
	if (!roll(d, 3))
		roll_short(d, &pkt);
	if (pkt.n > 6 && !roll(d, 3)) {
		pkt.flags |= CSF_PKT_CTXT;
		pkt.exception = roll(d, 17);
		pkt.info |= roll(d, 2) ? 0x08 : 0;
		pkt.info |= roll(d, 8) ? 0 : 0x02;
	}
	roll_cycles(c, d, &pkt);
	put_packet(c, &pkt);
}

static void put_isync(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_ISYNC };
	const uint32_t reason = roll(d, 3) ? 0 : roll(d, 4);

	roll_address(c, d, &pkt);
	pkt.info = reason << 5 | (roll(d, 3) ? 0 : 0x08);
	if (reason)
		roll_cycles(c, d, &pkt);
	if (c->config.etmcr >> 14 & 3)
		pkt.contextid = roll(d, 3);
	put_packet(c, &pkt);
}

static void put_atoms(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_ATOM, .n = 1 };

	if (!(c->config.etmcr & 1 << 12))
		pkt.n += roll(d, 5);
	pkt.val = roll(d, 1u << pkt.n);
	roll_cycles(c, d, &pkt);
	put_packet(c, &pkt);
}

static void put_waypoint(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_WAYPOINT };

	roll_address(c, d, &pkt);
	if (!roll(d, 3))
		roll_short(d, &pkt);
	put_packet(c, &pkt);
}

static void put_time(struct trace_case *c, struct dice *d)
{
	struct csf_packet pkt = { .type = CSF_PKT_TIME, .n = 7 * (1 + roll(d, 3)) };

	pkt.val = roll(d, 1u << pkt.n);
	roll_cycles(c, d, &pkt);
	put_packet(c, &pkt);
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
	put_packet(c, &pkt);
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

static bool read_program(struct trace_case *c, const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct text error = { 0 };
	const bool ok = f && case_read(c, f, "program", 0, &error) > 0;

	if (!ok)
		ksft_print_msg("%s\n", error.s ?: "");
	text_fini(&error);
	if (f)
		fclose(f);
	return ok;
}

static bool make(struct trace_case *c, unsigned long seed)
{
	const struct csf_packet async = { .type = CSF_PKT_ASYNC };
	struct dice d = { .state = seed * 77 + 1 };
	const bool ok = read_program(c, program);

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

/* Is the flow what was executed? */
static bool is_true(const struct trace_case *c, const struct text *truth, unsigned long seed)
{
	struct text got = { 0 }, why = { 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < ARRAY_SIZE(ways); i++) {
		struct feeding how = ways[i];

		how.offsets = false;
		ok = !case_decode(c, &how, &got) && !strcmp(truth->s, got.s ?: "");
		if (ok)
			continue;
		case_differ(truth, &got, &why);
		ksft_print_msg("seed %lu, way %zu: %s\n", seed, i, why.s ?: "");
		if (getenv("CSFLOW_SEED"))
			printf("true:\n%s\ngot:\n%s\n", truth->s, got.s ?: "");
	}
	text_fini(&got);
	text_fini(&why);
	return ok;
}

TEST(as_executed)
{
	const unsigned long one = setting("CSFLOW_SEED", 0), n = setting("CSFLOW_SEEDS", SEEDS) / 5;

	for (unsigned long seed = one; seed < (one ? one + 1 : n); seed++) {
		struct text text = { 0 }, truth = { 0 };
		struct dice d = { .state = seed * 91 + 5 };
		struct ptm_program *p = random_ptm_program(&d, &text);
		struct trace_case c;

		ASSERT_TRUE(read_program(&c, text.s));
		roll_registers(&c.config, &d);
		c.config.etmcr &= ~(3u << 14);
		c.config.etmccer |= 3u << 28;
		c.config.etmidr = 0x411cf312;
		c.config.marks = 0;
		random_ptm_execution(&c, &d, p, EXECUTED, &truth);
		EXPECT_TRUE(is_true(&c, &truth, seed));
		case_fini(&c);
		text_fini(&text);
		text_fini(&truth);
		free(p);
	}
}

TEST_HARNESS_MAIN
