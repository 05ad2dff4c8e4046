// SPDX-License-Identifier: GPL-2.0-only
/* Protocols of the caller: packets in pieces of any size, in frames; readers that misbehave. */
#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../decoder/csflow.h"

/*
 * The protocol: 00 is no message; 1c V is data V of channel c; 2n A B makes n messages; 3n and n
 * bytes is one of its own; anything else is no packet.
 */
static int read_packet(void *context, const uint8_t *p, size_t n, struct csf_reading *out)
{
	const unsigned int low = p[0] & 15;

	out->size = 1;
	switch (p[0] >> 4) {
	case 0:
		return low ? CSF_READ_BAD : CSF_READ_PACKET;
	case 1:
		out->size = 2;
		out->n = 1;
		if (n < 2)
			return CSF_READ_MORE;
		out->message[0] = (struct csf_message){
			.kind = CSF_MESSAGE_DATA, .channel = low, .value = p[1], .size = 1,
		};
		return CSF_READ_PACKET;
	case 2:
		out->size = 3;
		out->n = low % (CSF_READER_MESSAGES + 1);
		for (unsigned int i = 0; i < out->n; i++)
			out->message[i] = (struct csf_message){
				.kind = CSF_MESSAGE_RANGE, .value = 0x100 * i, .channel = 4,
			};
		return n < 3 ? CSF_READ_MORE : CSF_READ_PACKET;
	case 3:
		out->size = 1 + low;
		out->n = 1;
		out->message[0].kind = CSF_MESSAGE_CUSTOM;
		return n < out->size ? CSF_READ_MORE : CSF_READ_PACKET;
	}
	return CSF_READ_BAD;
}

static char *put(char *text, const struct csf_message *m)
{
	text += sprintf(text, "%llu %s", (unsigned long long)m->offset, csf_message_name(m->kind));
	if (m->kind == CSF_MESSAGE_GAP)
		text += sprintf(text, " %s", csf_gap_name(m->info));
	return text + sprintf(text, " #%u %llx;", m->channel, (unsigned long long)m->value);
}

/* The messages of @bytes, fed in pieces of @chunk.  Return: of csf_messages_next(). */
static int read_all(struct csf_messages *messages, const uint8_t *bytes, size_t n, size_t chunk,
		    char *text)
{
	struct csf_message m;
	size_t at = 0;
	int got = 0;

	*text = 0;
	do {
		const size_t take = n - at < chunk ? n - at : chunk;

		got = csf_messages_feed(messages, bytes + at, take);
		at += take;
		if (at == n)
			csf_messages_end(messages);
		while (!got && (got = csf_messages_next(messages, &m)) > 0) {
			text = put(text, &m);
			got = 0;
		}
	} while (!got && at < n);
	return got;
}

static struct csf_messages *make(int (*read)(void *, const uint8_t *, size_t,
					     struct csf_reading *), void *context)
{
	const struct csf_reader reader = {
		.size = sizeof(reader), .read = read, .context = context,
	};
	struct csf_messages *messages = NULL;

	csf_messages_new_reader(&messages, &reader);
	return messages;
}

TEST(pieces)
{
	static const uint8_t bytes[] = {
		0xff, 0x41, 0x13, 0x07, 0x00, 0x22, 0, 0, 0x41, 0x42, 0x33, 1, 2, 3, 0x1f,
	};
	static const char want[] = "0 gap start #0 2;2 data #3 7;5 range #4 0;5 range #4 100;"
				   "8 gap packet #0 2;10 custom #0 0;14 gap cut #0 1;";
	struct csf_messages *messages = make(read_packet, NULL);
	char text[1024];

	ASSERT_NE(NULL, messages);
	for (size_t chunk = 1; chunk <= sizeof(bytes); chunk++) {
		struct csf_message_stats stats = { .size = sizeof(stats) };

		EXPECT_EQ(0, read_all(messages, bytes, sizeof(bytes), chunk, text));
		EXPECT_STREQ(want, text);
		csf_messages_stats(messages, &stats);
		EXPECT_EQ(sizeof(bytes), stats.bytes);
		EXPECT_EQ(5, stats.skipped);
		EXPECT_EQ(4, stats.packets);
		EXPECT_EQ(4, stats.messages);
		EXPECT_EQ(1, stats.gaps[CSF_GAP_START]);
		csf_messages_reset(messages);
	}
	csf_messages_free(messages);
}

/* More bytes than any buffer inside, with gaps as long as all of it. */
TEST(long_trace)
{
	struct csf_messages *messages = make(read_packet, NULL);
	static uint8_t bytes[5000];
	static char text[2][200000];

	ASSERT_NE(NULL, messages);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i < 3000 ? 0xee : 0x10 + i % 0x24;
	EXPECT_EQ(0, read_all(messages, bytes, sizeof(bytes), sizeof(bytes), text[0]));
	EXPECT_EQ(0, strncmp(text[0], "0 gap start #0 bb8;", 19));
	for (size_t chunk = 1; chunk < 200; chunk += 13) {
		csf_messages_reset(messages);
		EXPECT_EQ(0, read_all(messages, bytes, sizeof(bytes), chunk, text[1]));
		EXPECT_STREQ(text[0], text[1]);
	}
	csf_messages_free(messages);
}

/* -------- frames */

TEST(frames)
{
	/* ID 0x21: 13 07 13 08, then a barrier, then 13 09 */
	static const uint8_t capture[] = {
		0x43, 0x13, 0x06, 0x13, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x02,
		0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff,
		0xff, 0x7f,
		0x43, 0x13, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x02,
	};
	struct csf_messages *messages = make(read_packet, NULL);
	struct csf_frames *frames = NULL;
	struct csf_message m;
	char text[1024], *end = text;
	size_t at = 0;

	ASSERT_NE(NULL, messages);
	ASSERT_EQ(0, csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0));
	ASSERT_EQ(0, csf_attach_messages(frames, 0x21, messages));
	while (at < sizeof(capture)) {
		const long taken = csf_frames_feed(frames, capture + at, sizeof(capture) - at);

		ASSERT_LT(0, taken);
		at += taken;
		while (csf_messages_next(messages, &m) > 0)
			end = put(end, &m);
	}
	EXPECT_EQ(0, csf_frames_end(frames));
	while (csf_messages_next(messages, &m) > 0)
		end = put(end, &m);
	EXPECT_STREQ("0 data #3 7;2 data #3 8;14 gap break #0 0;14 data #3 9;", text);
	csf_frames_free(frames);
	csf_messages_free(messages);
}

/* -------- readers that misbehave */

struct bad {
	struct csf_messages *messages;
	struct csf_reading reading;
	int returns;
	unsigned int good;	/* packets before */
	unsigned int calls;
};

static int misbehave(void *context, const uint8_t *p, size_t n, struct csf_reading *out)
{
	struct bad *bad = context;

	if (bad->calls++ < bad->good)
		return read_packet(NULL, p, n, out);
	*out = bad->reading;
	return bad->returns;
}

TEST(bad_readers)
{
	static const struct {
		struct bad bad;
		const char *problem;
	} rows[] = {
		{ { .returns = CSF_READ_PACKET }, ".size: it took no byte" },
		{ { .returns = CSF_READ_BAD }, ".size: it took no byte" },
		{ { .returns = CSF_READ_PACKET, .reading.size = 33 },
		  ".size: it took more bytes than it was given" },
		{ { .returns = CSF_READ_BAD, .reading.size = SIZE_MAX },
		  ".size: it took more bytes than it was given" },
		{ { .returns = CSF_READ_MORE }, "it wants more than 32 bytes for a packet" },
		{ { .returns = 3 }, "it returns none of enum csf_read" },
		{ { .returns = -1 }, "it returns none of enum csf_read" },
		{ { .returns = CSF_READ_PACKET, .reading.size = 1, .reading.n = UINT32_MAX },
		  ".n: more messages than there is room for" },
		{ { .returns = CSF_READ_PACKET,
		    .reading = { 1, 1, { { .kind = CSF_MESSAGE_GAP } } } },
		  ".message.kind: a gap, or no kind" },
		{ { .returns = CSF_READ_PACKET, .reading = { 1, 1, { { .size = 9 } } } },
		  ".message.size: more than 8 bytes" },
	};
	uint8_t bytes[100] = { 0x11, 5, 0xff };
	struct csf_message m;
	char text[1024];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bad bad = rows[i].bad;
		struct csf_messages *messages;

		bad.good = 2;
		messages = make(misbehave, &bad);
		ASSERT_NE(NULL, messages);
		EXPECT_EQ(NULL, csf_messages_problem(messages));
		EXPECT_EQ(CSF_ERR_READER, read_all(messages, bytes, sizeof(bytes), 100, text));
		EXPECT_STREQ("0 data #1 5;2 gap packet #0 1;", text);
		EXPECT_EQ(3, bad.calls);
		EXPECT_STREQ(rows[i].problem, csf_messages_problem(messages));
		EXPECT_EQ(CSF_ERR_READER, csf_messages_next(messages, &m));
		EXPECT_EQ(3, bad.calls);
		csf_messages_reset(messages);
		EXPECT_EQ(NULL, csf_messages_problem(messages));
		csf_messages_free(messages);
	}
}

/* Bytes that were no packet come before the error, as a gap. */
TEST(gap_before_an_error)
{
	struct bad bad = { .good = 3 };
	struct csf_messages *messages = make(misbehave, &bad);
	const uint8_t bytes[] = { 0x11, 5, 0xff, 0xff, 0x00 };
	char text[1024];

	ASSERT_NE(NULL, messages);
	EXPECT_EQ(CSF_ERR_READER, read_all(messages, bytes, sizeof(bytes), 5, text));
	EXPECT_STREQ("0 data #1 5;2 gap packet #0 2;", text);
	csf_messages_free(messages);
}

/* Frames say so, too, and give it no more bytes. */
TEST(bad_reader_in_frames)
{
	struct bad bad = { .returns = CSF_READ_PACKET };
	struct csf_messages *messages = make(misbehave, &bad);
	struct csf_frames *frames = NULL;
	uint8_t capture[160] = { 0x43 };
	struct csf_message m;

	ASSERT_NE(NULL, messages);
	ASSERT_EQ(0, csf_frames_new(&frames, CSF_FRAMES_MEMORY, 0));
	ASSERT_EQ(0, csf_attach_messages(frames, 0x21, messages));
	EXPECT_EQ(160, csf_frames_feed(frames, capture, sizeof(capture)));
	EXPECT_EQ(CSF_ERR_READER, csf_messages_next(messages, &m));
	EXPECT_EQ(CSF_ERR_READER, csf_frames_feed(frames, capture, sizeof(capture)));
	EXPECT_EQ(1, bad.calls);
	csf_frames_free(frames);
	csf_messages_free(messages);
}

/* It calls the library while it is called. */
static int call_back(void *context, const uint8_t *p, size_t n, struct csf_reading *out)
{
	struct bad *bad = context;
	struct csf_message m;

	bad->calls++;
	if (csf_messages_next(bad->messages, &m) != CSF_ERR_ARG ||
	    csf_messages_feed(bad->messages, p, n) != CSF_ERR_ARG ||
	    csf_messages_end(bad->messages) != CSF_ERR_ARG)
		return -1;
	csf_messages_reset(bad->messages);
	return read_packet(NULL, p, n, out);
}

TEST(calls_back)
{
	const uint8_t bytes[] = { 0x11, 5, 0x12, 6 };
	struct bad bad = { 0 };
	char text[1024];

	bad.messages = make(call_back, &bad);
	ASSERT_NE(NULL, bad.messages);
	EXPECT_EQ(0, read_all(bad.messages, bytes, sizeof(bytes), 4, text));
	EXPECT_STREQ("0 data #1 5;2 data #2 6;", text);
	csf_messages_free(bad.messages);
}

static void count_resets(void *context)
{
	++*(int *)context;
}

TEST(resets)
{
	int resets = 0;
	struct csf_reader reader = {
		.size = sizeof(reader), .context = &resets, .read = read_packet,
		.reset = count_resets,
	};
	const uint8_t bytes[] = { 0x11, 5 };
	struct csf_messages *messages;
	char text[1024];

	ASSERT_EQ(0, csf_messages_new_reader(&messages, &reader));
	EXPECT_EQ(1, resets);
	read_all(messages, bytes, sizeof(bytes), 2, text);
	EXPECT_EQ(2, resets);
	csf_messages_reset(messages);
	EXPECT_EQ(3, resets);
	csf_messages_free(messages);
}

TEST(arguments)
{
	struct csf_reader reader = { .size = sizeof(reader) };
	struct csf_messages *messages;

	EXPECT_EQ(CSF_ERR_ARG, csf_messages_new_reader(NULL, &reader));
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_new_reader(&messages, NULL));
	EXPECT_EQ(CSF_ERR_ARG, csf_messages_new_reader(&messages, &reader));
	reader.read = read_packet;
	reader.size++;
	EXPECT_EQ(CSF_ERR_CONFIG, csf_messages_new_reader(&messages, &reader));
	EXPECT_EQ(NULL, messages);
	EXPECT_EQ(NULL, csf_messages_problem(NULL));
	EXPECT_STREQ("a packet reader broke its rules", csf_strerror(CSF_ERR_READER));
}

TEST_HARNESS_MAIN
