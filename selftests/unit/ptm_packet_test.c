// SPDX-License-Identifier: GPL-2.0-only
/* Packets of PTM: bytes, struct, words, and back. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/ptm/packet.h"

#define CR_CYCLES	BIT(12)
#define CR_CID(n)	((n) << 14)
#define CCER_TS64	BIT(29)
#define CCER_BINARY	BIT(28)

enum unit_kind { PLAIN, CYCLES, CID2, CID4, TS64, KINDS };

static const struct csf_config units[KINDS] = {
	[PLAIN] = { .etmidr = 0x411cf312 },
	[CYCLES] = { .etmidr = 0x411cf312, .etmcr = CR_CYCLES },
	[CID2] = { .etmidr = 0x411cf301, .etmcr = CR_CID(2) },
	[CID4] = { .etmidr = 0x411cf312, .etmcr = CR_CYCLES | CR_CID(3) },
	[TS64] = { .etmidr = 0x411cf312, .etmccer = CCER_TS64 | CCER_BINARY },
};

static struct csf_config unit(enum unit_kind kind)
{
	struct csf_config config = units[kind];

	config.size = sizeof(config);
	config.protocol = CSF_PROTOCOL_PTM;
	return config;
}

/* Bytes, and their printed form, which parses to the same bytes. */
static const struct {
	enum unit_kind kind;
	uint8_t n;
	uint8_t byte[16];
	const char *text;
} lines[] = {
	{ PLAIN, 6, { 0, 0, 0, 0, 0, 0x80 }, "async" },
	{ PLAIN, 6, { 0x08, 0x00, 0x80, 0, 0, 0x21 }, "isync 0x8000 a32 on s" },
	{ PLAIN, 6, { 0x08, 0x01, 0x80, 0, 0, 0x2b }, "isync 0x8000 t32 on ns hyp" },
	{ PLAIN, 6, { 0x08, 0x01, 0x80, 0, 0, 0x25 }, "isync 0x8000 t32 on s alt" },
	{ CYCLES, 7, { 0x08, 0x00, 0x80, 0, 0, 0x21, 0x94 }, "isync 0x8000 a32 on s cc=5" },
	{ CYCLES, 6, { 0x08, 0x00, 0x80, 0, 0, 0x01 }, "isync 0x8000 a32 periodic s" },
	{ CYCLES, 9, { 0x08, 0x00, 0x80, 0, 0, 0x41, 0xfc, 0x81, 0x01 },
	  "isync 0x8000 a32 overflow s cc=2079" },
	{ CYCLES, 8, { 0x08, 0xdf, 0x8d, 0x01, 0xc0, 0x61, 0xcc, 0x03 },
	  "isync 0xc0018dde t32 debug s cc=51" },
	{ CYCLES, 8, { 0x08, 0x00, 0x80, 0, 0, 0x61, 0xe4, 0x07 },
	  "isync 0x8000 a32 debug s cc=121" },
	{ CID4, 10, { 0x08, 0x00, 0x80, 0, 0, 0x01, 0x78, 0x56, 0x34, 0x12 },
	  "isync 0x8000 a32 periodic s cid=0x12345678" },
	{ CID4, 11, { 0x08, 0x00, 0x80, 0, 0, 0x21, 0x94, 0x78, 0x56, 0x34, 0x12 },
	  "isync 0x8000 a32 on s cc=5 cid=0x12345678" },
	{ CID2, 8, { 0x08, 0x00, 0x80, 0, 0, 0x21, 0x34, 0x12 },
	  "isync 0x8000 a32 on s cid=0x1234" },
	{ CYCLES, 1, { 0x80 }, "atom E cc=0" },
	{ CYCLES, 1, { 0x84 }, "atom E cc=1" },
	{ CYCLES, 1, { 0x86 }, "atom N cc=1" },
	{ CYCLES, 1, { 0xbc }, "atom E cc=15" },
	{ CYCLES, 2, { 0xc0, 0x01 }, "atom E cc=16" },
	{ CYCLES, 2, { 0xe8, 0x20 }, "atom E cc=522" },
	{ CYCLES, 2, { 0xde, 0x01 }, "atom N cc=23" },
	{ CYCLES, 5, { 0xfc, 0xff, 0xff, 0xff, 0x7f }, "atom E cc=4294967295" },
	{ PLAIN, 1, { 0x05 }, "branch 0x2/6" },
	{ PLAIN, 2, { 0x81, 0x00 }, "branch 0x0/12" },
	{ PLAIN, 2, { 0xad, 0x05 }, "branch 0x156/12" },
	{ PLAIN, 3, { 0xbd, 0x84, 0x3f }, "branch 0x7e11e/19" },
	{ PLAIN, 4, { 0xbd, 0xd6, 0xe8, 0x08 }, "branch 0x8d159e/26" },
	{ PLAIN, 5, { 0xbd, 0xd6, 0xe8, 0xc8, 0x08 }, "branch 0x12345678 a32" },
	{ PLAIN, 5, { 0xf9, 0xac, 0xd1, 0x91, 0x11 }, "branch 0x12345678 t32" },
	{ PLAIN, 5, { 0xf1, 0xd9, 0xa2, 0xa3, 0x22 }, "branch 0x12345678 jazelle" },
	{ PLAIN, 5, { 0xbd, 0xd6, 0xe8, 0xc8, 0x0c }, "branch 0x92345678 a32" },
	{ PLAIN, 5, { 0xf9, 0xac, 0xd1, 0x91, 0x19 }, "branch 0x92345678 t32" },
	{ PLAIN, 5, { 0xf1, 0xd9, 0xa2, 0xa3, 0x32 }, "branch 0x92345678 jazelle" },
	{ PLAIN, 6, { 0x81, 0x80, 0x80, 0x80, 0x48, 0x02 }, "branch 0x0 a32 debug.halt s" },
	{ PLAIN, 6, { 0x8d, 0x80, 0x80, 0x80, 0x48, 0x1c }, "branch 0x18 a32 irq s" },
	{ PLAIN, 7, { 0x81, 0x80, 0x80, 0x80, 0x50, 0xc7, 0x20 },
	  "branch 0x0 t32 hyp.entry ns hyp alt" },
	{ PLAIN, 6, { 0x81, 0x80, 0x80, 0x80, 0x60, 0x1e }, "branch 0x0 jazelle fiq s" },
	{ PLAIN, 3, { 0x8d, 0x40, 0x1e }, "branch 0x6/12 fiq s" },
	{ PLAIN, 4, { 0x8d, 0x80, 0x40, 0x1e }, "branch 0x6/19 fiq s" },
	{ PLAIN, 5, { 0x8d, 0x80, 0x80, 0x40, 0x1e }, "branch 0x6/26 fiq s" },
	{ PLAIN, 3, { 0x8d, 0x40, 0x1d }, "branch 0x6/12 irq ns" },
	{ PLAIN, 4, { 0x8d, 0x40, 0xdd, 0x20 }, "branch 0x6/12 irq ns hyp alt" },
	{ PLAIN, 4, { 0x8d, 0x40, 0x80, 0x01 }, "branch 0x6/12 0x10 s" },
	{ PLAIN, 3, { 0x8d, 0x40, 0x01 }, "branch 0x6/12 none ns" },
	{ CYCLES, 4, { 0xa3, 0x0b, 0x68, 0x17 }, "branch 0x2d1/12 cc=378" },
	{ CYCLES, 4, { 0x8d, 0x40, 0x1e, 0x04 }, "branch 0x6/12 fiq s cc=1" },
	{ CYCLES, 2, { 0x05, 0x00 }, "branch 0x2/6 cc=0" },
	{ CYCLES, 6, { 0xbd, 0xd6, 0xe8, 0xc8, 0x08, 0x3c }, "branch 0x12345678 a32 cc=15" },
	{ PLAIN, 2, { 0x72, 0x10 }, "waypoint 0x8/6" },
	{ CYCLES, 2, { 0x72, 0x10 }, "waypoint 0x8/6" },
	{ PLAIN, 3, { 0x72, 0x90, 0x01 }, "waypoint 0x48/12" },
	{ PLAIN, 4, { 0x72, 0xbc, 0x84, 0x3f }, "waypoint 0x7e11e/19" },
	{ PLAIN, 5, { 0x72, 0xbc, 0xd6, 0xe8, 0x08 }, "waypoint 0x8d159e/26" },
	{ PLAIN, 6, { 0x72, 0xf0, 0xd9, 0xa2, 0xa3, 0x22 }, "waypoint 0x12345678 jazelle" },
	{ PLAIN, 6, { 0x72, 0xbc, 0xd6, 0xe8, 0xc8, 0x08 }, "waypoint 0x12345678 a32" },
	{ PLAIN, 7, { 0x72, 0xf8, 0xac, 0xd1, 0x91, 0x51, 0x40 }, "waypoint 0x12345678 t32 alt" },
	{ PLAIN, 7, { 0x72, 0xf8, 0xac, 0xd1, 0x91, 0x51, 0x00 },
	  "waypoint 0x12345678 t32 noalt" },
	{ PLAIN, 2, { 0x42, 0x05 }, "time 0x5/7" },
	{ PLAIN, 3, { 0x46, 0x81, 0x01 }, "time 0x81/14 change" },
	{ PLAIN, 8, { 0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f }, "time 0xffffffffffff/48" },
	{ TS64, 10, { 0x42, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff },
	  "time 0xff00000000000001/64" },
	{ TS64, 8, { 0x42, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f }, "time 0x1ffffffffffff/49" },
	{ TS64, 9, { 0x46, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f },
	  "time 0xfe000000000000/56 change" },
	{ CYCLES, 3, { 0x42, 0x49, 0x04 }, "time 0x49/7 cc=1" },
	{ CYCLES, 10, { 0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x7c, 0x01 },
	  "time 0x800000000000/48 cc=31" },
	{ CID2, 3, { 0x6e, 0x34, 0x12 }, "cid 0x1234" },
	{ PLAIN, 1, { 0x6e }, "cid 0x0" },
	{ PLAIN, 2, { 0x3c, 0x04 }, "vmid 0x4" },
	{ PLAIN, 1, { 0x0c }, "trigger" },
	{ PLAIN, 1, { 0x66 }, "ignore" },
	{ PLAIN, 1, { 0x76 }, "eret" },
	{ PLAIN, 1, { 0x02 }, "raw 02 reserved" },
	{ PLAIN, 6, { 0x08, 0, 0x80, 0, 0, 0x20 }, "raw 08 00 80 00 00 20 sequence isync" },
	{ PLAIN, 6, { 0x08, 0, 0x80, 0, 0, 0xa1 }, "raw 08 00 80 00 00 a1 sequence isync" },
	{ PLAIN, 6, { 0x08, 0, 0x80, 0, 0, 0x31 }, "raw 08 00 80 00 00 31 sequence isync" },
	{ PLAIN, 5, { 0x81, 0x80, 0x80, 0x80, 0x88 }, "raw 81 80 80 80 88 sequence branch" },
	{ PLAIN, 5, { 0x81, 0x80, 0x80, 0x80, 0x00 }, "raw 81 80 80 80 00 sequence branch" },
	{ PLAIN, 5, { 0x81, 0x80, 0x80, 0x80, 0xa0 }, "raw 81 80 80 80 a0 sequence branch" },
	{ PLAIN, 5, { 0x81, 0x80, 0x80, 0x80, 0x90 }, "raw 81 80 80 80 90 sequence branch" },
	{ PLAIN, 5, { 0x81, 0x80, 0x80, 0x80, 0x40 }, "raw 81 80 80 80 40 sequence branch" },
	{ PLAIN, 4, { 0x8d, 0x40, 0x80, 0x40 }, "raw 8d 40 80 40 sequence branch" },
	{ PLAIN, 4, { 0x8d, 0x40, 0x80, 0x80 }, "raw 8d 40 80 80 sequence branch" },
	{ PLAIN, 6, { 0x72, 0x80, 0x80, 0x80, 0x80, 0x88 },
	  "raw 72 80 80 80 80 88 sequence waypoint" },
	{ PLAIN, 5, { 0, 0, 0, 0, 0x80 }, "raw 00 00 00 00 80 sequence async" },
	{ PLAIN, 6, { 0, 0, 0, 0, 0, 0x81 }, "raw 00 00 00 00 00 81 sequence async" },
	{ PLAIN, 3, { 0x08, 0, 0x80 }, "raw 08 00 80 cut isync" },
};

TEST(bytes_and_words)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const struct csf_config config = unit(lines[i].kind);
		uint8_t bytes[CSF_PACKET_MAX];
		struct csf_packet pkt, back;
		char words[160];
		int n;

		ASSERT_EQ(lines[i].n, csf_packet_read(&config, lines[i].byte, lines[i].n, &pkt))
			TH_LOG("%s", lines[i].text);
		EXPECT_EQ(lines[i].n, pkt.size);
		csf_packet_print(&config, &pkt, words, sizeof(words));
		EXPECT_STREQ(lines[i].text, words);
		ASSERT_EQ(0, csf_packet_parse(&config, lines[i].text, &back, NULL))
			TH_LOG("%s", lines[i].text);
		n = csf_packet_write(&config, bytes, &back);
		ASSERT_EQ(lines[i].n, n)
			TH_LOG("%s", lines[i].text);
		EXPECT_EQ(0, memcmp(bytes, lines[i].byte, n));
	}
}

/* Bytes that are not what is written: zeros before an A-sync, and bits without a meaning. */
static const struct {
	enum unit_kind kind;
	uint8_t n;
	uint8_t byte[16];
	const char *text;
} others[] = {
	{ PLAIN, 9, { 0, 0, 0, 0, 0, 0, 0, 0, 0x80 }, "async" },
	{ CYCLES, 7, { 0x08, 0x00, 0x80, 0, 0, 0x21, 0x14 }, "isync 0x8000 a32 on s cc=5" },
	{ CYCLES, 9, { 0x08, 0x00, 0x80, 0, 0, 0x41, 0x7c, 0x81, 0x01 },
	  "isync 0x8000 a32 overflow s cc=2079" },
	{ CID4, 11, { 0x08, 0x00, 0x80, 0, 0, 0x21, 0x14, 0x78, 0x56, 0x34, 0x12 },
	  "isync 0x8000 a32 on s cc=5 cid=0x12345678" },
	{ CYCLES, 2, { 0x05, 0x84 }, "branch 0x2/6 cc=1" },
	{ CYCLES, 5, { 0xfc, 0xff, 0xff, 0xff, 0xff }, "atom E cc=4294967295" },
	{ PLAIN, 4, { 0x8d, 0x40, 0x9c, 0x00 }, "branch 0x6/12 irq s" },
	{ PLAIN, 3, { 0x8d, 0x40, 0x3c }, "branch 0x6/12 irq s" },
	{ PLAIN, 2, { 0x72, 0x11 }, "waypoint 0x8/6" },
	{ PLAIN, 7, { 0x72, 0xf8, 0xac, 0xd1, 0x91, 0x51, 0xbf }, "waypoint 0x12345678 t32 noalt" },
	{ PLAIN, 3, { 0x72, 0x90, 0x41 }, "waypoint 0x48/12" },
	{ PLAIN, 8, { 0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0xff }, "time 0xfc0000000000/48" },
};

TEST(bytes_that_nothing_writes)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		const struct csf_config config = unit(others[i].kind);
		struct csf_packet pkt;
		char words[160];

		ASSERT_EQ(others[i].n, csf_packet_read(&config, others[i].byte, others[i].n, &pkt));
		csf_packet_print(&config, &pkt, words, sizeof(words));
		EXPECT_STREQ(others[i].text, words);
	}
}

/* The oldest atom is the leftmost bit after the leading one; 0 is E. */
TEST(all_atoms)
{
	const struct csf_config config = unit(PLAIN);

	for (unsigned int header = 0x80; header < 0x100; header += 2) {
		const uint8_t byte = header;
		char words[40] = "atom ", got[160];
		unsigned int bit = 0x40;
		struct csf_packet pkt;

		while (bit > 2 && !(header & bit))
			bit >>= 1;
		if (bit == 2)
			sprintf(words, "raw %02x sequence atom", header);
		while (bit > 2) {
			bit >>= 1;
			strcat(words, header & bit ? "N" : "E");
		}
		EXPECT_EQ(1, csf_packet_read(&config, &byte, 1, &pkt));
		csf_packet_print(&config, &pkt, got, sizeof(got));
		EXPECT_STREQ(words, got);
	}
}

/* The even headers below 0x80, as the sheet lists them; all others are reserved. */
TEST(all_headers)
{
	static const struct {
		uint8_t header;
		enum csf_packet_type type;
	} known[] = {
		{ 0x00, CSF_PKT_ASYNC },	{ 0x08, CSF_PKT_ISYNC },
		{ 0x0c, CSF_PKT_TRIGGER },	{ 0x3c, CSF_PKT_VMID },
		{ 0x42, CSF_PKT_TIME },		{ 0x46, CSF_PKT_TIME },
		{ 0x66, CSF_PKT_IGNORE },	{ 0x6e, CSF_PKT_CTXTID },
		{ 0x72, CSF_PKT_WAYPOINT },	{ 0x76, CSF_PKT_ERET },
	};
	const struct csf_config config = unit(PLAIN);
	uint8_t type[256];

	for (unsigned int header = 0; header < 256; header++)
		type[header] = header & 1 ? CSF_PKT_BRANCH :
			       header & 0x80 ? CSF_PKT_ATOM : CSF_PKT_BAD;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		type[known[i].header] = known[i].type;
	for (unsigned int header = 0; header < 256; header++) {
		const uint8_t bytes[CSF_PACKET_MAX] = { header, 0x01 };
		struct csf_packet pkt;
		uint8_t got;

		csf_packet_read(&config, bytes, sizeof(bytes), &pkt);
		/* one that is malformed with these bytes has its type in info */
		got = pkt.type == CSF_PKT_BAD && pkt.n == CSF_BAD_SEQUENCE ? pkt.info : pkt.type;
		EXPECT_EQ(type[header], got)
			TH_LOG("header %02x", header);
	}
}

static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525 + 1013904223;
	return *random >> 8;
}

/* Whatever the bytes, they are a packet; and what is good can be written and said. */
TEST(any_bytes)
{
	uint32_t random = 1, good = 0;

	for (int i = 0; i < 200000; i++) {
		const struct csf_config config = unit(i % KINDS);
		uint8_t bytes[CSF_PACKET_MAX], again[CSF_PACKET_MAX] = { 0 };
		struct csf_packet pkt, back;
		char words[160];
		int size;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = next_random(&random);
		size = csf_packet_read(&config, bytes, sizeof(bytes), &pkt);
		ASSERT_LT(0, size);
		ASSERT_EQ(size, pkt.size);
		if (pkt.type == CSF_PKT_BAD)
			continue;
		good++;
		ASSERT_LT(0, csf_packet_write(&config, again, &pkt));
		csf_packet_read(&config, again, sizeof(again), &back);
		pkt.size = back.size;
		ASSERT_EQ(0, memcmp(&pkt, &back, sizeof(pkt)));
		csf_packet_print(&config, &pkt, words, sizeof(words));
		ASSERT_EQ(0, csf_packet_parse(&config, words, &back, NULL))
			TH_LOG("%s", words);
		ASSERT_EQ(0, memcmp(&pkt, &back, sizeof(pkt)));
	}
	EXPECT_LT(100000, good);
}

TEST(wrong_words)
{
	static const struct {
		const char *text, *at;
	} wrong[] = {
		{ "atom", "" },			{ "atom EEEEEE", "EEEEEE" },
		{ "atom EX", "EX" },		{ "isync 0x8000", "" },
		{ "isync 0x8000 a32 x", "x" },	{ "branch 0x8000", "" },
		{ "branch 0x40/6", "branch 0x40/6" }, { "branch 0x1/7", "branch 0x1/7" },
		{ "branch 0x6/12 irq", "" },	{ "branch 0x6/12 512 s", "s" },
		{ "time x", "x" },		{ "info", "info" },
		{ "atom E cc=1", "atom E cc=1" }, { "vmid 0x100", "vmid 0x100" },
		{ "cid 1", "cid 1" },		{ "eret 1", "1" },
		{ "time 0x10000000000000000", "0x10000000000000000" },
	};
	const struct csf_config config = unit(PLAIN);

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct csf_packet pkt;
		const char *where = "";

		EXPECT_EQ(CSF_ERR_ARG, csf_packet_parse(&config, wrong[i].text, &pkt, &where));
		EXPECT_STREQ(wrong[i].at, where)
			TH_LOG("%s", wrong[i].text);
	}
}

TEST(registers)
{
	struct csf_config config = unit(PLAIN);

	EXPECT_EQ(NULL, csf_config_problem(&config));
	EXPECT_EQ(CSF_PROTOCOL_PTM, csf_config_protocol(&config));
	EXPECT_EQ(0x31, csf_config_version(&config));
	config.etmidr = 0;
	EXPECT_EQ(0x31, csf_config_version(&config));
	config.etmidr = 0x411cf301;
	EXPECT_EQ(0x30, csf_config_version(&config));
	config.etmidr = 0x410cf250;
	EXPECT_STREQ(".etmidr: it does not name PFT", csf_config_problem(&config));
}

/* The sheet's table, by what consumers tell apart. */
TEST(exception_kinds)
{
	static const uint8_t kinds[] = {
		CSF_EXC_KIND_OTHER, CSF_EXC_KIND_HALT, CSF_EXC_KIND_CALL, CSF_EXC_KIND_OTHER,
		CSF_EXC_KIND_SERROR, CSF_EXC_KIND_OTHER, CSF_EXC_KIND_OTHER, CSF_EXC_KIND_OTHER,
		CSF_EXC_KIND_RESET, CSF_EXC_KIND_TRAP, CSF_EXC_KIND_CALL, CSF_EXC_KIND_INSN,
		CSF_EXC_KIND_DATA, CSF_EXC_KIND_OTHER, CSF_EXC_KIND_IRQ, CSF_EXC_KIND_FIQ,
		CSF_EXC_KIND_OTHER,
	};
	const struct csf_config config = unit(PLAIN);
	struct csf_decoder *dec;
	struct csf_image *image;

	ASSERT_EQ(0, csf_image_new(&image));
	ASSERT_EQ(0, csf_new(&dec, &config, image));
	for (uint32_t type = 0; type < ARRAY_SIZE(kinds); type++) {
		EXPECT_EQ(kinds[type], csf_exception_kind(dec, type))
			TH_LOG("exception %u", type);
	}
	csf_free(dec);
	csf_image_free(image);
}

/* The monitor looks for an A-sync of six bytes, and cuts packets there. */
TEST(monitor)
{
	static const uint8_t trace[] = {
		0x84, 0x42, 0, 0, 0, 0, 0, 0x80,	/* not in sync; an A-sync */
		0x08, 0x00, 0x80, 0, 0, 0x21, 0x84,
		0xbd, 0xd6, 0xe8, 0xc8, 0x08, 0x8d, 0x40, 0x1e, 0xad, 0x05, 0x05, 0xc2,
		0x42, 0x85, 0, 0, 0, 0, 0, 0x80,	/* cut off, but for zeros */
		0x86, 0x02, 0x84,			/* reserved: out of sync */
		0, 0, 0, 0, 0, 0x80, 0x88, 0x08,
	};
	static const char *const want[] = {
		"raw 84 42 unsync", "async", "isync 0x8000 a32 on s", "atom E",
		"branch 0x12345678 a32", "branch 0x6/12 fiq s", "branch 0x156/12", "branch 0x2/6",
		"atom EEEEN", "raw 42 85 cut time",
		"async", "atom N", "raw 02 reserved", "raw 84 unsync", "async", "atom EE",
		"raw 08 cut isync",
	};
	const struct csf_config config = unit(PLAIN);

	for (size_t chunk = 1; chunk < 64; chunk += 7) {
		struct csf_monitor *mon;
		struct csf_packet pkt;
		size_t n = 0;
		char words[160];

		ASSERT_EQ(0, csf_monitor_new(&mon, &config));
		ASSERT_EQ(CSF_ERR_ARG, csf_monitor_commit(mon));
		for (size_t at = 0; at <= sizeof(trace); at += chunk) {
			if (sizeof(trace) - at > chunk)
				csf_monitor_feed(mon, trace + at, chunk);
			else
				csf_monitor_feed(mon, trace + at, sizeof(trace) - at);
			if (sizeof(trace) - at <= chunk)
				csf_monitor_end(mon);
			while (csf_monitor_next(mon, &pkt, NULL, NULL) > 0) {
				csf_packet_print(&config, &pkt, words, sizeof(words));
				ASSERT_GT(ARRAY_SIZE(want), n);
				EXPECT_STREQ(want[n++], words);
			}
		}
		EXPECT_EQ(ARRAY_SIZE(want), n);
		csf_monitor_free(mon);
	}
}

TEST_HARNESS_MAIN
