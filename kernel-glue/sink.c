// SPDX-License-Identifier: GPL-2.0-only
/* The trace buffer of a CPU, which perf sees as it sees a TRBE. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "replay.h"
#include "unit.h"

static unsigned int chunk;
module_param(chunk, uint, 0644);
MODULE_PARM_DESC(chunk, "Bytes to play back each time a buffer is emptied; 0: as many as fit");

static bool anywhere;
module_param(anywhere, bool, 0644);
MODULE_PARM_DESC(anywhere, "Cut recordings anywhere, even in the middle of a packet");

/**
 * struct buffer - an AUX buffer
 * @page: its pages
 * @size: its size in bytes, a power of two
 * @snapshot: it is written round and round
 */
struct buffer {
	void **page;
	size_t size;
	bool snapshot;
};

static int sink_enable(SINK_ENABLE_ARGS)
{
	return mode == CS_MODE_PERF ? 0 : -EINVAL;
}

static int sink_disable(struct coresight_device *csdev)
{
	return 0;
}

static void *sink_alloc_buffer(struct coresight_device *csdev, struct perf_event *event,
			       void **pages, int nr_pages, bool overwrite)
{
	struct buffer *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	b->page = pages;
	b->size = (size_t)nr_pages << PAGE_SHIFT;
	b->snapshot = overwrite;
	return b;
}

static void sink_free_buffer(void *config)
{
	kfree(config);
}

/* Copies @n bytes to offset @at of the buffer, and on from its start. */
static void put(const struct buffer *b, size_t at, const u8 *from, size_t n)
{
	while (n) {
		const size_t off = at & (b->size - 1), in = off & ~PAGE_MASK;
		const size_t part = min(n, PAGE_SIZE - in);

		memcpy(b->page[off >> PAGE_SHIFT] + in, from, part);
		at += part;
		from += part;
		n -= part;
	}
}

/* Plays back what fits.  Returns how many bytes that was. */
static size_t play(struct unit *unit, const struct buffer *b, struct perf_output_handle *handle)
{
	const size_t room = b->snapshot ? b->size : handle->size;
	struct replay *r = unit->replay;
	size_t n, lost;

	if (!r)
		return 0;
	n = replay_piece(r, chunk && chunk < room ? chunk : room, room, b->size, anywhere, &lost);
	if (lost)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	put(b, handle->head, r->bytes + r->pos, n);
	r->pos += n;
	unit->lost += lost;
	unit->sent += n;
	return n;
}

static unsigned long sink_update_buffer(struct coresight_device *csdev,
					struct perf_output_handle *handle, void *config)
{
	struct unit *unit = unit_of(csdev);
	struct buffer *b = config;
	unsigned long flags;
	size_t n;

	raw_spin_lock_irqsave(&unit->lock, flags);
	n = play(unit, b, handle);
	raw_spin_unlock_irqrestore(&unit->lock, flags);
	perf_aux_output_flag(handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	/* A snapshot's head only ever grows; perf takes it, not the size. */
	if (b->snapshot)
		handle->head += n;
	return n;
}

static const struct coresight_ops_sink sink_ops_table = {
	.enable		= sink_enable,
	.disable	= sink_disable,
	.alloc_buffer	= sink_alloc_buffer,
	.free_buffer	= sink_free_buffer,
	.update_buffer	= sink_update_buffer,
};

static const struct coresight_ops sink_ops_all = {
	.sink_ops = &sink_ops_table,
};

int sink_register(struct unit *unit, struct device *dev)
{
	struct coresight_desc desc = {
		.dev = dev,
		.type = CORESIGHT_DEV_TYPE_SINK,
		.subtype.sink_subtype = CORESIGHT_DEV_SUBTYPE_SINK_PERCPU_SYSMEM,
		.ops = &sink_ops_all,
	};
	struct coresight_device *sink;

	desc.name = devm_kasprintf(dev, GFP_KERNEL, "trbe%d", unit->cpu);
	desc.pdata = devm_kzalloc(dev, sizeof(*desc.pdata), GFP_KERNEL);
	if (!desc.name || !desc.pdata)
		return -ENOMEM;
	set_cpu(&desc, unit->cpu);
	sink = coresight_register(&desc);
	if (IS_ERR(sink))
		return PTR_ERR(sink);
	dev_set_drvdata(&sink->dev, unit);
	unit->sink = sink;
	coresight_set_percpu_sink(unit->cpu, sink);
	return 0;
}

void sink_unregister(struct unit *unit)
{
	if (!unit->sink)
		return;
	coresight_set_percpu_sink(unit->cpu, NULL);
	coresight_unregister(unit->sink);
	unit->sink = NULL;
}
