// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The calls of csflow.h for a decoder. */
#include "address-cache.h"
#include "frames.h"
#include "read-ahead.h"

CSF_API int csf_new(struct csf_decoder **dec, const struct csf_config *config,
		    struct csf_image *image)
{
	struct csf_decoder *d;
	struct config c;
	int err = config_read(&c, config);

	if (err)
		return err;
	if (!protocol_of(&c)->next)
		return CSF_ERR_CONFIG;
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
	read_ahead_free(d);
	decoder_free(d);
}

CSF_API void csf_reset(struct csf_decoder *d)
{
	/* first, as it may give back what @d knows of addresses, which must be kept */
	read_ahead_reset(d);
	decoder_reset(d);
}

CSF_API int csf_feed(struct csf_decoder *d, const void *trace, size_t n)
{
	const uint64_t offset = window_offset(&d->in.win, d->in.win.end);
	int err;

	if (d->el_ready || d->in.end)
		return CSF_ERR_ARG;
	err = window_feed(&d->in.win, trace, n);
	if (!err && d->read_ahead && n)
		read_ahead_feed(d, trace, n, offset);
	return err;
}

CSF_API void csf_feed_ahead(struct csf_decoder *d, const void *trace, size_t n)
{
	if (d->read_ahead && !(d->config.without & CSF_WITHOUT_AHEAD))
		read_ahead_next_feed(d, trace, n);
}

CSF_API int csf_next(struct csf_decoder *d, struct csf_run *run)
{
	return unlikely(d->read_ahead) ? read_ahead_next(d, run) : decoder_next(d, run);
}

CSF_API int csf_flush(struct csf_decoder *d, bool whole)
{
	int err = read_ahead_settle(d);

	if (err)
		return err;
	if (d->el_ready || d->in.end)
		return CSF_ERR_ARG;
	window_flush(&d->in.win, whole ? WINDOW_WHOLE : WINDOW_SURE);
	return 0;
}

CSF_API long csf_commit(struct csf_decoder *d)
{
	int err = read_ahead_settle(d);
	uint32_t n = d->queue.depth - d->queue.commit;

	if (err)
		return err;
	if (d->in.end == END_ASKED) {
		d->in.commit_rest = true;
		return n;
	}
	/* the caller must not see how much of what was fed has been read by now */
	if (d->el_ready || d->in.end || window_ready(&d->in.win))
		return CSF_ERR_ARG;
	d->queue.commit += n;
	d->queue.unseen += n;
	return n;
}

CSF_API int csf_end(struct csf_decoder *d)
{
	if (d->in.end)
		return CSF_ERR_ARG;
	d->in.end = END_ASKED;
	window_end(&d->in.win);
	return 0;
}

CSF_API int csf_break(struct csf_decoder *d)
{
	int err = csf_end(d);

	if (!err)
		d->in.broken = true;
	return err;
}

CSF_API int csf_next_time(struct csf_decoder *d, uint64_t bound, uint64_t *last, uint64_t *above)
{
	/* uncommitted elements cannot be told apart from those that never will be committed */
	int err = d->config.max_spec ? read_ahead_settle(d) : 0;

	return err ? err : d->protocol->next_time(d, bound, last, above);
}

/* -------- a client of frames */

static int feed(void *d, const void *bytes, size_t n)
{
	return csf_feed(d, bytes, n);
}

static int end(void *d, bool last)
{
	return last ? csf_end(d) : csf_break(d);
}

static void reset(void *d)
{
	csf_reset(d);
}

static void feed_ahead(void *d, const void *bytes, size_t n)
{
	csf_feed_ahead(d, bytes, n);
}

static bool wants_ahead(const void *decoder)
{
	const struct csf_decoder *d = decoder;

	return d->read_ahead && !(d->config.without & CSF_WITHOUT_AHEAD);
}

static const struct frame_taker decoder_taker = {
	.feed = feed, .end = end, .reset = reset, .ahead = feed_ahead, .wants_ahead = wants_ahead,
};

CSF_API int csf_attach(struct csf_frames *frames, uint8_t id, struct csf_decoder *dec)
{
	return frames_attach(frames, id, dec, &decoder_taker);
}

/* -------- options of the caller */

CSF_API void csf_set_space(struct csf_decoder *d, int space)
{
	if (space >= 0 && (uint32_t)space < d->image->n_space)
		d->flow.space = space;
}

CSF_API void csf_ask_code(struct csf_decoder *d, bool ask)
{
	d->config.ask_code = ask;
}

CSF_API int csf_ask_paths(struct csf_decoder *d, bool ask)
{
	int err = read_ahead_settle(d);

	if (!err && !d->addr.cache)
		err = threads_lend(d->lender, d);
	return err ? err : decoder_ask_paths(d, ask);
}

/* The steps of a run are in few sections: remembers the place of each. */
static uint64_t section_base(struct csf_decoder *d, const struct csf_run *run, uint32_t section)
{
	struct base_cache *c = &d->base[section % ARRAY_SIZE(d->base)];
	uint32_t image_generation = __atomic_load_n(&d->image->generation, __ATOMIC_ACQUIRE);

	if (c->section != section || c->image_generation != image_generation ||
	    c->space != run->space ||
	    !image_is_steady(d->image, &c->steady, run->time))
		*c = (struct base_cache){
			.base = image_base(d->image, run->space, section, run->time),
			.steady = image_steady(d->image, run->time),
			.section = flow_remembers(d) ? section : 0,
			.image_generation = image_generation, .space = run->space,
		};
	return c->base;
}

CSF_API enum csf_exception_kind csf_exception_kind(const struct csf_decoder *d, uint32_t type)
{
	const struct protocol *p = d->protocol;

	return p->exception_kind ? p->exception_kind(&d->config, type) : CSF_EXC_KIND_OTHER;
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
	own.bytes = window_offset(&d->in.win, d->in.win.pos);
	memcpy(stats, &own, size);
}
