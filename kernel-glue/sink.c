// SPDX-License-Identifier: GPL-2.0-only
/* The trace buffer of a CPU, which perf sees as it sees a TRBE. */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>

#include "aux.h"
#include "channel.h"
#include "compat.h"
#include "etr.h"
#include "live.h"
#include "play.h"
#include "unit.h"

/* Plays back what fits.  Returns how many bytes that was. */
static size_t play(struct unit *unit, const struct buffer *b, struct perf_output_handle *handle)
{
	const u8 *bytes;
	size_t n, lost;

	raw_spin_lock(&unit->lock);
	n = play_piece(unit, b->snapshot ? b->size : handle->size, b->size, &bytes, &lost);
	if (lost)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	aux_put(b, handle->head, bytes, n);
	raw_spin_unlock(&unit->lock);
	return n;
}

/* -------- live */

/* The unit has nowhere to write to, and the core finds a record that has ended. */
static void stop_and_truncate(struct unit *unit)
{
	live_forbid(unit);
	perf_aux_output_flag(unit->handle, PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(unit->handle, 0);
	unit->handle = NULL;
}

/* The record is new. */
static int begin(struct unit *unit)
{
	const int err = live_allow(unit);

	perf_aux_output_flag(unit->handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	if (err)
		stop_and_truncate(unit);
	return err;
}

/* What was taken becomes a record, and the next begins.  The unit does not trace. */
static int next_record(struct unit *unit)
{
	struct perf_output_handle *handle = unit->handle;
	struct perf_event *event = handle->event;
	const size_t n = live_take(unit);

	if (unit->buffer->snapshot)
		handle->head += n;
	perf_aux_output_end(handle, n);
	if (perf_aux_output_begin(handle, event))
		return begin(unit);
	live_forbid(unit);
	unit->handle = NULL;
	return -ENOSPC;
}

/*
 * A decoder begins each record at an A-sync, so the unit stops and starts again.  All that it does
 * not trace is this.
 */
static void change_record(struct unit *unit)
{
	int err;

	channel_stop(unit->channel);
	err = next_record(unit);
	if (err)
		irq_work_run();	/* perf's own work for the event that has stopped: at once */
	else
		source_go_on(unit);
}

/*
 * The unit has written as much as it was to tell of.  The interrupt may come late, when the record
 * has ended, or a later one was begun.
 */
static irqreturn_t sink_interrupt(int irq, void *data)
{
	struct unit *unit = data;
	const struct csf_channel *channel = unit->channel;

	if (unit->cpu != smp_processor_id())
		return IRQ_HANDLED;
	if (channel_written(channel) < READ_ONCE(channel->signal) && !READ_ONCE(channel->full))
		return IRQ_HANDLED;
	if (unit->shared)
		etr_interrupt(unit);
	else if (unit->handle && unit->handle->event)
		change_record(unit);
	return IRQ_HANDLED;
}

void sink_online(struct unit *unit)
{
	unit->has_irq = unit->channel && channel_irq(unit->cpu, sink_interrupt, unit);
}

/* -------- what the CoreSight core asks of a sink */

static int sink_enable(SINK_ENABLE_ARGS)
{
	struct unit *unit = unit_of(csdev);

	if (mode != CS_MODE_PERF)
		return -EINVAL;
	if (!unit->channel)
		return 0;
	if (unit->handle)
		return -EBUSY;
	unit->buffer = aux_find(SINK_HANDLE);
	if (!unit->buffer)
		return -EINVAL;
	unit->handle = SINK_HANDLE;
	unit->pos = channel_written(unit->channel);
	return begin(unit);
}

static int sink_disable(struct coresight_device *csdev)
{
	unit_of(csdev)->handle = NULL;
	return 0;
}

static unsigned long sink_update_buffer(struct coresight_device *csdev,
					struct perf_output_handle *handle, void *config)
{
	struct unit *unit = unit_of(csdev);
	struct buffer *b = config;
	unsigned long flags;
	size_t n;

	local_irq_save(flags);
	if (unit->channel) {
		n = unit->handle ? live_take(unit) : 0;
		unit->handle = NULL;
	} else {
		n = play(unit, b, handle);
	}
	local_irq_restore(flags);
	perf_aux_output_flag(handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	/* A snapshot's head only ever grows; perf takes it, not the size. */
	if (b->snapshot)
		handle->head += n;
	return n;
}

static const struct coresight_ops_sink sink_ops_table = {
	.enable		= sink_enable,
	.disable	= sink_disable,
	.alloc_buffer	= aux_alloc,
	.free_buffer	= aux_free,
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
