// SPDX-License-Identifier: GPL-2.0-only
/* A serial wire: bytes to samples, by a sender that is written here, and back. */
#include <errno.h>
#include <stdlib.h>

#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../tools/input/line.h"

#define MAX_SAMPLES	(1u << 20)

/**
 * struct sender - a wire
 * @level: its samples, bit 2 of two bytes each
 * @time: now, in samples
 * @bit: samples of a bit
 */
struct sender {
	uint8_t level[2 * MAX_SAMPLES];
	size_t n;
	double time, bit;
};

static uint64_t random_state = 1;

static uint32_t rnd(uint32_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % n;
}

static void hold(struct sender *s, bool level, double bits)
{
	s->time += bits * s->bit;
	for (; s->n < s->time && s->n < MAX_SAMPLES; s->n++)
		s->level[2 * s->n + 1] = (level ? 0x04 : 0) | 0xf1;
}

static void send_uart(struct sender *s, uint8_t byte)
{
	hold(s, false, 1);
	for (int i = 0; i < 8; i++)
		hold(s, byte >> i & 1, 1);
	hold(s, true, 1);
}

static void send_bit(struct sender *s, bool bit)
{
	hold(s, bit, 0.5);
	hold(s, !bit, 0.5);
}

static void send_manchester(struct sender *s, const uint8_t *bytes, size_t n)
{
	send_bit(s, true);
	for (size_t i = 0; i < 8 * n; i++)
		send_bit(s, bytes[i / 8] >> i % 8 & 1);
	hold(s, false, 1);
}

/* Pauses are of any length, in most trials; packets of Manchester code have 1 to 8 bytes. */
static void send(struct sender *s, int code, const uint8_t *bytes, size_t n, bool pauses)
{
	for (size_t i = 0, take = 1; i < n; i += take) {
		if (pauses && !rnd(4))
			hold(s, code == LINE_UART, rnd(300) / 10.0);
		take = code == LINE_UART ? 1 : 1 + rnd(n - i < 8 ? n - i : 8);
		if (code == LINE_UART)
			send_uart(s, bytes[i]);
		else
			send_manchester(s, bytes + i, take);
	}
}

static struct sender *sender;

static struct line_samples begin(double bit, bool idle)
{
	if (!sender)
		sender = calloc(1, sizeof(*sender));
	sender->n = 0;
	sender->time = 0;
	sender->bit = bit;
	hold(sender, idle, 40);
	return (struct line_samples){ .data = sender->level, .unit = 2, .bit = 8 + 2 };
}

static const double bits[] = { 3, 3.3, 4, 5.5, 8, 10.67, 16, 33.3, 100 };

/* Code and speed are found, and each byte is. */
TEST(bytes_and_back)
{
	for (int trial = 0; trial < 400; trial++) {
		const int code = trial & 1 ? LINE_UART : LINE_MANCHESTER;
		/* half a bit of Manchester code needs three samples, too */
		const double bit = bits[rnd(ARRAY_SIZE(bits))] * (code == LINE_UART ? 1 : 2);
		struct line_samples samples = begin(bit, code == LINE_UART);
		const size_t n = 20 + rnd(200);
		uint8_t bytes[220];
		struct line line;

		for (size_t i = 0; i < n; i++)
			bytes[i] = rnd(3) ? rnd(256) : rnd(2) * 0xff;
		send(sender, code, bytes, n, trial % 5);
		hold(sender, code == LINE_UART, 40);
		samples.n = sender->n;
		for (int given = 0; given < 2; given++) {
			ASSERT_EQ(0, line_read(&line, &samples, given ? code : LINE_AUTO,
					       given ? bit : 0));
			EXPECT_EQ(code, line.code);
			EXPECT_EQ(0, line.bad);
			ASSERT_EQ(n, line.n)
				TH_LOG("trial %d: code %d, %g samples, found %g", trial, code, bit,
				       line.bit);
			EXPECT_EQ(0, memcmp(bytes, line.bytes, n));
			EXPECT_LT(line.bit, 1.03 * bit);
			EXPECT_GT(line.bit, 0.97 * bit);
			free(line.bytes);
		}
	}
}

/* No pulse is of one bit: the start bit has low ones after it, the stop bit high ones before it. */
TEST(no_short_pulse)
{
	static const uint8_t bytes[] = { 0xf8, 0xf0, 0xfc, 0x80, 0xf0, 0x80, 0xe0, 0xc0 };
	struct line_samples samples = begin(10, true);
	struct line line;

	send(sender, LINE_UART, bytes, sizeof(bytes), false);
	hold(sender, true, 40);
	samples.n = sender->n;
	ASSERT_EQ(0, line_read(&line, &samples, LINE_AUTO, 0));
	EXPECT_EQ(sizeof(bytes), line.n);
	EXPECT_EQ(0, memcmp(bytes, line.bytes, line.n));
	free(line.bytes);
}

/* What is damaged is counted, and what comes after a pause is right again. */
TEST(damage)
{
	static const uint8_t bytes[] = { 0x17, 0x18, 0x02, 0x00, 0x08 };

	for (int code = LINE_UART; code <= LINE_MANCHESTER; code++) {
		struct line_samples samples = begin(8, code == LINE_UART);
		struct line line;

		send(sender, code, bytes, sizeof(bytes), false);
		hold(sender, code == LINE_UART, 40);
		/* a byte that never stops; a packet that ends inside a byte */
		if (code == LINE_UART)
			hold(sender, false, 12);
		for (int i = 0; code != LINE_UART && i < 5; i++)
			send_bit(sender, true);
		hold(sender, code == LINE_UART, 40);
		send(sender, code, bytes, sizeof(bytes), false);
		hold(sender, code == LINE_UART, 40);
		samples.n = sender->n;
		ASSERT_EQ(0, line_read(&line, &samples, code, 8));
		EXPECT_EQ(1, line.bad);
		ASSERT_EQ(2 * sizeof(bytes), line.n);
		EXPECT_EQ(0, memcmp(bytes, line.bytes, sizeof(bytes)));
		EXPECT_EQ(0, memcmp(bytes, line.bytes + sizeof(bytes), sizeof(bytes)));
		free(line.bytes);
	}
}

TEST(nothing)
{
	struct line_samples samples = begin(8, true);
	struct line line;

	for (size_t n = 0; n <= sender->n; n += sender->n) {
		samples.n = n;
		EXPECT_EQ(-ENODATA, line_read(&line, &samples, LINE_AUTO, 0));
		free(line.bytes);
	}
	free(sender);
	sender = NULL;
}

/* Any samples at all: nothing but bytes comes of them. */
TEST(noise)
{
	for (int trial = 0; trial < 300; trial++) {
		const size_t n = 1 + rnd(3000);
		uint8_t *data = malloc(n);
		struct line_samples samples = { .data = data, .n = n, .unit = 1 };
		const uint32_t often = 1 + rnd(20);
		uint8_t level = 0;
		struct line line;

		for (size_t i = 0; i < n; i++)
			data[i] = level ^= !rnd(often);
		if (!line_read(&line, &samples, rnd(3), rnd(3)))
			EXPECT_LE(line.n, n);
		free(line.bytes);
		free(data);
	}
}

TEST_HARNESS_MAIN
