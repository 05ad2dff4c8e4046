// SPDX-License-Identifier: GPL-2.0-only
/* The walker's queue of elements that are not committed. */
#include <stdlib.h>
#include <string.h>

#include "walker-parts.h"

static void append(struct walker *w, const struct elem *elem)
{
	if (w->n_queue == w->max_queue) {
		w->max_queue = 2 * w->max_queue + 16;
		w->queue = realloc(w->queue, w->max_queue * sizeof(*w->queue));
		if (!w->queue)
			abort();
	}
	w->queue[w->n_queue++] = *elem;
	w->depth += elem->p0;
}

static void remove_at(struct walker *w, size_t i)
{
	w->depth -= w->queue[i].p0;
	w->n_queue--;
	memmove(&w->queue[i], &w->queue[i + 1], (w->n_queue - i) * sizeof(*w->queue));
}

static void flow_first(struct walker *w)
{
	struct elem elem = w->queue[0];

	remove_at(w, 0);
	walker_elem(w, &elem);
}

/* Atoms of one packet that are committed together are lost together. */
static unsigned int rest(const struct walker *w, int64_t n)
{
	unsigned int i;

	for (i = 1; i < w->n_queue && i < n; i++)
		if (w->queue[i].type != ELEM_ATOM || w->queue[i].offset != w->queue[0].offset)
			break;
	return i - 1;
}

bool held_commit(struct walker *w, int64_t n)
{
	unsigned int left = 0;
	int64_t unseen;

	if (n < 0 || n > (int64_t)w->depth + w->unseen)
		return false;

	/* Trace Info may claim billions of them. */
	unseen = n < w->unseen ? n : w->unseen;
	w->unseen -= unseen;
	n -= unseen;
	while (n) {
		if (w->queue[0].type == ELEM_ATOM) {
			w->queue[0].rest = rest(w, n);
			w->queue[0].more = left;
			left = w->queue[0].rest;
		}
		n -= w->queue[0].p0;
		flow_first(w);
	}
	while (!w->unseen && w->n_queue && !w->queue[0].p0)
		flow_first(w);
	return true;
}

static bool overflow(struct walker *w)
{
	int64_t n = (int64_t)w->depth + w->unseen - w->max_spec;

	return held_commit(w, n > 0 ? n : 0);
}

bool held_put(struct walker *w, const struct elem *elem)
{
	append(w, elem);
	return overflow(w);
}

bool held_atoms(struct walker *w, uint32_t val, unsigned int n, uint64_t offset)
{
	for (unsigned int i = 0; i < n; i++) {
		struct elem elem = {
			.type = ELEM_ATOM, .offset = offset, .p0 = true,
			.initial = val >> i & 1, .taken = val >> i & 1,
		};

		append(w, &elem);
	}
	return overflow(w);
}

/* Source: ARM IHI 0064 "Cancel element": elements that are not taken back with the P0 elements. */
static bool survives_cancel(const struct elem *elem)
{
	switch (elem->type) {
	case ELEM_EVENT:
	case ELEM_INFO:
	case ELEM_CYCLES:
	case ELEM_TIME:
	case ELEM_MARKER:
	case ELEM_ITE:
	case ELEM_TM_COMMIT:
	case ELEM_VALUE:
	case ELEM_RESULT:
	case ELEM_COND_FLUSH:
		return true;
	default:
		return false;
	}
}

bool held_cancel(struct walker *w, uint32_t n)
{
	if (n > (uint64_t)w->depth + w->unseen)
		return false;

	for (size_t i = w->n_queue; n && i--; ) {
		n -= w->queue[i].p0;
		if (!survives_cancel(&w->queue[i]))
			remove_at(w, i);
	}
	w->unseen -= n;
	return true;
}

/* Addresses and contexts above the atom belong to the path that was not taken. */
bool held_mispredict(struct walker *w)
{
	for (size_t i = w->n_queue; i--; ) {
		struct elem *elem = &w->queue[i];

		if (elem->type == ELEM_ATOM) {
			elem->taken = !elem->taken;
			return true;
		}
		if (elem->type == ELEM_ADDRESS || elem->type == ELEM_CONTEXT ||
		    elem->type == ELEM_SAME)
			remove_at(w, i);
	}
	return w->unseen;
}

uint64_t held_drop(struct walker *w)
{
	uint64_t lost = w->depth;

	/* these wait for no other element */
	while (!w->unseen && w->n_queue && !w->queue[0].p0)
		flow_first(w);
	for (size_t i = 0; i < w->n_queue; i++)
		if (survives_cancel(&w->queue[i]) && w->queue[i].type != ELEM_INFO &&
		    w->queue[i].type != ELEM_TM_COMMIT)
			walker_elem(w, &w->queue[i]);
	w->n_queue = 0;
	w->depth = 0;
	w->unseen = 0;
	return lost;
}
