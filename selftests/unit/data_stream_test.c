// SPDX-License-Identifier: GPL-2.0-only
/* Data streams: their pieces make the stream again, however it is fed, and A-syncs are found. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/dump/data-stream.h"

#define SIZE	600

/* Mostly zeros and 0x80, so that there are many A-syncs, and much that is nearly one. */
static void make(uint8_t *bytes, size_t n)
{
	static const uint8_t value[8] = { 0, 0, 0, 0, 0, 0, 0x80, 0x12 };
	size_t i = 0;

	while (i < n) {
		size_t zeros = rand() % 4 ? 0 : 9 + rand() % 25;

		while (zeros-- && i < n)
			bytes[i++] = 0;
		if (i < n)
			bytes[i++] = rand() % 2 ? 0x80 : value[rand() % 8];
	}
}

/* Does an A-sync end with the byte at @at, the bytes from @from on being free for it? */
static bool ends_async(const uint8_t *bytes, size_t from, size_t at)
{
	static const uint8_t zeros[DATA_SYNC - 1];

	return bytes[at] == 0x80 && at >= from + DATA_SYNC - 1 &&
	       !memcmp(bytes + at - (DATA_SYNC - 1), zeros, DATA_SYNC - 1);
}

static size_t count(const uint8_t *bytes, size_t n)
{
	size_t n_async = 0, from = 0;

	for (size_t i = 0; i < n; i++) {
		if (!ends_async(bytes, from, i))
			continue;
		n_async++;
		from = i + 1;
	}
	return n_async;
}

TEST(any_pieces)
{
	for (unsigned int seed = 1; seed <= 2000; seed++) {
		struct data_stream s = { 0 };
		struct data_item item;
		uint8_t bytes[SIZE];
		size_t at = 0, done = 0, n_async = 0;

		srand(seed);
		make(bytes, SIZE);
		while (done < SIZE) {
			const uint8_t *p = bytes + at;
			size_t n = 1 + rand() % 40, left;

			if (n > SIZE - at)
				n = SIZE - at;
			left = n;
			while (data_stream_next(&s, &p, &left, at + n == SIZE, &item)) {
				ASSERT_EQ(done, item.pos);
				ASSERT_GE(SIZE, done + item.n);
				ASSERT_EQ(0, memcmp(bytes + done, item.bytes, item.n));
				ASSERT_TRUE(item.n && (item.async || item.n <= DATA_LINE));
				ASSERT_EQ(item.async, item.n == DATA_SYNC &&
					  ends_async(item.bytes, 0, DATA_SYNC - 1));
				done += item.n;
				n_async += item.async;
			}
			ASSERT_EQ(0, left);
			at += n;
			ASSERT_TRUE(at < SIZE || done == SIZE);
		}
		EXPECT_EQ(SIZE, s.n_bytes);
		EXPECT_EQ(n_async, s.n_async);
		EXPECT_EQ(count(bytes, SIZE), n_async);
	}
}

TEST_HARNESS_MAIN
