// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bytes.h"
#include "csflow-packet.h"
#include "word.h"

static bool ends_text(char ch)
{
	return !ch || ch == '\n' || ch == '\r' || ch == '#';
}

void word_next(struct word *w)
{
	const char *p = w->at + w->len;

	while (*p == ' ' || *p == '\t')
		p++;
	w->at = p;
	while (!ends_text(*p) && *p != ' ' && *p != '\t')
		p++;
	w->len = p - w->at;
}

bool word_is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->at, text, w->len);
}

/* As word_is(), and then goes to the next word. */
bool word_take(struct word *w, const char *text)
{
	if (!word_is(w, text))
		return false;
	word_next(w);
	return true;
}

static int digit(char ch, unsigned int base)
{
	unsigned int d = base;

	if (ch >= '0' && ch <= '9')
		d = ch - '0';
	else if (ch >= 'a' && ch <= 'f')
		d = ch - 'a' + 10;
	else if (ch >= 'A' && ch <= 'F')
		d = ch - 'A' + 10;
	return d < base ? (int)d : -1;
}

bool word_number(const char *p, size_t n, uint64_t *v)
{
	unsigned int base = n > 2 && p[0] == '0' && p[1] == 'x' ? 16 : 10;

	*v = 0;
	if (base == 16) {
		p += 2;
		n -= 2;
	}
	if (!n)
		return false;

	for (; n; n--, p++) {
		int d = digit(*p, base);

		if (d < 0 || *v > (UINT64_MAX - d) / base)
			return false;
		*v = *v * base + d;
	}
	return true;
}

bool word_take_number(struct word *w, uint64_t *v)
{
	if (!word_number(w->at, w->len, v))
		return false;
	word_next(w);
	return true;
}

bool word_take_key(struct word *w, const char *key, uint64_t *v)
{
	size_t n = strlen(key);

	if (w->len <= n || memcmp(w->at, key, n) || !word_number(w->at + n, w->len - n, v))
		return false;
	word_next(w);
	return true;
}

bool word_take_number32(struct word *w, uint32_t *v)
{
	uint64_t wide;

	if (!word_number(w->at, w->len, &wide) || wide > UINT32_MAX)
		return false;
	word_next(w);
	*v = wide;
	return true;
}

bool word_take_key32(struct word *w, const char *key, uint32_t *v)
{
	struct word back = *w;
	uint64_t wide;

	if (!word_take_key(w, key, &wide))
		return false;
	if (wide > UINT32_MAX) {
		*w = back;
		return false;
	}
	*v = wide;
	return true;
}

bool word_take_pair(struct word *w, char separator, uint64_t *v, uint64_t *second)
{
	const char *at = memchr(w->at, separator, w->len);
	size_t n = at ? at - w->at : w->len;

	if (!word_number(w->at, n, v))
		return false;
	if (at && !word_number(at + 1, w->len - n - 1, second))
		return false;
	word_next(w);
	return true;
}

int word_take_one_of(struct word *w, const char *const *words, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (words[i] && word_take(w, words[i]))
			return i;
	return -1;
}

bool word_take_byte(struct word *w, uint8_t *byte)
{
	const int high = w->len == 2 ? digit(w->at[0], 16) : -1;
	const int low = w->len == 2 ? digit(w->at[1], 16) : -1;

	if (high < 0 || low < 0)
		return false;
	*byte = high << 4 | low;
	word_next(w);
	return true;
}

bool word_take_raw(struct word *w, uint64_t *val, uint8_t *size)
{
	uint64_t more;
	uint8_t byte;

	for (*val = 0, *size = 0; *size < sizeof(*val) && word_take_byte(w, &byte); ++*size)
		*val |= (uint64_t)byte << 8 * *size;
	if (w->len < 2 || w->at[0] != '+')
		return *size;
	if (!word_number(w->at + 1, w->len - 1, &more) ||
	    more > CSF_PACKET_MAX - sizeof(*val) || *size < sizeof(*val))
		return false;
	*size += more;
	word_next(w);
	return true;
}
