// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records that may be in another order: each is looked for among those of the
 * other side that are within a window, in records or in time, and
 * waits as long for a partner.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "match.h"

/* The most waiting records of a side, for any window. */
#define WAIT_MAX	65536

/**
 * struct waiting - a waiting record
 * @at: its number on its side, without abandoned ones
 * @time: from the first record on
 */
struct waiting {
	struct match_kept kept;
	uint64_t at;
	uint64_t time;
};

/**
 * struct window - both sides
 * @list: waiting records, oldest first: @n, room for @size
 * @read: records read, without abandoned ones
 * @time: of the last one
 * @ended: nothing more to read
 */
struct window {
	struct side_list {
		struct waiting **list;
		size_t n, size;
		uint64_t read, time;
		bool ended;
	} side[2];
};

static void drop(struct side_list *s, size_t i)
{
	free(s->list[i]->kept.text);
	free(s->list[i]);
	memmove(&s->list[i], &s->list[i + 1], (--s->n - i) * sizeof(*s->list));
}

/* The first record on side @i that waits for @kept; @exact: with the same value.  SIZE_MAX: none */
static size_t find(struct match *m, const struct window *w, int i, const struct match_kept *kept,
		   bool exact)
{
	const struct side_list *s = &w->side[i];

	for (size_t j = 0; j < s->n; j++) {
		const struct match_kept *other = &s->list[j]->kept;

		if (!match_record_key(kept, other))
			continue;
		if (!exact || !match_record_fields(m, i ? kept : other, i ? other : kept))
			return j;
	}
	return SIZE_MAX;
}

/* Gives up the oldest record of side @i. */
static void give_up(struct match *m, struct window *w, int i)
{
	struct side_list *s = &w->side[i];
	const struct match_kept *kept = &s->list[0]->kept;
	size_t j = find(m, w, !i, kept, false);
	const struct match_kept *other = j != SIZE_MAX ? &w->side[!i].list[j]->kept : NULL;

	if (other) {
		const struct match_kept *a = i ? other : kept, *b = i ? kept : other;

		match_report_begin(m, MATCH_CHANGED, "in both, but not the same");
		match_report_pair(m, MATCH_CHANGED, &a->item, &b->item,
				  match_record_fields(m, a, b));
		match_report_end(m);
		drop(&w->side[!i], j);
		drop(s, 0);
		return;
	}
	match_report_begin(m, i ? MATCH_EXTRA : MATCH_MISSING, i ? "in B only" : "in A only");
	match_report_pair(m, i ? MATCH_EXTRA : MATCH_MISSING, i ? NULL : &kept->item,
			  i ? &kept->item : NULL, 0);
	match_report_end(m);
	s->read--;
	for (size_t k = 1; k < s->n; k++)
		s->list[k]->at--;
	drop(s, 0);
}

/* Can the oldest record of side @i no longer find a partner? */
static bool too_old(const struct match *m, const struct window *w, int i)
{
	const struct side_list *s = &w->side[i], *other = &w->side[!i];

	if (!s->n || m->stop)
		return false;
	if (s->n == WAIT_MAX || (other->ended && s->ended))
		return true;
	/* no partner is left; an excess at the end may be ignored */
	if (other->ended && !other->n && !m->options->skip_rest)
		return true;
	if (m->options->has_ticks)
		return other->time > s->list[0]->time + m->options->ticks;
	return other->read >= s->list[0]->at + m->options->window;
}

/* Do both wait for an instruction, equally long, so that neither just has more? */
static bool parted(const struct window *w)
{
	const struct waiting *a = w->side[0].n ? w->side[0].list[0] : NULL;
	const struct waiting *b = w->side[1].n ? w->side[1].list[0] : NULL;

	return a && b && a->kept.item.kind == SOURCE_INSN && b->kept.item.kind == SOURCE_INSN &&
	       a->at == b->at && !match_record_key(&a->kept, &b->kept);
}

static void give_up_all(struct match *m, struct window *w)
{
	for (int i = 0; i < 2; i++)
		while (w->side[i].n && !m->stop)
			give_up(m, w, i);
	w->side[0].read = 0;
	w->side[1].read = 0;
}

static int grow(struct side_list *s)
{
	size_t size = 2 * s->size + 16;
	struct waiting **grown = realloc(s->list, size * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	s->list = grown;
	s->size = size;
	return 0;
}

/* Waits, unless the other side waits for it. */
static int meet(struct match *m, struct window *w, int i, const struct waiting *now)
{
	struct side_list *s = &w->side[i];
	size_t j = find(m, w, !i, &now->kept, true);
	struct waiting *waits;

	if (j != SIZE_MAX) {
		if (now->kept.item.kind == SOURCE_INSN)
			m->count.equal++;
		else
			m->count.records++;
		drop(&w->side[!i], j);
		return 0;
	}
	if (s->n == s->size && grow(s))
		return -ENOMEM;
	waits = calloc(1, sizeof(*waits));
	if (!waits || match_keep(&waits->kept, &now->kept.item)) {
		free(waits);
		return -ENOMEM;
	}
	memcpy(waits->kept.name, now->kept.name, sizeof(now->kept.name));
	waits->kept.half = now->kept.half;
	waits->at = now->at;
	waits->time = now->time;
	s->list[s->n++] = waits;
	return 0;
}

/*
 * Is it a context without news, as trace has one wherever it begins again?  Or one beside a truth
 * log, which has it before a loss where trace has it after the loss?
 */
static bool passes(const struct match *m, int i, const struct source_item *item)
{
	return item->kind == SOURCE_CONTEXT &&
	       (m->truth >= 0 || (m->context[i].known &&
				  match_context_same(&m->context[i], &item->context)));
}

/* Reads one record of side @i. */
static void read_one(struct match *m, struct window *w, int i)
{
	struct match_side *side = &m->side[i];
	struct side_list *s = &w->side[i];
	struct source_item *item = match_side_next(side);
	struct waiting now = { 0 };

	if (!item) {
		s->ended = true;
		return;
	}
	if (item->kind >= SOURCE_GAP || (i == m->truth && m->lost) ||
	    passes(m, i, item)) {
		match_pass(m, i, item);
		match_side_take(side, item->n_insn);
		return;
	}
	if (item->kind == SOURCE_CONTEXT)
		m->context[i] = item->context;
	now.kept.item = *item;
	if (item->kind == SOURCE_INSN)
		match_first(&now.kept.item);
	memcpy(now.kept.name, side->name, sizeof(side->name));
	now.kept.half = side->half;
	now.at = s->read++;
	if (item->has_time)
		s->time = item->time - side->time0;
	now.time = s->time;
	m->error = meet(m, w, i, &now);
	m->begun = true;
	match_side_take(side, 1);
}

/* The side that has read less. */
static int shorter_side(const struct match *m, const struct window *w)
{
	const struct side_list *a = &w->side[0], *b = &w->side[1];

	if (a->ended || b->ended)
		return a->ended;
	if (m->options->has_ticks && a->time != b->time)
		return a->time > b->time;
	return a->read > b->read;
}

/* Ignores the excess of the longer trace. */
static void forget_rest(struct match *m, struct window *w)
{
	for (int i = 0; i < 2; i++)
		while (w->side[i].n && w->side[!i].ended && !w->side[!i].n &&
		       w->side[i].list[w->side[i].n - 1]->at >= w->side[!i].read)
			drop(&w->side[i], w->side[i].n - 1);
}

/* Gives up records of side @i that wait too long. */
static void old_ones(struct match *m, struct window *w, int i)
{
	while (too_old(m, w, i)) {
		if (m->side[!i].ended || m->options->has_ticks || !parted(w)) {
			give_up(m, w, i);
			continue;
		}
		give_up_all(m, w);
		if (!m->stop)
			match_sync(m);
	}
}

static void run(struct match *m, struct window *w)
{
	struct side_list *a = &w->side[0], *b = &w->side[1];

	while (!m->error && !m->stop && !(a->ended && b->ended)) {
		if (m->options->skip_rest && (a->ended || b->ended)) {
			forget_rest(m, w);
			break;
		}
		read_one(m, w, shorter_side(m, w));
		for (int i = 0; i < 2 && !m->error; i++) {
			old_ones(m, w, i);
			if (m->side[i].error)
				m->error = m->side[i].error;
		}
	}
	give_up_all(m, w);
}

void match_windows(struct match *m)
{
	struct window w = { 0 };

	run(m, &w);
	for (int i = 0; i < 2; i++) {
		while (w.side[i].n)
			drop(&w.side[i], w.side[i].n - 1);
		free(w.side[i].list);
	}
	m->stop = true;
}
