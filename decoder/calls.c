// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The calls of csflow.h to a decoder, but for csf_next().
 */
#include <stdlib.h>

#include "ahead.h"

struct csf_decoder *decoder_new(const struct config *config, struct csf_image *image)
{
	struct csf_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->config = *config;
	d->image = image;
	d->step = malloc(config->run_max * sizeof(*d->step));
	d->mark = malloc(MARK_MAX * sizeof(*d->mark));
	d->cache = calloc(CACHE_MIN, sizeof(*d->cache));
	d->cache_mask = CACHE_MIN - 1;
	if (!d->step || !d->mark || !d->cache) {
		csf_free(d);
		return NULL;
	}
	csf_reset(d);
	return d;
}

CSF_API int csf_new(struct csf_decoder **dec, const struct csf_config *config,
		    struct csf_image *image)
{
	struct csf_decoder *d;
	struct config c;
	int err = config_read(&c, config);

	if (err)
		return err;
	d = decoder_new(&c, image);
	if (!d)
		return CSF_ERR_MEMORY;
	*dec = d;
	return 0;
}

CSF_API void csf_free(struct csf_decoder *d)
{
	if (!d)
		return;
	ahead_free(d);
	queue_fini(&d->queue);
	free(d->cache);
	free(d->mark);
	free(d->step);
	free(d);
}

CSF_API void csf_reset(struct csf_decoder *d)
{
	struct csf_decoder *fresh = d;
	struct config config = d->config;
	struct csf_image *image = d->image;
	struct place_cache *cache = d->cache;
	struct element_queue queue = { .ring = d->queue.ring, .size = d->queue.size };
	struct csf_mark *mark = d->mark;
	struct ahead *ahead = d->ahead;
	uint32_t *step = d->step, era = d->era, mask = d->cache_mask;

	ahead_reset(d);
	memset(fresh, 0, sizeof(*fresh));
	fresh->ahead = ahead;
	fresh->config = config;
	fresh->image = image;
	fresh->cache = cache;
	fresh->cache_mask = mask;
	fresh->queue = queue;
	fresh->mark = mark;
	fresh->step = step;
	fresh->era = era;		/* so that what the cache holds is not believed */
	fresh->fast = !(config.marks & CSF_MARK_PACKET);
	window_reset(&fresh->win);
}

CSF_API int csf_feed(struct csf_decoder *d, const void *trace, size_t n)
{
	const uint64_t offset = window_offset(&d->win, d->win.end);
	int err;

	if (d->el_ready || d->end)
		return CSF_ERR_ARG;
	err = window_feed(&d->win, trace, n);
	if (!err && d->ahead && n)
		ahead_feed(d, trace, n, offset);
	return err;
}

CSF_API int csf_flush(struct csf_decoder *d, bool whole)
{
	int err = ahead_settle(d);

	if (err)
		return err;
	if (d->el_ready || d->end)
		return CSF_ERR_ARG;
	window_flush(&d->win, whole ? WINDOW_WHOLE : WINDOW_SURE);
	return 0;
}

CSF_API long csf_commit(struct csf_decoder *d)
{
	int err = ahead_settle(d);
	uint32_t n = d->queue.depth - d->commit;

	if (err)
		return err;
	if (d->end == END_ASKED) {
		d->commit_rest = true;
		return n;
	}
	if (d->el_ready || d->end)
		return CSF_ERR_ARG;
	d->commit += n;
	d->queue.unseen += n;
	return n;
}

CSF_API int csf_end(struct csf_decoder *d)
{
	if (d->end)
		return CSF_ERR_ARG;
	d->end = END_ASKED;
	window_end(&d->win);
	return 0;
}

CSF_API int csf_break(struct csf_decoder *d)
{
	int err = csf_end(d);

	if (!err)
		d->broken = true;
	return err;
}

CSF_API void csf_set_space(struct csf_decoder *d, int space)
{
	if (space >= 0 && (uint32_t)space < d->image->n_space)
		d->space = space;
}

CSF_API void csf_set_time(struct csf_decoder *d, uint64_t time, uint64_t limit)
{
	if (time != d->time && image_timed(d->image))
		d->era++;
	d->time = time;
	d->limit = limit;
}

CSF_API void csf_ask_code(struct csf_decoder *d, bool ask)
{
	d->config.ask_code = ask;
}

/* A run's steps are in few sections: remembers where each is. */
static uint64_t section_base(struct csf_decoder *d, const struct csf_run *run, uint32_t section)
{
	struct base_cache *c = &d->base[section % ARRAY_SIZE(d->base)];
	uint32_t generation = __atomic_load_n(&d->image->generation, __ATOMIC_ACQUIRE);

	if (c->section != section || c->generation != generation || c->space != run->space ||
	    c->time != run->time)
		*c = (struct base_cache){
			.base = image_base(d->image, run->space, section, run->time),
			.time = run->time, .section = section,
			.generation = generation, .space = run->space,
		};
	return c->base;
}

CSF_API uint64_t csf_block_addr(struct csf_decoder *d, const struct csf_run *run, uint32_t number)
{
	const struct csf_block *b = &flow_block(d, number)->pub;
	uint64_t addr;

	if (!number || number >= block_table_n(&d->image->blocks))
		return 0;
	addr = section_base(d, run, b->section) + b->offset;
	return b->isa == CSF_A64 ? addr : (uint32_t)addr;
}

CSF_API void csf_stats(const struct csf_decoder *d, struct csf_stats *stats)
{
	size_t size = stats->size < sizeof(*stats) ? stats->size : sizeof(*stats);
	struct csf_stats own = d->stats;

	own.size = stats->size;
	own.bytes = window_offset(&d->win, d->win.pos);
	memcpy(stats, &own, size);
}
