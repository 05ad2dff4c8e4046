/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a line of Tarmac, as all styles write them.  Each makes its own room: a text may be
 * as long as a line.
 */
#ifndef CSF_TARMAC_PUT_H
#define CSF_TARMAC_PUT_H

#include "../../perf-plugin/out.h"
#include "tarmac.h"

/* More than a number with its surroundings. */
#define SMALL	64

static inline void put_text(struct out *o, struct tarmac_text t)
{
	out_room(o, t.n);
	if (t.n)
		memcpy(o->buf + o->n, t.p, t.n);
	o->n += t.n;
}

static inline void put_word(struct out *o, const char *w)
{
	out_room(o, SMALL);
	out_text(o, w);
}

static inline void put_letter(struct out *o, char c)
{
	out_room(o, 1);
	out_char(o, c);
}

static inline void put_dec(struct out *o, uint64_t v)
{
	out_room(o, SMALL);
	out_dec(o, v);
}

static inline void put_hex(struct out *o, uint64_t v, int width)
{
	out_room(o, SMALL);
	out_hex_wide(o, v, width);
}

/* Writes a blank and the text, if there is one. */
static inline void put_more(struct out *o, struct tarmac_text t)
{
	if (!t.n)
		return;
	put_letter(o, ' ');
	put_text(o, t);
}

static inline void put_va(struct out *o, uint64_t v)
{
	put_hex(o, v, v >> 32 ? 16 : 8);
}

/* With @group digits between bars; 0: without. */
static inline void put_value(struct out *o, const struct tarmac_value *v, uint32_t group)
{
	uint32_t left = v->digits;
	char digit;

	for (size_t i = 0; i < v->text.n; i++) {
		struct tarmac_value one = { .text = { v->text.p + i, 1 } };

		if (!tarmac_value_digits(&one, &digit, 1))
			continue;
		out_room(o, 2);
		if (group && left != v->digits && left % group == 0)
			out_char(o, '_');
		out_char(o, digit);
		left--;
	}
}

static inline void put_opcode(struct out *o, const struct tarmac_inst *i)
{
	if (i->digits)
		put_hex(o, i->opcode, i->digits);
	else
		put_word(o, "--------");
}

/* A processor that has no name, or only a number, is cpu and that number. */
static inline void put_cpu(struct out *o, const char *cpu, uint32_t number)
{
	if (cpu && cpu[strspn(cpu, "0123456789")]) {
		put_text(o, (struct tarmac_text){ cpu, strlen(cpu) });
		return;
	}
	put_word(o, "cpu");
	put_dec(o, number);
}

#endif /* CSF_TARMAC_PUT_H */
