// SPDX-License-Identifier: GPL-2.0-only
/* Packets in words: printed, parsed, and the same packet again. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/etm4/packet-text.h"

#define IDR0_ALL	(BIT(6) | 3 << 3 | BIT(7) | 3 << 15 | BIT(22) | BIT(23))
#define IDR0_COMMOPT	(IDR0_ALL | BIT(29))
#define ETE(minor)	(0x47705a13 | (minor) << 16)
#define ETM(minor)	(0x400 | (minor) << 4)

enum unit_kind { E13, E13C, V46, M45, KINDS };

static struct config kind(enum unit_kind k)
{
	struct csf_config config = {
		.size = sizeof(config), .trcidr0 = k == E13C ? IDR0_COMMOPT : IDR0_ALL,
		.trcidr1 = k == M45 ? ETM(5) : ETM(6), .trcidr2 = 0xd0001088, .trcidr8 = 8,
		.trcdevarch = k < V46 ? ETE(3) : 0,
		.profile = k == M45 ? CSF_PROFILE_M : CSF_PROFILE_A,
	};
	struct config c;

	if (config_read(&c, &config))
		abort();
	return c;
}

/* Bytes, and their printed form, which parses to the same bytes. */
static const struct {
	enum unit_kind kind;
	uint8_t byte[CSF_PACKET_MAX];
	const char *text;
} lines[] = {
	{ E13, { [11] = 0x80 }, "async" },
	{ E13, { 0, 3 }, "discard" },
	{ E13, { 0, 5 }, "overflow" },
	{ M45, { 0, 7 }, "bf.flush" },
	{ E13, { 1, 0 }, "info" },
	{ E13, { 1, 9, 1, 0x10 }, "info cc cyct=0x10" },
	{ E13, { 1, 1, 0x40 }, "info trans" },
	{ E13, { 1, 1, 0 }, "info info=0x0" },
	{ E13, { 1, 1, 0x81, 1 }, "info info=0x81" },
	{ V46, { 1, 0x1f, 0x3f, 2, 3, 4, 0 },
		"info cond=7 cc load store key=0x2 spec=3 cyct=0x4 wndw" },
	{ E13, { 2, 0x85, 0x83, 1 }, "time 0x4185/21" },
	{ E13, { 3, 0x85, 3, 0x90, 1 }, "time 0x185/14 cc=144" },
	{ E13, { 3, 5, 0 }, "time 0x5/7 cc=0" },
	{ E13, { 4 }, "on" },
	{ M45, { 5 }, "return" },
	{ E13, { 6, 0x1d }, "exception irq addr" },
	{ E13, { 6, 0x5c }, "exception irq target" },
	{ E13, { 6, 0x31, 0x70 }, "exception trans.fail addr unknown" },
	{ E13, { 6, 0x3b }, "exception 0x1d addr" },
	{ E13, { 6, 0x1c }, "exception irq e0" },
	{ E13, { 6, 0x5d }, "exception irq e3" },
	{ M45, { 6, 0x91, 0x10 }, "exception irq8 addr" },
	{ M45, { 6, 0x21 }, "exception irq0 addr" },
	{ M45, { 6, 0x87, 0x20 }, "exception hardfault addr fault" },
	{ V46, { 7 }, "eret" },
	{ E13, { 9, 1, 8, 7, 6, 5, 4, 3, 2, 1 }, "ite el1 0x102030405060708" },
	{ E13, { 0x0a }, "tm.start" },
	{ E13, { 0x0b }, "tm.commit" },
	{ E13C, { 0x0e, 0x85, 1 }, "cc1 count=133" },
	{ E13C, { 0x0f }, "cc1 unknown" },
	{ E13C, { 0x0d, 0xf3 }, "cc2 count=3" },
	{ E13C, { 0x12 }, "cc3 count=2" },
	{ E13, { 0x0e, 0x85, 1, 7 }, "cc1 count=7 commit=133" },
	{ E13, { 0x0e, 0, 7 }, "cc1 count=7" },
	{ E13, { 0x0f, 3 }, "cc1 unknown commit=3" },
	{ E13, { 0x0c, 0x15 }, "cc2 count=5 commit=2" },
	{ E13, { 0x0d, 0xf5 }, "cc2 count=5 commit=max" },
	{ E13, { 0x0d, 0xd5 }, "cc2 count=5 commit=max-2" },
	{ E13, { 0x1f }, "cc3 count=3 commit=4" },
	{ V46, { 0x25 }, "dsync.n 5" },
	{ V46, { 0x2c }, "dsync.u 4" },
	{ E13, { 0x2d, 3 }, "commit 3" },
	{ E13, { 0x2e, 2 }, "cancel1 2" },
	{ E13, { 0x2f, 2 }, "cancel1 2 misp" },
	{ E13, { 0x30 }, "misp" },
	{ E13, { 0x31 }, "misp E" },
	{ E13, { 0x32 }, "misp EE" },
	{ E13, { 0x33 }, "misp N" },
	{ E13, { 0x34 }, "cancel2" },
	{ E13, { 0x36 }, "cancel2 EE" },
	{ E13, { 0x38 }, "cancel3 2" },
	{ E13, { 0x3f }, "cancel3 5 E" },
	{ V46, { 0x6c, 5 }, "cond.i1 0x5" },
	{ V46, { 0x42 }, "cond.i2 2" },
	{ V46, { 0x6d, 0x0f }, "cond.i3 7 z" },
	{ V46, { 0x43 }, "cond.flush" },
	{ V46, { 0x6b, 0x13, 0xa4, 2 }, "cond.r1 ci0 ci1 3:0x1 4:0x12" },
	{ V46, { 0x6e, 0x13 }, "cond.r1 3:0x1" },
	{ V46, { 0x4e }, "cond.r2 6" },
	{ V46, { 0x5a, 0x3c }, "cond.r3 0xa3c" },
	{ V46, { 0x46 }, "cond.r4 2" },
	{ E13, { 0x70 }, "ignore" },
	{ E13, { 0x75 }, "event 0x5" },
	{ E13, { 0x80 }, "ctx same" },
	{ E13, { 0x81, 0x10 }, "ctx el0 s 64" },
	{ E13, { 0x81, 0x1b }, "ctx el3 root 64" },
	{ E13, { 0x81, 0x39 }, "ctx el1 realm 64" },
	{ E13, { 0x81, 0xe1, 1, 0, 0, 0, 2, 0, 0, 0 }, "ctx el1 ns 32 vmid=0x1 cid=0x2" },
	{ E13, { 0x82, 0, 8, 0, 0, 0x31 }, "addr32.ctx 0x1000 el1 ns 64" },
	{ E13, { 0x83, 0, 8, 0, 0, 0x20 }, "addr32.ctx.is1 0x800 el0 ns 32" },
	{ E13, { 0x85, 0, 8, 0, 0, 0, 0, 0xff, 0xff, 0x71, 9, 0, 0, 0 },
		"addr.ctx 0xffff000000001000 el1 ns 64 vmid=0x9" },
	{ E13, { 0x86, 1, 8, 0, 0, 0, 0, 0, 0, 1 }, "addr.ctx.is1 0x802 el1 s 32" },
	{ E13, { 0x88 }, "marker" },
	{ E13, { 0x91 }, "addr.same 1" },
	{ E13, { 0x95, 4 }, "addr.s 0x10/9" },
	{ E13, { 0x95, 0x84, 0 }, "addr.s 0x10/17" },
	{ E13, { 0x96, 4 }, "addr.s.is1 0x8/8" },
	{ E13, { 0x9a, 2, 8, 0, 0 }, "addr32 0x1008" },
	{ E13, { 0x9b, 2, 8, 0, 0 }, "addr32.is1 0x804" },
	{ E13, { 0x9d, 0, 0, 0x40, 0, 0, 0, 0, 0 }, "addr 0x400000" },
	{ E13, { 0x9e, 1, 0, 0x40, 0, 0, 0, 0, 0 }, "addr.is1 0x400002" },
	{ E13, { 0xa0, 2 }, "q 2 addr.same 0" },
	{ E13, { 0xa6, 2, 2 }, "q 2 addr.s.is1 0x4/8" },
	{ E13, { 0xa5, 2, 2 }, "q 2 addr.s 0x8/9" },
	{ E13, { 0xaa, 2, 8, 0, 0, 2 }, "q 2 addr32 0x1008" },
	{ E13, { 0xab, 2, 8, 0, 0, 2 }, "q 2 addr32.is1 0x804" },
	{ E13, { 0xac, 6 }, "q 6" },
	{ E13, { 0xaf }, "q" },
	{ E13, { 0xb1 }, "src.same 1" },
	{ E13, { 0xb4, 3 }, "src.s 0xc/9" },
	{ E13, { 0xb6, 3, 8, 0, 0 }, "src32 0x100c" },
	{ E13, { 0xb9, 3, 8, 0, 0, 0, 0, 0, 0 }, "src.is1 0x806" },
	{ E13, { 0xd9 }, "atom EN" },
	{ E13, { 0xdc }, "atom NEEE" },
	{ E13, { 0xf4 }, "atom EEEEEEEEEEEEEEEEEEEEEEEN" },
	{ E13, { 0x84 }, "raw 84 reserved" },
	{ E13, { 5 }, "raw 05 config return" },
	{ E13, { 0x2e, 0 }, "raw 2e 00 sequence cancel1" },
	{ E13, { 0, 0, 1 }, "raw 00 00 01 sequence async" },
};

TEST(prints_and_parses_each_packet)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct config c = kind(lines[i].kind);
		uint8_t byte[CSF_PACKET_MAX] = { 0 };
		struct csf_packet pkt = { 0 };
		const char *where = "";
		char text[160];
		int n;

		n = packet_read(&c, lines[i].byte, &pkt);
		EXPECT_EQ(strlen(lines[i].text), packet_print(&c, &pkt, text, sizeof(text)));
		EXPECT_STREQ(lines[i].text, text);

		ASSERT_EQ(0, packet_parse(&c, lines[i].text, &pkt, &where))
			TH_LOG("\"%s\" at \"%s\"", lines[i].text, where);
		EXPECT_EQ(n, packet_write(&c, byte, &pkt));
		EXPECT_EQ(0, memcmp(byte, lines[i].byte, n))
			TH_LOG("%s", lines[i].text);
	}
}

/* Easier to type than the printed form. */
static const struct {
	const char *text;
	uint8_t size;
	uint8_t byte[CSF_PACKET_MAX];
} friendly[] = {
	{ "  on  ", 1, { 4 } },
	{ "on # tracing starts", 1, { 4 } },
	{ "on\n", 1, { 4 } },
	{ "\tatom\tEEN", 1, { 0xfb } },
	{ "time 5", 10, { 2, 0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 } },
	{ "exception 14", 2, { 6, 0x1d } },
	{ "exception irq", 2, { 6, 0x1d } },
	{ "exception reset unknown", 3, { 6, 1, 0x70 } },
	{ "cancel 2 misp", 2, { 0x2f, 2 } },
	{ "mispredict E", 1, { 0x31 } },
	{ "event 5", 1, { 0x75 } },
	{ "addr64 4194304", 9, { 0x9d, 0, 0, 0x40 } },
	{ "addr64.ctx 0x400000 el0 ns 64", 10, { 0x85, 0, 0, 0x40, [9] = 0x30 } },
	{ "src64 0x400000", 9, { 0xb8, 0, 0, 0x40 } },
	{ "addr.s 0x10", 3, { 0x95, 0x84, 0 } },
	{ "addr.s.is1 0x10", 3, { 0x96, 0x88, 0 } },
	{ "info spec=2 cc cyct=0x10", 5, { 1, 0xd, 1, 2, 0x10 } },
	{ "raw 9a 01", 2, { 0x9a, 1 } },
	{ "raw 9A 01 cut addr32", 2, { 0x9a, 1 } },
	{ "raw 01 02 03 04 05 06 07 08", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
};

TEST(understands_more_than_it_prints)
{
	struct config c = kind(E13);

	for (size_t i = 0; i < ARRAY_SIZE(friendly); i++) {
		uint8_t byte[CSF_PACKET_MAX] = { 0 };
		const char *where = "";
		struct csf_packet pkt;

		ASSERT_EQ(0, packet_parse(&c, friendly[i].text, &pkt, &where))
			TH_LOG("\"%s\" at \"%s\"", friendly[i].text, where);
		EXPECT_EQ(friendly[i].size, pkt.size)
			TH_LOG("%s", friendly[i].text);
		EXPECT_EQ(friendly[i].size, packet_write(&c, byte, &pkt))
			TH_LOG("%s", friendly[i].text);
		EXPECT_EQ(0, memcmp(byte, friendly[i].byte, sizeof(byte)))
			TH_LOG("%s", friendly[i].text);
	}
}

/* Errors, and the word at which each is found. */
static const struct {
	enum unit_kind kind;
	const char *text, *where;
} wrong[] = {
	{ E13, "", "" },
	{ E13, "# nothing", "# nothing" },
	{ E13, "onn", "onn" },
	{ E13, "on on", "on" },
	{ E13, "atom", "atom" },
	{ E13, "atom EXE", "EXE" },
	{ E13, "atom ENEEE", "atom ENEEE" },
	{ E13, "atom EEEEEEEEEEEEEEEEEEEEEEEEE", "EEEEEEEEEEEEEEEEEEEEEEEEE" },
	{ E13, "addr", "" },
	{ E13, "addr x", "x" },
	{ E13, "addr 0x", "0x" },
	{ E13, "addr 0x10000000000000000", "0x10000000000000000" },
	{ E13, "addr 18446744073709551616", "18446744073709551616" },
	{ E13, "addr 0x1", "addr 0x1" },
	{ E13, "addr.s 0x10/300", "0x10/300" },
	{ E13, "addr.s 0x10/", "0x10/" },
	{ E13, "addr.s 0x10/10", "addr.s 0x10/10" },
	{ E13, "addr.same 3", "addr.same 3" },
	{ E13, "addr.same.is1 1", "addr.same.is1 1" },
	{ E13, "cancel.is1 1", "cancel.is1 1" },
	{ E13, "raw.is1 01", "raw.is1 01" },
	{ E13, "ctx el4 ns 64", "el4 ns 64" },
	{ E13, "ctx el1 ns", "" },
	{ E13, "ctx el1 ns 64 vmid=", "vmid=" },
	{ E13, "ctx el1 ns 64 vmid=0x100000000", "vmid=0x100000000" },
	{ E13, "time 5 cc=x", "cc=x" },
	{ E13, "time 5/65", "5/65" },
	{ E13, "exception 1024", "1024" },
	{ E13, "exception hardfault", "hardfault" },
	{ E13, "exception irq addr unknown", "exception irq addr unknown" },
	{ E13, "info cond=8", "cond=8" },
	{ E13, "cc2 count=1", "" },
	{ E13C, "cc2 count=1 commit=max", "" },
	{ E13C, "cc3 count=1 commit=1", "cc3 count=1 commit=1" },
	{ E13, "eret", "eret" },
	{ V46, "tm.start", "tm.start" },
	{ E13, "event 16", "event 16" },
	{ E13, "cancel 0", "cancel 0" },
	{ E13, "commit 4294967296", "4294967296" },
	{ E13, "q 1 addr.x 2", "addr.x 2" },
	{ E13, "raw", "" },
	{ E13, "raw 1", "1" },
	{ E13, "raw 01 02 03 04 05 06 07 08 09", "09" },
	{ E13, "raw 01 +1", "+1" },
	{ E13, "raw 01 02 03 04 05 06 07 08 +25", "+25" },
	{ E13, "raw 01 cut onn", "onn" },
};

TEST(says_which_word_is_wrong)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct config c = kind(wrong[i].kind);
		struct csf_packet pkt;
		const char *where = NULL;

		EXPECT_EQ(CSF_ERR_ARG, packet_parse(&c, wrong[i].text, &pkt, &where))
			TH_LOG("\"%s\"", wrong[i].text);
		ASSERT_NE(NULL, where);
		EXPECT_STREQ(wrong[i].where, where)
			TH_LOG("\"%s\"", wrong[i].text);
	}
}

/* ---------------------------------------------------------------- any packet */

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static bool equal(const struct csf_packet *a, const struct csf_packet *b)
{
	return a->type == b->type && a->n == b->n && a->val == b->val && a->val2 == b->val2 &&
	       a->count == b->count && a->commit == b->commit && a->vmid == b->vmid &&
	       a->contextid == b->contextid && a->exception == b->exception &&
	       a->info == b->info && a->flags == b->flags;
}

static void expect_round_trip(struct __test_metadata *_metadata, const struct config *c,
			      const struct csf_packet *pkt)
{
	const char *where = "";
	struct csf_packet back;
	char text[160];
	int n = packet_print(c, pkt, text, sizeof(text));

	ASSERT_GT(sizeof(text), n);
	ASSERT_EQ(0, packet_parse(c, text, &back, &where))
		TH_LOG("%s: at \"%s\"", text, where);
	ASSERT_TRUE(equal(pkt, &back))
		TH_LOG("%s", text);
	ASSERT_GE(pkt->size, back.size);
	ASSERT_TRUE(pkt->type != CSF_PKT_BAD || pkt->size == back.size);
}

TEST(nothing_is_lost_in_words)
{
	for (unsigned int i = 0; i < 200000; i++) {
		static struct config c;
		uint8_t byte[CSF_PACKET_MAX];
		struct csf_packet pkt = { 0 };
		uint64_t how = any();

		if (!(i % 1024))
			c = kind(i / 1024 % KINDS);
		for (unsigned int k = 0; k < sizeof(byte); k++)
			byte[k] = how >> k & 1 ? any() >> 24 : 0;
		packet_read(&c, byte, &pkt);
		expect_round_trip(_metadata, &c, &pkt);
		if (pkt.size > 1) {
			packet_cut(byte, 1 + any() % (pkt.size - 1), &pkt);
			expect_round_trip(_metadata, &c, &pkt);
		}
	}
}

/* Any text at all: there is an answer, whichever. */
TEST(any_words_are_answered)
{
	static const char *const piece[] = {
		"addr", ".s", ".is1", ".ctx", " ", "/", "0x", "1", "ffff", "el1", " ns ", " 64",
		"q",
		"raw", " 00", "+1", " cut", "info", "cc", "=", "atom ", "EEN", "#", "\n", "time",
		"exception", "irq", "count=", "commit=", "max", "-", ":", "cond.r1", "vmid=", "src",
	};

	for (unsigned int i = 0; i < 100000; i++) {
		struct config c = kind(i % KINDS);
		struct csf_packet pkt;
		const char *where = NULL;
		char text[200] = "";
		size_t n = 0;

		for (unsigned int k = any() % 10; k; k--) {
			const char *p = piece[any() % ARRAY_SIZE(piece)];

			memcpy(text + n, p, strlen(p) + 1);
			n += strlen(p);
		}
		if (!packet_parse(&c, text, &pkt, &where)) {
			expect_round_trip(_metadata, &c, &pkt);
			continue;
		}
		ASSERT_TRUE(where >= text && where <= text + n);
	}
}

TEST(a_short_buffer_gets_the_head)
{
	struct csf_config config = { .size = sizeof(config), .trcdevarch = ETE(0) };
	struct csf_packet pkt = { .type = CSF_PKT_ADDR32, .n = 32, .val = 0x1000 };
	char text[8];

	EXPECT_EQ(13, csf_packet_print(&config, &pkt, text, sizeof(text)));
	EXPECT_STREQ("addr32 ", text);
	EXPECT_EQ(13, csf_packet_print(&config, &pkt, NULL, 0));
	EXPECT_EQ(CSF_ERR_ARG, csf_packet_print(&config, &pkt, NULL, 1));
	EXPECT_EQ(0, csf_packet_parse(&config, "addr32 0x1000", &pkt, NULL));
	EXPECT_EQ(5, pkt.size);
	EXPECT_EQ(CSF_ERR_ARG, csf_packet_parse(&config, "addr32", &pkt, NULL));
	config.profile = 9;
	EXPECT_EQ(CSF_ERR_CONFIG, csf_packet_print(&config, &pkt, text, sizeof(text)));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_packet_parse(&config, "on", &pkt, NULL));
}

TEST_HARNESS_MAIN
