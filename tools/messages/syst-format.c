// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>

#include "syst-format.h"

/* A width or precision of more is damage. */
#define WIDTH_MAX	512

uint64_t syst_number(struct syst_bytes *b, unsigned int size)
{
	uint64_t v = 0;

	if (b->end - b->at < size) {
		b->failed = true;
		b->at = b->end;
		return 0;
	}
	for (unsigned int i = 0; i < size; i++)
		v |= (uint64_t)b->at[i] << 8 * i;
	b->at += size;
	return v;
}

const char *syst_text(struct syst_bytes *b, bool whole, size_t *n)
{
	const uint8_t *const start = b->at;
	const uint8_t *zero = memchr(start, 0, b->end - start);

	if (!zero && !whole)
		b->failed = true;
	*n = (zero ? zero : b->end) - start;
	b->at = zero ? zero + 1 : b->end;
	return (const char *)start;
}

/**
 * struct directive - what follows a %
 * @size: of the argument, for numbers
 * @half: 2: hh, 1: h
 * @width, @precision: -1: none
 */
struct directive {
	char flags[8];
	int width, precision;
	unsigned int size;
	int half;
	char letter;
};

struct printing {
	const char *at, *end;
	struct syst_bytes *arguments;
	bool wide;
	char *to;
	size_t n, room;
};

static int limit(int64_t v)
{
	return v > WIDTH_MAX ? WIDTH_MAX : v < -WIDTH_MAX ? -WIDTH_MAX : v;
}

static int read_width(struct printing *p)
{
	int64_t v = 0;

	if (p->at < p->end && *p->at == '*') {
		p->at++;
		return limit((int32_t)syst_number(p->arguments, 4));
	}
	for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++)
		v = limit(v * 10 + *p->at - '0');
	return v;
}

static unsigned int read_size(struct printing *p, struct directive *d)
{
	unsigned int size = 4;

	for (; p->at < p->end && strchr("hlqjztL", *p->at); p->at++) {
		const bool twice = size == 8 || (p->at[0] == 'l' && p->at + 1 < p->end &&
						 p->at[1] == 'l');

		switch (*p->at) {
		case 'h':
			d->half++;
			break;
		case 'l':
			size = twice || p->wide ? 8 : 4;
			break;
		case 'z':
		case 't':
			size = p->wide ? 8 : 4;
			break;
		default:
			size = 8;
			break;
		}
		if (*p->at == 'l' && twice && p->at + 1 < p->end && p->at[1] == 'l')
			p->at++;
	}
	return size;
}

static bool read_directive(struct printing *p, struct directive *d)
{
	size_t n = 0;

	*d = (struct directive){ .precision = -1 };
	for (; p->at < p->end && strchr("-+ #0", *p->at); p->at++)
		if (!strchr(d->flags, *p->at) && n < sizeof(d->flags) - 1)
			d->flags[n++] = *p->at;
	d->width = read_width(p);
	if (p->at < p->end && *p->at == '.') {
		p->at++;
		d->precision = read_width(p);
	}
	d->size = read_size(p, d);
	if (p->at == p->end)
		return false;
	d->letter = *p->at++;
	return true;
}

static void put(struct printing *p, const char *bytes, size_t n)
{
	if (n > p->room - p->n)
		n = p->room - p->n;
	memcpy(p->to + p->n, bytes, n);
	p->n += n;
}

/* "%FLAGS*.*lld": the width is negative if it came so. */
static void make_format(const struct directive *d, const char *size, char format[24])
{
	snprintf(format, 24, "%%%s*%s%s%c", d->flags, d->precision < 0 ? "" : ".*", size,
		 d->letter);
}

static void put_signed(struct printing *p, struct directive *d)
{
	char buf[2 * WIDTH_MAX], format[24];
	uint64_t raw = syst_number(p->arguments, d->size);
	long long v = d->size == 8 ? (int64_t)raw : (int32_t)raw;

	if (d->half)
		v = d->half == 1 ? (int16_t)v : (int8_t)v;
	make_format(d, "ll", format);
	if (d->precision < 0)
		put(p, buf, snprintf(buf, sizeof(buf), format, d->width, v));
	else
		put(p, buf, snprintf(buf, sizeof(buf), format, d->width, d->precision, v));
}

static void put_unsigned(struct printing *p, struct directive *d)
{
	char buf[2 * WIDTH_MAX], format[24];
	unsigned long long v = syst_number(p->arguments, d->size);

	if (d->half)
		v &= d->half == 1 ? 0xffff : 0xff;
	make_format(d, "ll", format);
	if (d->precision < 0)
		put(p, buf, snprintf(buf, sizeof(buf), format, d->width, v));
	else
		put(p, buf, snprintf(buf, sizeof(buf), format, d->width, d->precision, v));
}

static void put_float(struct printing *p, struct directive *d)
{
	char buf[2 * WIDTH_MAX + 400], format[24];
	const uint64_t bits = syst_number(p->arguments, 8);
	double v;

	memcpy(&v, &bits, sizeof(v));
	make_format(d, "", format);
	if (d->precision < 0)
		put(p, buf, snprintf(buf, sizeof(buf), format, d->width, v));
	else
		put(p, buf, snprintf(buf, sizeof(buf), format, d->width, d->precision, v));
}

static void put_blanks(struct printing *p, size_t n)
{
	while (n--)
		put(p, " ", 1);
}

/* A text or a character, which may be any byte. */
static void put_string(struct printing *p, const struct directive *d, const char *text, size_t n)
{
	const size_t width = d->width < 0 ? -d->width : d->width;
	const bool left = d->width < 0 || strchr(d->flags, '-');

	if (d->letter == 's' && d->precision >= 0 && n > d->precision)
		n = d->precision;
	if (!left && n < width)
		put_blanks(p, width - n);
	put(p, text, n);
	if (left && n < width)
		put_blanks(p, width - n);
}

static void put_directive(struct printing *p, struct directive *d)
{
	const char *text;
	char c;
	size_t n;

	switch (d->letter) {
	case 'd':
	case 'i':
		put_signed(p, d);
		break;
	case 'p':
		put(p, "0x", 2);
		d->letter = 'x';
		d->size = p->wide ? 8 : 4;
		put_unsigned(p, d);
		break;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		put_unsigned(p, d);
		break;
	case 'c':
		c = syst_number(p->arguments, 4);
		put_string(p, d, &c, 1);
		break;
	case 's':
		text = syst_text(p->arguments, false, &n);
		put_string(p, d, text, n);
		break;
	case '%':
		put(p, "%", 1);
		break;
	default:
		if (strchr("eEfFgGaA", d->letter))
			put_float(p, d);
		break;
	}
}

size_t syst_format(const char *format, size_t n, struct syst_bytes *arguments, bool wide,
		   char *to, size_t room)
{
	struct printing p = {
		.at = format, .end = format + n, .arguments = arguments, .wide = wide, .to = to,
		.room = room,
	};
	struct directive d;

	while (p.at < p.end && !arguments->failed) {
		const char *percent = memchr(p.at, '%', p.end - p.at);

		put(&p, p.at, (percent ? percent : p.end) - p.at);
		p.at = percent ? percent + 1 : p.end;
		if (percent && read_directive(&p, &d))
			put_directive(&p, &d);
	}
	return p.n;
}
