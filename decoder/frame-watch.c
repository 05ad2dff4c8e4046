// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The raw monitor of a framed capture: every piece of it, with its offset. */
#include "frames.h"
#include "frame-simd.h"

int csf_frames_watch(struct csf_frames *frames, const void *data, size_t n, bool last)
{
	struct frame_sync *sync;

	if (!frames || (!data && n) || frames->watch.active)
		return CSF_ERR_ARG;
	frames_forget(frames);
	sync = &frames->sync;
	if (n) {
		sync->p = data;
		sync->end = sync->p + n;
	} else {
		sync->p = sync->end;
	}
	sync->last = last;
	frames->stats.bytes += n;
	frames->watch.active = true;
	return 0;
}

/* A frame is complete: splits it into pieces by stream. */
static void open_frame(struct csf_frames *frames)
{
	struct frame_watch *watch = &frames->watch;
	struct frame_demux *demux = &frames->demux;

	watch->n = frame_pieces(watch->item.data, &demux->id, watch->piece);
	watch->i = 0;
	frame_expand_plain(watch->bytes, watch->item.data);
	demux->frames++;
	frames->stats.overhead += 1 + __builtin_popcount(frame_ids(watch->item.data));
}

/* The input is used up; if it was the last of a capture, another may follow. */
static int close_watch(struct csf_frames *frames)
{
	frames->watch.active = false;
	if (frames->sync.last) {
		frame_sync_start(&frames->sync, frames->sync.offset);
		frames->demux.id = CSF_ID_MAX;
	}
	return 0;
}

static int show_piece(struct csf_frames *frames, struct csf_frame *frame)
{
	struct frame_watch *watch = &frames->watch;
	const struct frame_piece *piece = &watch->piece[watch->i++];
	const struct frame_item *item = &watch->item;
	unsigned int n = 0;
	unsigned int i;

	for (i = 0; i < 15; i++) {
		if (!(piece->mask & BIT(i)))
			continue;
		watch->at[n] = item->at ? item->at[i] : item->offset + i;
		watch->out[n++] = watch->bytes[i];
	}
	if (piece->id == CSF_ID_MAX)
		frames->stats.unknown += n;
	else
		frames->stats.id[piece->id] += n;
	if (!piece->id)
		frames->stats.null += frames_null(watch->out, n);
	*frame = (struct csf_frame) {
		.offset = watch->at[0], .data = watch->out, .n = n, .kind = CSF_FRAME_DATA,
		.id = piece->id, .at = watch->at,
	};
	return 1;
}

int csf_frames_next(struct csf_frames *frames, struct csf_frame *frame)
{
	struct frame_watch *watch;

	if (!frames || !frame)
		return CSF_ERR_ARG;
	watch = &frames->watch;
	while (watch->i == watch->n) {
		if (!watch->active)
			return 0;
		if (!frame_sync_next(&frames->sync, &watch->item))
			return close_watch(frames);
		if (watch->item.kind == CSF_FRAME_DATA) {
			open_frame(frames);
			continue;
		}
		frames_count(frames, &watch->item);
		*frame = (struct csf_frame) {
			.offset = watch->item.offset, .data = watch->item.data,
			.n = watch->item.n, .kind = watch->item.kind,
		};
		return 1;
	}
	return show_piece(frames, frame);
}
