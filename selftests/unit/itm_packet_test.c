// SPDX-License-Identifier: GPL-2.0-only
/* Packets of ITM and DWT: bytes to words, and words to bytes. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

static const struct csf_config config = {
	.size = sizeof(config), .protocol = CSF_PROTOCOL_ITM,
};

/* "01 48" to bytes.  Return: how many. */
static size_t read_hex(const char *text, uint8_t *bytes)
{
	size_t n = 0;
	char *end;

	for (unsigned long v; v = strtoul(text, &end, 16), end != text; text = end)
		bytes[n++] = v;
	return n;
}

static const struct row {
	const char *bytes, *words;
} rows[] = {
	{ "00 00 00 00 00 80", "async 5" },
	{ "00 00 00 00 00 00 00 80", "async 7" },
	{ "70", "overflow" },
	{ "01 48", "stimulus 0 0x48/1" },
	{ "0a 34 12", "stimulus 1 0x1234/2" },
	{ "2b 78 56 34 12", "stimulus 5 0x12345678/4" },
	{ "f9 00", "stimulus 31 0x0/1" },
	{ "05 01", "hardware 0 0x1/1" },
	{ "0e 0f 10", "hardware 1 0x100f/2" },
	{ "17 78 56 34 12", "hardware 2 0x12345678/4" },
	{ "8f ef be ad de", "hardware 17 0xdeadbeef/4" },
	{ "10", "time.local 0x1/0" },
	{ "60", "time.local 0x6/0" },
	{ "c0 05", "time.local 0x5/1" },
	{ "d0 85 02", "time.local 0x105/2 late" },
	{ "e0 8a 0b", "time.local 0x58a/2 packet-late" },
	{ "f0 ff ff ff 7f", "time.local 0xfffffff/4 late packet-late" },
	{ "c0 80 00", "time.local 0x0/2" },
	{ "94 05", "time.global1 0x5/7" },
	{ "94 ff 7f", "time.global1 0x3fff/14" },
	{ "94 ff ff 7f", "time.global1 0x1fffff/21" },
	{ "94 85 80 80 01", "time.global1 0x200005/26" },
	{ "94 85 80 80 41", "time.global1 0x200005/26 wrap" },
	{ "94 80 a0 84 60", "time.global1 0x11000/26 clock wrap" },
	{ "b4 81 80 80 00", "time.global2 0x1/22" },
	{ "b4 bd f4 91 01", "time.global2 0x247a3d/22" },
	{ "b4 bd f4 91 81 f4 07", "time.global2 0x3f40247a3d/38" },
	{ "08", "extension 0x0/3" },
	{ "18", "extension 0x1/3" },
	{ "7c", "extension 0x7/3 hardware" },
	{ "98 01", "extension 0x9/10" },
	{ "f8 ff ff ff ff", "extension 0xffffffff/32" },
	{ "8c 80 80 80 80", "extension 0x80000000/32 hardware" },
	/* not packets */
	{ "04", "raw 04 reserved" },
	{ "80 80 00", "raw 80 80 00 reserved" },
	{ "b0 ff ff ff ff ff ff", "raw b0 ff ff ff ff ff ff reserved" },
	{ "00 00 00 00", "raw 00 00 00 00 reserved" },
	{ "c0 80 80 80 80", "raw c0 80 80 80 80 sequence time.local" },
	{ "94 80 80 80 80", "raw 94 80 80 80 80 sequence time.global1" },
	{ "b4 01", "raw b4 01 sequence time.global2" },
	{ "b4 80 80 80 80 01", "raw b4 80 80 80 80 01 sequence time.global2" },
	{ "2b 78 56", "raw 2b 78 56 cut stimulus" },
	{ "c0 80", "raw c0 80 cut time.local" },
};

TEST(bytes_to_words_and_back)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct csf_packet packet, back;
		uint8_t bytes[32], written[32];
		const size_t n = read_hex(rows[i].bytes, bytes);
		const char *where = NULL;
		char words[160];

		EXPECT_EQ(n, csf_packet_read(&config, bytes, n, &packet)) TH_LOG("row %zu", i);
		csf_packet_print(&config, &packet, words, sizeof(words));
		EXPECT_STREQ(rows[i].words, words);
		EXPECT_EQ(0, csf_packet_parse(&config, words, &back, &where))
			TH_LOG("%s: at '%s'", words, where);
		EXPECT_EQ(n, csf_packet_write(&config, written, &back)) TH_LOG("%s", words);
		EXPECT_EQ(0, memcmp(bytes, written, n)) TH_LOG("%s", words);
	}
}

/* What may follow does not matter, and each header is a packet of some size. */
TEST(every_header)
{
	for (unsigned int header = 0; header < 256; header++) {
		for (unsigned int fill = 0; fill < 256; fill += 51) {
			struct csf_packet packet;
			uint8_t bytes[32];
			int size;

			memset(bytes, fill, sizeof(bytes));
			bytes[0] = header;
			size = csf_packet_read(&config, bytes, sizeof(bytes), &packet);
			EXPECT_TRUE(size > 0 && size == packet.size && size <= 32)
				TH_LOG("%02x, then %02x: %d", header, fill, size);
		}
	}
}

static const char *const wrong[] = {
	"stimulus", "stimulus 32 0x0/1", "stimulus 0 0x0/3", "stimulus 0 0x100/1", "stimulus 0 1",
	"hardware 0 x/1", "time.local 0x7/0", "time.local 0x80/1", "time.local 0x1/5",
	"time.local 0x1/0 late", "time.global1 0x1/7 wrap", "time.global1 0x1/8",
	"time.global2 0x1/26", "extension 0x8/3", "extension 0x8/4", "async 4", "async 32",
	"overflow 1", "nothing", "raw", "raw 0", "raw 00 +1",
};

TEST(words_that_are_no_packet)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct csf_packet packet;

		EXPECT_EQ(CSF_ERR_ARG, csf_packet_parse(&config, wrong[i], &packet, NULL))
			TH_LOG("%s", wrong[i]);
	}
}

/* Every byte is in one packet, and a sync cuts what comes before it, in pieces of any size. */
static const struct row streams[] = {
	{ "01 41 00 fe 00 00 00 00 00 80 01 42",
	  "stimulus 0 0x41/1;raw 00 reserved;raw fe cut hardware;async 5;stimulus 0 0x42/1;" },
	{ "01 41 80 80 80 80 80 00 00 00 00 00 80 01 42",
	  "stimulus 0 0x41/1;raw 80 80 80 80 80 reserved;async 5;stimulus 0 0x42/1;" },
	{ "03 00 00 00 00 00 00 00 00 00 80", "stimulus 0 0x0/4;async 5;" },
	{ "17 01 00 00 00 00 00 00 00 00 00 80 70", "hardware 2 0x1/4;async 6;overflow;" },
	{ "00 00 00 00 80 01 01", "raw 00 00 00 00 reserved;raw 80 01 reserved;"
	  "raw 01 cut stimulus;" },
	{ "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
	  " 00 00 00 00 00 00 00 80 60",
	  "raw 00 00 00 00 00 00 00 00 +8 reserved;async 20;time.local 0x6/0;" },
	{ "01 02 00 00", "stimulus 0 0x2/1;raw 00 00 reserved;" },
};

static void monitor_text(const uint8_t *bytes, size_t n, size_t chunk, char *text)
{
	struct csf_monitor *mon = NULL;
	struct csf_packet packet;
	size_t at = 0;

	if (csf_monitor_new(&mon, &config))
		return;
	do {
		const size_t take = n - at < chunk ? n - at : chunk;

		csf_monitor_feed(mon, bytes + at, take);
		at += take;
		if (at == n)
			csf_monitor_end(mon);
		while (csf_monitor_next(mon, &packet, NULL, NULL) > 0) {
			text += csf_packet_print(&config, &packet, text, 160);
			text += sprintf(text, ";");
		}
	} while (at < n);
	csf_monitor_free(mon);
}

TEST(a_stream)
{
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		uint8_t bytes[64];
		const size_t n = read_hex(streams[i].bytes, bytes);

		for (size_t chunk = 1; chunk <= n; chunk++) {
			char text[4096] = "";

			monitor_text(bytes, n, chunk, text);
			EXPECT_STREQ(streams[i].words, text) TH_LOG("pieces of %zu", chunk);
		}
	}
}

TEST(nothing_to_commit_or_to_follow)
{
	struct csf_monitor *mon;
	struct csf_image *image;
	struct csf_decoder *dec;

	ASSERT_EQ(0, csf_monitor_new(&mon, &config));
	EXPECT_EQ(CSF_ERR_ARG, csf_monitor_commit(mon));
	csf_monitor_free(mon);
	ASSERT_EQ(0, csf_image_new(&image));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_new(&dec, &config, image));
	csf_image_free(image);
	EXPECT_EQ(CSF_PROTOCOL_ITM, csf_config_protocol(&config));
	EXPECT_EQ(0, csf_config_version(&config));
}

TEST_HARNESS_MAIN
