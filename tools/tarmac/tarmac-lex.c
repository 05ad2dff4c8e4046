// SPDX-License-Identifier: GPL-2.0-only
#include "tarmac-lex.h"

#define HEX	LEX_DIGIT | LEX_WORD | LEX_VALUE |
#define OPEN	LEX_WORD | LEX_VALUE |

const uint8_t lex_class[256] = {
	['g' ... 'w'] = LEX_WORD, ['y' ... 'z'] = LEX_WORD,
	['G' ... 'W'] = LEX_WORD, ['Y' ... 'Z'] = LEX_WORD,
	['.'] = LEX_WORD, ['#'] = OPEN LEX_UNKNOWN,
	['0'] = HEX 0, ['1'] = HEX 1, ['2'] = HEX 2, ['3'] = HEX 3, ['4'] = HEX 4,
	['5'] = HEX 5, ['6'] = HEX 6, ['7'] = HEX 7, ['8'] = HEX 8, ['9'] = HEX 9,
	['a'] = HEX 10, ['b'] = HEX 11, ['c'] = HEX 12, ['d'] = HEX 13, ['e'] = HEX 14,
	['f'] = HEX 15, ['A'] = HEX 10, ['B'] = HEX 11, ['C'] = HEX 12, ['D'] = HEX 13,
	['E'] = HEX 14, ['F'] = HEX 15,
	['x'] = OPEN LEX_UNKNOWN, ['X'] = OPEN LEX_UNKNOWN, ['-'] = OPEN LEX_KEPT,
	['_'] = OPEN LEX_JOINT,
	[' '] = LEX_BLANK, ['\t'] = LEX_BLANK,
};

bool lex_dec(struct lex *c, uint64_t *v)
{
	const char *p;
	uint64_t sum = 0;

	lex_blanks(c);
	for (p = c->p; p < c->end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, *p - '0', &sum))
			return false;
	if (p == c->p || (p < c->end && lex_class[(uint8_t)*p] & LEX_WORD))
		return false;
	*v = sum;
	c->p = p;
	return true;
}

bool lex_small(struct lex *c, uint32_t *v, uint32_t max)
{
	struct lex ahead = *c;
	uint64_t wide;

	if (!lex_dec(&ahead, &wide) || wide > max)
		return false;
	*v = wide;
	*c = ahead;
	return true;
}

/* "_NS" or "_S", or nothing, at the end of a word. */
static bool security(struct lex *c, uint8_t *sec)
{
	static const char ns[] = "_NS";

	*sec = TARMAC_SEC_NONE;
	if (!lex_at_word(c))
		return true;
	if (c->end - c->p >= 3 && !memcmp(c->p, ns, 3)) {
		*sec = TARMAC_SEC_NS;
		c->p += 3;
	} else if (c->end - c->p >= 2 && !memcmp(c->p, "_S", 2)) {
		*sec = TARMAC_SEC_S;
		c->p += 2;
	}
	return !lex_at_word(c);
}

bool lex_addr(struct lex *c, struct tarmac_addr *addr)
{
	struct lex ahead = *c, more;

	addr->n_pa = 0;
	if (!lex_digits(&ahead, &addr->va) || lex_at_word(&ahead))
		return false;
	*c = ahead;
	if (!lex_glued(&ahead, ':') || !lex_at_digit(&ahead))
		return true;
	if (!lex_digits(&ahead, &addr->pa) || !security(&ahead, &addr->sec))
		return false;
	addr->n_pa = 1;
	more = ahead;
	if (lex_glued(&more, ',') && lex_at_digit(&more)) {
		if (!lex_digits(&more, &addr->pa2) || !security(&more, &addr->sec2))
			return false;
		addr->n_pa = 2;
		ahead = more;
	}
	*c = ahead;
	return true;
}

bool lex_0x(struct lex *c, uint64_t *v, uint8_t *sec)
{
	struct lex ahead = *c;

	if (!lex_char(&ahead, '0') || !lex_glued(&ahead, 'x') || !lex_at_digit(&ahead) ||
	    !lex_digits(&ahead, v) || !security(&ahead, sec))
		return false;
	*c = ahead;
	return true;
}

/* Adds one group of digits.  Return: there was one, without a letter after it. */
static bool group(struct lex *c, struct tarmac_value *value)
{
	struct tarmac_value sum = *value;
	const char *p;

	for (p = c->p; p < c->end; p++) {
		uint8_t class = lex_class[(uint8_t)*p];
		bool digit = class & LEX_DIGIT;

		if (!(class & LEX_VALUE)) {
			if (class & LEX_WORD)
				return false;
			break;
		}
		if (!digit && (class & 15) == LEX_JOINT)
			continue;
		sum.low = sum.low << 4 | (digit ? class & 15 : 0);
		sum.known = sum.known << 4 | (digit ? 15 : 0);
		sum.kept = sum.kept << 4 | (!digit && (class & 15) == LEX_KEPT ? 15 : 0);
		sum.digits++;
	}
	if (sum.digits == value->digits)
		return false;
	c->p = p;
	*value = sum;
	return true;
}

bool lex_value(struct lex *c, struct tarmac_value *value, unsigned int groups)
{
	struct lex ahead;

	lex_blanks(c);
	*value = (struct tarmac_value){ .text.p = c->p };
	if (!group(c, value))
		return false;
	for (ahead = *c; ; ahead = *c) {
		lex_blanks(&ahead);
		if (lex_glued(&ahead, ':')) {
			lex_blanks(&ahead);
		} else {
			if (groups == 1)
				break;
			groups--;
		}
		if (!group(&ahead, value))
			break;
		*c = ahead;
	}
	value->text.n = c->p - value->text.p;
	return true;
}

bool lex_parens(struct lex *c, struct tarmac_text *text)
{
	struct lex ahead = *c;
	const char *close;

	if (!lex_char(&ahead, '('))
		return false;
	close = memchr(ahead.p, ')', ahead.end - ahead.p);
	if (!close)
		return false;
	text->p = ahead.p;
	text->n = close - ahead.p;
	c->p = close + 1;
	return true;
}

struct tarmac_text lex_rest(struct lex *c)
{
	struct tarmac_text text;

	lex_blanks(c);
	text.p = c->p;
	text.n = c->end - c->p;
	while (text.n && lex_class[(uint8_t)text.p[text.n - 1]] & LEX_BLANK)
		text.n--;
	c->p = c->end;
	return text;
}
