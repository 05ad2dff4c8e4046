/* SPDX-License-Identifier: GPL-2.0-only */
/* Bytes of trace as text, for tests of the encoder. */
#ifndef ENCODER_BYTES_H
#define ENCODER_BYTES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A string of hexadecimal bytes; AS is an A-sync. */
static inline size_t bytes_of(const char *text, uint8_t *p)
{
	char digits[3] = "";
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		if (!strncmp(text, "AS", 2)) {
			memset(p + n, 0, 11);
			n += 11;
			p[n++] = 0x80;
			text++;
			continue;
		}
		memcpy(digits, text++, 2);
		p[n++] = strtoul(digits, NULL, 16);
	}
	return n;
}

#define EXPECT_BYTES(w, text) \
	do { \
		uint8_t want_[400]; \
		const size_t n_ = bytes_of(text, want_); \
		char got_[1000] = ""; \
		\
		for (size_t i_ = 0; i_ < (w)->n && i_ < 300; i_++) \
			sprintf(got_ + 3 * i_, "%02x ", (w)->p[i_]); \
		EXPECT_EQ((w)->n, n_) \
			TH_LOG("want %s, got %s", text, got_); \
		if ((w)->n == n_) \
			EXPECT_EQ(memcmp((w)->p, want_, n_), 0) \
				TH_LOG("want %s, got %s", text, got_); \
		(w)->n = 0; \
	} while (0)

#endif /* ENCODER_BYTES_H */
