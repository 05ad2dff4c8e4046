// SPDX-License-Identifier: GPL-2.0-only
/* Records of events, caches, translation, signals, and messages. */
#include "tarmac-parts.h"

/* [mode] [value1] number desc */
static bool numbered(struct lex *c, struct tarmac_event *e)
{
	struct lex ahead;
	unsigned int digits;

	if (!lex_addr(c, &e->value))
		return false;
	ahead = *c;
	digits = lex_hex(&ahead, &e->number);
	if (!digits) {
		if (!lex_word(c, &e->mode))
			return false;
		digits = lex_hex(c, &e->number);
	} else {
		*c = ahead;
	}
	ahead = *c;
	e->value1_digits = digits;
	e->value1 = e->number;
	digits = lex_hex(&ahead, &e->number);
	if (digits == 8) {
		e->has_value1 = true;
		*c = ahead;
	} else {
		e->number = e->value1;
		digits = e->value1_digits;
		e->value1 = 0;
		e->value1_digits = 0;
	}
	return digits == 8 && lex_word(c, &e->desc) && lex_end(c);
}

const char *tarmac_part_event(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_event *e = &r->event;
	struct lex ahead = *c;

	(void)word;
	r->kind = TARMAC_EVENT;
	*e = (struct tarmac_event){ 0 };
	e->numbered = numbered(&ahead, e);
	if (e->numbered)
		return NULL;
	*e = (struct tarmac_event){ 0 };
	if (!lex_word(c, &e->desc))
		return "no event";
	e->rest = lex_rest(c);
	return NULL;
}

static struct tarmac_text between(const char *from, const char *until)
{
	struct tarmac_text text = { from, until - from };

	while (text.n && lex_class[(uint8_t)text.p[text.n - 1]] & LEX_BLANK)
		text.n--;
	return text;
}

/* "16K", "4096", "1G": a size.  Return: there was one. */
static bool size_of(struct lex *c, struct tarmac_text *size)
{
	struct lex ahead = *c;

	if (!lex_word(&ahead, size) || size->p[0] < '0' || size->p[0] > '9') {
		size->n = 0;
		return false;
	}
	*c = ahead;
	return true;
}

/* Words up to the first complete number: one of 8 digits or more, or else the last one. */
static const char *maintenance(struct lex *c, struct tarmac_maintenance *m)
{
	struct lex ahead, rest = *c;
	struct tarmac_addr addr;
	const char *first, *until = NULL;

	lex_blanks(c);
	first = c->p;
	while (!lex_end(c)) {
		ahead = *c;
		if (c->p > first && lex_addr(&ahead, &addr)) {
			until = c->p;
			rest = ahead;
			m->data = addr;
			if (addr.n_pa || ahead.p - until >= 8)
				break;
		}
		while (c->p < c->end && !(lex_next(c) & LEX_BLANK))
			c->p++;
	}
	if (!until)
		return "no address and no number";
	m->what = between(first, until);
	size_of(&rest, &m->size);
	m->memtype = lex_rest(&rest);
	return NULL;
}

static const char *cache_line(struct lex *c, struct tarmac_line *l)
{
	if (!lex_word(c, &l->cache))
		return "no name of a cache";
	if (!lex_this(c, "LINE"))
		return "no LINE";
	l->line_digits = lex_hex(c, &l->line);
	if (!l->line_digits)
		return "no number of a line";
	if (!lex_word(c, &l->op))
		return "no operation";
	if (!lex_0x(c, &l->pa, &l->sec))
		return "no address";
	return lex_end(c) ? NULL : "more than a cache record has";
}

const char *tarmac_part_cache(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	(void)word;
	if (lex_this(c, "MAINTENANCE")) {
		r->kind = TARMAC_MAINTENANCE;
		r->maintenance = (struct tarmac_maintenance){ 0 };
		return maintenance(c, &r->maintenance);
	}
	r->kind = TARMAC_LINE;
	r->line = (struct tarmac_line){ 0 };
	return cache_line(c, &r->line);
}

/* name=value ... to the end of the line. */
static const char *attributes(struct lex *c, struct tarmac_text *attr)
{
	struct tarmac_text rest, name, value;

	*attr = lex_rest(c);
	rest = *attr;
	while (tarmac_attr(&rest, &name, &value))
		continue;
	return rest.n ? "attributes that are not name=value" : NULL;
}

const char *tarmac_part_walk(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_walk *w = &r->walk;

	r->kind = TARMAC_WALK;
	*w = (struct tarmac_walk){ .update = word.p[2] == 'U' };
	if (!lex_word(c, &w->side) || !lex_word(c, &w->format))
		return "neither TLB nor format";
	if (!lex_small(c, &w->stage, UINT32_MAX) || !lex_char(c, ':') ||
	    !lex_small(c, &w->level, UINT32_MAX))
		return "no stage:level";
	if (!lex_hex(c, &w->addr))
		return "no address";
	if (!lex_value(c, &w->data, 1))
		return "no table entry";
	if (!lex_char(c, ':') || !lex_word(c, &w->result))
		return "no result";
	return attributes(c, &w->attr);
}

/* vmid=1 */
static bool id(struct lex *c, const char *name, uint32_t *v)
{
	struct lex ahead = *c;

	if (!lex_this(&ahead, name) || !lex_char(&ahead, '=') ||
	    !lex_small(&ahead, v, UINT32_MAX))
		return false;
	*c = ahead;
	return true;
}

/* 0xbase[_NS] [regime] [vmid=n] [, nG asid=n], the last two in any order. */
static const char *regime(struct lex *c, struct tarmac_tlb *t)
{
	struct lex ahead;

	if (!lex_0x(c, &t->base, &t->sec))
		return "no virtual address";
	if (!id(c, "vmid", &t->vmid))
		lex_word(c, &t->regime);
	else
		t->has_vmid = true;
	for (;;) {
		ahead = *c;
		lex_char(&ahead, ',');
		if (!t->has_vmid && id(&ahead, "vmid", &t->vmid))
			t->has_vmid = true;
		else if (!t->nonglobal && lex_this(&ahead, "nG") && id(&ahead, "asid", &t->asid))
			t->nonglobal = true;
		else
			return NULL;
		*c = ahead;
	}
}

/* Words of a memory type; "(alias)", and Inner= and Outer= belong to it. */
static void memory_type(struct lex *c, struct tarmac_text *memtype)
{
	struct lex ahead = *c;
	struct tarmac_text word;
	const char *from;

	lex_blanks(c);
	from = c->p;
	for (ahead = *c;; *c = ahead) {
		if (lex_parens(&ahead, &word))
			continue;
		if (!lex_word(&ahead, &word))
			break;
		if (lex_char(&ahead, '=') &&
		    (!(tarmac_text_is(word, "Inner") || tarmac_text_is(word, "Outer")) ||
		     !lex_word(&ahead, &word)))
			break;
	}
	*memtype = between(from, c->p);
}

const char *tarmac_part_tlb(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_tlb *t = &r->tlb;
	const char *wrong;

	r->kind = TARMAC_TLB;
	*t = (struct tarmac_tlb){ .walk = word.p[0] == 'W' };
	t->evict = lex_this(c, "EVICT");
	if (!t->evict && !lex_this(c, "FILL"))
		return "neither FILL nor EVICT";
	if (!lex_word(c, &t->cache))
		return "no name of a TLB";
	if (!lex_word(c, &t->size))
		return "no size";
	wrong = regime(c, t);
	if (wrong)
		return wrong;
	if (t->evict)
		return lex_end(c) ? NULL : "more than EVICT has";
	if (!lex_char(c, ':') || !lex_0x(c, &t->pa, &t->pa_sec))
		return "no physical address";
	memory_type(c, &t->memtype);
	return attributes(c, &t->attr);
}

const char *tarmac_part_signal(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	struct tarmac_signal *s = &r->signal;
	struct tarmac_text state;
	struct lex ahead;

	(void)word;
	r->kind = TARMAC_SIGNAL;
	*s = (struct tarmac_signal){ 0 };
	lex_char(c, ':');
	ahead = *c;
	s->text = lex_rest(c);
	if (lex_this(&ahead, "SIGNAL") && lex_char(&ahead, '=') && lex_word(&ahead, &s->name) &&
	    lex_this(&ahead, "STATE") && lex_char(&ahead, '=') && lex_word(&ahead, &state) &&
	    lex_end(&ahead) && (tarmac_text_is(state, "Y") || tarmac_text_is(state, "N")))
		s->state = *state.p;
	else
		s->name.n = 0;
	return NULL;
}

const char *tarmac_part_exc(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	(void)word;
	r->kind = TARMAC_EXCEPTION;
	r->exception = (struct tarmac_exception){ .text = lex_rest(c) };
	return NULL;
}

const char *tarmac_part_note(struct lex *c, struct tarmac_record *r, struct tarmac_text word)
{
	r->kind = TARMAC_NOTE;
	r->note = (struct tarmac_note){ .name = word };
	r->note.colon = lex_char(c, ':');
	r->note.text = lex_rest(c);
	return NULL;
}
