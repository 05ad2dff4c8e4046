// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "element.h"

/* Source: ARM IHI 0064 "Cancel element", "Mispredict element", "Discard element". */
const uint8_t element_rule[EL_NR] = {
	[EL_ADDRESS]	= EL_DROPS_MISPREDICT,
	[EL_CONTEXT]	= EL_DROPS_MISPREDICT,
	[EL_SAME]	= EL_DROPS_MISPREDICT,
	[EL_INFO]	= EL_SURVIVES_CANCEL,
	[EL_TM_COMMIT]	= EL_SURVIVES_CANCEL,
	[EL_TIME]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_CYCLES]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_EVENT]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_MARKER]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_ITE]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_COND_RESULT] = EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_COND_FLUSH]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
	[EL_DATA_REST]	= EL_SURVIVES_CANCEL | EL_SURVIVES_DISCARD,
};

static struct element *at(const struct element_queue *q, uint32_t i)
{
	return &q->ring[(q->oldest + i) & (q->size - 1)];
}

void queue_fini(struct element_queue *q)
{
	free(q->ring);
}

static bool grow(struct element_queue *q)
{
	uint32_t size = q->size ? 2 * q->size : QUEUE_MIN;
	struct element *ring;

	if (size > QUEUE_MAX)
		return false;
	ring = malloc(size * sizeof(*ring));
	if (!ring)
		return false;
	for (uint32_t i = 0; i < q->n; i++)
		ring[i] = *at(q, i);
	free(q->ring);
	q->ring = ring;
	q->size = size;
	q->oldest = 0;
	return true;
}

bool queue_push(struct element_queue *q, const struct element *el)
{
	if (q->n == q->size && !grow(q))
		return false;
	*at(q, q->n++) = *el;
	q->depth += element_n_p0(el);
	return true;
}

/* Keeps those elements from number @from on whose rule has (or has not) a bit of @rule. */
static void keep(struct element_queue *q, uint32_t from, uint8_t rule, bool has)
{
	uint32_t n = from;

	for (uint32_t i = from; i < q->n; i++)
		if (!!(element_rule[at(q, i)->type] & rule) == has)
			*at(q, n++) = *at(q, i);
	q->n = n;
}

bool queue_cancel(struct element_queue *q, uint32_t n)
{
	uint32_t i = q->n, p0 = 0;

	if (n > q->depth && n - q->depth > q->unseen)
		return false;
	while (n && i) {
		p0 = element_n_p0(at(q, i - 1));
		if (p0 > n)
			break;
		n -= p0;
		q->depth -= p0;
		i--;
	}
	if (n && i) {		/* some atoms of a packet stay */
		at(q, i - 1)->n -= n;
		q->depth -= n;
		n = 0;
	}
	q->unseen -= n;
	keep(q, i, EL_SURVIVES_CANCEL, true);
	return true;
}

bool queue_mispredict(struct element_queue *q)
{
	uint32_t i = q->n;

	while (i && at(q, i - 1)->type != EL_ATOMS)
		i--;
	if (!i) {		/* it is older than decode, and so are addresses after it */
		keep(q, 0, EL_DROPS_MISPREDICT, false);
		return q->unseen;
	}
	at(q, i - 1)->val ^= 1ull << (at(q, i - 1)->n - 1);
	keep(q, i, EL_DROPS_MISPREDICT, false);
	return true;
}

bool queue_commit(struct element_queue *q, uint32_t n)
{
	const uint32_t unseen = n < q->unseen ? n : q->unseen;

	if (n - unseen > q->depth - q->commit)
		return false;
	q->unseen -= unseen;
	q->commit += n - unseen;
	return true;
}

bool queue_pop(struct element_queue *q, struct element *el)
{
	struct element *oldest;
	uint32_t p0;

	if (!q->n)
		return false;
	oldest = at(q, 0);
	p0 = element_n_p0(oldest);
	if (p0 ? !q->commit : q->unseen)
		return false;

	*el = *oldest;
	if (p0 > q->commit) {		/* atoms: the others stay */
		p0 = q->commit;
		el->n = p0;
		oldest->n -= p0;
		oldest->val >>= p0;
		oldest->init >>= p0;
	} else {
		q->oldest++;
		q->n--;
	}
	q->commit -= p0;
	q->depth -= p0;
	return true;
}

uint32_t queue_discard(struct element_queue *q)
{
	uint32_t lost = q->depth, sure = 0;

	/*
	 * elements below all P0 elements are not uncommitted any more: a Cancel removed what they
	 * waited for
	 */
	while (!q->unseen && sure < q->n && !element_n_p0(at(q, sure)))
		sure++;
	keep(q, sure, EL_SURVIVES_DISCARD, true);
	q->depth = 0;
	q->unseen = 0;
	return lost;
}
