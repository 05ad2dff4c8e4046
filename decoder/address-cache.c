// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "address-cache.h"

void address_cache_free(struct address_cache *m)
{
	address_entries_free(m->cache, m->cache_mask);
	path_memo_free(m->memo);
	m->cache = NULL;
	m->memo = NULL;
}

static void give(struct address_cache *m, struct csf_decoder *d)
{
	d->cache = m->cache;
	d->cache_mask = m->cache_mask;
	d->cache_stored = m->cache_stored;
	d->memo = m->memo;
	d->gens = m->gens;
	memcpy(d->seen, m->seen, sizeof(d->seen));
	d->next_seen = m->next_seen;
	d->n_block_maps = 0;
	d->time = m->time;
	d->steady = m->steady;
	d->image_generation = m->image_generation;
	d->generation = m->generation;
	m->cache = NULL;
	m->memo = NULL;
}

struct address_entry *address_entries_new(uint32_t *mask, uint32_t *stored)
{
	*mask = CACHE_MIN - 1;
	*stored = 0;
	return calloc(CACHE_MIN, sizeof(struct address_entry));
}

/* Returns false without memory.  Decoders like @d believe nothing from earlier generations. */
static bool suit(struct address_cache *m, const struct csf_decoder *d, uint64_t stamp)
{
	if (!m->cache)
		m->cache = address_entries_new(&m->cache_mask, &m->cache_stored);
	if (!m->cache)
		return false;
	if (m->image != d->image || m->rule != d->config.rule || m->stamp != stamp ||
	    m->without != d->config.without) {
		m->image_generation = 0;	/* starts another generation */
		m->steady = (struct steady){ 0 };
	}
	m->image = d->image;
	m->rule = d->config.rule;
	m->without = d->config.without;
	m->stamp = stamp;
	return true;
}

bool address_cache_lend(struct address_cache *m, struct csf_decoder *d, uint64_t stamp)
{
	if (!suit(m, d, stamp))
		return false;
	give(m, d);
	return true;
}

bool address_cache_lend_again(struct address_cache *m, struct csf_decoder *d, uint64_t stamp)
{
	const uint64_t offset = window_offset(&d->win, d->win.pos);

	if (!suit(m, d, stamp))
		return false;
	if (m->time != d->time && !image_is_steady(d->image, &m->steady, d->time)) {
		m->steady = image_steady(d->image, d->time);
		m->generation++;
	}
	m->time = d->time;
	if (m->memo)
		path_memo_resume(m->memo, offset);
	give(m, d);
	return true;
}

void address_cache_put_away(struct address_cache *m, struct csf_decoder *d, uint64_t stamp)
{
	m->image = d->image;
	m->rule = d->config.rule;
	m->without = d->config.without;
	m->stamp = stamp;
	address_cache_take_back(m, d);
	if (m->memo)
		path_memo_restart(m->memo, window_offset(&d->win, d->win.pos));
}

void address_cache_take_back(struct address_cache *m, struct csf_decoder *d)
{
	m->cache = d->cache;
	m->cache_mask = d->cache_mask;
	m->cache_stored = d->cache_stored;
	m->memo = d->memo;
	m->gens = d->gens;
	memcpy(m->seen, d->seen, sizeof(d->seen));
	m->next_seen = d->next_seen;
	m->time = d->time;
	m->steady = d->steady;
	m->image_generation = d->image_generation;
	m->generation = d->generation;
	d->cache = NULL;
	d->memo = NULL;
	d->cache_mask = 0;
}

/* Sets generations in @d that are in no cache. */
void address_cache_disown(struct csf_decoder *d)
{
	struct retstack *rs = &d->exec.retstack;

	for (size_t i = 0; i < RETSTACK_MAX; i++)
		rs->call[i].gen_key = GEN_NEVER;
	d->exec.pending.gen_key = GEN_NEVER;
	d->gen_key = GEN_NEVER;
	d->image_generation = 0;
}

/* Each cache counts its generations by itself. */
void address_cache_exchange(struct address_cache *own, struct csf_decoder *d)
{
	const bool same = own->image_generation == d->image_generation &&
			  (own->time == d->time ||
			   image_is_steady(d->image, &own->steady, d->time));
	const uint64_t was = d->gen_key;
	const uint64_t now = same ? (uint64_t)own->generation << 32 | (uint32_t)was : GEN_NEVER;
	struct retstack *rs = &d->exec.retstack;

	for (size_t i = 0; i < RETSTACK_MAX; i++)
		rs->call[i].gen_key = rs->call[i].gen_key == was ? now : GEN_NEVER;
	d->exec.pending.gen_key = d->exec.pending.gen_key == was ? now : GEN_NEVER;
	d->gen_key = now;
	give(own, d);
}

void address_cache_borrow(struct address_cache *m, struct csf_decoder *d, uint64_t stamp)
{
	*m = (struct address_cache){
		.image = d->image, .rule = d->config.rule, .without = d->config.without,
		.stamp = stamp,
	};
	address_cache_take_back(m, d);
	/*
	 * the caller chose another time, which has not been looked at yet: the place is as before
	 */
	if (d->gen_key >> 32 != d->generation)
		d->image_generation = 0;
	if (m->memo)
		path_memo_restart(m->memo, window_offset(&d->win, d->win.pos));
}

void address_cache_return(struct address_cache *m, struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->win, d->win.pos);

	/* the time does not change the meaning of addresses, or it is the same */
	m->time = d->time;
	if (m->memo)
		path_memo_resume(m->memo, offset);
	address_cache_exchange(m, d);
}
