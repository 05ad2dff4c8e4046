/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A decode tree: takes a capture apart by trace ID.
 *
 * The client gives bytes and is told how many were taken.  It may answer any element with "wait":
 * then nothing more is passed on until it flushes.  Bytes are copied when they are taken, as the
 * client may never show them again.
 *
 * Two habits of perf need compensation: it never says where trace ends, and when all bytes are
 * taken it does not come back for elements that still wait.  So at the end of each call, everything
 * whole is decoded; and as long as elements wait, the last byte (with frames: the last frame) is
 * reported as not taken.
 */
#ifndef OPENCSD_TREE_H
#define OPENCSD_TREE_H

#include "source.h"

#define TREE_CHUNK	32768u	/* bytes taken at a time; a whole number of frames */
#define TREE_BATCH	4096u	/* bytes of one trace ID */
#define TREE_FRAME	16u

/**
 * struct tree - a decode tree, which a handle points to
 * @framed: trace is in frames, and @frames takes them apart; otherwise there is one source
 * @by_id: sources by ID; @source: the same as a list, @n_source of them
 * @taken: number of bytes of the capture taken
 * @delta: difference of the client's index from that
 * @held: bytes that were taken but not reported as taken
 * @chunk: the @n_chunk bytes being worked on; the first is byte @chunk_at of the capture
 * @frame_base: frames begin at multiples of 16 from this offset
 * @last: what the sources have to do after the chunk: enum source_then
 * @sweep: what they have to do now; @at_source: the next one
 * @working: the chunk is not done
 * @batch: @n_batch bytes of @batch_id, on their way to their source
 * @ahead: a piece that was found after these
 * @release: the release of OpenCSD that it imitates: $CSFLOW_OPENCSD
 * @commits: elements that are uncommitted at the end of what was given count as executed
 * @exact: elements have the index of their packet; otherwise that of one shortly before
 * @busy: a function of the client is being called
 * @unknown: bytes of trace IDs without a source
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
	struct out *out;		/* a line in the making */

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
/* The release of OpenCSD that the library imitates: $CSFLOW_OPENCSD, or else the newest. */
const struct ocsd_release *tree_release(void);

struct tree *tree_new(uint32_t type, uint32_t flags);
void tree_free(struct tree *t);

/* Return: enum abi_err. */
int tree_add(struct tree *t, const struct csf_config *config, uint8_t id, uint32_t flags);
int tree_remove(struct tree *t, uint8_t id);

/* Return: enum abi_resp.  @taken: set to the number of bytes taken. */
uint32_t tree_data(struct tree *t, uint32_t index, const uint8_t *p, size_t n, uint32_t *taken);
uint32_t tree_flush(struct tree *t);
uint32_t tree_end(struct tree *t);
uint32_t tree_reset(struct tree *t);

/* The client's index for byte @at of the capture. */
static inline uint32_t tree_index(const struct tree *t, uint64_t at)
{
	return (uint32_t)at + t->delta;
}

/* Starts a line; passes it to the client. */
struct out *tree_line(struct tree *t, uint32_t index, uint8_t id);
void tree_say(struct tree *t);

#endif /* OPENCSD_TREE_H */
