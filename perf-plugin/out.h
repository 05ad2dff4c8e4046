/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text output of hundreds of megabytes: a buffer, and the few conversions that listings need.
 * printf() takes ten times as long.
 *
 * Call out_room() before a group of the other functions; they do not check again.
 */
#ifndef CSF_OUT_H
#define CSF_OUT_H

#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define OUT_SIZE	(1u << 17)
/* Bytes after the buffer, for functions that write a word at a time. */
#define OUT_SLACK	16

/**
 * struct out - an output buffer; set to zero, then set @file
 * @file: output; borrowed
 * @n: bytes waiting
 * @gone: bytes written so far
 * @full: NULL, or called to deal with the waiting bytes instead of writing them; @owner: for @full
 */
struct out {
	FILE *file;
	size_t n;
	uint64_t gone;
	void (*full)(struct out *out, void *owner);
	void *owner;
	char buf[OUT_SIZE + OUT_SLACK];
};

/*
 * Writes @n bytes at once: fwrite() would copy some of them, and write twice.  Errors:
 * ferror(@file).
 */
void out_write(FILE *file, const char *text, size_t n);

static inline void out_flush(struct out *o)
{
	if (o->full)
		o->full(o, o->owner);
	else
		out_write(o->file, o->buf, o->n);
	o->gone += o->n;
	o->n = 0;
}

/* Makes room for @n bytes, at most OUT_SIZE. */
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

/* Writes exactly @width digits, the lowest ones; @digits is the alphabet. */
static inline void out_digits(struct out *o, uint64_t v, int width, const char *digits)
{
	for (int shift = 4 * (width - 1); shift >= 0; shift -= 4)
		o->buf[o->n++] = digits[v >> shift & 15];
}

/* Writes the eight digits of @v at once: one byte each; a letter is 39 above what follows '9'. */
static inline void out_hex_word(char *to, uint32_t v)
{
	uint64_t d = v;

	d = (d | d << 16) & 0x0000ffff0000ffff;
	d = (d | d << 8) & 0x00ff00ff00ff00ff;
	d = (d | d << 4) & 0x0f0f0f0f0f0f0f0f;
	d += 0x3030303030303030 + ((d + 0x0606060606060606) >> 4 & 0x0101010101010101) * 39;
	d = htobe64(d);
	memcpy(to, &d, sizeof(d));
}

static inline void out_hex(struct out *o, uint64_t v)
{
	char digits[16 + OUT_SLACK] = "";
	const int n = out_width(v);

	out_hex_word(digits, v >> 32);
	out_hex_word(digits + 8, v);
	memcpy(o->buf + o->n, digits + 16 - n, OUT_SLACK);
	o->n += n;
}

/* Writes at least @width digits. */
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
