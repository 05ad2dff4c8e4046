/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text by the hundred megabytes: a buffer and the few conversions that listings
 * need.  printf() costs ten times as much.
 *
 * Call out_room() before a group of the others; none of them checks again.
 */
#ifndef CSF_OUT_H
#define CSF_OUT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OUT_SIZE	(1u << 16)

/**
 * struct out - zero it and set @file
 * @file: where it goes; borrowed
 * @n: bytes waiting
 * @gone: bytes that went there
 */
struct out {
	FILE *file;
	size_t n;
	uint64_t gone;
	char buf[OUT_SIZE];
};

static inline void out_flush(struct out *o)
{
	fwrite(o->buf, 1, o->n, o->file);
	o->gone += o->n;
	o->n = 0;
}

/* Room for @n bytes, at most OUT_SIZE. */
static inline void out_room(struct out *o, size_t n)
{
	if (o->n + n > OUT_SIZE)
		out_flush(o);
}

static inline void out_char(struct out *o, char c)
{
	o->buf[o->n++] = c;
}

static inline void out_text(struct out *o, const char *text)
{
	size_t n = strlen(text);

	memcpy(o->buf + o->n, text, n);
	o->n += n;
}

static inline void out_dec(struct out *o, uint64_t v)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = '0' + v % 10;
		v /= 10;
	} while (v);
	while (n)
		o->buf[o->n++] = digits[--n];
}

static inline int out_width(uint64_t v)
{
	return v ? 16 - (__builtin_clzll(v) >> 2) : 1;
}

/* Exactly @width digits, the lowest ones; @digits is the alphabet. */
static inline void out_digits(struct out *o, uint64_t v, int width, const char *digits)
{
	for (int shift = 4 * (width - 1); shift >= 0; shift -= 4)
		o->buf[o->n++] = digits[v >> shift & 15];
}

static inline void out_hex(struct out *o, uint64_t v)
{
	out_digits(o, v, out_width(v), "0123456789abcdef");
}

/* At least @width digits. */
static inline void out_hex_wide(struct out *o, uint64_t v, int width)
{
	int need = out_width(v);

	out_digits(o, v, need > width ? need : width, "0123456789abcdef");
}

static inline void out_byte(struct out *o, uint8_t v)
{
	out_digits(o, v, 2, "0123456789abcdef");
}

#endif /* CSF_OUT_H */
