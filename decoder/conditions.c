// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Conditional instructions and their results, joined by key.
 *
 * A conditional instruction comes before the P0 element that ends its block, so its step is the
 * next one.  Each makes one mark: with its result, or when none can come any more.
 */
#include "flow.h"

/* A mark at most; false: the run has ended, as it has no room for more. */
static bool has_room(struct csf_decoder *d)
{
	if (d->out.n_mark <= MARK_MAX - 4)
		return true;
	flow_end(d, CSF_END_FULL);
	return false;
}

static void say(struct csf_decoder *d, const struct condition *c, uint16_t flags)
{
	struct csf_mark *m = flow_mark(d, CSF_MARK_COND);

	if (!m)
		return;
	m->at = c->at;
	m->value = c->block;
	m->count = c->number;
	m->flags = flags | (c->bad_key ? CSF_MARK_BAD_KEY : 0);
}

/* Forgets the one at @i. */
static void forget(struct conditions *w, uint32_t i)
{
	w->n--;
	memmove(&w->wait[i], &w->wait[i + 1], (w->n - i) * sizeof(*w->wait));
}

static bool drop_oldest(struct csf_decoder *d)
{
	if (!has_room(d))
		return false;
	say(d, &d->conditions->wait[0], CSF_MARK_NO_RESULT);
	forget(d->conditions, 0);
	return true;
}

/* Where the block begins whose instructions are executed now. */
static void take_place(struct csf_decoder *d)
{
	struct conditions *w = d->conditions;
	const uint64_t block = exec_next_pc(d), at = flow_now(d);

	if (at != w->at || block != w->block)
		w->number = 0;
	w->at = at;
	w->block = block;
}

static void wait(struct csf_decoder *d, uint32_t key)
{
	struct conditions *w = d->conditions;

	w->wait[w->n++] = (struct condition){
		.at = w->at, .block = w->block, .key = key, .number = w->number++,
		.bad_key = d->el.flags & EL_BAD_KEY,
	};
}

/* More at once than can wait: the trace is damaged, or they have no results at all. */
static bool lose(struct csf_decoder *d)
{
	struct csf_mark *m = flow_mark(d, CSF_MARK_COND);

	if (m) {
		m->flags = CSF_MARK_LOST;
		m->count = d->el.count;
	}
	return true;
}

bool conditions_add(struct csf_decoder *d)
{
	struct element *el = &d->el;

	if (!d->conditions || el->count > CONDITIONS_MAX)
		return lose(d);
	take_place(d);
	for (; el->count; el->count--) {
		if (d->conditions->n == CONDITIONS_MAX && !drop_oldest(d))
			return false;
		wait(d, el->val);
		el->val++;
		if (el->val == el->addr)
			el->val = 0;
	}
	return true;
}

static uint16_t result_flags(const struct element *el)
{
	return (el->flags & EL_PASSED ? CSF_MARK_PASSED : 0) |
	       (el->flags & EL_FAILED ? CSF_MARK_FAILED : 0) |
	       (el->flags & EL_APSR ? CSF_MARK_APSR | el->n << CSF_MARK_APSR_SHIFT : 0);
}

/* A result of an instruction before decode began, or of none. */
static bool without_instruction(struct csf_decoder *d)
{
	const struct condition c = {
		.at = flow_now(d), .number = d->el.val, .bad_key = d->el.flags & EL_BAD_KEY,
	};

	say(d, &c, CSF_MARK_NO_INSN | result_flags(&d->el));
	return true;
}

/* All with the key have the same result. */
bool conditions_resolve(struct csf_decoder *d)
{
	struct conditions *w = d->conditions;
	uint32_t i = 0;

	while (w && i < w->n) {
		if (w->wait[i].key != d->el.val) {
			i++;
			continue;
		}
		if (!has_room(d))
			return false;
		say(d, &w->wait[i], result_flags(&d->el));
		forget(w, i);
		d->el.stage = STAGE_END;
	}
	return d->el.stage == STAGE_END || without_instruction(d);
}

bool conditions_flush(struct csf_decoder *d)
{
	while (d->conditions && d->conditions->n)
		if (!drop_oldest(d))
			return false;
	return true;
}
