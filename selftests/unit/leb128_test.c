// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of seven bits a byte. */
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/leb128.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* @used: bytes that are read */
static const struct {
	const char *bytes;
	size_t n, used;
	enum leb128 what;
	uint64_t v;
} rows[] = {
	{ "", 0, 0, LEB128_CUT, 0 },
	{ "\x80", 1, 1, LEB128_CUT, 0 },
	{ "\xff\xff", 2, 2, LEB128_CUT, 0x3fff },
	{ "\0\x01", 2, 1, LEB128_GOOD, 0 },
	{ "\x7f\xff", 2, 1, LEB128_GOOD, 0x7f },
	{ "\x80\x01", 2, 2, LEB128_GOOD, 0x80 },
	{ "\xff\x7f", 2, 2, LEB128_GOOD, 0x3fff },
	/* with more bytes than it needs */
	{ "\x80\x80\0", 3, 3, LEB128_GOOD, 0 },
	{ "\x81\x80\x80\x80\x80\x80\x80\x80\x80\0", 10, 10, LEB128_GOOD, 1 },
	/* bit 62, bit 63, all bits */
	{ "\x80\x80\x80\x80\x80\x80\x80\x80\x40", 9, 9, LEB128_GOOD, 1ull << 62 },
	{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, 10, LEB128_GOOD, 1ull << 63 },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 10, LEB128_GOOD, UINT64_MAX },
	/* bit 64 */
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, 10, LEB128_WIDE, UINT64_MAX >> 1 },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, 10, LEB128_WIDE, UINT64_MAX },
	/* an eleventh byte, or where it would be the end */
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x80\0", 11, 10, LEB128_LONG, UINT64_MAX >> 1 },
	{ "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\0", 11, 10, LEB128_LONG, 1 },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81", 10, 10, LEB128_LONG, UINT64_MAX },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, 9, LEB128_CUT, UINT64_MAX >> 1 },
};

TEST(numbers_are_read)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const uint8_t *p = (const uint8_t *)rows[i].bytes, *begin = p;
		uint64_t v = 42;

		EXPECT_EQ(rows[i].what, leb128_get(&p, p + rows[i].n, &v)) TH_LOG("row %zu", i);
		EXPECT_EQ(rows[i].v, v) TH_LOG("row %zu", i);
		EXPECT_EQ(rows[i].used, p - begin) TH_LOG("row %zu", i);
	}
}

/* In no more bytes than they need; and no byte after those is touched. */
TEST(numbers_are_written)
{
	for (int bit = 0; bit < 64; bit++) {
		for (int less = 0; less < 2; less++) {
			const uint64_t v = (1ull << bit) - less;
			const uint8_t *p;
			uint8_t bytes[LEB128_MAX + 1];
			uint64_t back;
			size_t n, need = 1;

			memset(bytes, 0xaa, sizeof(bytes));
			n = leb128_put(bytes, v);
			while (need < LEB128_MAX && v >> 7 * need)
				need++;
			ASSERT_EQ(need, n);
			ASSERT_EQ(0xaa, bytes[n]);
			p = bytes;
			ASSERT_EQ(LEB128_GOOD, leb128_get(&p, bytes + n, &back));
			ASSERT_EQ(v, back);
			ASSERT_EQ(n, p - bytes);
		}
	}
}

TEST_HARNESS_MAIN
