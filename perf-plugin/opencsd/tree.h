/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A decode tree: a capture in, taken apart by trace ID.
 *
 * The client gives bytes and is told how many were taken.  It may answer any
 * element with "wait": then nothing more is handed out until it flushes.  Bytes
 * are copied when they are taken, for it may be that it never shows them again.
 *
 * perf has two habits that this makes good for: it never says where trace ends,
 * and when all bytes are taken it does not come back for elements that still
 * wait.  So at the end of what was given everything whole is decoded; and as long
 * as elements wait, the last byte (of frames: the last frame) is said to be not
 * taken.
 */
#ifndef OPENCSD_TREE_H
#define OPENCSD_TREE_H

#include "source.h"

#define TREE_CHUNK	32768u	/* taken at a time; frames are whole in it */
#define TREE_BATCH	4096u	/* of one trace ID */
#define TREE_FRAME	16u

/**
 * struct tree - what a handle stands for
 * @framed: trace is in frames, and @frames takes them apart; else there is one source
 * @by_id: sources; @source: the same, @n_source of them
 * @taken: bytes of the capture
 * @delta: what the client's index is more than that
 * @held: bytes taken that the client was not told of
 * @chunk: @n_chunk bytes, being worked on; the first is byte @chunk_at of the capture
 * @frame_base: frames begin at multiples of 16 from here
 * @last: what the sources have to do behind the chunk: enum source_then
 * @sweep: what they have to do now; @at_source: the next one
 * @working: it is not done
 * @batch: @n_batch bytes of @batch_id, on their way to their source
 * @ahead: a piece that was found behind that
 * @release: the OpenCSD that it stands for: $CSFLOW_OPENCSD
 * @commits: what is not committed at the end of what was given is taken for what happened
 * @exact: elements have the index of their packet; else of one shortly before
 * @busy: in a call of the client's
 * @unknown: bytes of trace IDs that have no source
 */
struct tree {
	bool framed;
	struct csf_frames *frames;
	struct memory memory;
	struct source *by_id[CSF_ID_MAX];
	struct source *source[CSF_ID_MAX];
	size_t n_source;

	abi_element_fn element;
	const void *element_context;
	bool prints;
	struct log_sink log;
	struct out *out;		/* a line being made */

	uint64_t taken;
	uint32_t delta;
	size_t held;
	uint8_t chunk[TREE_CHUNK];
	size_t n_chunk;
	uint64_t chunk_at;
	uint64_t frame_base;
	uint8_t last, sweep;		/* enum source_then */
	const struct ocsd_release *release;
	bool commits, exact, busy;
	struct source *working;
	size_t at_source;

	uint8_t batch[TREE_BATCH];
	size_t n_batch;
	unsigned int batch_id;
	uint64_t batch_idx;
	struct csf_frame ahead;
	bool has_ahead;
	uint64_t unknown;
};

/* @flags: ABI_FRAMES_x.  NULL: no memory. */
/* The OpenCSD that the library stands for: $CSFLOW_OPENCSD, or else the newest. */
const struct ocsd_release *tree_release(void);

struct tree *tree_new(uint32_t type, uint32_t flags);
void tree_free(struct tree *t);

/* Return: enum abi_err. */
int tree_add(struct tree *t, const struct csf_config *config, uint8_t id, uint32_t flags);
int tree_remove(struct tree *t, uint8_t id);

/* Return: enum abi_resp.  @taken: bytes of @n. */
uint32_t tree_data(struct tree *t, uint32_t index, const uint8_t *p, size_t n, uint32_t *taken);
uint32_t tree_flush(struct tree *t);
uint32_t tree_end(struct tree *t);
uint32_t tree_reset(struct tree *t);

/* The index that the client has for byte @at of the capture. */
static inline uint32_t tree_index(const struct tree *t, uint64_t at)
{
	return (uint32_t)at + t->delta;
}

/* A line: begun, and handed to the client. */
struct out *tree_line(struct tree *t, uint32_t index, uint8_t id);
void tree_say(struct tree *t);

#endif /* OPENCSD_TREE_H */
