/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Frames: from a capture to trace streams.  Part of csflow.h, which includes this file. */
#ifndef CSFLOW_FRAME_H
#define CSFLOW_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/**
 * enum csf_framing - how a capture wraps its bytes
 * @CSF_FRAMES_MEMORY: 16-byte frames back to back (ETB, ETF, ETR, perf); barrier frames break the
 *                     streams
 * @CSF_FRAMES_TPIU: frames from a trace port, with full- and half-frame syncs
 * @CSF_FRAMES_DSTREAM: as TPIU, in blocks of 504 bytes, each followed by a trailer of 8 bytes
 */
enum csf_framing { CSF_FRAMES_MEMORY, CSF_FRAMES_TPIU, CSF_FRAMES_DSTREAM };

#define CSF_FRAMES_NO_BARRIER	0x01	/* flags: treat a barrier frame as data, as OpenCSD can */

/* Trace IDs are 7 bits.  Those that carry trace: 0x01..0x6f. */
#define CSF_ID_MAX	0x80

enum csf_frame_kind {
	CSF_FRAME_DATA,		/* @n bytes of the stream @id; CSF_ID_MAX: ID not known yet */
	CSF_FRAME_FSYNC,	/* full-frame sync */
	CSF_FRAME_HSYNC,	/* half-frame sync */
	CSF_FRAME_BARRIER,	/* four FSYNC words: trace was lost here */
	CSF_FRAME_SKIPPED,	/* @n bytes before the first or the next sync */
	CSF_FRAME_BAD,		/* a sync where none can be: sync is lost */
	CSF_FRAME_PARTIAL,	/* @n bytes of a frame that was never completed */
	CSF_FRAME_TRAILER,	/* DSTREAM trailer */
};

/* "full sync" for CSF_FRAME_FSYNC, and so on. */
CSF_API const char *csf_frame_kind_name(enum csf_frame_kind kind);

/**
 * struct csf_frame - one item of a framed capture
 * @offset: offset of its first byte in the capture; exact
 * @data: payload bytes; valid until the next call
 * @n: number of bytes
 * @kind: enum csf_frame_kind
 * @id: trace ID of CSF_FRAME_DATA
 * @at: CSF_FRAME_DATA: offset of each byte in the capture, as ID bytes and syncs may be between two
 *      bytes; valid until the next call
 */
struct csf_frame {
	uint64_t offset;
	const uint8_t *data;
	size_t n;
	uint8_t kind;
	uint8_t id;
	const uint64_t *at;
};

struct csf_frame_stats {
	size_t size;
	uint64_t bytes;			/* of the capture */
	uint64_t id[CSF_ID_MAX];	/* payload bytes by trace ID */
	uint64_t unknown;		/* payload bytes before the first ID */
	uint64_t frames, fsync, hsync, barriers;
	uint64_t overhead;		/* ID and auxiliary bytes */
	uint64_t skipped;		/* bytes out of sync */
	uint64_t bad;			/* losses of sync */
	uint64_t partial;		/* bytes of incomplete frames */
	uint64_t trailer;		/* bytes of DSTREAM trailers */
	uint64_t null;			/* those bytes of @id[0] that are not 0: padding is 0 */
	uint64_t dropped[CSF_ID_MAX];	/* bytes of @id that were fed with no decoder attached */
};

/*
 * A de-framer at offset 0, with no decoder attached.  @flags: CSF_FRAMES_NO_BARRIER;
 * CSF_WITHOUT_FRAMES from csflow-debug.h.
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_MEMORY.
 */
CSF_API int csf_frames_new(struct csf_frames **frames, enum csf_framing framing, uint32_t flags);

/*
 * Decoders and monitors that are attached are not freed, but bytes that they have not used up are:
 * reset or free them before.  NULL is fine.
 */
CSF_API void csf_frames_free(struct csf_frames *frames);

/*
 * Makes @frames as new, at offset 0.  Decoders and monitors stay attached, and are reset, too.
 */
CSF_API void csf_frames_reset(struct csf_frames *frames);

/**
 * csf_attach() - choose the decoder that gets the bytes of a trace ID from here on
 * @id: an ID that carries trace, 0x01..0x6f
 * @dec: new or just reset, borrowed; NULL: the bytes are dropped and counted
 *
 * The decoder that was attached before must have used up its bytes.  The caller may not feed a
 * decoder that is attached.
 *
 * Return: 0; CSF_ERR_ARG also if @dec is attached to another ID; CSF_ERR_MEMORY.
 */
CSF_API int csf_attach(struct csf_frames *frames, uint8_t id, struct csf_decoder *dec);

/*
 * As csf_attach(), for a packet monitor in place of a decoder: an ID has at most one of the two.
 * Read it with csf_monitor_read() until that returns 0.  Where a decoder would get csf_break(), a
 * monitor gets csf_monitor_end().
 *
 * Return: as csf_attach().
 */
CSF_API int csf_attach_monitor(struct csf_frames *frames, uint8_t id, struct csf_monitor *mon);

/**
 * csf_frames_feed() - take a capture apart
 * @data: bytes of the capture, any number of them; it may be split anywhere
 *
 * Takes some of the bytes, at most 1 MiB, and feeds the attached decoders.  Then call csf_next() on
 * each until it returns 0, and call csf_frames_feed() again with the rest.  It stops early at a
 * barrier and where sync is lost, and calls csf_break() for the decoders.
 *
 * Return: number of bytes taken, > 0 if @n is; CSF_ERR_ARG, with no bytes taken, if a decoder has
 * not used up its bytes or csf_frames_watch() is in use.
 */
CSF_API long csf_frames_feed(struct csf_frames *frames, const void *data, size_t n);

/**
 * csf_frames_ahead() - announce what csf_frames_feed() will be given next
 * @data: as in csf_frames_feed(); borrowed until that call, and must not change
 * @n: number of bytes; 0: withdraw the announcement
 *
 * As csf_feed_ahead(), for attached decoders that have threads.  The bytes are taken apart at once.
 * The threads must live as long as the decoders are attached.
 *
 * Return: 0, CSF_ERR_ARG; CSF_ERR_MEMORY, which only means that nothing is done ahead.
 */
CSF_API int csf_frames_ahead(struct csf_frames *frames, const void *data, size_t n);

/*
 * Says that no more bytes follow: csf_end() is called for the decoders, and an incomplete frame is
 * counted and dropped.  Another capture may follow; its offsets go on from this one.
 *
 * Return: 0; CSF_ERR_ARG while csf_frames_watch() is in use; or what csf_end() returned.
 */
CSF_API int csf_frames_end(struct csf_frames *frames);

/*
 * Says that @n bytes of the capture are missing, or an unknown number if @n is 0.  The next bytes
 * do not continue those before: csf_break() is called for the decoders, which must then use up
 * their bytes.  Before the first byte of the capture there is nothing to break off.
 *
 * Return: 0; CSF_ERR_ARG while csf_frames_watch() is in use; or what csf_break() returned.
 */
CSF_API int csf_frames_break(struct csf_frames *frames, uint64_t n);

/**
 * csf_frames_watch() - the raw monitor: show the capture instead of feeding decoders
 * @data: bytes of the capture, borrowed until csf_frames_next() returns 0
 * @last: these are the last bytes; @n may then be 0
 *
 * Return: 0; CSF_ERR_ARG if the bytes before are not used up.
 */
CSF_API int csf_frames_watch(struct csf_frames *frames, const void *data, size_t n, bool last);

/**
 * csf_frames_next() - the next piece of the capture, after csf_frames_watch()
 * @frame: filled in; its arrays are valid until the next call
 *
 * A piece of data is never from two frames.  It is reported when its frame is complete, so after
 * the syncs inside that frame.  Bytes out of sync come in any number of pieces.
 *
 * Return: 1 and a piece; 0: more bytes are needed; CSF_ERR_ARG.
 */
CSF_API int csf_frames_next(struct csf_frames *frames, struct csf_frame *frame);

/**
 * csf_frames_offset() - the offset in the capture of a byte of a stream
 * @id: trace ID, attached
 * @pos: offset in the stream since csf_attach(), as in csf_run.offset.  The byte must be from one
 *       of the last two csf_frames_feed(), or held back by the decoder since
 *
 * Return: offset in the capture; UINT64_MAX if it is not known, or no longer known.
 */
CSF_API uint64_t csf_frames_offset(const struct csf_frames *frames, uint8_t id, uint64_t pos);

/* @stats->size is the caller's sizeof; only that much is filled in. */
CSF_API void csf_frames_stats(const struct csf_frames *frames, struct csf_frame_stats *stats);

#endif /* CSFLOW_FRAME_H */
