// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "memory.h"

void memory_free(struct memory *m)
{
	place_cache_free(m->cache, m->cache_mask);
	path_memo_free(m->memo);
	m->cache = NULL;
	m->memo = NULL;
}

static void give(struct memory *m, struct csf_decoder *d)
{
	d->cache = m->cache;
	d->cache_mask = m->cache_mask;
	d->cache_stored = m->cache_stored;
	d->memo = m->memo;
	d->tags = m->tags;
	memcpy(d->seen, m->seen, sizeof(d->seen));
	d->next_seen = m->next_seen;
	d->n_charts = 0;
	d->time = m->time;
	d->steady = m->steady;
	d->generation = m->generation;
	d->era = m->era;
	m->cache = NULL;
	m->memo = NULL;
}

struct place_cache *memory_cache_new(uint32_t *mask, uint32_t *stored)
{
	*mask = CACHE_MIN - 1;
	*stored = 0;
	return calloc(CACHE_MIN, sizeof(struct place_cache));
}

/* Returns false without memory.  For @d's kind nothing of an era before is believed. */
static bool suit(struct memory *m, const struct csf_decoder *d, uint64_t stamp)
{
	if (!m->cache)
		m->cache = memory_cache_new(&m->cache_mask, &m->cache_stored);
	if (!m->cache)
		return false;
	if (m->image != d->image || m->rule != d->config.rule || m->stamp != stamp ||
	    m->without != d->config.without) {
		m->generation = 0;	/* so another era begins */
		m->steady = (struct steady){ 0 };
	}
	m->image = d->image;
	m->rule = d->config.rule;
	m->without = d->config.without;
	m->stamp = stamp;
	return true;
}

bool memory_lend(struct memory *m, struct csf_decoder *d, uint64_t stamp)
{
	if (!suit(m, d, stamp))
		return false;
	give(m, d);
	return true;
}

bool memory_lend_again(struct memory *m, struct csf_decoder *d, uint64_t stamp)
{
	const uint64_t offset = window_offset(&d->win, d->win.pos);

	if (!suit(m, d, stamp))
		return false;
	if (m->time != d->time && !image_is_steady(d->image, &m->steady, d->time)) {
		m->steady = image_steady(d->image, d->time);
		m->era++;
	}
	m->time = d->time;
	if (m->memo)
		path_memo_resume(m->memo, offset);
	give(m, d);
	return true;
}

void memory_put_away(struct memory *m, struct csf_decoder *d, uint64_t stamp)
{
	m->image = d->image;
	m->rule = d->config.rule;
	m->without = d->config.without;
	m->stamp = stamp;
	memory_take_back(m, d);
	if (m->memo)
		path_memo_restart(m->memo, window_offset(&d->win, d->win.pos));
}

void memory_take_back(struct memory *m, struct csf_decoder *d)
{
	m->cache = d->cache;
	m->cache_mask = d->cache_mask;
	m->cache_stored = d->cache_stored;
	m->memo = d->memo;
	m->tags = d->tags;
	memcpy(m->seen, d->seen, sizeof(d->seen));
	m->next_seen = d->next_seen;
	m->time = d->time;
	m->steady = d->steady;
	m->generation = d->generation;
	m->era = d->era;
	d->cache = NULL;
	d->memo = NULL;
	d->cache_mask = 0;
}

/* No epoch of @d is that of any memory. */
void memory_disown(struct csf_decoder *d)
{
	struct retstack *rs = &d->place.retstack;

	for (size_t i = 0; i < RETSTACK_MAX; i++)
		rs->call[i].epoch = EPOCH_NEVER;
	d->place.pending.epoch = EPOCH_NEVER;
	d->epoch = EPOCH_NEVER;
	d->generation = 0;
}

/* Eras are counted by each memory alone. */
void memory_exchange(struct memory *own, struct csf_decoder *d)
{
	const bool same = own->generation == d->generation &&
			  (own->time == d->time ||
			   image_is_steady(d->image, &own->steady, d->time));
	const uint64_t was = d->epoch;
	const uint64_t now = same ? (uint64_t)own->era << 32 | (uint32_t)was : EPOCH_NEVER;
	struct retstack *rs = &d->place.retstack;

	for (size_t i = 0; i < RETSTACK_MAX; i++)
		rs->call[i].epoch = rs->call[i].epoch == was ? now : EPOCH_NEVER;
	d->place.pending.epoch = d->place.pending.epoch == was ? now : EPOCH_NEVER;
	d->epoch = now;
	give(own, d);
}

void memory_borrow(struct memory *m, struct csf_decoder *d, uint64_t stamp)
{
	*m = (struct memory){
		.image = d->image, .rule = d->config.rule, .without = d->config.without,
		.stamp = stamp,
	};
	memory_take_back(m, d);
	/* the caller chose another time, and nobody has looked yet: it is where it was before */
	if (d->epoch >> 32 != d->era)
		d->generation = 0;
	if (m->memo)
		path_memo_restart(m->memo, window_offset(&d->win, d->win.pos));
}

void memory_return(struct memory *m, struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->win, d->win.pos);

	/* no time changes what addresses mean, or it is the same */
	m->time = d->time;
	if (m->memo)
		path_memo_resume(m->memo, offset);
	memory_exchange(m, d);
}
