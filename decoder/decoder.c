// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A decoder by itself, without threads, in any protocol. */
#include <stdlib.h>

#include "address-cache.h"

struct csf_decoder *decoder_new(const struct config *config, struct csf_image *image)
{
	struct csf_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->config = *config;
	d->config.paths = false;
	d->protocol = protocol_of(config);
	d->image = image;
	d->out.step = malloc(config->run_max * sizeof(*d->out.step));
	d->out.mark = malloc(MARK_MAX * sizeof(*d->out.mark));
	if (config->marks & CSF_MARK_DATA)
		d->out.access = malloc(MARK_MAX * sizeof(*d->out.access));
	if (config->etm4.conditions)
		d->conditions = calloc(1, sizeof(*d->conditions));
	d->addr.cache = address_entries_new(&d->addr.cache_mask, &d->addr.cache_stored);
	if (!d->out.step || !d->out.mark || !d->addr.cache ||
	    (config->marks & CSF_MARK_DATA && !d->out.access) ||
	    (config->etm4.conditions && !d->conditions)) {
		decoder_free(d);
		return NULL;
	}
	decoder_reset(d);
	return d;
}

void decoder_free(struct csf_decoder *d)
{
	queue_fini(&d->queue);
	address_entries_free(d->addr.cache, d->addr.cache_mask);
	path_memo_free(d->addr.memo);
	free(d->conditions);
	free(d->out.access);
	free(d->out.mark);
	free(d->out.step);
	free(d);
}

/*
 * With marks for packets, every packet needs its element; with those of conditional instructions,
 * all elements take the way through the queue.
 */
static bool is_fast(const struct config *c)
{
	const uint32_t needed = CSF_WITHOUT_FAST | (c->max_spec ? CSF_WITHOUT_SPECULATION : 0);

	return !(c->marks & CSF_MARK_PACKET) && !c->etm4.conditions && !(c->without & needed);
}

void decoder_reset(struct csf_decoder *d)
{
	struct addresses *addr = &d->addr;

	if (addr->memo)
		path_memo_restart(addr->memo, window_offset(&d->in.win, d->in.win.pos));
	d->in = (struct input){ 0 };
	window_reset(&d->in.win, d->protocol->sync_zeros);
	d->queue = (struct element_queue){ .ring = d->queue.ring, .size = d->queue.size };
	memset(&d->packets, 0, sizeof(d->packets));
	d->el = (struct element){ 0 };
	d->el_ready = false;
	d->fast = is_fast(&d->config);
	d->quiet = false;
	d->missed = false;
	if (d->conditions)
		*d->conditions = (struct conditions){ 0 };
	d->exec = (struct exec){ 0 };
	d->flow = (struct flow){ 0 };
	d->follow = (struct follow){ 0 };
	d->out = (struct output){
		.step = d->out.step, .mark = d->out.mark, .access = d->out.access,
	};
	d->stats = (struct csf_stats){ 0 };
	/* the meaning of addresses has not changed, except with time */
	memset(addr->seen, 0, sizeof(addr->seen));
	addr->next_seen = 0;
	addr->n_block_maps = 0;
	csf_set_time(d, 0, 0);
}

CSF_API void csf_set_time(struct csf_decoder *d, uint64_t time, uint64_t limit)
{
	struct addresses *addr = &d->addr;
	const bool other = time != addr->time && !image_is_steady(d->image, &addr->steady, time);

	if (other && addr->cache) {
		addr->steady = image_steady(d->image, time);
		addr->generation++;
	} else if (other) {
		addr->image_generation = 0;	/* other decoders count the generations */
	}
	addr->time = time;
	d->flow.limit = limit;
}

/* Paths of the image, or of the decoder itself. */
static int remember_paths(struct csf_decoder *d)
{
	struct csf_image *image = d->image;
	int err = 0;

	lock_take(&image->lock);
	if (d->config.paths && !image->paths.step)
		err = path_table_init(&image->paths);
	lock_release(&image->lock);
	if (err)
		return err;
	if (!d->addr.memo)
		d->addr.memo = path_memo_new();
	return d->addr.memo && path_memo_use(d->addr.memo, !d->config.paths) ? 0 : CSF_ERR_MEMORY;
}

bool decoder_remember_paths(struct csf_decoder *d)
{
	if (d->config.without & CSF_WITHOUT_PATHS)
		return false;
	if (!remember_paths(d))
		return true;
	d->config.without |= CSF_WITHOUT_PATHS;
	return false;
}

int decoder_ask_paths(struct csf_decoder *d, bool ask)
{
	int err = 0;

	if (d->config.without & CSF_WITHOUT_PATHS || d->config.paths == ask)
		return 0;
	if (!ask)
		flow_unfold_rest(d);
	d->config.paths = ask;
	if (ask)
		err = remember_paths(d);
	if (err)
		d->config.paths = false;
	return err;
}

int decoder_next(struct csf_decoder *d, struct csf_run *run)
{
	return likely(d->addr.cache) ? d->protocol->next(d, run) : CSF_ERR_MEMORY;
}
