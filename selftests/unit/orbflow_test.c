// SPDX-License-Identifier: GPL-2.0-only
/* Packets of Orbuculum: written here, and read. */
#include <stdlib.h>

#include "../lib/kselftest_harness.h"

#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../../tools/input/orbflow.h"

static uint64_t random_state = 1;

static uint32_t rnd(uint32_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % n;
}

/* Stuffs @n bytes and ends them.  Return: how many bytes that are. */
static size_t stuff(const uint8_t *p, size_t n, uint8_t *to)
{
	size_t length = 0, done = 1;

	for (size_t i = 0; i < n; i++) {
		if (p[i])
			to[done++] = p[i];
		if (!p[i] || done - length == 0xff) {
			to[length] = done - length;
			length = done++;
		}
	}
	to[length] = done - length;
	to[done++] = 0;
	return done;
}

static size_t put_packet(uint8_t tag, const uint8_t *p, size_t n, uint8_t *to)
{
	uint8_t packet[2000] = { tag }, sum = tag;

	for (size_t i = 0; i < n; i++)
		sum += packet[1 + i] = p[i];
	packet[1 + n] = -sum;
	return stuff(packet, n + 2, to);
}

TEST(a_packet_by_hand)
{
	/* tag 1, 01 00 c0 05, sum: 1 + 1 + 0 + c0 + 5 = c7, so 39 */
	static const uint8_t bytes[] = { 0x03, 0x01, 0x01, 0x04, 0xc0, 0x05, 0x39, 0x00 };
	static const uint8_t want[] = { 0x01, 0x00, 0xc0, 0x05 };
	struct orbflow o;

	ASSERT_EQ(0, orbflow_read(&o, bytes, sizeof(bytes), 1));
	ASSERT_EQ(sizeof(want), o.n);
	EXPECT_EQ(0, memcmp(want, o.bytes, o.n));
	EXPECT_EQ(1, o.tagged[1]);
	EXPECT_EQ(0, o.bad);
	free(o.bytes);
	EXPECT_EQ(1, orbflow_only(&o, bytes, sizeof(bytes)));
}

TEST(many_packets)
{
	static uint8_t bytes[200000], want[4][100000];
	size_t n[4] = { 0 }, at = 0;
	struct orbflow o;

	for (int i = 0; i < 100; i++) {
		const unsigned int tag = 1 + rnd(3), size = rnd(i % 10 ? 30 : 1200);
		uint8_t p[1200];

		for (size_t k = 0; k < size; k++)
			p[k] = rnd(3) ? rnd(256) : 0;
		if (i % 7 == 0)
			memset(p, 1 + rnd(255), size);
		memcpy(want[tag] + n[tag], p, size);
		n[tag] += size;
		at += put_packet(tag, p, size, bytes + at);
	}
	for (unsigned int tag = 1; tag < 4; tag++) {
		ASSERT_EQ(0, orbflow_read(&o, bytes, at, tag));
		EXPECT_EQ(0, o.bad);
		ASSERT_EQ(n[tag], o.n);
		EXPECT_EQ(0, memcmp(want[tag], o.bytes, o.n));
		free(o.bytes);
	}
	EXPECT_EQ(0, orbflow_only(&o, bytes, at));
}

/* A damaged packet is left out and counted; those beside it stay. */
TEST(damage)
{
	static const uint8_t p[] = { 0x17, 0x18, 0x02, 0x00, 0x08 };

	for (size_t i = 0; i < 9; i++) {
		uint8_t bytes[64];
		const size_t one = put_packet(1, p, sizeof(p), bytes);
		const size_t two = put_packet(1, p, sizeof(p), bytes + one);
		struct orbflow o;

		ASSERT_EQ(9, one);
		bytes[one + i] ^= 0x40;
		put_packet(1, p, sizeof(p), bytes + one + two);
		ASSERT_EQ(0, orbflow_read(&o, bytes, 3 * one, 1));
		/* the end of the second is damaged: it is one with the third */
		EXPECT_EQ(i < 8 ? 2 : 1, o.tagged[1])
			TH_LOG("byte %zu", i);
		EXPECT_EQ(1, o.bad);
		EXPECT_EQ(sizeof(p) * o.tagged[1], o.n);
		free(o.bytes);
	}
}

TEST(noise)
{
	for (int trial = 0; trial < 2000; trial++) {
		const size_t n = rnd(200);
		uint8_t *bytes = malloc(n + 1);
		struct orbflow o;

		for (size_t i = 0; i < n; i++)
			bytes[i] = rnd(1 + rnd(256));
		EXPECT_EQ(0, orbflow_read(&o, bytes, n, 1));
		EXPECT_LE(o.n, n);
		free(o.bytes);
		free(bytes);
	}
}

TEST_HARNESS_MAIN
