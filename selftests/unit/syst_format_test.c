// SPDX-License-Identifier: GPL-2.0-only
/* Formats of MIPI SyS-T: sizes of arguments, and formats and bytes that do not fit. */
#include <stdint.h>
#include <string.h>

#include "../lib/kselftest_harness.h"

#include "../../tools/messages/escape.h"
#include "../../tools/messages/syst-format.h"

struct trial {
	const char *format;
	bool wide;
	size_t n;
	const char *bytes;
	const char *want;
	bool failed;
};

static const struct trial trials[] = {
	{ "%d|%5d|%-5d|%05d", false, 16, "\1\0\0\0\2\0\0\0\3\0\0\0\xff\xff\xff\xff",
	  "1|    2|3    |-0001", false },
	{ "%hhd %hd %hhu", false, 12, "\xff\0\0\0\xff\xff\0\0\xff\1\0\0", "-1 -1 255", false },
	{ "%ld", false, 4, "\xff\xff\xff\xff", "-1", false },
	{ "%ld", true, 8, "\0\0\0\0\1\0\0\0", "4294967296", false },
	{ "%lld %zu", false, 12, "\0\0\0\0\1\0\0\0\7\0\0\0", "4294967296 7", false },
	{ "%p %#x %#o", false, 12, "\x10\0\0\0\x10\0\0\0\x8\0\0\0", "0x10 0x10 010", false },
	{ "%s-%.2s-%4s", false, 11, "ab\0cdef\0gh\0", "ab-cd-  gh", false },
	{ "%*d %-*d|", false, 16, "\3\0\0\0\7\0\0\0\3\0\0\0\7\0\0\0", "  7 7  |", false },
	{ "%*d|", false, 8, "\xfd\xff\xff\xff\7\0\0\0", "7  |", false },
	{ "%.*f", false, 12, "\1\0\0\0\0\0\0\0\0\0\xf8\x3f", "1.5", false },
	{ "%c%c", false, 8, "a\0\0\0b\0\0\0", "ab", false },
	{ "100%%", false, 0, "", "100%", false },
	{ "x%", false, 0, "", "x", false },
	{ "x%-+ #0", false, 0, "", "x", false },
	{ "%n%v.", false, 0, "", ".", false },
	/* what is missing is 0, and then there is no more */
	{ "a%d b%d", false, 4, "\1\0\0\0", "a1 b0", true },
	{ "%s.", false, 3, "abc", "abc", true },
	{ "%lld", false, 7, "\1\0\0\0\0\0\0", "0", true },
};

TEST(formats)
{
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		const struct trial *t = &trials[i];
		const uint8_t *bytes = (const uint8_t *)t->bytes;
		struct syst_bytes arguments = { bytes, bytes + t->n, false };
		char text[100];
		const size_t n = syst_format(t->format, strlen(t->format), &arguments, t->wide,
					     text, sizeof(text) - 1);

		text[n] = '\0';
		EXPECT_STREQ(t->want, text);
		EXPECT_EQ(t->failed, arguments.failed);
		if (!t->failed)
			EXPECT_EQ(arguments.end, arguments.at);
	}
}

/* A width, a precision and a number that are damage fill no more than the room. */
TEST(damage)
{
	static const char *const formats[] = {
		"%999999999999d", "%.999999999f", "%999999s", "%*.*f", "%-999999999.999999999lld",
	};
	uint8_t bytes[64];
	char text[40];

	memset(bytes, 0x7f, sizeof(bytes));
	bytes[63] = 0;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct syst_bytes arguments = { bytes, bytes + sizeof(bytes), false };

		EXPECT_GE(sizeof(text), syst_format(formats[i], strlen(formats[i]), &arguments,
						    false, text, sizeof(text)));
	}
}

TEST(escapes)
{
	static const uint8_t bytes[] = "a\tb\\\x1b[1m\xff\xc3\xa4\xc2\x9b\xf0\x9f\x98\x80\xe2\x82";
	char text[ESCAPE_ROOM(sizeof(bytes))];

	escape_text(text, bytes, sizeof(bytes) - 1);
	EXPECT_STREQ("a\\tb\\\\\\x1b[1m\\xff\xc3\xa4\\xc2\\x9b\xf0\x9f\x98\x80\\xe2\\x82", text);
}

TEST_HARNESS_MAIN
