/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Frames: trace streams out of a capture.  Part of csflow.h, which includes it.
 */
#ifndef CSFLOW_FRAME_H
#define CSFLOW_FRAME_H

#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/**
 * enum csf_framing - how a capture wraps its bytes
 * @CSF_FRAMES_MEMORY: 16-byte frames back to back (ETB, ETF, ETR, perf); barrier frames cut
 * @CSF_FRAMES_TPIU: frames from a trace port, with full- and half-frame syncs
 * @CSF_FRAMES_DSTREAM: as TPIU, in blocks of 504 bytes with 8 bytes of trailer
 */
enum csf_framing { CSF_FRAMES_MEMORY, CSF_FRAMES_TPIU, CSF_FRAMES_DSTREAM };

#define CSF_FRAMES_NO_BARRIER	0x01	/* flags: take a barrier frame for data, as OpenCSD can */

/* Trace IDs are 7 bits.  Those that carry trace: 0x01..0x6f. */
#define CSF_ID_MAX	0x80

enum csf_frame_kind {
	CSF_FRAME_DATA,		/* @n bytes of the stream @id; CSF_ID_MAX: ID not known yet */
	CSF_FRAME_FSYNC,	/* full-frame sync */
	CSF_FRAME_HSYNC,	/* half-frame sync */
	CSF_FRAME_BARRIER,	/* four FSYNC words: trace was lost here */
	CSF_FRAME_SKIPPED,	/* @n bytes before the first, or the next, sync */
	CSF_FRAME_BAD,		/* a sync where none can be; sync is lost */
	CSF_FRAME_PARTIAL,	/* @n bytes of a frame that never was completed */
	CSF_FRAME_TRAILER,	/* DSTREAM trailer */
};

/* "full sync" for CSF_FRAME_FSYNC, and so on */
CSF_API const char *csf_frame_kind_name(enum csf_frame_kind kind);

/**
 * struct csf_frame - one thing in a framed capture
 * @offset: of its first byte in the capture; exact
 * @data: payload bytes; hold until the next call
 * @n: of them
 * @kind: enum csf_frame_kind
 * @id: trace ID of CSF_FRAME_DATA
 * @at: CSF_FRAME_DATA: offset of each byte in the capture: there may be ID bytes and syncs between
 *      two of them; holds as long
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
	uint64_t null;			/* of @id[0], bytes that are not 0: padding is 0 */
	uint64_t dropped[CSF_ID_MAX];	/* of @id, bytes that were fed while nobody was attached */
};

/*
 * @flags: CSF_FRAMES_NO_BARRIER; CSF_WITHOUT_FRAMES of csflow-debug.h.
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_MEMORY.
 */
CSF_API int csf_frames_new(struct csf_frames **frames, enum csf_framing framing, uint32_t flags);

/* Bytes that the decoders have not used up go with it: reset or free them before. */
CSF_API void csf_frames_free(struct csf_frames *frames);

/* As new, offset 0 included; what is attached stays, and is told csf_reset(). */
CSF_API void csf_frames_reset(struct csf_frames *frames);

/**
 * csf_attach() - choose who gets the bytes of a trace ID from here on
 * @id: one that carries trace, 0x01..0x6f
 * @dec: new or just reset, borrowed; NULL: the bytes are dropped and counted
 *
 * The decoder that was attached before must be used up.  Nobody else may feed an attached one.
 *
 * Return: 0; CSF_ERR_ARG also if @dec is attached to another ID; CSF_ERR_MEMORY.
 */
CSF_API int csf_attach(struct csf_frames *frames, uint8_t id, struct csf_decoder *dec);

/*
 * The same for a packet monitor, in place of a decoder: of both an ID has one.  It is read with
 * csf_monitor_read() until that returns 0, and told csf_monitor_end() where a decoder is told to
 * csf_break().
 */
CSF_API int csf_attach_monitor(struct csf_frames *frames, uint8_t id, struct csf_monitor *mon);

/**
 * csf_frames_feed() - take a capture apart
 * @data: bytes of the capture, any number of them; any split will do
 *
 * Takes some of them, at most 1 MiB, and feeds the attached decoders.  Then call csf_next() on
 * each until it returns 0, and come back with the rest.  At a barrier, and where sync is lost,
 * it stops early: the decoders are then told to csf_break().
 *
 * Return: bytes taken, > 0 if @n is; CSF_ERR_ARG, and nothing is taken, if a decoder is not
 * used up or the monitor is at work.
 */
CSF_API long csf_frames_feed(struct csf_frames *frames, const void *data, size_t n);

/**
 * csf_frames_ahead() - tell what csf_frames_feed() will be given next
 * @data: as there; borrowed until then, and must not change
 * @n: 0: it is not known any more
 *
 * As csf_feed_ahead(), for decoders that have threads; it is taken apart at once.  They must live
 * as long as they are attached.
 *
 * Return: 0, CSF_ERR_ARG; CSF_ERR_MEMORY, and then it was only in vain.
 */
CSF_API int csf_frames_ahead(struct csf_frames *frames, const void *data, size_t n);

/*
 * No more bytes: the decoders are told csf_end(); an incomplete frame is counted and dropped.
 * Then another capture may follow, with the offsets going on.
 */
CSF_API int csf_frames_end(struct csf_frames *frames);

/*
 * @n bytes of the capture are missing, 0: nobody knows how many.  What comes next does not go
 * with what came before: the decoders are told to csf_break(), and must then be used up.
 */
CSF_API int csf_frames_break(struct csf_frames *frames, uint64_t n);

/**
 * csf_frames_watch() - the raw monitor: instead of decoders being fed, see what is there
 * @data: bytes of the capture, borrowed until csf_frames_next() returned 0
 * @last: these are the last bytes; @n may be 0
 *
 * Return: 0; CSF_ERR_ARG if the bytes before are not used up.
 */
CSF_API int csf_frames_watch(struct csf_frames *frames, const void *data, size_t n, bool last);

/**
 * csf_frames_next() - the next piece of the capture
 *
 * A piece of data is never from two frames.  It is shown when its frame is whole, so behind
 * the syncs inside it.  Bytes out of sync come in as many pieces as pleases.
 *
 * Return: 1 and a piece, 0: give more.
 */
CSF_API int csf_frames_next(struct csf_frames *frames, struct csf_frame *frame);

/**
 * csf_frames_offset() - where in the capture a byte of a stream was
 * @id: trace ID, attached
 * @pos: offset in the stream since csf_attach(), as in csf_run.offset, of a byte of the last or
 *       the last but one csf_frames_feed(), or held back by the decoder since
 *
 * Return: offset in the capture; UINT64_MAX if it is not known (any more).
 */
CSF_API uint64_t csf_frames_offset(const struct csf_frames *frames, uint8_t id, uint64_t pos);

/* @stats->size is the caller's sizeof; that much is filled in. */
CSF_API void csf_frames_stats(const struct csf_frames *frames, struct csf_frame_stats *stats);

#endif /* CSFLOW_FRAME_H */
