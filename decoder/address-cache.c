// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "address-cache.h"

void address_cache_free(struct address_cache *m)
{
	address_entries_free(m->addr.cache, m->addr.cache_mask);
	path_memo_free(m->addr.memo);
	m->addr.cache = NULL;
	m->addr.memo = NULL;
}

static void give(struct address_cache *m, struct csf_decoder *d)
{
	d->addr = m->addr;
	d->addr.n_block_maps = 0;
	m->addr.cache = NULL;
	m->addr.memo = NULL;
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
	if (!m->addr.cache)
		m->addr.cache = address_entries_new(&m->addr.cache_mask, &m->addr.cache_stored);
	if (!m->addr.cache)
		return false;
	if (m->image != d->image || m->rule != d->config.rule || m->stamp != stamp ||
	    m->without != d->config.without) {
		m->addr.image_generation = 0;	/* starts another generation */
		m->addr.steady = (struct steady){ 0 };
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
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);

	if (!suit(m, d, stamp))
		return false;
	if (m->addr.time != d->addr.time &&
	    !image_is_steady(d->image, &m->addr.steady, d->addr.time)) {
		m->addr.steady = image_steady(d->image, d->addr.time);
		m->addr.generation++;
	}
	m->addr.time = d->addr.time;
	if (m->addr.memo)
		path_memo_resume(m->addr.memo, offset);
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
	if (m->addr.memo)
		path_memo_restart(m->addr.memo, window_offset(&d->in.win, d->in.win.pos));
}

void address_cache_take_back(struct address_cache *m, struct csf_decoder *d)
{
	m->addr = d->addr;
	d->addr.cache = NULL;
	d->addr.memo = NULL;
	d->addr.cache_mask = 0;
}

/* Sets generations in @d that are in no cache. */
void address_cache_disown(struct csf_decoder *d)
{
	struct retstack *rs = &d->exec.retstack;

	for (size_t i = 0; i < RETSTACK_MAX; i++)
		rs->call[i].gen_key = GEN_NEVER;
	d->exec.pending.gen_key = GEN_NEVER;
	d->flow.gen_key = GEN_NEVER;
	d->addr.image_generation = 0;
}

/* Each cache counts its generations by itself. */
void address_cache_exchange(struct address_cache *own, struct csf_decoder *d)
{
	const bool same = own->addr.image_generation == d->addr.image_generation &&
			  (own->addr.time == d->addr.time ||
			   image_is_steady(d->image, &own->addr.steady, d->addr.time));
	const uint64_t was = d->flow.gen_key;
	const uint64_t now =
		same ? (uint64_t)own->addr.generation << 32 | (uint32_t)was : GEN_NEVER;
	struct retstack *rs = &d->exec.retstack;

	for (size_t i = 0; i < RETSTACK_MAX; i++)
		rs->call[i].gen_key = rs->call[i].gen_key == was ? now : GEN_NEVER;
	d->exec.pending.gen_key = d->exec.pending.gen_key == was ? now : GEN_NEVER;
	d->flow.gen_key = now;
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
	if (d->flow.gen_key >> 32 != d->addr.generation)
		d->addr.image_generation = 0;
	if (m->addr.memo)
		path_memo_restart(m->addr.memo, window_offset(&d->in.win, d->in.win.pos));
}

void address_cache_return(struct address_cache *m, struct csf_decoder *d)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.pos);

	/* the time does not change the meaning of addresses, or it is the same */
	m->addr.time = d->addr.time;
	if (m->addr.memo)
		path_memo_resume(m->addr.memo, offset);
	address_cache_exchange(m, d);
}
