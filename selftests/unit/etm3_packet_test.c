// SPDX-License-Identifier: GPL-2.0-only
/* Packets of ETMv3: bytes to words and back. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

#define CR_CPRT		BIT(1)
#define CR_VALUES	BIT(2)
#define CR_ADDRESSES	BIT(3)
#define CR_DATA		(CR_VALUES | CR_ADDRESSES)
#define CR_CYCLES	BIT(12)
#define CR_CID1		BIT(14)
#define CR_CID2		(2u << 14)
#define CR_CID4		(3u << 14)
#define CR_NO_INSN	BIT(20)
#define TS64		(BIT(29) | BIT(28))

#define ORIGINAL	0x4104f230
#define ALT		0x4114f240
#define ALT_3_3		0x4114f230	/* the bit of the encoding means nothing before 3.4 */
#define ORIGINAL_3_4	0x4104f240

static const struct row {
	uint32_t idr, cr, ccer;
	const char *bytes, *words;
	uint32_t profile;
} rows[] = {
	{ ORIGINAL, 0, 0, "00 00 00 00 00 80", "async" },
	/* P-headers: each is one atom for an instruction */
	{ ORIGINAL, 0, 0, "84", "atom E" },
	{ ORIGINAL, 0, 0, "c0", "atom N" },
	{ ORIGINAL, 0, 0, "c8", "atom EEN" },
	{ ORIGINAL, 0, 0, "8a", "atom NE" },
	{ ORIGINAL, 0, 0, "82", "atom EE" },
	{ ORIGINAL, 0, 0, "8e", "atom NN" },
	{ ORIGINAL, 0, 0, "bc", "atom EEEEEEEEEEEEEEE" },
	{ ORIGINAL, 0, 0, "fc", "atom EEEEEEEEEEEEEEEN" },
	{ ORIGINAL, CR_CYCLES, 0, "84", "atom WE" },
	{ ORIGINAL, CR_CYCLES, 0, "c4", "atom WEWN" },
	{ ORIGINAL, CR_CYCLES, 0, "88", "atom WEWE" },
	{ ORIGINAL, CR_CYCLES, 0, "82", "atom WEE" },
	{ ORIGINAL, CR_CYCLES, 0, "8a", "atom WNE" },
	{ ORIGINAL, CR_CYCLES, 0, "92", "atom E" },
	{ ORIGINAL, CR_CYCLES, 0, "96", "atom N" },
	{ ORIGINAL, CR_CYCLES, 0, "a0", "atom W" },
	{ ORIGINAL, CR_CYCLES, 0, "bc", "atom WWWWWWWW" },
	{ ORIGINAL, CR_CYCLES, 0, "fc", "atom WWWWWWWWE" },
	{ ORIGINAL, CR_CYCLES, 0, "a4", "atom WW" },
	{ ORIGINAL, CR_CYCLES, 0, "dc", "atom WEWEWEWEWEWEWEWN" },
	/* branches: one byte to five, of either encoding */
	{ ORIGINAL, 0, 0, "3d", "branch 0x1e/6" },
	{ ORIGINAL, 0, 0, "bd 56", "branch 0x159e/13" },
	{ ORIGINAL, 0, 0, "bd d6 68", "branch 0xd159e/20" },
	{ ORIGINAL, 0, 0, "bd d6 e8 48", "branch 0x48d159e/27" },
	{ ORIGINAL, 0, 0, "bd d6 e8 c8 08", "branch 0x12345678 a32" },
	{ ORIGINAL, 0, 0, "f9 ac d1 91 11", "branch 0x12345678 t32" },
	{ ORIGINAL, 0, 0, "f1 d9 a2 a3 22", "branch 0x12345678 jazelle" },
	{ ORIGINAL, 0, 0, "bd d6 e8 c8 0c", "branch 0x92345678 a32" },
	{ ORIGINAL, 0, 0, "f9 ac d1 91 19", "branch 0x92345678 t32" },
	{ ORIGINAL, 0, 0, "f1 d9 a2 a3 32", "branch 0x92345678 jazelle" },
	{ ALT, 0, 0, "bd d6 e8 08", "branch 0x8d159e/26" },
	{ ALT, 0, 0, "bd d6 e8 c8 08", "branch 0x12345678 a32" },
	{ ALT, 0, 0, "f9 ac d1 91 11", "branch 0x12345678 t32" },
	{ ALT, 0, 0, "f1 d9 a2 a3 22", "branch 0x12345678 jazelle" },
	{ ALT, 0, 0, "bd d6 28", "branch 0x5159e/19" },
	{ ALT, 0, 0, "bd 16", "branch 0x59e/12" },
	{ ALT, 0, 0, "3d", "branch 0x1e/6" },
	{ ALT_3_3, 0, 0, "bd 56", "branch 0x159e/13" },
	{ ORIGINAL_3_4, 0, 0, "bd 56", "branch 0x159e/13" },
	/* ... and exceptions */
	{ ORIGINAL, 0, 0, "8d 80 80 80 48 3d", "branch 0x18 a32 irq ns cancel" },
	{ ALT, 0, 0, "8d 80 80 80 48 3d", "branch 0x18 a32 irq ns cancel" },
	{ ALT, 0, 0, "8d 80 80 40 1c", "branch 0x6/26 irq s" },
	{ ALT, 0, 0, "8d 40 3d", "branch 0x6/12 irq ns cancel" },
	{ ORIGINAL, 0, 0, "81 80 80 80 48 80 21", "branch 0x0 a32 0x10 s hyp" },
	{ ORIGINAL, 0, 0, "81 80 80 80 60 02", "branch 0x0 jazelle debug.halt s" },
	{ ALT, 0, 0, "81 42 10", "branch 0x80/12 irq0 s", CSF_PROFILE_M },
	{ ALT, 0, 0, "81 42 90 01", "branch 0x80/12 irq8 s nohyp", CSF_PROFILE_M },
	{ ALT, 0, 0, "81 42 90 81 43", "branch 0x80/12 irq8 s nohyp resume=3", CSF_PROFILE_M },
	{ ALT, 0, 0, "81 42 9e 4d", "branch 0x80/12 systick s resume=13", CSF_PROFILE_M },
	{ ALT, 0, 0, "81 42 a6 01", "branch 0x80/12 hardfault s nohyp cancel", CSF_PROFILE_M },
	{ ORIGINAL, 0, 0, "81 80 80 80 48 86 20", "branch 0x0 a32 hyp.entry s hyp" },
	{ ORIGINAL, 0, 0, "81 80 80 80 48 01", "branch 0x0 a32 none ns" },
	{ ORIGINAL, 0, 0, "81 80 80 80 50 41", "branch 0x0 t32 none ns alt" },
	{ ORIGINAL, 0, 0, "8d 80 80 80 88", "branch 0x18 a32 old=1" },
	{ ORIGINAL, 0, 0, "8d 80 80 80 ec", "branch 0x80000018 a32 old=5 cancel" },
	{ ALT_3_3, 0, 0, "8d 80 80 80 b9", "branch 0x20000018 a32 old=7" },
	/* I-syncs */
	{ ORIGINAL, 0, 0, "08 21 00 80 00 00", "isync 0x8000 a32 on s" },
	{ ORIGINAL, 0, 0, "08 2b 01 80 00 00", "isync 0x8000 t32 on ns hyp" },
	{ ORIGINAL, 0, 0, "08 61 00 90 00 00", "isync 0x9000 a32 debug s" },
	{ ORIGINAL, 0, 0, "08 15 00 a0 00 00", "isync 0xa000 jazelle periodic s alt" },
	{ ORIGINAL, 0, 0, "70 85 01 41 00 a0 00 00", "isync 0xa000 a32 overflow s cc=133" },
	{ ORIGINAL, CR_CID2, 0, "70 05 34 12 21 00 90 00 00",
	  "isync 0x9000 a32 on s cc=5 cid=0x1234" },
	{ ORIGINAL, CR_CID1, 0, "08 7f 21 00 90 00 00", "isync 0x9000 a32 on s cid=0x7f" },
	{ ORIGINAL, CR_CID4, 0, "08 78 56 34 12 21 00 90 00 00",
	  "isync 0x9000 a32 on s cid=0x12345678" },
	{ ORIGINAL, 0, 0, "08 15 01 a0 00 00", "isync 0xa001 jazelle periodic s alt" },
	{ ORIGINAL, 0, 0, "08 2d 01 80 00 00", "isync 0x8000 t32 on ns alt" },
	{ ORIGINAL, CR_NO_INSN, 0, "08 21", "isync on s" },
	{ ORIGINAL, CR_NO_INSN | CR_CID1, 0, "70 05 7f 29", "isync on ns cc=5 cid=0x7f" },
	{ ORIGINAL, 0, 0, "08 81 00 80 00 00 11", "isync 0x8000 a32 periodic s lsip=0x8/6" },
	{ ORIGINAL, 0, 0, "08 81 00 80 00 00 bd d6 e8 c8 08",
	  "isync 0x8000 a32 periodic s lsip=0x12345678/32" },
	{ ALT, 0, 0, "08 81 01 80 00 00 91 02", "isync 0x8000 t32 periodic s lsip=0x88/12" },
	{ ORIGINAL, 0, 0, "08 81 01 80 00 00 91 42", "isync 0x8000 t32 periodic s lsip=0x1088/13" },
	/* counts, times, IDs */
	{ ORIGINAL, 0, 0, "04 05", "cycles 5" },
	{ ORIGINAL, 0, 0, "04 80 01", "cycles 128" },
	{ ORIGINAL, 0, 0, "04 ff ff ff ff 0f", "cycles 4294967295" },
	{ ORIGINAL, 0, 0, "04 00", "cycles 0" },
	{ ORIGINAL, 0, 0, "46 05", "time 0x5/7 change" },
	{ ORIGINAL, 0, 0, "42 81 01", "time 0x81/14" },
	{ ORIGINAL, 0, 0, "42 ff ff ff ff ff ff 3f", "time 0xffffffffffff/48" },
	{ ORIGINAL, 0, TS64, "42 bd 9a c3 ce af 90 80 80 00", "time 0x82f9d0cd3d/64" },
	{ ORIGINAL, 0, TS64, "42 80 80 80 80 80 80 80 80 ff", "time 0xff00000000000000/64" },
	{ ORIGINAL, 0, TS64, "42 80 80 80 80 80 80 7f", "time 0x1fc0000000000/49" },
	{ ORIGINAL, 0, TS64, "42 80 80 80 80 80 80 80 7f", "time 0xfe000000000000/56" },
	{ ORIGINAL, 0, 0, "42 80 80 80 80 80 7f", "time 0x3f800000000/42" },
	{ ORIGINAL, CR_CID2, 0, "6e 34 12", "cid 0x1234" },
	{ ORIGINAL, CR_CID4, 0, "6e 78 56 34 12", "cid 0x12345678" },
	{ ORIGINAL, 0, 0, "6e", "cid 0x0" },
	{ ORIGINAL, 0, 0, "3c 04", "vmid 0x4" },
	{ ORIGINAL, 0, 0, "0c", "trigger" },
	{ ORIGINAL, 0, 0, "66", "ignore" },
	{ ORIGINAL, 0, 0, "76", "eret" },
	{ ORIGINAL, 0, 0, "7e", "exc.entry" },
	/* data: the bit for an address is not the same in all headers */
	{ ORIGINAL, CR_VALUES, 0, "0e 11 22 33 44", "data 0x44332211/4" },
	{ ORIGINAL, CR_CPRT, 0, "0e 11 22 33 44", "data 0x44332211/4" },
	{ ORIGINAL, CR_VALUES, 0, "02", "data 0x0/0" },
	{ ORIGINAL, CR_VALUES, 0, "06 ff", "data 0xff/1" },
	{ ORIGINAL, CR_VALUES, 0, "26 7f", "data 0x7f/1 at" },
	{ ORIGINAL, CR_DATA, 0, "2a 84 01 34 12", "data 0x1234/2 at=0x84/14" },
	{ ORIGINAL, CR_DATA, 0, "2e 80 80 80 80 18 01 02 03 04",
	  "data 0x4030201/4 at=0x80000000/32 big" },
	{ ORIGINAL, CR_DATA, 0, "22 84 80 01", "data 0x0/0 at=0x4004/21" },
	{ ORIGINAL, CR_DATA, 0, "22 84 80 80 7f", "data 0x0/0 at=0xfe00004/28" },
	{ ORIGINAL, CR_DATA, 0, "22 80 80 80 80 0f", "data 0x0/0 at=0xf0000000/32" },
	{ ORIGINAL, CR_ADDRESSES, 0, "22 04", "data at=0x4/7" },
	{ ORIGINAL, CR_DATA, 0, "54", "data.place 1" },
	{ ORIGINAL, CR_DATA, 0, "78 90 03", "data.place 2 at=0x190/14" },
	{ ORIGINAL, CR_VALUES, 0, "74", "data.place 1 at" },
	{ ORIGINAL, CR_DATA, 0, "5c", "data.place 3" },
	{ ORIGINAL, CR_DATA, 0, "68 34 12", "data.late 3 0x1234/2" },
	{ ORIGINAL, CR_DATA, 0, "44 80", "data.late 2 0x80/1" },
	{ ORIGINAL, CR_DATA, 0, "2c 01 02 03 04", "data.late 1 0x4030201/4" },
	{ ORIGINAL, CR_DATA, 0, "20", "data.late 1 0x0/0" },
	{ ORIGINAL, CR_DATA, 0, "6a", "data.untraced" },
	{ ORIGINAL, CR_DATA, 0, "7a 05", "data.untraced at=0x5/7" },
	{ ORIGINAL, CR_VALUES, 0, "7a", "data.untraced at" },
	{ ORIGINAL, CR_DATA, 0, "50", "data.failed" },
	{ ORIGINAL, CR_DATA, 0, "62", "data.lost" },
	/* what is not canonical, or wrong: words only */
	{ ORIGINAL, 0, 0, "!00 00 00 00 00 00 00 80", "async" },
	{ ORIGINAL, CR_CYCLES, 0, "!e0", "atom WE" },
	{ ORIGINAL, 0, 0, "!00 00 00 00 80", "raw 00 00 00 00 80 sequence async" },
	{ ORIGINAL, 0, 0, "!04 ff ff ff ff ff", "cycles 4294967295" },
	{ ORIGINAL, 0, 0, "!04 80 80 80 80 f1", "cycles 268435456" },
	{ ORIGINAL, 0, 0, "!42 80 80 80 80 80 80 ff", "time 0xfc0000000000/48" },
	{ ORIGINAL, CR_ADDRESSES, 0, "!2e 04", "data at=0x4/7" },
	{ ORIGINAL, 0, 0, "!00 00 00 00 00 81", "raw 00 00 00 00 00 81 sequence async" },
	{ ORIGINAL, 0, 0, "!81 80 80 80 00", "raw 81 80 80 80 00 sequence branch" },
	{ ORIGINAL, 0, 0, "!81 80 80 80 40", "raw 81 80 80 80 40 sequence branch" },
	{ ALT, 0, 0, "!8d 80 80 80 88", "raw 8d 80 80 80 88 sequence branch" },
	{ ALT, 0, 0, "!81 42 90 81 23", "raw 81 42 90 81 23 sequence branch" },
	{ ALT, 0, 0, "!81 42 90 81 c3", "raw 81 42 90 81 c3 sequence branch" },
	{ ALT, 0, 0, "!81 42 90 53", "raw 81 42 90 53 sequence branch" },
	{ ALT, 0, 0, "!08 81 00 80 00 00 91 42", "raw 08 81 00 80 00 00 91 42 sequence isync" },
	{ ORIGINAL, 0, 0, "!08 81 00 80 00 00 bd d6 e8 c8 48",
	  "raw 08 81 00 80 00 00 bd d6 +3 sequence isync" },
	{ ORIGINAL, 0, 0, "!08 81 00 80 00 00 bd d6 e8 c8 88",
	  "raw 08 81 00 80 00 00 bd d6 +3 sequence isync" },
	{ ORIGINAL, 0, 0, "!08 81 00 80 00 00 bd d6 e8 c8 18",
	  "raw 08 81 00 80 00 00 bd d6 +3 sequence isync" },
	{ ORIGINAL, 0, 0, "!62", "raw 62 config data.lost" },
	{ ORIGINAL, 0, 0, "!08 20", "raw 08 20 sequence isync" },
	{ ORIGINAL, 0, 0, "!0e", "raw 0e config data" },
	{ ORIGINAL, CR_DATA, 0, "!22 80 80 80 80 20", "raw 22 80 80 80 80 20 sequence data" },
};

static struct csf_config config_of(const struct row *row)
{
	return (struct csf_config){
		.size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_ETM3,
		.etmidr = row->idr, .etmcr = row->cr, .etmccer = row->ccer,
		.profile = row->profile,
	};
}

static size_t bytes_of(const char *hex, uint8_t *bytes)
{
	size_t n = 0;
	int used;

	for (unsigned int v; sscanf(hex, "%x%n", &v, &used) == 1; hex += used)
		bytes[n++] = v;
	return n;
}

TEST(bytes_to_words_and_back)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool only_words = rows[i].bytes[0] == '!';
		struct csf_config config = config_of(&rows[i]);
		uint8_t bytes[64], back[CSF_PACKET_MAX];
		struct csf_packet packet;
		const char *where = "";
		char words[200];
		size_t n;

		n = bytes_of(rows[i].bytes + only_words, bytes);
		EXPECT_EQ((int)n, csf_packet_read(&config, bytes, n, &packet))
			TH_LOG("%s", rows[i].bytes);
		csf_packet_print(&config, &packet, words, sizeof(words));
		EXPECT_STREQ(rows[i].words, words);
		if (only_words)
			continue;
		EXPECT_EQ(0, csf_packet_parse(&config, rows[i].words, &packet, &where))
			TH_LOG("%s: at '%s'", rows[i].words, where);
		ASSERT_EQ((int)n, csf_packet_write(&config, back, &packet))
			TH_LOG("%s", rows[i].words);
		EXPECT_EQ(0, memcmp(bytes, back, n))
			TH_LOG("%s", rows[i].words);
		for (size_t cut = 1; cut < n; cut++) {
			EXPECT_EQ((int)cut, csf_packet_read(&config, bytes, cut, &packet));
			EXPECT_EQ(CSF_PKT_BAD, packet.type);
			EXPECT_EQ(CSF_BAD_CUT, packet.n);
		}
	}
}

/* The even headers below 0x80, as the sheet lists them. */
static const struct {
	enum csf_packet_type type;
	const char *headers;
} headers[] = {
	{ CSF_PKT_ASYNC, "00" },
	{ CSF_PKT_CYCLES, "04" },
	{ CSF_PKT_ISYNC, "08 70" },
	{ CSF_PKT_TRIGGER, "0c" },
	{ CSF_PKT_DATA_LATE, "20 24 28 2c 40 44 48 4c 60 64 68 6c" },
	{ CSF_PKT_VMID, "3c" },
	{ CSF_PKT_DATA, "02 06 0a 0e 22 26 2a 2e" },
	{ CSF_PKT_TIME, "42 46" },
	{ CSF_PKT_DATA_FAILED, "50" },
	{ CSF_PKT_DATA_PLACE, "54 58 5c 74 78 7c" },
	{ CSF_PKT_DATA_LOST, "62" },
	{ CSF_PKT_IGNORE, "66" },
	{ CSF_PKT_DATA_UNTRACED, "6a 7a" },
	{ CSF_PKT_CTXTID, "6e" },
	{ CSF_PKT_ERET, "76" },
	{ CSF_PKT_EXC_ENTRY, "7e" },
	{ CSF_PKT_BAD, "10 12 14 16 18 1a 1c 1e 30 32 34 36 38 3a 3e 4a 4e 52 56 5a 5e 72" },
};

/* What the sheet lists, odd ones are branches, and even ones from 0x80 on are atoms. */
TEST(all_headers)
{
	const struct row all = { ORIGINAL, CR_DATA, 0, NULL, NULL };
	struct csf_config config = config_of(&all);
	uint8_t type[256], list[64];

	for (unsigned int header = 0; header < 256; header++)
		type[header] = header & 1 ? CSF_PKT_BRANCH : CSF_PKT_ATOM;
	for (size_t i = 0; i < ARRAY_SIZE(headers); i++)
		for (size_t n = bytes_of(headers[i].headers, list); n; n--)
			type[list[n - 1]] = headers[i].type;
	for (unsigned int header = 0; header < 256; header++) {
		const uint8_t bytes[CSF_PACKET_MAX] = { header, 0x01 };
		struct csf_packet packet;
		uint8_t got;

		csf_packet_read(&config, bytes, sizeof(bytes), &packet);
		/* one that is malformed with these bytes has its type in info */
		got = packet.type == CSF_PKT_BAD && packet.n == CSF_BAD_SEQUENCE ? packet.info :
										   packet.type;
		EXPECT_EQ(type[header], got)
			TH_LOG("header %02x", header);
	}
}

/* Repeats @what @n times at the end of @words. */
static void repeat(char *words, const char *what, unsigned int n)
{
	while (n--)
		strcat(words, what);
}

/* The table of the sheet, without cycles.  Return: false: no format has this header. */
static bool plain_atoms(unsigned int header, char *words)
{
	const char *const atom[] = { "E", "N" };

	if (header % 4 == 0) {
		repeat(words, "E", header >> 2 & 15);
		repeat(words, "N", header >> 6 & 1);
		return header != 0x80;
	}
	repeat(words, atom[header >> 3 & 1], 1);
	repeat(words, atom[header >> 2 & 1], 1);
	return header >> 4 == 8;
}

/* With cycles. */
static bool cycle_atoms(unsigned int header, char *words)
{
	if (header % 4 == 0 && !(header & 0x20)) {
		repeat(words, "WE", header >> 2 & 7);
		repeat(words, "WN", header >> 6 & 1);
		return header != 0x80;
	}
	if (header % 4 == 0) {
		repeat(words, "W", (header >> 2 & 7) + 1);
		repeat(words, "E", header >> 6 & 1);
		return true;
	}
	if (header == 0x92 || header == 0x96) {
		repeat(words, header == 0x92 ? "E" : "N", 1);
		return true;
	}
	repeat(words, "W", 1);
	return plain_atoms(header, words);
}

TEST(all_atoms)
{
	for (unsigned int i = 0; i < 128; i++) {
		const bool cycles = i >= 64;
		const uint8_t bytes[CSF_PACKET_MAX] = { 0x80 | i << 1 };
		const struct row row = { ORIGINAL, cycles ? CR_CYCLES : 0, 0, NULL, NULL };
		struct csf_config config = config_of(&row);
		char words[40] = "atom ", got[200];
		struct csf_packet packet;

		if (!(cycles ? cycle_atoms : plain_atoms)(bytes[0], words))
			sprintf(words, "raw %02x sequence atom", bytes[0]);
		EXPECT_EQ(1, csf_packet_read(&config, bytes, 1, &packet));
		csf_packet_print(&config, &packet, got, sizeof(got));
		EXPECT_STREQ(words, got);
	}
}

/* Any packet that can be read and has words gives the same packet by its words. */
TEST(random_bytes)
{
	uint64_t seed = 1;

	for (unsigned int i = 0; i < 200000; i++) {
		struct csf_config config = config_of(&rows[i % ARRAY_SIZE(rows)]);
		uint8_t bytes[CSF_PACKET_MAX], written[CSF_PACKET_MAX];
		struct csf_packet packet, back;
		const char *where = "";
		char words[200];
		int n;

		for (unsigned int b = 0; b < sizeof(bytes); b++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[b] = seed >> 40 & (seed >> 62 ? 0xff : 0x7f);
		}
		n = csf_packet_read(&config, bytes, sizeof(bytes), &packet);
		ASSERT_LT(0, n);
		ASSERT_GE(CSF_PACKET_MAX, n);
		if (packet.type == CSF_PKT_BAD)
			continue;
		n = csf_packet_write(&config, written, &packet);
		if (!n)
			continue;
		csf_packet_print(&config, &packet, words, sizeof(words));
		ASSERT_EQ(0, csf_packet_parse(&config, words, &back, &where))
			TH_LOG("%s: at '%s'", words, where);
		packet.size = n;
		EXPECT_EQ(0, memcmp(&packet, &back, sizeof(packet)))
			TH_LOG("%s", words);
	}
}

/* The monitor reads the same packets, many at a time or one. */
TEST(monitor)
{
	static const uint8_t trace[] = {
		0x84, 0x42, 0, 0, 0, 0, 0, 0x80,	/* not in sync; an A-sync */
		0x08, 0x21, 0x00, 0x80, 0x00, 0x00, 0xc8, 0x8a,
		0xbd, 0xd6, 0xe8, 0xc8, 0x08, 0xbd, 0x16, 0x3d, 0x8d, 0x80, 0x80, 0x80, 0x48, 0x3d,
		0x04, 0x85, 0, 0, 0, 0, 0, 0x80,	/* cut off */
		0x84, 0x10, 0x84,			/* reserved: out of sync */
		0, 0, 0, 0, 0, 0x80, 0x8e, 0x08,
	};
	static const char *const want[] = {
		"raw 84 42 unsync", "async", "isync 0x8000 a32 on s", "atom EEN", "atom NE",
		"branch 0x12345678 a32", "branch 0x59e/", "branch 0x1e/6",
		"branch 0x18 a32 irq ns cancel", "raw 04 85 cut cycles", "async", "atom E",
		"raw 10 reserved", "raw 84 unsync", "async", "atom NN", "raw 08 cut isync",
	};

	for (unsigned int way = 0; way < 4; way++) {
		const struct row row = { way & 1 ? ALT : ORIGINAL, 0, 0, NULL, NULL };
		const struct csf_config config = config_of(&row);
		struct csf_packet packets[8];
		struct csf_monitor *mon;
		char words[200];
		size_t i = 0;
		long n;

		ASSERT_EQ(0, csf_monitor_new(&mon, &config));
		ASSERT_EQ(0, csf_monitor_feed(mon, trace, sizeof(trace)));
		ASSERT_EQ(0, csf_monitor_end(mon));
		while ((n = csf_monitor_read(mon, packets, way & 2 ? 8 : 1, NULL, NULL)) > 0) {
			for (long k = 0; k < n; k++) {
				csf_packet_print(&config, &packets[k], words, sizeof(words));
				ASSERT_GT(ARRAY_SIZE(want), i);
				EXPECT_EQ(0, strncmp(want[i], words, strlen(want[i])))
					TH_LOG("%s, not %s", words, want[i]);
				i++;
			}
		}
		EXPECT_EQ(ARRAY_SIZE(want), i);
		csf_monitor_free(mon);
	}
}

TEST(configuration)
{
	struct csf_config config = config_of(&rows[0]);

	EXPECT_EQ(0x23, csf_config_version(&config));
	EXPECT_EQ(CSF_PROTOCOL_ETM3, csf_config_protocol(&config));
	config.etmidr = 0x411cf312;
	EXPECT_STREQ(".etmidr: it does not name ETMv3", csf_config_problem(&config));
	config.etmidr = 0x4104f260;
	EXPECT_STREQ(".etmidr: there is no such version of ETMv3", csf_config_problem(&config));
	config.etmidr = 0;
	EXPECT_EQ(0x24, csf_config_version(&config));
}

TEST_HARNESS_MAIN
