// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "../lib/utf8.h"
#include "escape.h"

static char letter(uint8_t c)
{
	switch (c) {
	case '\t':
		return 't';
	case '\r':
		return 'r';
	case '\n':
		return 'n';
	case '\\':
		return '\\';
	default:
		return 0;
	}
}

static char *put_byte(char *to, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	if (letter(c)) {
		*to++ = letter(c);
		return to;
	}
	*to++ = 'x';
	*to++ = digits[c >> 4];
	*to++ = digits[c & 15];
	return to;
}

/* The size of a character that is shown as it is; 0: its first byte is escaped. */
static int plain(const uint8_t *s, size_t n)
{
	uint8_t all[5] = { 0 };
	int size;

	if (*s < 0x80)
		return *s >= 0x20 && *s != 0x7f && *s != '\\';
	memcpy(all, s, n < 4 ? n : 4);
	size = utf8_size(all);
	/* U+0080 to U+009F are controls, too */
	if (size == 2 && *s == 0xc2 && s[1] < 0xa0)
		return 0;
	return size;
}

size_t escape_text(char *to, const uint8_t *bytes, size_t n)
{
	const char *const start = to;

	while (n) {
		const int size = plain(bytes, n);

		if (size) {
			memcpy(to, bytes, size);
			to += size;
		} else {
			to = put_byte(to, *bytes);
		}
		bytes += size ? size : 1;
		n -= size ? size : 1;
	}
	*to = '\0';
	return to - start;
}
