/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One trace ID of a tree: from bytes to packets and elements for the client.
 *
 *	source_give(s, p, n, idx);
 *	while ((resp = source_work(s)) is a wait)
 *		... later
 *
 * The bytes that were given are borrowed until source_work() says that it is done.
 */
#ifndef OPENCSD_SOURCE_H
#define OPENCSD_SOURCE_H

#include "element.h"
#include "element-older.h"
#include "log.h"
#include "memory.h"
#include "packet.h"
#include "packet-message.h"

#define SOURCE_INDEXES	4096	/* a power of two */
#define SOURCE_FOUND	8	/* packets that one byte can complete, and some spare */

struct tree;

/*
 * Byte @pos of the stream has the index @idx; the indices of later bytes, up to the next @pos,
 * follow it.
 */
struct source_index {
	uint64_t pos, idx;
};

/* The next action when all bytes that were given are used up. */
enum source_then {
	SOURCE_KEEP,		/* nothing */
	SOURCE_SURE,		/* decode what is certain */
	SOURCE_WHOLE,		/* and all whole packets */
	SOURCE_TAIL,		/* and uncommitted elements */
	SOURCE_COMMIT,		/* (the second half of that) */
	SOURCE_BREAK,		/* trace is missing here */
	SOURCE_END,		/* no bytes follow */
	SOURCE_ENDED,		/* (the second half of that) */
	SOURCE_BROKEN,		/* ETMv3, PTM: and now nothing is left of the trace before */
	SOURCE_DONE,		/* likewise, at the end */
};

/* ETMv3, PTM: a packet that the decoder has, and that may still have elements. */
struct source_packet {
	struct csf_packet pkt;
	uint64_t pos, at;	/* in what the decoder has, and in the stream */
};

/* ETMv3, PTM: an element for a client that waits. */
struct source_made {
	struct abi_element element;
	uint64_t idx;
};

/**
 * struct source_older - what ETMv3 and PTM have besides
 * @etm3, @ptm: the last packet
 * @fed: bytes that the decoder has; @skew: bytes that it never gets, before the next ones
 * @packet: @n of them from @first on; @room: allocated; @followed: @follow has the first
 * @made: from @at_made to @n_made; @made_room: allocated
 * @resp: the answer to the last element, enum abi_resp
 * @failed: there was no memory
 * @pauses: when the bytes that were given are read, the reader is to know
 */
struct source_older {
	struct abi_etm3_packet etm3;
	struct abi_ptm_packet ptm;
	struct ocsd_follow follow;
	uint64_t fed, skew;
	struct source_packet *packet;
	size_t first, n, room;
	struct source_made *made;
	size_t at_made, n_made, made_room;
	uint32_t resp;
	bool followed, failed, pauses;
};

#define SOURCE_WINDOW	512	/* bytes of STM or ITM that are looked at together */

/**
 * struct source_message - what STM and ITM have in place of a decoder
 * @itm: it is an ITM, @of_itm; otherwise @of_stm
 * @byte: the next bytes, @n of them; @idx: the index of each; @at: the next nibble in them
 * @synced: packets are read; otherwise a sync is looked for
 * @says: a NO_SYNC is due, because of @reason, enum abi_unsync
 * @made: elements of the last packet, from @at_made to @n_made; they have the index @made_idx
 */
struct source_message {
	struct ocsd_stm of_stm;
	struct ocsd_itm of_itm;
	bool itm, synced, says;
	uint8_t reason;
	uint8_t byte[SOURCE_WINDOW];
	uint64_t idx[SOURCE_WINDOW];
	size_t n, at;
	struct abi_element made[3];
	unsigned int at_made, n_made;
	uint64_t made_idx;
};

/**
 * struct source - a trace ID with a decoder
 * @decodes: elements are wanted, not just packets
 * @dec: this and the following only if @decodes
 * @unsynced: the client was told that there is no sync; @reason: the next reason to report
 * @overflowed: an overflow is the reason
 * @ended: elements from now on are due to the end of trace
 * @index: the last ones, @n_index of them ever; @at_index: that of the last element
 * @pos: number of bytes noted
 * @skipping: the last packet was bytes out of sync
 * @in: @n_in bytes still to be read; the first has the index @in_idx
 * @found: packets that the reader has found; those from @at_found to @n_found are not passed on yet
 */
struct source {
	struct tree *tree;
	uint8_t id;
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
	uint64_t lost;			/* P0 elements that were uncommitted at a reset */

	struct source_index index[SOURCE_INDEXES];
	uint64_t n_index, at_index;
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

	struct source_older *older;	/* owned; of ETMv3 and PTM */
	struct source_message *message;	/* owned; of STM and ITM, which have no decoder */

	struct abi_stats stats;
	struct csf_stats seen;		/* counts at the last update of @stats */
};

/* @config is copied.  Return: enum abi_err. */
int source_new(struct source **source, struct tree *tree, const struct csf_config *config,
	       uint8_t id, uint32_t flags);
void source_free(struct source *s);

/* Notes that the next @n bytes of the stream have indices from @idx on. */
void source_note(struct source *s, size_t n, uint64_t idx);

/* Does the client want packets? */
static inline bool source_watched(const struct source *s)
{
	return s->prints || s->sink || s->monitor || !s->decodes;
}

/* Does it need the bytes of each piece of a frame alone, for their indices? */
static inline bool source_by_pieces(const struct source *s)
{
	return s->message || source_watched(s);
}

/* Gives @n bytes that were noted; what was given before must be done. */
void source_give(struct source *s, const uint8_t *p, size_t n, uint64_t idx);

/* Sets what to do with what the decoder holds back. */
void source_then(struct source *s, enum source_then then);

/* Return: enum abi_resp; below ABI_WAIT: it is done. */
uint32_t source_work(struct source *s);

/* Makes it as new. */
void source_reset(struct source *s);

/* Call when the image was replaced. */
int source_renew(struct source *s);

/* ---------------------------------------------------------------- for source*.c only */

/* The index of byte @pos of the stream; not before that of an earlier call. */
uint64_t source_index(struct source *s, uint64_t pos);

uint32_t source_hand_out(struct source *s, const struct abi_element *e, uint64_t idx);

/* The next element of the decoder.  Returns false if there is none now. */
bool source_next(struct source *s, struct csf_element *e);

int source_older_new(struct source *s);
void source_older_free(struct source *s);
void source_older_start(struct source *s, enum abi_unsync reason);

/* Makes the packet for the client. */
const void *source_older_make(struct source *s, const struct ocsd_found *f);
void source_older_text(struct source *s, struct out *line);

/* Reads more of the bytes that were given.  Returns false if none are left. */
bool source_older_read(struct source *s);

/* The decoder gets this packet. */
void source_older_packet(struct source *s, const struct ocsd_found *f);

/* Passes on elements.  Return: enum abi_resp. */
uint32_t source_older_drain(struct source *s);

/* No packet has more elements; @ends: and trace ends. */
void source_older_done(struct source *s, bool ends);

int source_message_new(struct source *s);
void source_message_start(struct source *s, enum abi_unsync reason);
uint32_t source_message_work(struct source *s);

struct abi_stats *source_stats(struct source *s);
void source_reset_stats(struct source *s);

#endif /* OPENCSD_SOURCE_H */
