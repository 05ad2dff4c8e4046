// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

const char *match_kind_name(enum match_kind kind)
{
	static const char *const names[MATCH_KIND_NR] = {
		[MATCH_CHANGED] = "changed",	[MATCH_MISSING] = "missing",
		[MATCH_EXTRA] = "extra",	[MATCH_ORDER] = "order",
		[MATCH_GAP] = "gap",		[MATCH_NO_GAP] = "no-gap",
		[MATCH_Q] = "q",		[MATCH_CONTEXT] = "context",
		[MATCH_TAIL] = "tail",
	};

	return kind < MATCH_KIND_NR ? names[kind] : "";
}

uint64_t match_differences(const struct match_count *count)
{
	uint64_t n = 0;

	for (int i = 0; i < MATCH_KIND_NR; i++)
		n += count->differences[i];
	return n;
}

/* ---------------------------------------------------------------- set-up */

#define KIND(x)		(1u << SOURCE_##x)
#define TRACE		(KIND(INSN) | KIND(EXCEPTION) | KIND(CONTEXT) | KIND(TM))
#define STRUCTURE	(KIND(GAP) | KIND(CUT) | KIND(Q) | KIND(LOST) | KIND(FOUND) | KIND(TASK))

/* The kinds that a format can have.  Kinds that only one of two has are not compared. */
static const uint32_t kinds_of[] = {
	[SOURCE_TRUTH] = TRACE,
	[SOURCE_PERF] = TRACE,
	[SOURCE_SNAPSHOT] = TRACE,
	[SOURCE_TARMAC] = KIND(INSN) | KIND(REG) | KIND(MEM) | KIND(EVENT) | KIND(OTHER),
};

/* Memory that trace does not tell is not compared. */
static uint32_t kinds_in(const struct source *s)
{
	const bool memory = source_data(s) & CSF_DATA_ADDRESSES;

	return kinds_of[source_format(s)] | (memory ? KIND(MEM) : 0);
}

static bool is_trace(enum source_format format)
{
	return format == SOURCE_PERF || format == SOURCE_SNAPSHOT;
}

int match_init(struct match *m, const struct match_options *options, struct source *a,
	       struct source *b)
{
	enum source_format of[2] = { source_format(a), source_format(b) };
	uint32_t kinds = kinds_in(a) & kinds_in(b);

	memset(m, 0, sizeof(*m));
	m->options = options;
	m->side[0].source = a;
	m->side[1].source = b;
	m->truth = -1;
	m->logs = of[0] == SOURCE_TARMAC || of[1] == SOURCE_TARMAC;
	for (int i = 0; i < 2; i++)
		if (of[i] == SOURCE_TRUTH && is_trace(of[!i]))
			m->truth = i;
	if (m->truth >= 0)
		kinds |= STRUCTURE;
	for (int i = 0; i < 2; i++) {
		m->side[i].kinds = kinds;
		m->set[i] = calloc(1, sizeof(*m->set[i]));
		if (!m->set[i])
			return -ENOMEM;
	}
	return match_report_new(&m->report, m);
}

void match_fini(struct match *m)
{
	for (int i = 0; i < 2; i++) {
		for (size_t j = 0; m->set[i] && j < MATCH_SET; j++)
			free(m->set[i]->kept[j].text);
		free(m->set[i]);
		free(m->anchor[i]);
		match_side_free(&m->side[i]);
	}
	free(m->slot);
	match_report_free(m->report);
	memset(m, 0, sizeof(*m));
}

/* ---------------------------------------------------------------- instructions */

/* How many of @n instructions of @a are before the first byte that differs from @code. */
static uint32_t before_difference(const struct source_item *a, const uint8_t *code, uint32_t n)
{
	const uint8_t *own = source_code(a);
	uint32_t i = 0, at = 0;

	while (i < n) {
		uint32_t next = match_bytes(a, i + 1);

		if (memcmp(own + at, code + at, next - at))
			break;
		at = next;
		i++;
	}
	return i;
}

/* Do no rules depend on single instructions? */
static bool plain(const struct match *m)
{
	const struct match_rules *rules = &m->options->rules;
	const uint32_t each = MATCH_MODE | MATCH_DISASM | MATCH_PADDR | MATCH_TIME;

	return !(rules->special >> SOURCE_INSN & 1) && !(rules->fields[SOURCE_INSN] & each);
}

/* The number of equal instructions at the front. */
static uint32_t same(struct match *m, const struct source_item *a, const struct source_item *b)
{
	const uint32_t fields = m->options->rules.fields[SOURCE_INSN];
	const struct source_item *less = a->size <= b->size ? a : b;
	uint32_t n = a->n_insn < b->n_insn ? a->n_insn : b->n_insn;

	if (a->addr != b->addr)
		return 0;
	if (!plain(m))
		return !match_insn_fields(m, a, b);
	if (a->isa != b->isa && fields & MATCH_ISET && a->isa != SOURCE_NO_ISA &&
	    b->isa != SOURCE_NO_ISA)
		return 0;
	if (fields & MATCH_OPCODE && !a->no_code && !b->no_code &&
	    memcmp(source_code(a), source_code(b), less->size))
		n = before_difference(less, source_code(less == a ? b : a), n);
	if (fields & MATCH_HOW && n == a->n_insn && n == b->n_insn && !match_how(m, a, b))
		n--;
	return n;
}

void match_first(struct source_item *item)
{
	item->size = match_bytes(item, 1);
	if (item->n_insn > 1)
		item->how = SOURCE_UNKNOWN;
	item->n_insn = 1;
}

/* The same address, but not the same instruction. */
static void changed(struct match *m, uint32_t fields)
{
	struct match_side *s = m->side;
	struct source_item a = s[0].item, b = s[1].item;

	match_first(&a);
	match_first(&b);

	match_report_begin(m, MATCH_CHANGED, "the instructions differ");
	match_report_pair(m, MATCH_CHANGED, &a, &b, fields);
	match_side_take(&s[0], 1);
	match_side_take(&s[1], 1);
	match_report_end(m);
}

/* Aligns by number: reports those whose number the other side does not have. */
static void by_id(struct match *m)
{
	struct source_item *item[2];

	match_report_begin(m, MATCH_MISSING, "the numbers of the instructions differ");
	while ((item[0] = match_side_next(&m->side[0])) &&
	       (item[1] = match_side_next(&m->side[1])) && item[0]->id != item[1]->id) {
		int i = item[0]->id > item[1]->id;
		struct source_item one = *item[i];

		match_first(&one);
		if (one.kind == SOURCE_INSN)
			match_report_pair(m, i ? MATCH_EXTRA : MATCH_MISSING, i ? NULL : &one,
					  i ? &one : NULL, 0);
		match_side_take(&m->side[i], 1);
	}
	match_report_end(m);
}

static void insns(struct match *m, const struct source_item *a, const struct source_item *b)
{
	bool numbers = m->options->align == MATCH_BY_ID;
	uint32_t n, fields = 0;

	if (numbers && a->id != b->id) {
		by_id(m);
		return;
	}
	n = same(m, a, b);
	if (n) {
		match_side_take(&m->side[0], n);
		match_side_take(&m->side[1], n);
		m->count.equal += n;
		m->begun = true;
		return;
	}
	if (a->addr == b->addr)
		fields = match_insn_fields(m, a, b);
	if (a->addr == b->addr || numbers)
		changed(m, fields);
	else
		match_sync(m);
}

/* ---------------------------------------------------------------- the end of one */

/* Reports that side @i goes on where the other ended. */
static void tail(struct match *m, int i)
{
	struct match_side *s = &m->side[i];
	struct source_item *item;

	if (m->options->skip_rest) {
		m->stop = true;
		return;
	}
	match_report_begin(m, MATCH_TAIL, i ? "B goes on where A ended" :
			   "A goes on where B ended");
	while ((item = match_side_next(s))) {
		if (item->kind < SOURCE_GAP && item->kind != SOURCE_CONTEXT)
			match_report_pair(m, MATCH_TAIL, i ? NULL : item, i ? item : NULL, 0);
		match_side_take(s, item->n_insn);
	}
	match_report_end(m);
}

static void step(struct match *m)
{
	struct source_item *a = match_side_next(&m->side[0]);
	struct source_item *b = match_side_next(&m->side[1]);
	bool lost = m->truth >= 0 && m->lost && (m->truth ? b : a);

	if (m->progress && !(m->steps++ & 0xffff))
		progress_at(m->progress, source_done(m->side[0].source));
	m->before[0] = m->side[0].n_past;
	m->before[1] = m->side[1].n_past;
	if (!a && !b)
		m->stop = true;
	else if ((a && a->kind != SOURCE_INSN) || (b && b->kind != SOURCE_INSN) || lost)
		match_sets(m);
	else if (a && b)
		insns(m, a, b);
	else
		tail(m, !a);
	for (int i = 0; i < 2 && !m->error; i++)
		m->error = m->side[i].error;
}

static int begin(struct match *m, int i, const struct source_stream *stream)
{
	const struct match_options *o = m->options;
	struct match_side *s = &m->side[i];

	s->rules = &o->rules;
	s->boot = o->boot;
	s->start = o->start;
	s->has_start = o->has_start;
	s->skip_equal = o->skip_equal;
	memset(&m->context[i], 0, sizeof(m->context[i]));
	m->tid[i] = PERF_NO_TID;
	if (stream)
		return match_side_start(s, stream);
	s->have = false;
	s->ended = true;
	s->n = 0;
	s->n_past = 0;
	s->insns = 0;
	s->records = 0;
	return 0;
}

int match_streams(struct match *m, const struct source_stream *a, const struct source_stream *b)
{
	m->error = begin(m, 0, a);
	if (!m->error)
		m->error = begin(m, 1, b);
	m->stream = a ? *a : *b;
	m->lost = 0;
	m->lost_insns = 0;
	memset(m->meet, 0, sizeof(m->meet));
	memset(m->gap, 0, sizeof(m->gap));
	m->no_far = 0;
	m->begun = false;
	m->told_context = false;
	m->told_task = false;
	m->stop = false;
	if (!m->error && (m->options->window > 1 || m->options->has_ticks))
		match_windows(m);
	while (!m->error && !m->stop)
		step(m);
	for (int i = 0; i < 2; i++) {
		m->count.insns[i] += m->side[i].insns;
		m->count.all[i] += m->side[i].records;
	}
	return m->error;
}
