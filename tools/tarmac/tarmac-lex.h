/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tokens of Tarmac lines.
 *
 * Every lex_x() skips blanks first, then takes the token x and returns true, or takes
 * nothing.
 */
#ifndef CSF_TARMAC_LEX_H
#define CSF_TARMAC_LEX_H

#include "tarmac.h"

#define LEX_DIGIT	0x10	/* hexadecimal digit, whose value is in the low bits */
#define LEX_WORD	0x20	/* letter, digit, _ - . # */
#define LEX_BLANK	0x40
#define LEX_VALUE	0x80	/* may be part of a value; if not a digit, low bits tell: */
#define LEX_UNKNOWN	0	/* x, X, # */
#define LEX_KEPT	1	/* - */
#define LEX_JOINT	2	/* _ */

/* LEX_x ORed, by character. */
extern const uint8_t lex_class[256];

struct lex {
	const char *p, *end;
};

static inline uint8_t lex_next(const struct lex *c)
{
	return c->p < c->end ? lex_class[(uint8_t)*c->p] : 0;
}

static inline bool lex_at_digit(const struct lex *c)
{
	return lex_next(c) & LEX_DIGIT;
}

static inline bool lex_at_word(const struct lex *c)
{
	return lex_next(c) & LEX_WORD;
}

static inline void lex_blanks(struct lex *c)
{
	while (c->p < c->end && lex_class[(uint8_t)*c->p] & LEX_BLANK)
		c->p++;
}

static inline bool lex_end(struct lex *c)
{
	lex_blanks(c);
	return c->p == c->end;
}

static inline bool lex_char(struct lex *c, char want)
{
	lex_blanks(c);
	if (c->p == c->end || *c->p != want)
		return false;
	c->p++;
	return true;
}

/* Takes @want only if it comes next, without blanks. */
static inline bool lex_glued(struct lex *c, char want)
{
	if (c->p == c->end || *c->p != want)
		return false;
	c->p++;
	return true;
}

static inline bool lex_word(struct lex *c, struct tarmac_text *word)
{
	lex_blanks(c);
	word->p = c->p;
	while (lex_at_word(c))
		c->p++;
	word->n = c->p - word->p;
	return word->n;
}

/* Takes this word, but not a longer one. */
static inline bool lex_this(struct lex *c, const char *want)
{
	struct lex ahead = *c;
	struct tarmac_text word;

	if (!lex_word(&ahead, &word) || !tarmac_text_is(word, want))
		return false;
	*c = ahead;
	return true;
}

/* Up to 16 digits, whatever follows.  Return: how many; 0: none, or too many. */
static inline unsigned int lex_digits(struct lex *c, uint64_t *v)
{
	const char *p;
	uint64_t sum = 0;

	lex_blanks(c);
	for (p = c->p; p < c->end; p++) {
		uint8_t class = lex_class[(uint8_t)*p];

		if (!(class & LEX_DIGIT))
			break;
		sum = sum << 4 | (class & 15);
	}
	if (p == c->p || p - c->p > 16)
		return 0;
	*v = sum;
	sum = p - c->p;
	c->p = p;
	return sum;
}

/* A whole word of hexadecimal digits. */
static inline unsigned int lex_hex(struct lex *c, uint64_t *v)
{
	struct lex ahead = *c;
	unsigned int n = lex_digits(&ahead, v);

	if (!n || lex_at_word(&ahead))
		return 0;
	*c = ahead;
	return n;
}

/* A whole word of decimal digits. */
bool lex_dec(struct lex *c, uint64_t *v);

/* As lex_dec(), up to @max. */
bool lex_small(struct lex *c, uint32_t *v, uint32_t max);

bool lex_addr(struct lex *c, struct tarmac_addr *addr);

/* 0x, digits and perhaps _NS or _S, then no letter nor digit. */
bool lex_0x(struct lex *c, uint64_t *v, uint8_t *sec);

/* Groups of digits; with @groups 1 only those that ':' joins, else up to @groups. */
bool lex_value(struct lex *c, struct tarmac_value *value, unsigned int groups);

/* Text in parentheses, of any characters. */
bool lex_parens(struct lex *c, struct tarmac_text *text);

/* The rest, without blanks around it. */
struct tarmac_text lex_rest(struct lex *c);

#endif /* CSF_TARMAC_LEX_H */
