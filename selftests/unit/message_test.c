// SPDX-License-Identifier: GPL-2.0-only
/* Messages of ITM and DWT: bytes in pieces of any size, messages out. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

#define TSENA	0x02
#define SWOENA	0x10

/* "01 48" to bytes.  Return: how many. */
static size_t read_hex(const char *text, uint8_t *bytes)
{
	size_t n = 0;
	char *end;

	for (unsigned long v; v = strtoul(text, &end, 16), end != text; text = end)
		bytes[n++] = v;
	return n;
}

static int put_flags(char *text, const struct csf_message *m)
{
	static const char *const words[] = {
		NULL, "lost", "time-late", "late", "unsynced", "partial", "clock", "master",
	};
	int len = 0;

	if (m->flags & CSF_MESSAGE_HAS_TIME)
		len += sprintf(text, " t%llu", (unsigned long long)m->time);
	for (size_t i = 1; i < ARRAY_SIZE(words); i++)
		if (m->flags >> i & 1)
			len += sprintf(text + len, " %s", words[i]);
	return len;
}

/* OFFSET kind CHANNEL VALUE/SIZE, and what else there is. */
static int put_message(char *text, const struct csf_message *m)
{
	int len = sprintf(text, "%llu %s", (unsigned long long)m->offset,
			  csf_message_name(m->kind));

	if (m->kind == CSF_MESSAGE_GAP)
		return len + sprintf(text + len, " %s/%llu;", csf_gap_name(m->info),
				     (unsigned long long)m->value);
	if (m->channel)
		len += sprintf(text + len, " #%u", m->channel);
	len += sprintf(text + len, " %llx/%u", (unsigned long long)m->value, m->size);
	if (m->info)
		len += sprintf(text + len, " info%u", m->info);
	len += put_flags(text + len, m);
	return len + sprintf(text + len, ";");
}

static char *drain(struct csf_messages *messages, char *text)
{
	struct csf_message m;

	while (csf_messages_next(messages, &m) > 0)
		text += put_message(text, &m);
	return text;
}

static void messages_text(uint32_t itmtcr, const uint8_t *bytes, size_t n, size_t chunk,
			  char *text)
{
	struct csf_config config = {
		.size = sizeof(config), .protocol = CSF_PROTOCOL_ITM, .itmtcr = itmtcr,
	};
	struct csf_messages *messages = NULL;
	size_t at = 0;

	if (csf_messages_new(&messages, &config))
		return;
	do {
		const size_t take = n - at < chunk ? n - at : chunk;

		csf_messages_feed(messages, bytes + at, take);
		at += take;
		if (at == n)
			csf_messages_end(messages);
		text = drain(messages, text);
	} while (at < n);
	csf_messages_free(messages);
}

#define SYNC	"00 00 00 00 00 80 "

static const struct {
	const char *bytes, *want;
	uint32_t itmtcr;
} rows[] = {
	/* software */
	{ SYNC "01 48 2b 78 56 34 12", "6 data 48/1;8 data #5 12345678/4;" },
	{ "01 48", "0 data 48/1 unsynced;" },
	{ SYNC "18 01 41 08 01 42 78 fa 01 00", "7 data #32 41/1;10 data 42/1;13 data #255 1/2;" },
	/* the DWT */
	{ SYNC "05 2a", "6 counters 2a/1;" },
	{ SYNC "0e 20 30 0e 10 10 0e 0f 20 0e 16 11 0e 00 30",
	  "6 exception 20/2 info3;9 exception 10/2 info1;12 exception f/2 info2;"
	  "15 exception 116/2 info1;18 exception 0/2 info3;" },
	{ SYNC "17 78 56 34 12 15 00 15 ff", "6 pc 12345678/4;11 no-pc 0/1;13 no-pc ff/1;" },
	{ SYNC "1d 81", "6 pmu 81/1;" },
	{ SYNC "47 cd ab 00 00 77 03 0f 3f ff 55 01",
	  "6 access-pc abcd/4;11 access-pc #3 ff3f0f03/4;16 match #1 1/1;" },
	{ SYNC "4e 34 12 6e 03 0f", "6 access-addr 1234/2;9 access-addr #2 f03/2;" },
	{ SYNC "4f 00 10 00 20 4d 00 4d 08 5d 08",
	  "6 access-addr 20001000/4;11 access-addr 20001000/4;13 access-addr 20001008/4;"
	  "15 access-addr #1 8/1;" },
	{ SYNC "b7 55 44 33 22 af 03 0f 3f ff ae 03 0f ad 03",
	  "6 read #3 22334455/4;11 write #2 ff3f0f03/4;16 write #2 f03/2;19 write #2 3/1;" },
	{ SYNC "06 01 02 25 09 c5 01",
	  "6 other 201/2 info1;9 other #4 9/1 info1;11 other #24 1/1 info1;" },
	{ SYNC "0d 01 1e 02 03 16 04 05",
	  "6 other #1 1/1 info1;8 other #3 302/2 info1;11 other #2 504/2 info1;" },
	{ SYNC "7c 98 01", "6 other 7/4 info3;7 other 9/4 info2;" },
	/* a local timestamp is that of the messages before it */
	{ SYNC "01 48 01 49 c0 05 01 4a 60",
	  "6 data 48/1 t5;8 data 49/1 t5;10 time 5/4 t5;12 data 4a/1 t11;14 time 6/4 t11;" },
	{ SYNC "01 48 d0 85 02 01 49 e0 8a 0b 01 4a f0 01",
	  "6 data 48/1 t261 time-late;8 time 105/4 t261 time-late;11 data 49/1 t1679 late;"
	  "13 time 58a/4 t1679 late;16 data 4a/1 t1680 time-late late;"
	  "18 time 1/4 t1680 time-late late;" },
	{ SYNC "01 48 c0 05", "6 data 48/1 t320;8 time 140/4 t320;", TSENA | SWOENA | 3 << 8 },
	{ SYNC "01 48 c0 05", "6 data 48/1 t5;8 time 5/4 t5;", TSENA | 3 << 8 },
	{ SYNC "01 48 c0 05", "6 data 48/1;8 time 5/4 t5;", 1 },
	/* a loss takes an unknown time */
	{ SYNC "01 48 70 01 49 c0 05 01 4a 10",
	  "6 data 48/1;8 overflow 0/0;9 data 49/1 t5 lost;11 time 5/4 t5 lost;"
	  "13 data 4a/1 t6 lost;15 time 1/4 t6 lost;" },
	{ SYNC "4f 00 10 00 20 70 4d 08", "6 access-addr 20001000/4;11 overflow 0/0;"
	  "12 access-addr 8/1;" },
	/* global time: whole if both halves are known */
	{ SYNC "94 05", "6 global-time 5/8 partial;" },
	{ SYNC "94 85 80 80 01 b4 81 80 80 00 94 06",
	  "6 global-time 200005/8 partial;11 global-time 4200005/8;16 global-time 4200006/8;" },
	{ SYNC "94 d6 e8 c8 07 b4 93 98 a0 a0 80 00",
	  "6 global-time f23456/8 partial;11 global-time 1020304cf23456/8;" },
	{ SYNC "b4 82 80 80 00 94 81 80 80 00 94 81 80 80 40 b4 83 80 80 00 94 81 80 80 20",
	  "6 global-time 8000000/8 partial;11 global-time 8000001/8;"
	  "16 global-time 1/8 partial;21 global-time c000001/8;26 global-time 1/8 partial clock;" },
	/* vectors of others: rust-embedded/itm, rtic-scope/itm, Open-CMSIS-Pack */
	{ "01 00 c0 81 81 81 01 01 00 c0 81 81 01 01 00 c0 81 01 01 00 c0 01",
	  "0 data 0/1 t2113665 unsynced;2 time 204081/4 t2113665 unsynced;"
	  "7 data 0/1 t2130178 unsynced;9 time 4081/4 t2130178 unsynced;"
	  "13 data 0/1 t2130307 unsynced;15 time 81/4 t2130307 unsynced;"
	  "18 data 0/1 t2130308 unsynced;20 time 1/4 t2130308 unsynced;" },
	{ SYNC "c0 c9 01 50 01 10 40",
	  "6 time c9/4 t201;9 time 5/4 t206;10 data 10/1 t210;12 time 4/4 t210;" },
	{ SYNC "94 7f 94 ff 7f 94 ff ff 7f 94 ff ff ff 7f",
	  "6 global-time 7f/8 partial;8 global-time 3fff/8 partial;"
	  "11 global-time 1fffff/8 partial;15 global-time 3ffffff/8 partial clock;" },
	{ SYNC "b4 bd f4 91 01 b4 bd f4 91 81 f4 07",
	  "6 global-time 91e8f4000000/8 partial;11 global-time fd0091e8f4000000/8 partial;" },
	{ SYNC "8b 03 0f 3f ff 05 21 1d 81",
	  "6 data #17 ff3f0f03/4;11 counters 21/1;13 pmu 81/1;" },
	/* a stand-alone ITM: what M profile has reserved is reserved there, too */
	{ SYNC "01 41 c0 07 90 01 84 80 80 80 00 01 42",
	  "6 data 41/1 t7;8 time 7/4 t7;10 gap packet/2;12 gap packet/5;17 data 42/1 unsynced;" },
	/* a page is not believed near a reserved packet */
	{ SYNC "18 01 41 04 01 42", "7 data #32 41/1;9 gap packet/1;10 data 42/1 unsynced;" },
	{ SYNC "18 28 06 01 02 01 42",
	  "8 other 201/2 info1;11 data 42/1;" },
	{ SYNC "04 18 01 41 " SYNC "18 01 42",
	  "6 gap packet/1;8 data 41/1 unsynced;17 data 42/1;" },
	{ "04 01 41 18 01 42", "0 gap packet/1;1 data 41/1 unsynced;4 data 42/1 unsynced;" },
	/* damage */
	{ SYNC "01 48 04 01 49 " SYNC "01 4a",
	  "6 data 48/1;8 gap packet/1;9 data 49/1 unsynced;17 data 4a/1;" },
	{ SYNC "01 41 00 fe " SYNC "01 42",
	  "6 data 41/1;8 gap packet/1;9 gap cut/1;16 data 42/1;" },
	{ SYNC "01 41 80 80 80 80 80 " SYNC "01 42",
	  "6 data 41/1;8 gap packet/5;19 data 42/1;" },
	{ SYNC "c0 80 80 80 80 01 42", "6 gap packet/5;11 data 42/1 unsynced;" },
	{ SYNC "01 48 2b 78", "6 data 48/1;8 gap cut/2;" },
	{ "17 00 00 00 00 " SYNC "01 42", "0 pc 0/4 unsynced;11 data 42/1;" },
};

TEST(bytes_to_messages)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t bytes[128];
		const size_t n = read_hex(rows[i].bytes, bytes);

		for (size_t chunk = 1; chunk <= n; chunk++) {
			char text[4096] = "";

			messages_text(rows[i].itmtcr, bytes, n, chunk, text);
			EXPECT_STREQ(rows[i].want, text)
				TH_LOG("row %zu, pieces of %zu", i, chunk);
		}
	}
}

/* Messages without a timestamp are held back, but not for ever. */
TEST(hold_back)
{
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	const uint8_t sync[] = { 0, 0, 0, 0, 0, 0x80 }, time[] = { 0xc0, 5 };
	struct csf_messages *messages;
	uint8_t bytes[2 * 250];
	struct csf_message m;
	unsigned int n = 0;

	for (unsigned int i = 0; i < sizeof(bytes); i++)
		bytes[i] = i & 1 ? i / 2 : 0x01;
	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	EXPECT_EQ(0, csf_messages_feed(messages, sync, sizeof(sync)));
	EXPECT_EQ(0, csf_messages_next(messages, &m));
	EXPECT_EQ(0, csf_messages_feed(messages, bytes, 2 * 50));
	EXPECT_EQ(0, csf_messages_next(messages, &m));
	EXPECT_EQ(0, csf_messages_feed(messages, bytes + 2 * 50, 2 * 200));
	while (csf_messages_next(messages, &m) > 0) {
		EXPECT_EQ(n++, m.value);
		EXPECT_EQ(0, m.flags);
	}
	EXPECT_EQ(192, n);
	EXPECT_EQ(0, csf_messages_feed(messages, time, sizeof(time)));
	EXPECT_EQ(0, csf_messages_end(messages));
	for (; csf_messages_next(messages, &m) > 0; n++) {
		EXPECT_EQ(CSF_MESSAGE_HAS_TIME, m.flags);
		EXPECT_EQ(5, m.time);
	}
	EXPECT_EQ(251, n);
	csf_messages_free(messages);
}

/* As a decoder: what is fed must be used up, and an end is one until it has come. */
TEST(manners)
{
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	struct csf_config etm = { .size = sizeof(etm) };
	struct csf_message_stats stats = { .size = sizeof(stats) };
	struct csf_messages *messages;
	uint8_t bytes[200] = { 0 };
	struct csf_message m;

	EXPECT_TRUE(csf_config_has_messages(&config));
	EXPECT_FALSE(csf_config_has_messages(&etm));
	EXPECT_EQ(CSF_ERR_CONFIG, csf_messages_new(&messages, &etm));
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_new(NULL, &config));
	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	for (size_t i = 0; i < sizeof(bytes); i += 2)
		bytes[i] = 0x01;
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_feed(messages, NULL, 1));
	EXPECT_EQ(0, csf_messages_feed(messages, bytes, sizeof(bytes)));
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_feed(messages, bytes, sizeof(bytes)));
	EXPECT_EQ(0, csf_messages_end(messages));
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_end(messages));
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_feed(messages, bytes, 0));
	while (csf_messages_next(messages, &m) > 0)
		;
	csf_messages_stats(messages, &stats);
	EXPECT_EQ(100, stats.messages);
	EXPECT_EQ(100, stats.packets);
	EXPECT_EQ(200, stats.bytes);
	EXPECT_EQ(0, csf_messages_feed(messages, bytes, 1));
	EXPECT_EQ(0, csf_messages_end(messages));
	ASSERT_EQ(1, csf_messages_next(messages, &m));
	EXPECT_EQ(CSF_MESSAGE_GAP, m.kind);
	EXPECT_EQ(200, m.offset);
	EXPECT_EQ(0, csf_messages_next(messages, &m));
	csf_messages_stats(messages, &stats);
	EXPECT_EQ(1, stats.skipped);
	EXPECT_EQ(1, stats.gaps[CSF_GAP_CUT]);
	csf_messages_reset(messages);
	csf_messages_stats(messages, &stats);
	EXPECT_EQ(0, stats.bytes + stats.messages + stats.gaps[CSF_GAP_CUT]);
	csf_messages_free(messages);
}

/* A page that enough packets have confirmed stays, and so one does that comes long after damage. */
TEST(pages)
{
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	uint8_t bytes[512] = { 0x18 };
	struct csf_messages *messages;
	uint32_t channels[4] = { 0 };
	struct csf_message m;
	size_t n = 1;

	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	for (int i = 0; i < 3; i++) {
		for (int k = 0; k < 40; k++) {
			bytes[n++] = 0x01;
			bytes[n++] = i;
		}
		bytes[n++] = i ? 0x28 : 0x04;	/* damage; then page 2 */
	}
	EXPECT_EQ(0, csf_messages_feed(messages, bytes, n));
	EXPECT_EQ(0, csf_messages_end(messages));
	while (csf_messages_next(messages, &m) > 0)
		if (m.kind == CSF_MESSAGE_DATA)
			channels[m.value] = m.channel;
	EXPECT_EQ(32, channels[0]);
	EXPECT_EQ(32, channels[1]);
	EXPECT_EQ(64, channels[2]);
	csf_messages_free(messages);
}

/* A barrier is a gap: what comes after it may be of another time and another page. */
TEST(in_frames)
{
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	static const char frames[] =
		"03 00 00 00 00 00 80 18 00 41 c0 05 00 42 00 50 "
		"ff ff ff 7f ff ff ff 7f ff ff ff 7f ff ff ff 7f "
		"03 01 42 c0 06 70 01 00 00 00 00 00 00 00 00 00 ";
	struct csf_messages *messages;
	struct csf_frames *capture;
	uint8_t bytes[64];
	const size_t n = read_hex(frames, bytes);
	char text[4096] = "", *end = text;

	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	ASSERT_EQ(0, csf_frames_new(&capture, CSF_FRAMES_MEMORY, 0));
	EXPECT_EQ(0, csf_attach_messages(capture, 1, messages));
	EXPECT_EQ(CSF_ERR_ARG, csf_attach_messages(capture, 2, messages));
	for (size_t at = 0; at < n;) {
		const long taken = csf_frames_feed(capture, bytes + at, n - at);

		ASSERT_LT(0, taken);
		at += taken;
		end = drain(messages, end);
	}
	csf_frames_end(capture);
	drain(messages, end);
	EXPECT_STREQ("7 data #32 41/1 t5;9 time 5/4 t5;11 data #32 42/1;13 gap packet/1;"
		     "14 gap break/0;14 data 42/1 t11 lost unsynced;16 time 6/4 t11 lost unsynced;"
		     "18 overflow 0/0 unsynced;", text);
	csf_frames_free(capture);
	csf_messages_free(messages);
}

/* Nothing breaks off before the first byte; after it everything does. */
TEST(break_first)
{
	static const uint8_t frame[16] = { 0x03, 0x01, 0x42, 0x01 };
	struct csf_config config = { .size = sizeof(config), .protocol = CSF_PROTOCOL_ITM };
	struct csf_messages *messages;
	struct csf_frames *capture;
	char text[4096] = "", *end;

	ASSERT_EQ(0, csf_messages_new(&messages, &config));
	ASSERT_EQ(0, csf_frames_new(&capture, CSF_FRAMES_MEMORY, 0));
	EXPECT_EQ(0, csf_attach_messages(capture, 1, messages));
	EXPECT_EQ(0, csf_frames_break(capture, 3));
	end = drain(messages, text);
	EXPECT_STREQ("", text);
	EXPECT_EQ(16, csf_frames_feed(capture, frame, sizeof(frame)));
	end = drain(messages, end);
	EXPECT_EQ(0, csf_frames_break(capture, 3));
	drain(messages, end);
	EXPECT_TRUE(strstr(text, "gap break/0"))
		TH_LOG("%s", text);
	csf_frames_free(capture);
	csf_messages_free(messages);
}

TEST_HARNESS_MAIN
