// SPDX-License-Identifier: GPL-2.0-only
/* Records of instructions and of program flow. */
#include "tarmac-parts.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Words that may be a mode if no colon marks it. */
static const char *const modes[] = {
	"svc", "irq", "fiq", "usr", "mon", "sys", "abt", "und", "hyp", "EL0t", "EL1t", "EL1h",
	"EL2t", "EL2h", "EL3t", "EL3h", "Handler", "Thread",
};

/* The digits of a number in parentheses, or dashes. */
static struct tarmac_text run(struct lex *c)
{
	struct tarmac_text text;

	lex_blanks(c);
	text.p = c->p;
	if (lex_at_digit(c))
		while (lex_at_digit(c))
			c->p++;
	else
		while (c->p < c->end && *c->p == '-')
			c->p++;
	text.n = c->p - text.p;
	return text;
}

static unsigned int hex(struct tarmac_text text, uint64_t *v)
{
	struct lex c = { text.p, text.p + text.n };

	return lex_hex(&c, v);
}

/* Reads it as decimal if possible. */
static bool number(struct tarmac_text text, uint64_t *v, bool *is_hex)
{
	struct lex c = { text.p, text.p + text.n };

	*is_hex = false;
	if (lex_dec(&c, v))
		return true;
	*is_hex = true;
	return lex_hex(&c, v);
}

static bool isa(struct lex *c, uint8_t *which)
{
	struct lex ahead = *c;
	struct tarmac_text word;

	if (!lex_word(&ahead, &word) || word.n > 3)
		return false;
	for (uint8_t i = TARMAC_A; i < TARMAC_ISA_NR; i++) {
		if (!tarmac_text_is(word, tarmac_isa_name[i]))
			continue;
		*which = i;
		*c = ahead;
		return true;
	}
	return false;
}

static bool opcode(struct lex *c, struct tarmac_inst *i)
{
	struct lex ahead = *c;

	i->digits = lex_hex(&ahead, &i->opcode);
	if (!i->digits) {
		i->opcode = 0;
		if (!run(&ahead).n || lex_at_word(&ahead))
			return false;
	}
	*c = ahead;
	return true;
}

static bool is_mode(struct tarmac_text mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (tarmac_text_is(mode, modes[i]))
			return true;
	return false;
}

/* [mode[_security]] [:] */
static void mode(struct lex *c, struct tarmac_inst *i)
{
	struct lex ahead = *c;
	struct tarmac_text word, security = { 0 };
	const char *bar;

	if (lex_char(c, ':') || !lex_word(&ahead, &word))
		return;
	bar = memchr(word.p, '_', word.n);
	if (bar) {
		security.p = bar + 1;
		security.n = word.p + word.n - security.p;
		word.n = bar - word.p;
	}
	if (!lex_char(&ahead, ':') && !is_mode(word))
		return;
	i->mode = word;
	i->security = security;
	*c = ahead;
}

/* Parses from the instruction set on. */
static void tail(struct lex *c, struct tarmac_inst *i)
{
	if (!i->isa)
		isa(c, &i->isa);
	mode(c, i);
	if (i->how == TARMAC_ES && lex_this(c, "CCFAIL"))
		i->skipped = true;
	i->disasm = lex_rest(c);
}

/* With ES they are address and opcode, else the number of the instruction, or its address. */
static const char *parentheses(struct lex *c, struct tarmac_text *first, struct tarmac_text *second)
{
	*first = run(c);
	if (lex_char(c, ':'))
		*second = run(c);
	if (!first->n || !lex_char(c, ')'))
		return "what is in parentheses is no number";
	return NULL;
}

static const char *es(struct lex *c, struct tarmac_inst *i, struct tarmac_text addr,
		      struct tarmac_text code)
{
	if (!hex(addr, &i->addr.va))
		return "no address in the parentheses";
	i->digits = hex(code, &i->opcode);
	if (!i->digits && (!code.n || *code.p != '-'))
		return "no opcode in the parentheses";
	tail(c, i);
	return NULL;
}

static const char *it(struct lex *c, struct tarmac_inst *i, struct tarmac_text first,
		      struct tarmac_text second)
{
	struct lex ahead = *c;
	struct tarmac_text id = second.n ? second : first;

	if (first.n && opcode(&ahead, i) && isa(&ahead, &i->isa)) {
		if (!hex(first, &i->addr.va))
			return "no address in the parentheses";
		id = second;
		*c = ahead;
	} else {
		if (!lex_addr(c, &i->addr))
			return "no address";
		if (!opcode(c, i))
			return "no opcode";
		i->has_base = second.n;
		if (i->has_base && !hex(first, &i->base))
			return "what is in parentheses is no number";
	}
	if (id.n) {
		i->has_id = number(id, &i->id, &i->hex_id);
		if (!i->has_id)
			return "what is in parentheses is no number";
	}
	tail(c, i);
	return NULL;
}

const char *tarmac_part_inst(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_inst *i = &r->inst;
	struct tarmac_text first = { 0 }, second = { 0 };
	uint8_t how = word.p[0] == 'E' ? TARMAC_ES : word.p[1] == 'T' ? TARMAC_IT :
		      word.p[1] == 'S' ? TARMAC_IS : TARMAC_IF;
	const char *wrong = NULL;
	bool reset;

	reset = lex_this(c, "Reset");
	if (reset || lex_this(c, "EXC")) {
		r->kind = TARMAC_EXCEPTION;
		r->exception = (struct tarmac_exception){ .how = how, .inst = true,
							  .reset = reset, .text = lex_rest(c) };
		return NULL;
	}
	r->kind = TARMAC_INST;
	*i = (struct tarmac_inst){ .how = how, .skipped = how == TARMAC_IS };
	if (lex_char(c, '('))
		wrong = parentheses(c, &first, &second);
	if (wrong)
		return wrong;
	if (how == TARMAC_ES && second.n)
		return es(c, i, first, second);
	return it(c, i, first, second);
}

const char *tarmac_part_flow(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_flow *f = &r->flow;

	r->kind = TARMAC_FLOW;
	*f = (struct tarmac_flow){ .how = word.p[1] };
	if (lex_char(c, '(')) {
		f->has_id = lex_dec(c, &f->id);
		if (!f->has_id || !lex_char(c, ')'))
			return "what is in parentheses is no number";
	}
	if (!lex_addr(c, &f->from))
		return "no address";
	if (!lex_addr(c, &f->to))
		return "no address of a target";
	if (!isa(c, &f->isa))
		return "no instruction set";
	return lex_end(c) ? NULL : "more than a flow record has";
}
