// SPDX-License-Identifier: GPL-2.0-only
/* Packets of an MTB: bytes to words and back. */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "../../decoder/mtb/packet.h"

static const struct csf_config config = {
	.size = sizeof(config), .protocol = CSF_PROTOCOL_MTB,
};

/* Bit 0 of the source is an exception, bit 0 of the destination the start of trace. */
static const struct {
	uint8_t byte[MTB_SIZE];
	const char *words;
} rows[] = {
	{ { 0x04, 0x01, 0x00, 0x08, 0x20, 0x02, 0x00, 0x08 }, "branch 0x8000104 0x8000220" },
	{ { 0x05, 0x01, 0x00, 0x08, 0x20, 0x02, 0x00, 0x08 }, "exception 0x8000104 0x8000220" },
	{ { 0x04, 0x01, 0x00, 0x08, 0x21, 0x02, 0x00, 0x08 }, "branch 0x8000104 0x8000220 start" },
	{ { 0x05, 0x01, 0x00, 0x08, 0xf9, 0xff, 0xff, 0xff },
	  "exception 0x8000104 0xfffffff8 start" },
	{ { 0xf9, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff }, "exception 0xfffffff8 0xfffffffe" },
	{ { 0 }, "branch 0x0 0x0" },
};

TEST(bytes_to_words_and_back)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct csf_packet packet, back;
		uint8_t bytes[MTB_SIZE];
		const char *where = "";
		char words[100];

		ASSERT_EQ(MTB_SIZE, csf_packet_read(&config, rows[i].byte, MTB_SIZE, &packet));
		EXPECT_EQ(MTB_SIZE, packet.size);
		csf_packet_print(&config, &packet, words, sizeof(words));
		EXPECT_STREQ(rows[i].words, words);
		ASSERT_EQ(0, csf_packet_parse(&config, words, &back, &where))
			TH_LOG("%s: at '%s'", words, where);
		EXPECT_EQ(0, memcmp(&packet, &back, sizeof(packet)));
		ASSERT_EQ(MTB_SIZE, csf_packet_write(&config, bytes, &back));
		EXPECT_EQ(0, memcmp(bytes, rows[i].byte, MTB_SIZE));
	}
}

/* Nothing is read after the last byte. */
TEST(cut_off)
{
	for (size_t n = 1; n < MTB_SIZE; n++) {
		uint8_t *bytes = malloc(n), back[MTB_SIZE];
		struct csf_packet packet;

		ASSERT_NE(NULL, bytes);
		memcpy(bytes, rows[0].byte, n);
		EXPECT_EQ((int)n, csf_packet_read(&config, bytes, n, &packet));
		EXPECT_EQ(CSF_PKT_BAD, packet.type);
		EXPECT_EQ(CSF_BAD_CUT, packet.n);
		EXPECT_EQ(n, packet.size);
		EXPECT_EQ((int)n, csf_packet_write(&config, back, &packet));
		EXPECT_EQ(0, memcmp(bytes, back, n));
		free(bytes);
	}
}

TEST(wrong_words)
{
	static const struct {
		const char *text, *at;
	} wrong[] = {
		{ "branch", "" },		{ "branch 0x1 0x2", "0x1 0x2" },
		{ "branch 0x2 0x1", "0x1" },	{ "branch 0x2 0x100000000", "0x100000000" },
		{ "branch 0x2 0x4 x", "x" },	{ "atom E", "atom E" },
		{ "start branch 0x2 0x4", "start branch 0x2 0x4" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct csf_packet packet;
		const char *where = "";

		EXPECT_EQ(CSF_ERR_ARG, csf_packet_parse(&config, wrong[i].text, &packet, &where));
		EXPECT_STREQ(wrong[i].at, where)
			TH_LOG("%s", wrong[i].text);
	}
}

TEST_HARNESS_MAIN
