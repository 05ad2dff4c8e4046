// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walker's conditional instructions: one element for each, and a list of
 * those that wait for their results.
 */
#include <stdlib.h>
#include <string.h>

#include "walker-parts.h"

#define ROOM	1024	/* instructions that wait; and elements of a packet, at most */

static bool wanted(const struct walker *w)
{
	return w->marks & CSF_MARK_COND && w->version < 0x50 && w->config.trcidr0 >> 6 & 1;
}

/* ---------------------------------------------------------------- packets to elements */

/* Key @key counted on by one; the keys that are not special go round. */
static uint32_t count_on(const struct walker *w, uint32_t key)
{
	uint32_t n = w->config.trcidr12 > w->config.trcidr13 ?
		     w->config.trcidr12 - w->config.trcidr13 : 0;

	key++;
	return n && key >= n ? 0 : key;
}

static bool is_special(const struct walker *w, uint32_t key)
{
	return w->config.trcidr12 > w->config.trcidr13 &&
	       key >= w->config.trcidr12 - w->config.trcidr13;
}

static bool put(struct walker *w, const struct elem *from, enum elem_type type, uint64_t key)
{
	struct elem e = { .type = type, .offset = from->offset, .value = key };

	e.fault = w->config.trcidr12 && key >= w->config.trcidr12;
	e.count = from->count;
	e.has_count = from->has_count;
	e.taken = from->taken;
	e.initial = from->initial;
	return held_put(w, &e);
}

static bool instruction(struct walker *w, const struct elem *from)
{
	w->c_key = count_on(w, w->c_key);
	return put(w, from, ELEM_COND, w->c_key);
}

static bool instruction_key(struct walker *w, const struct elem *from, uint32_t key)
{
	w->c_key = is_special(w, key) ? count_on(w, w->c_key) : key;
	return put(w, from, ELEM_COND, key);
}

/* How often the last instruction's key has to be counted on to become the last result's. */
static uint32_t behind(const struct walker *w)
{
	uint32_t n = w->config.trcidr12 > w->config.trcidr13 ?
		     w->config.trcidr12 - w->config.trcidr13 : 0;

	return w->r_key - w->c_key + (n && w->r_key < w->c_key ? n : 0);
}

/* More than can wait. */
static bool lose(struct walker *w, const struct elem *from, uint32_t n)
{
	struct elem e = { .type = ELEM_COND_LOST, .offset = from->offset, .count = n };

	return held_put(w, &e);
}

/* The instructions up to the last result's key; @last: the key of the last of these. */
static bool implied(struct walker *w, const struct elem *from, uint32_t last)
{
	uint32_t n = behind(w);
	bool ok = true, other = last != w->r_key;

	if (n > ROOM + other) {
		ok = lose(w, from, n - other);
		n = other;
	}
	while (ok && n--)
		ok = n || !other ? instruction(w, from) : instruction_key(w, from, last);
	w->c_key = w->r_key;
	return ok;
}

/* @value: -1: not known; else with flags (@e->has_count) or without. */
static bool result(struct walker *w, struct elem *from, uint32_t key, int value)
{
	from->has_count = (w->config.trcidr0 >> 12 & 3) == 1;
	from->initial = value >= 0;
	from->taken = value > 0 && value & 1;
	from->count = value > 0 ? value & 15 : 0;
	return put(w, from, ELEM_RESULT, key);
}

static bool result_1(struct walker *w, struct elem *from, uint64_t val, bool implies)
{
	uint32_t key = val >> 4;
	bool ok = true;

	w->r_key = is_special(w, key) ? count_on(w, w->r_key) : key;
	if (implies)
		ok = implied(w, from, is_special(w, key) ? key : w->r_key);
	return ok && result(w, from, key, val & 15);
}

/* The value of the token in the lowest of @n bits; -1: not known; -2: there is none. */
static int token(const struct walker *w, uint32_t bits, unsigned int n, unsigned int *size)
{
	*size = 2;
	if ((w->config.trcidr0 >> 12 & 3) != 1)
		return (bits & 3) == 3 ? -2 : (bits & 3) == 2 ? -1 : (int)(bits & 3);
	switch (bits & 3) {
	case 0:
		return 2;	/* C */
	case 1:
		return 8;	/* N */
	case 2:
		return 6;	/* Z and C */
	}
	*size = 4;
	if (n < 4)
		return -2;
	switch (bits >> 2 & 3) {
	case 0:
		return 10;	/* N and C */
	case 1:
		return 0;
	case 2:
		return 4;	/* Z */
	}
	return -2;
}

static bool result_3(struct walker *w, struct elem *from, uint32_t bits)
{
	unsigned int n = 12, size;
	int value;

	for (; n >= 2; n -= size, bits >>= size) {
		value = token(w, bits, n, &size);
		if (value == -2)
			break;
		w->r_key = count_on(w, w->r_key);
		if (!result(w, from, w->r_key, value))
			return false;
	}
	return true;
}

static bool result_2(struct walker *w, struct elem *from, uint32_t bits)
{
	unsigned int size, by = bits & 4 ? 2 : 1;

	for (unsigned int i = 0; i < by; i++)
		w->r_key = count_on(w, w->r_key);
	return (behind(w) > by || implied(w, from, w->r_key)) &&
	       result(w, from, w->r_key, token(w, bits & 3, 2, &size));
}

static bool result_4(struct walker *w, struct elem *from, uint32_t bits)
{
	unsigned int size;

	if (w->r_key)
		w->r_key--;
	else
		w->r_key = w->config.trcidr12 > w->config.trcidr13 ?
			   w->config.trcidr12 - w->config.trcidr13 - 1 : UINT32_MAX;
	return result(w, from, w->r_key, token(w, bits & 3, 2, &size));
}

bool walker_cond_packet(struct walker *w, const struct csf_packet *pkt, uint64_t offset)
{
	struct elem e = { .offset = offset };
	bool ok = true;

	if (!wanted(w))
		return true;
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_COND_I1:
		return instruction_key(w, &e, pkt->val);
	case CSF_PKT_COND_I2:
		if (pkt->val == 0 || pkt->val == 2)
			ok = instruction(w, &e);
		return ok && (!pkt->val || put(w, &e, ELEM_COND, w->c_key));
	case CSF_PKT_COND_I3:
		for (unsigned int i = 0; ok && i < (pkt->val & 63); i++)
			ok = instruction(w, &e);
		return ok && (!(pkt->val & 64) || put(w, &e, ELEM_COND, w->c_key));
	case CSF_PKT_COND_R1:
		ok = result_1(w, &e, pkt->val, pkt->info & 1);
		return ok && (pkt->n < 2 || result_1(w, &e, pkt->val2, pkt->info & 2));
	case CSF_PKT_COND_R2:
		return result_2(w, &e, pkt->val);
	case CSF_PKT_COND_R3:
		return result_3(w, &e, pkt->val);
	case CSF_PKT_COND_R4:
		return result_4(w, &e, pkt->val);
	default:
		return true;
	}
}

/* No result comes for what waits. */
bool walker_cond_flush(struct walker *w, uint64_t offset, bool afresh)
{
	struct elem e = { .offset = offset };

	if (!wanted(w))
		return true;
	if (afresh)
		w->c_key = 0;
	w->r_key = w->c_key;
	return put(w, &e, ELEM_COND_FLUSH, 0);
}

/* ---------------------------------------------------------------- elements to marks */

static void say(struct walker *w, const struct cond *c, uint16_t flags)
{
	struct csf_mark mark = {
		.kind = CSF_MARK_COND, .at = c->at, .value = c->block, .count = c->number,
		.flags = flags | (c->bad ? CSF_MARK_BAD_KEY : 0),
	};

	walker_mark(w, &mark);
}

static void drop(struct walker *w, size_t i)
{
	memmove(&w->cond[i], &w->cond[i + 1], (--w->n_cond - i) * sizeof(*w->cond));
}

/* Where execution goes on, if that is known without an address. */
static uint64_t place(const struct walker *w)
{
	const struct walker_addr *back = w->is_saved ? (w->has_saved ? &w->saved : NULL) :
					 w->n_stack ? &w->stack[w->n_stack - 1] : NULL;

	if (!w->ctx.known)
		return 0;
	if (w->pending)
		return back ? back->addr | back->is1 : 0;
	if (!w->pc_known)
		return 0;
	return code_wrap(w, w->pc) | (!w->ctx.bits64 && w->is1);
}

static void wait(struct walker *w, const struct elem *e)
{
	uint64_t block = place(w);

	if (w->n_cond == ROOM) {
		say(w, &w->cond[0], CSF_MARK_NO_RESULT);
		drop(w, 0);
	}
	if (w->cond_at != w->seq || w->cond_block != block)
		w->cond_number = 0;
	w->cond_at = w->seq;
	w->cond_block = block;
	w->cond[w->n_cond++] = (struct cond){
		.key = e->value, .bad = e->fault, .at = w->seq, .block = block,
		.number = w->cond_number++,
	};
}

static void resolve(struct walker *w, const struct elem *e)
{
	uint16_t flags = 0;
	bool found = false;

	if (e->initial && e->has_count)
		flags = CSF_MARK_APSR | e->count << CSF_MARK_APSR_SHIFT;
	else if (e->initial)
		flags = e->taken ? CSF_MARK_PASSED : CSF_MARK_FAILED;
	for (size_t i = 0; i < w->n_cond; ) {
		if (w->cond[i].key != e->value) {
			i++;
			continue;
		}
		found = true;
		say(w, &w->cond[i], flags);
		drop(w, i);
	}
	if (!found)
		say(w, &(struct cond){ .at = w->seq, .number = e->value, .bad = e->fault },
		    flags | CSF_MARK_NO_INSN);
}

void walker_cond(struct walker *w, const struct elem *e)
{
	if (e->type == ELEM_COND)
		wait(w, e);
	else if (e->type == ELEM_RESULT)
		resolve(w, e);
	if (e->type == ELEM_COND_LOST)
		walker_mark(w, &(struct csf_mark){
			.kind = CSF_MARK_COND, .flags = CSF_MARK_LOST, .count = e->count,
			.at = w->seq,
		});
	while (e->type == ELEM_COND_FLUSH && w->n_cond) {
		say(w, &w->cond[0], CSF_MARK_NO_RESULT);
		drop(w, 0);
	}
}
