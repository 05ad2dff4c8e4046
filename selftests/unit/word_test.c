// SPDX-License-Identifier: GPL-2.0-only
/* The words of bytes that are no packet: the same in each protocol. */
#include "../lib/kselftest_harness.h"
#include "../../decoder/csflow-packet.h"

#define ITEMS(a)	(sizeof(a) / sizeof((a)[0]))

static const struct csf_config protocols[] = {
	{ .size = sizeof(struct csf_config), .trcidr0 = 0x28000ea1, .trcidr1 = 0x4100f420,
	  .trcidr2 = 0x20001088 },
	{ .size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_PTM, .etmidr = 0x411cf312 },
	{ .size = sizeof(struct csf_config), .protocol = CSF_PROTOCOL_ETM3, .etmidr = 0x4104f230 },
};

static const char *const good[] = {
	"raw 57 88 41 cc 94 41 cc d0 +24 unsync",
	"raw 57 88 41 cc 94 41 cc d0 +1 reserved",
	"raw 57 88 41 cc 94 41 cc d0 cut",
	"raw 57 unsync",
};

static const char *const wrong[] = {
	"raw", "raw unsync", "raw +1", "raw 57 +1 unsync", "raw 57 8",
	"raw 57 88 41 cc 94 41 cc d0 +25 unsync", "raw 57 88 41 cc 94 41 cc d0 + unsync",
};

TEST(bytes_are_read_back)
{
	for (size_t p = 0; p < ITEMS(protocols); p++) {
		for (size_t i = 0; i < ITEMS(good); i++) {
			struct csf_packet pkt;
			char text[160];

			EXPECT_EQ(0, csf_packet_parse(&protocols[p], good[i], &pkt, NULL))
				TH_LOG("%s of %zu", good[i], p);
			csf_packet_print(&protocols[p], &pkt, text, sizeof(text));
			EXPECT_STREQ(good[i], text);
		}
		for (size_t i = 0; i < ITEMS(wrong); i++) {
			struct csf_packet pkt;

			EXPECT_EQ(CSF_ERR_ARG,
				  csf_packet_parse(&protocols[p], wrong[i], &pkt, NULL))
				TH_LOG("%s of %zu", wrong[i], p);
		}
	}
}

TEST_HARNESS_MAIN
