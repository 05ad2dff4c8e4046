// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>

#include "utf8.h"

int utf8_size(const unsigned char *s)
{
	int n = *s < 0x80 ? 1 : *s >> 5 == 6 ? 2 : *s >> 4 == 14 ? 3 : *s >> 3 == 30 ? 4 : 0;
	uint32_t c = n > 1 ? *s & (0x7f >> n) : *s;

	for (int i = 1; i < n; i++) {
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 2 && c < 0x80) || (n == 3 && c < 0x800) || (n == 4 && c < 0x10000))
		return 0;
	return c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : n;
}
