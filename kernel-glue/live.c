// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>

#include "aux.h"
#include "channel.h"
#include "csf_abi.h"
#include "live.h"
#include "unit.h"

#define ROOM_MIN	PAGE_SIZE	/* with less, it is not worth while */

/* A snapshot keeps the newest bytes; a larger one than the channel is written by interrupts. */
static bool wraps(const struct unit *unit)
{
	const struct buffer *b = unit->buffer;

	return b->snapshot && (!unit->has_irq || b->size <= CSF_CHANNEL_BYTES);
}

/*
 * After how many bytes the record ends: when the reader wants to be woken, or at half of the room,
 * because the unit writes on until the interrupt is there.
 */
static size_t record_size(const struct unit *unit, size_t room)
{
	const struct perf_output_handle *handle = unit->handle;
	size_t n = max_t(size_t, room / 2, min_t(size_t, room, ROOM_MIN));

	if (!unit->buffer->snapshot && handle->wakeup > handle->head)
		n = min_t(size_t, n, handle->wakeup - handle->head);
	return n;
}

/* @room, @record: bytes from @unit->pos; 0: not used */
static void allow(struct unit *unit, u32 flags, size_t room, size_t record)
{
	struct csf_channel *channel = unit->channel;

	WRITE_ONCE(channel->flags, flags);
	WRITE_ONCE(channel->limit, room ? unit->pos + room : 0);
	WRITE_ONCE(channel->signal, record && unit->has_irq ? unit->pos + record : 0);
	WRITE_ONCE(channel->full, 0);
}

int live_allow(struct unit *unit)
{
	size_t room = CSF_CHANNEL_BYTES;

	if (!unit->buffer->snapshot)
		room = min_t(size_t, room, unit->handle->size);
	if (room < ROOM_MIN)
		return -ENOSPC;
	if (wraps(unit))
		allow(unit, CSF_CHANNEL_WRAP, 0, 0);
	else
		allow(unit, 0, room, record_size(unit, room));
	return 0;
}

void live_allow_all(struct unit *unit)
{
	allow(unit, 0, CSF_CHANNEL_BYTES, CSF_CHANNEL_BYTES / 2);
}

void live_forbid(struct unit *unit)
{
	struct csf_channel *channel = unit->channel;

	WRITE_ONCE(channel->flags, 0);
	WRITE_ONCE(channel->signal, 0);
	WRITE_ONCE(channel->limit, channel_written(channel));
}

static void copy(const struct unit *unit, u64 at, size_t to, size_t n)
{
	while (n) {
		size_t part = n;
		const u8 *from = channel_bytes(unit->channel, at, &part);

		aux_put(unit->buffer, to, from, part);
		at += part;
		to += part;
		n -= part;
	}
}

/*
 * As a TRBE's driver does: the flag TRUNCATED, which stops the event, is for a buffer that is full;
 * otherwise it goes on.
 */
static void flag_loss(const struct unit *unit, size_t n)
{
	struct perf_output_handle *handle = unit->handle;
	const bool full = !unit->buffer->snapshot && handle->size - n < ROOM_MIN;

	perf_aux_output_flag(handle, full ? PERF_AUX_FLAG_TRUNCATED : PERF_AUX_FLAG_COLLISION);
}

static void count(struct unit *unit, size_t sent, size_t lost)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&unit->lock, flags);
	unit->sent += sent;
	unit->lost += lost;
	raw_spin_unlock_irqrestore(&unit->lock, flags);
}

/* The newest bytes, and in a larger buffer nothing older, because the two do not join. */
static size_t take_newest(struct unit *unit, u64 end)
{
	const struct buffer *b = unit->buffer;
	const size_t n = min_t(u64, end - unit->pos, min_t(size_t, b->size, CSF_CHANNEL_BYTES));
	const size_t empty = end - unit->pos > n ? b->size - n : 0;
	const size_t head = unit->handle->head;

	aux_fill(b, head, CSF_ABI_IGNORE_BYTE, empty);
	copy(unit, end - n, head + empty, n);
	count(unit, n, end - unit->pos - n);
	return empty + n;
}

static size_t take_all(struct unit *unit, u64 end)
{
	const struct buffer *b = unit->buffer;
	const size_t room = b->snapshot ? CSF_CHANNEL_BYTES : unit->handle->size;
	const size_t n = min_t(u64, end - unit->pos, room);
	const size_t beyond = end - unit->pos - n;

	if (beyond)
		pr_warn_once("the trace unit of CPU %d wrote %zu bytes beyond its limit\n",
			     unit->cpu, beyond);
	copy(unit, unit->pos, unit->handle->head, n);
	if (beyond || READ_ONCE(unit->channel->full))
		flag_loss(unit, n);
	count(unit, n, beyond);
	return n;
}

size_t live_take(struct unit *unit)
{
	const u64 end = channel_written(unit->channel);
	const size_t n = wraps(unit) ? take_newest(unit, end) : take_all(unit, end);

	unit->pos = end;
	return n;
}
