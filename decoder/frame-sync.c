// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Synchronisation: cuts a capture into whole frames and what is between them
 *
 * In a stream from a trace port, FF at an even position of a frame can only begin a sync: as an ID
 * it would be 0x7f, which is never used.  FF 7F is a half-frame sync, valid anywhere; FF FF FF 7F
 * is a full-frame sync, valid between frames.  Both are dropped, and the current ID stays.
 *
 * Source: ARM IHI 0029, "Synchronization packets".
 */
#include "frame-sync.h"
#include "frame-simd.h"

void frame_sync_start(struct frame_sync *sync, uint64_t offset)
{
	sync->p = NULL;
	sync->end = NULL;
	sync->offset = offset;
	sync->n = 0;
	sync->n_held = 0;
	sync->block = 0;
	sync->bad = 0;
	sync->locked = sync->framing == CSF_FRAMES_MEMORY;
	sync->last = false;
}

static void append(struct frame_sync *sync)
{
	sync->at[sync->n] = sync->offset;
	sync->part[sync->n++] = *sync->p;
	frame_sync_skip(sync, 1);
}

/* Makes the first @n bytes of @part an item. */
static bool drop(struct frame_sync *sync, struct frame_item *item, unsigned int n,
		 enum csf_frame_kind kind)
{
	memcpy(sync->held, sync->part, n);
	*item = (struct frame_item) {
		.offset = sync->at[0], .data = sync->held, .n = n, .kind = kind,
	};
	sync->n -= n;
	memmove(sync->part, sync->part + n, sync->n);
	memmove(sync->at, sync->at + n, sync->n * sizeof(sync->at[0]));
	return true;
}

/* Makes the next @n bytes of the input an item. */
static bool take(struct frame_sync *sync, struct frame_item *item, size_t n,
		 enum csf_frame_kind kind)
{
	*item = (struct frame_item) {
		.offset = sync->offset, .data = sync->p, .n = n, .kind = kind,
	};
	frame_sync_skip(sync, n);
	return true;
}

/* Makes a trailer, or as much of it as there is, an item. */
static bool show_trailer(struct frame_sync *sync, struct frame_item *item)
{
	*item = (struct frame_item) {
		.offset = sync->offset - sync->n_held, .data = sync->held, .n = sync->n_held,
		.kind = CSF_FRAME_TRAILER,
	};
	sync->n_held = 0;
	return true;
}

/* The bytes that are left when no more input follows. */
static bool rest(struct frame_sync *sync, struct frame_item *item)
{
	if (!sync->last)
		return false;
	if (sync->n_held)
		return show_trailer(sync, item);
	if (sync->n)
		return drop(sync, item, sync->n,
			    sync->locked ? CSF_FRAME_PARTIAL : CSF_FRAME_SKIPPED);
	return false;
}

static enum csf_frame_kind memory_kind(const uint8_t *frame)
{
	unsigned int i;

	if (get_le32(frame) != FRAME_FSYNC)
		return CSF_FRAME_DATA;
	for (i = 4; i < FRAME_SIZE; i += 4)
		if (get_le32(frame + i) != FRAME_FSYNC)
			return CSF_FRAME_BAD;
	return CSF_FRAME_BARRIER;
}

static bool memory_next(struct frame_sync *sync, struct frame_item *item)
{
	if (!sync->n && sync->end - sync->p >= FRAME_SIZE) {
		take(sync, item, FRAME_SIZE, CSF_FRAME_DATA);
	} else {
		while (sync->n < FRAME_SIZE && sync->p != sync->end)
			append(sync);
		if (sync->n < FRAME_SIZE)
			return rest(sync, item);
		drop(sync, item, FRAME_SIZE, CSF_FRAME_DATA);
	}
	if (sync->barriers)
		item->kind = memory_kind(item->data);
	return true;
}

/* The 8 bytes after the payload of a DSTREAM block. */
static bool trailer(struct frame_sync *sync, struct frame_item *item)
{
	while (sync->block < FRAME_BLOCK) {
		if (sync->p == sync->end)
			return false;
		sync->held[sync->n_held++] = *sync->p;
		frame_sync_skip(sync, 1);
	}
	sync->block = 0;
	return show_trailer(sync, item);
}

/* How many of the last of @n bytes can begin an FSYNC; 4: they are one. */
static unsigned int fsync_begins(const uint8_t *p, unsigned int n)
{
	unsigned int ff = 0;

	if (n == 4 && get_le32(p) == FRAME_FSYNC)
		return 4;
	while (ff < 3 && ff < n && p[n - 1 - ff] == 0xff)
		ff++;
	return ff;
}

/* Where an FSYNC is, or may begin, in @n bytes; @n: nowhere. */
static size_t fsync_find(const uint8_t *p, size_t n)
{
	const uint8_t *q = memchr(p, 0xff, n);

	while (q && q + 4 <= p + n && get_le32(q) != FRAME_FSYNC)
		q = memchr(q + 1, 0xff, p + n - q - 1);
	return q ? (size_t)(q - p) : n;
}

/* Out of sync: look for an FSYNC, at any byte. */
static bool hunt(struct frame_sync *sync, struct frame_item *item)
{
	const unsigned int good = fsync_begins(sync->part, sync->n);
	const size_t room = frame_sync_room(sync);
	size_t n;

	if (good < sync->n)
		return drop(sync, item, sync->n - good, CSF_FRAME_SKIPPED);
	if (good == 4) {
		sync->locked = true;
		return drop(sync, item, 4, CSF_FRAME_FSYNC);
	}
	if (!room)
		return false;
	n = sync->n ? 0 : fsync_find(sync->p, room);
	if (n)
		return take(sync, item, n, CSF_FRAME_SKIPPED);
	append(sync);
	return false;
}

/* Makes the last two bytes of @part a separate item. */
static bool half_sync(struct frame_sync *sync, struct frame_item *item)
{
	sync->n -= 2;
	*item = (struct frame_item) {
		.offset = sync->at[sync->n], .data = sync->part + sync->n, .n = 2,
		.kind = CSF_FRAME_HSYNC,
	};
	return true;
}

/* In sync, byte by byte: for frames with syncs in them or cut by the end of a chunk or block. */
static bool collect(struct frame_sync *sync, struct frame_item *item)
{
	const uint8_t *pair;

	append(sync);
	if (sync->n % 2)
		return false;
	pair = sync->part + sync->n - 2;
	if (sync->n == 4 && sync->part[0] == 0xff) {
		if (get_le32(sync->part) == FRAME_FSYNC)
			return drop(sync, item, 4, CSF_FRAME_FSYNC);
		sync->bad = 4;
	} else if (pair[0] == 0xff) {
		if (pair[1] == 0x7f)
			return half_sync(sync, item);
		if (sync->n > 2 || pair[1] != 0xff)
			sync->bad = 2;
	} else if (sync->n == FRAME_SIZE) {
		*item = (struct frame_item) {
			.offset = sync->at[0], .data = sync->part, .at = sync->at,
			.n = FRAME_SIZE, .kind = CSF_FRAME_DATA,
		};
		sync->n = 0;
		return true;
	}
	return false;
}

/*
 * Sync is lost: reports first the incomplete frame, then the loss; the bad bytes may be an FSYNC.
 */
static bool lose(struct frame_sync *sync, struct frame_item *item)
{
	if (sync->n > sync->bad)
		return drop(sync, item, sync->n - sync->bad, CSF_FRAME_PARTIAL);
	*item = (struct frame_item) {
		.offset = sync->at[0], .data = sync->part, .kind = CSF_FRAME_BAD,
	};
	sync->bad = 0;
	sync->locked = false;
	return true;
}

static bool port_next(struct frame_sync *sync, struct frame_item *item)
{
	const size_t room = frame_sync_room(sync);

	if (!sync->locked)
		return hunt(sync, item);
	if (!sync->n && room >= 4 && get_le32(sync->p) == FRAME_FSYNC)
		return take(sync, item, 4, CSF_FRAME_FSYNC);
	if (!sync->n && room >= FRAME_SIZE && !frame_has_sync(sync->p))
		return take(sync, item, FRAME_SIZE, CSF_FRAME_DATA);
	return room && collect(sync, item);
}

bool frame_sync_next(struct frame_sync *sync, struct frame_item *item)
{
	const uint8_t *p;

	if (sync->framing == CSF_FRAMES_MEMORY)
		return memory_next(sync, item);
	for (;;) {
		if (sync->bad)
			return lose(sync, item);
		p = sync->p;
		if (port_next(sync, item))
			return true;
		if (sync->p != p)
			continue;
		/* the payload is used up */
		if (sync->p == sync->end)
			return rest(sync, item);
		if (trailer(sync, item))
			return true;
	}
}
