// SPDX-License-Identifier: GPL-2.0-only
/*
 * A line is, in this order: a continuation of a diagram; a header; a stamp, a processor and a word
 * that begins a record; a message with a name; otherwise just text.
 */
#include <errno.h>
#include <stdlib.h>

#include "tarmac-parse.h"
#include "tarmac-parts.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The longest name of a processor. */
#define NAME_MAX_CHARS	255

typedef const char *(*part_fn)(struct lex *c, struct tarmac_record *r, struct tarmac_text word);

struct keyword {
	const char *word;
	part_fn part;
};

/* The most frequent ones first. */
static const struct keyword keywords[] = {
	{ "IT", tarmac_part_inst }, { "R", tarmac_part_reg }, { "IS", tarmac_part_inst },
	{ "ES", tarmac_part_inst }, { "E", tarmac_part_event }, { "CACHE", tarmac_part_cache },
	{ "FD", tarmac_part_flow }, { "FI", tarmac_part_flow }, { "FR", tarmac_part_flow },
	{ "IF", tarmac_part_inst }, { "LD", tarmac_part_diagram }, { "ST", tarmac_part_diagram },
	{ "R01", tarmac_part_access }, { "R02", tarmac_part_access },
	{ "R04", tarmac_part_access }, { "R08", tarmac_part_access },
	{ "W01", tarmac_part_access }, { "W02", tarmac_part_access },
	{ "W04", tarmac_part_access }, { "W08", tarmac_part_access },
	{ "TTW", tarmac_part_walk }, { "TTU", tarmac_part_walk },
	{ "TLB", tarmac_part_tlb }, { "WALKCACHE", tarmac_part_tlb },
	{ "SIGNAL", tarmac_part_signal }, { "EXC", tarmac_part_exc },
	{ "BR", tarmac_part_note }, { "CADI", tarmac_part_note }, { "P", tarmac_part_note },
	{ "TUBE", tarmac_part_note }, { "INFO_EXCEPTION_REASON", tarmac_part_note },
};

/* MNR4O__I: is it a fetch of instructions?  It gives no record. */
static bool is_fetch(struct tarmac_text word)
{
	return word.n == 8 && word.p[7] == 'I';
}

static part_fn part_of(struct tarmac_text word)
{
	if (word.p[0] == 'M') {
		if (tarmac_part_is_mem(word))
			return is_fetch(word) ? tarmac_part_note : tarmac_part_mem;
		if (word.n > 2 && word.p[1] == 'U' && word.p[2] >= '0' && word.p[2] <= '9')
			return tarmac_part_update;
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (word.p[0] == keywords[i].word[0] && tarmac_text_is(word, keywords[i].word))
			return keywords[i].part;
	return tarmac_part_is_bus(word) ? tarmac_part_bus : NULL;
}

/* ---------------------------------------------------------------- processors */

static bool is_cpu(struct tarmac_text word)
{
	size_t digits = 0;
	const char *dot;

	if (word.n > NAME_MAX_CHARS)
		return false;
	if (word.n > 3 && !memcmp(word.p, "cpu", 3))
		return true;
	while (digits < word.n && word.p[digits] >= '0' && word.p[digits] <= '9')
		digits++;
	if (digits == word.n)
		return true;
	dot = memchr(word.p, '.', word.n);
	return dot && dot > word.p && word.p[word.n - 1] != '.';
}

static bool is_name(const char *name, struct tarmac_text word)
{
	return !strncmp(name, word.p, word.n) && !name[word.n];
}

static int new_cpu(struct tarmac_parser *p, struct tarmac_text word)
{
	char **grown = realloc(p->cpu, (p->n_cpu + 1) * sizeof(*grown));
	char *name = strndup(word.p, word.n);

	if (grown)
		p->cpu = grown;
	if (!grown || !name) {
		free(name);
		return -ENOMEM;
	}
	p->cpu[p->n_cpu++] = name;
	return 0;
}

/* Sets @last_cpu. */
static int find_cpu(struct tarmac_parser *p, struct tarmac_text word)
{
	uint32_t hash = 0x811c9dc5, slot;

	if (p->last_cpu < p->n_cpu && is_name(p->cpu[p->last_cpu], word))
		return 0;
	for (size_t i = 0; i < word.n; i++)
		hash = (hash ^ (uint8_t)word.p[i]) * 0x01000193;
	for (slot = hash % ARRAY_SIZE(p->slot); p->slot[slot]; slot = (slot + 1) %
	     ARRAY_SIZE(p->slot)) {
		if (is_name(p->cpu[p->slot[slot] - 1], word)) {
			p->last_cpu = p->slot[slot] - 1;
			return 0;
		}
	}
	if (p->n_cpu < TARMAC_CPU_MAX) {
		if (new_cpu(p, word))
			return -ENOMEM;
		p->slot[slot] = p->n_cpu;
	} else {
		p->crowded = true;
	}
	p->last_cpu = p->n_cpu - 1;
	return 0;
}

const char *tarmac_cpu_name(const struct tarmac_parser *p, uint32_t cpu)
{
	return cpu < p->n_cpu ? p->cpu[cpu] : "";
}

uint32_t tarmac_cpu_number(const struct tarmac_parser *p, uint32_t cpu)
{
	const char *name = tarmac_cpu_name(p, cpu);
	size_t n = strlen(name);

	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return name[n] && strlen(name + n) < 10 ? strtoul(name + n, NULL, 10) : cpu;
}

void tarmac_parser_free(struct tarmac_parser *p)
{
	for (uint32_t i = 0; i < p->n_cpu; i++)
		free(p->cpu[i]);
	free(p->cpu);
	memset(p, 0, sizeof(*p));
}

/* ---------------------------------------------------------------- stamps */

static bool unit(struct lex *c, uint8_t *which)
{
	struct lex ahead = *c;
	struct tarmac_text word;

	if (!lex_word(&ahead, &word) || word.n < 2 || word.n > 3)
		return false;
	for (uint8_t i = TARMAC_CLK; i < TARMAC_UNIT_NR; i++) {
		if (tarmac_text_is(word, tarmac_unit_name[i])) {
			*which = i;
			*c = ahead;
			return true;
		}
	}
	return false;
}

/* 12, 12.5 with or without a unit; 12clk; clk alone. */
static bool stamp(struct lex *c, struct tarmac_record *r)
{
	struct lex ahead = *c;
	uint64_t sum = 0;

	lex_blanks(&ahead);
	for (; ahead.p < ahead.end && *ahead.p >= '0' && *ahead.p <= '9'; ahead.p++)
		if (__builtin_mul_overflow(sum, 10, &sum) ||
		    __builtin_add_overflow(sum, *ahead.p - '0', &sum))
			return false;
	r->has_time = ahead.p > c->p && ahead.p[-1] >= '0' && ahead.p[-1] <= '9';
	r->fraction = (struct tarmac_text){ 0 };
	if (r->has_time && lex_glued(&ahead, '.')) {
		r->fraction.p = ahead.p;
		while (ahead.p < ahead.end && *ahead.p >= '0' && *ahead.p <= '9')
			ahead.p++;
		r->fraction.n = ahead.p - r->fraction.p;
		if (!r->fraction.n || r->fraction.n > TARMAC_FRACTION_MAX)
			return false;
	}
	r->time = sum;
	if (!unit(&ahead, &r->unit) && (!r->has_time || lex_at_word(&ahead)))
		return false;
	*c = ahead;
	return true;
}

static void inherit(struct tarmac_parser *p, struct tarmac_record *r)
{
	if (r->unit)
		p->unit = r->unit;
	r->unit = p->unit;
	r->cpu = p->last_cpu;
	if (r->has_time) {
		p->time = r->time;
		p->n_fraction = r->fraction.n;
		if (r->fraction.n)
			memcpy(p->fraction, r->fraction.p, r->fraction.n);
		return;
	}
	r->time = p->time;
	r->fraction = (struct tarmac_text){ p->fraction, p->n_fraction };
}

/* ---------------------------------------------------------------- lines */

static struct tarmac_text rest_of(const struct lex *c)
{
	struct lex copy = *c;

	return lex_rest(&copy);
}

static bool is_indented(const struct lex *line)
{
	return lex_class[(uint8_t)*line->p] & LEX_BLANK;
}

/* Does it have bytes that make it not text? */
static const char *no_text(const struct lex *line)
{
	for (const char *p = line->p; p < line->end; p++)
		if ((uint8_t)*p < ' ' && *p != '\t')
			return p;
	return NULL;
}

/* The line has a record's first word, but is not a record from @at on. */
static void spoiled(struct tarmac_record *r, const struct lex *line, const char *wrong,
		    struct tarmac_text word, const char *at)
{
	r->kind = TARMAC_TEXT;
	r->text = rest_of(line);
	r->wrong = wrong;
	r->word = word;
	r->at = at;
	r->binary = no_text(line);
}

/* Keeps the state that a diagram leaves for the next line; sets a default instruction set. */
static void finish(struct tarmac_parser *p, struct tarmac_record *r, const struct lex *line,
		   const char *at)
{
	if (r->kind == TARMAC_INST && !r->inst.isa && p->implicit_thumb)
		r->inst.isa = TARMAC_T;
	p->column = 0;
	if (r->kind == TARMAC_DIAGRAM) {
		while (lex_class[(uint8_t)*at] & LEX_BLANK)
			at++;
		p->column = at - line->p;
		p->store = r->diagram.store;
	}
	p->note = r->kind == TARMAC_NOTE;
}

/* Return: 1: it is a record, perhaps a spoiled one; 0: no; -ENOMEM. */
static int event(struct tarmac_parser *p, const struct lex *line, struct tarmac_record *r)
{
	struct lex c = *line, ahead;
	struct tarmac_text word, cpu = { 0 };
	const char *wrong, *at;
	part_fn part;

	if (!stamp(&c, r))
		r->has_time = false;
	ahead = c;
	if (!lex_word(&ahead, &word))
		return 0;
	part = part_of(word);
	if (!part && is_cpu(word)) {
		cpu = word;
		if (!lex_word(&ahead, &word))
			return 0;
		part = part_of(word);
	}
	if (!part)
		return 0;
	if (cpu.n && find_cpu(p, cpu))
		return -ENOMEM;
	r->has_cpu = cpu.n;
	inherit(p, r);
	r->text.p = word.p;
	r->text.n = line->end - word.p;
	at = ahead.p;
	wrong = part(&ahead, r, word);
	if (wrong)
		spoiled(r, line, wrong, word, rest_of(&ahead).p);
	finish(p, r, line, at);
	p->indents |= !wrong && is_indented(line) && c.p == line->p;
	return 1;
}

/* [stamp with unit] [processor] name: text */
static int note(struct tarmac_parser *p, const struct lex *line, struct tarmac_record *r)
{
	struct lex c = *line, ahead;
	struct tarmac_text word, cpu = { 0 };

	r->unit = TARMAC_NO_UNIT;
	if (!stamp(&c, r) || !r->unit) {
		if (no_text(line))
			return 0;
		c = *line;
		r->has_time = false;
		r->unit = TARMAC_NO_UNIT;
	}
	ahead = c;
	if (!lex_word(&ahead, &word))
		return 0;
	if (!lex_glued(&ahead, ':') && is_cpu(word)) {
		cpu = word;
		c = ahead;
		if (!lex_word(&ahead, &word) || !lex_glued(&ahead, ':'))
			return 0;
	}
	if (ahead.p[-1] != ':' || (word.p[0] >= '0' && word.p[0] <= '9'))
		return 0;
	if (cpu.n && find_cpu(p, cpu))
		return -ENOMEM;
	r->has_cpu = cpu.n;
	inherit(p, r);
	lex_word(&c, &word);
	r->text = rest_of(&c);
	r->text.n += r->text.p - word.p;
	r->text.p = word.p;
	tarmac_part_note(&c, r, word);
	finish(p, r, line, NULL);
	return 1;
}

/* A diagram continues if the address is below the previous one; an indented message, too. */
static bool continuation(struct tarmac_parser *p, const struct lex *line, struct tarmac_record *r)
{
	struct lex c = *line;
	size_t column;

	lex_blanks(&c);
	column = c.p - line->p;
	if (!column || column != p->column)
		return false;
	r->text = rest_of(&c);
	inherit(p, r);
	if (tarmac_part_diagram(&c, r, (struct tarmac_text){ p->store ? "ST" : "LD", 2 }))
		return false;
	r->diagram.continued = true;
	return true;
}

static bool header(const struct lex *line, struct tarmac_record *r)
{
	struct lex c = *line;

	if (!lex_this(&c, "Tarmac") || !lex_this(&c, "Text") || !lex_this(&c, "Rev") ||
	    !lex_word(&c, &r->text) || !lex_end(&c))
		return false;
	r->kind = TARMAC_HEADER;
	return true;
}

/* Does @line have the head of a record, but then a word that begins none? */
static bool is_unknown(const struct tarmac_parser *p, const struct lex *line,
		       struct tarmac_record *r)
{
	struct lex c = *line, ahead;
	bool stamped = stamp(&c, r) && r->unit;

	if (!stamped && !(p->indents && is_indented(line)))
		return false;
	if (!stamped)
		c = *line;
	ahead = c;
	if (!lex_word(&ahead, &r->word))
		return false;
	if (is_cpu(r->word)) {
		c = ahead;
		lex_word(&c, &r->word);
	}
	r->at = r->word.p;
	return r->word.n;
}

/* Handles a line that is not a record; reports it if it should be one. */
static void judge(const struct tarmac_parser *p, const struct lex *line, struct tarmac_record *r)
{
	const char *at = no_text(line);

	if (at) {
		r->wrong = "no text";
		r->word = (struct tarmac_text){ line->p, 0 };
		r->binary = true;
		r->at = at;
	} else if (!(is_indented(line) && p->note) && is_unknown(p, line, r)) {
		r->wrong = "no record that is known";
	}
}

static void text(struct tarmac_parser *p, const struct lex *line, struct tarmac_record *r)
{
	bool indented = is_indented(line);

	judge(p, line, r);
	r->text = rest_of(line);
	r->has_time = false;
	r->has_cpu = false;
	r->unit = TARMAC_NO_UNIT;
	inherit(p, r);
	r->kind = TARMAC_TEXT;
	if (indented && p->note && !r->wrong) {
		r->kind = TARMAC_NOTE;
		r->note = (struct tarmac_note){ .text = r->text, .continued = true };
	}
	p->note = r->kind == TARMAC_NOTE;
	p->column = 0;
}

static int parse(struct tarmac_parser *p, struct lex line, struct tarmac_record *r)
{
	int ret;

	r->wrong = NULL;
	r->binary = false;
	r->unit = TARMAC_NO_UNIT;
	r->has_time = false;
	r->has_cpu = false;
	if (!rest_of(&line).n)
		return 0;
	if (p->column && continuation(p, &line, r))
		return 1;
	if (*line.p == 'T' && header(&line, r)) {
		inherit(p, r);
		return 1;
	}
	ret = event(p, &line, r);
	if (!ret)
		ret = note(p, &line, r);
	if (ret)
		return ret;
	text(p, &line, r);
	return 1;
}

/* ---------------------------------------------------------------- several in a line */

static bool is_sure(const struct tarmac_record *r)
{
	switch (r->kind) {
	case TARMAC_EVENT:
		return r->event.numbered;
	case TARMAC_NOTE:
		return tarmac_text_is(r->note.name, "BR") && r->note.text.n &&
		       *r->note.text.p == '(';
	case TARMAC_EXCEPTION:
		return r->exception.text.n && *r->exception.text.p == '[';
	case TARMAC_SIGNAL:
		return r->signal.name.n;
	default:
		return true;
	}
}

/* The first word of @c if all of it is a record, not just by that word.  NULL: it is not. */
static const char *is_record(struct lex c)
{
	struct tarmac_record r;
	struct tarmac_text word;
	struct lex ahead;
	part_fn part;

	r.unit = TARMAC_NO_UNIT;
	if (stamp(&c, &r) && !r.unit)
		return NULL;
	ahead = c;
	if (!lex_word(&ahead, &word))
		return NULL;
	part = part_of(word);
	if (!part && is_cpu(word) && lex_word(&ahead, &word))
		part = part_of(word);
	if (!part || part(&ahead, &r, word))
		return NULL;
	return is_sure(&r) ? word.p : NULL;
}

/* Where in its line another record may come after @r; NULL: nowhere. */
static const char *room_after(const struct tarmac_record *r)
{
	switch (r->kind) {
	case TARMAC_TEXT:
		return r->wrong && r->word.n ? r->word.p + r->word.n : NULL;
	case TARMAC_INST:
		return r->inst.disasm.p;
	case TARMAC_REG:
		return r->reg.rest.p;
	case TARMAC_DIAGRAM:
		return r->diagram.rest.p;
	default:
		return NULL;
	}
}

/* The word before @p, from @from on; NULL: there is none. */
static const char *word_before(const char *p, const char *from)
{
	while (p > from && lex_class[(uint8_t)p[-1]] & LEX_BLANK)
		p--;
	if (p <= from)
		return NULL;
	while (p > from && !(lex_class[(uint8_t)p[-1]] & LEX_BLANK))
		p--;
	return p;
}

/* Time, unit and processor of the record at @p, which are before it in @text. */
static const char *with_stamp(const struct lex *text, const char *p, const char *from)
{
	const char *best = p, *q = p;

	for (int i = 0; i < 3 && (q = word_before(q, from)); i++)
		if (is_record((struct lex){ q, text->end }) == p)
			best = q;
	return best;
}

/* The last record in @text, from @from on; NULL: none begins there.  Its word has a capital. */
static const char *last_record(const struct lex *text, const char *from)
{
	const char *p = text->end;

	while ((p = word_before(p, from)))
		if (*p >= 'A' && *p <= 'Z' && is_record((struct lex){ p, text->end }) == p)
			return with_stamp(text, p, from);
	return NULL;
}

/* Several records: @line becomes the first, p->more the others.  Return: there are several. */
static bool divide(struct tarmac_parser *p, const char *from, struct lex *line)
{
	const char *end = line->end, *at;

	while (from && (at = last_record(line, from)))
		line->end = at;
	p->more = (struct tarmac_text){ line->end, end - line->end };
	return p->more.n;
}

int tarmac_parse(struct tarmac_parser *p, const char *string, size_t n, struct tarmac_record *r)
{
	struct lex line = { string, string + n };
	int ret;

	while (line.end > string && line.end[-1] == '\r')
		line.end--;
	p->more.n = 0;
	ret = parse(p, line, r);
	return ret > 0 && divide(p, room_after(r), &line) ? parse(p, line, r) : ret;
}
