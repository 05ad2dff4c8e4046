/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace ID of a tree: bytes in, packets and elements to the client.
 *
 *	source_give(s, p, n, idx);
 *	while ((resp = source_work(s)) is a wait)
 *		... later
 *
 * What was given is borrowed until source_work() answers that it is done.
 */
#ifndef OPENCSD_SOURCE_H
#define OPENCSD_SOURCE_H

#include "element.h"
#include "log.h"
#include "memory.h"
#include "packet.h"

#define SOURCE_PLACES	4096	/* a power of two */
#define SOURCE_FOUND	8	/* packets that one byte can end, and some more */

struct tree;

/* Byte @pos of the stream has the index @idx; those behind it, up to the next place, count on. */
struct source_place {
	uint64_t pos, idx;
};

/* What is to be done when what was given is used up. */
enum source_then {
	SOURCE_KEEP,		/* nothing */
	SOURCE_SURE,		/* decode what is sure */
	SOURCE_WHOLE,		/* and what is whole */
	SOURCE_TAIL,		/* and what is not committed */
	SOURCE_COMMIT,		/* (the second half of that) */
	SOURCE_BREAK,		/* trace is missing here */
	SOURCE_END,		/* no more comes */
	SOURCE_ENDED,		/* (the second half of that) */
};

/**
 * struct source - a trace ID that has a decoder
 * @decodes: elements are wanted, not just packets
 * @dec: and the rest only if @decodes
 * @unsynced: the client knows that there is no sync; @reason: what it is told next
 * @overflowed: that is because of an overflow
 * @ended: what elements come now come of the end of trace
 * @place: the last ones, @n_place of them in all; @at_place: that of the last element
 * @pos: bytes noted
 * @skipping: the last packet was bytes out of sync
 * @in: @n_in bytes still to be read; the first has @in_idx
 * @found: packets that the reader has found, from @at_found to @n_found still to be handed out
 */
struct source {
	struct tree *tree;
	uint8_t id;
	uint32_t protocol;
	struct csf_config config;
	bool decodes;

	struct csf_decoder *dec;
	struct csf_elements it;
	struct csf_run run;
	bool in_run;
	uint8_t then;			/* enum source_then */
	struct memory_view view;
	struct ocsd_sticky sticky;
	bool unsynced, overflowed, ended;
	uint8_t reason;			/* enum abi_unsync */
	uint64_t lost;			/* P0 elements not committed at a reset */

	struct source_place place[SOURCE_PLACES];
	uint64_t n_place, at_place;
	uint64_t pos;

	struct ocsd_reader reader;
	struct ocsd_history history;
	bool prints, prints_bytes, skipping;
	abi_sink_fn sink;
	const void *sink_context;
	abi_monitor_fn monitor;
	const void *monitor_context;
	const uint8_t *in;
	size_t n_in;
	uint64_t in_idx;
	struct ocsd_found found[SOURCE_FOUND];
	unsigned int at_found, n_found;

	struct abi_stats stats;
	struct csf_stats seen;		/* when @stats were last brought up to date */
};

/* @config: owned by nobody.  Return: enum abi_err. */
int source_new(struct source **source, struct tree *tree, const struct csf_config *config,
	       uint8_t id, uint32_t flags);
void source_free(struct source *s);

/* The next @n bytes of the stream have the indexes from @idx on. */
void source_note(struct source *s, size_t n, uint64_t idx);

/* The client wants packets. */
static inline bool source_watched(const struct source *s)
{
	return s->prints || s->sink || s->monitor || !s->decodes;
}

/* @n bytes that were noted; what was given before must be done. */
void source_give(struct source *s, const uint8_t *p, size_t n, uint64_t idx);

/* What is to be done with what the decoder holds back. */
void source_then(struct source *s, enum source_then then);

/* Return: enum abi_resp; below ABI_WAIT: it is done. */
uint32_t source_work(struct source *s);

/* As new. */
void source_reset(struct source *s);

/* The image is another one. */
int source_renew(struct source *s);

struct abi_stats *source_stats(struct source *s);
void source_reset_stats(struct source *s);

#endif /* OPENCSD_SOURCE_H */
