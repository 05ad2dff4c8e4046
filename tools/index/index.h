/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Indexes: the contents of a trace by place, without decoding it again.
 *
 *	struct index_builder *b;
 *	struct index *index;
 *
 *	err = index_builder_new(&b, INDEX_FULL);
 *	index_builder_begin(b, &in, 0);
 *	while (... bytes of the capture ...)
 *		index_builder_feed(b, bytes, n, last);
 *	index = index_builder_take(b);
 *	...
 *	i = index_find_time(&index->stream[0], time);
 *
 * A stream is cut into stretches; each begins at an A-sync, where decoding can begin, or at a
 * message after which a source of messages was in sync.  A stretch
 * is @every bytes of the stream long, or a little more; its entry describes its contents.
 */
#ifndef CSF_INDEX_H
#define CSF_INDEX_H

#include "../input/input.h"
#include "../lib/packed.h"

#define INDEX_FULL	4096u		/* bytes to a stretch: the index takes at most 2 % */
#define INDEX_SPARSE	(128u << 10)	/* at most 0.1 % */
#define INDEX_BLOCK	(64u << 10)	/* of the capture, for the map of trace IDs */
#define INDEX_NONE	SIZE_MAX

/* struct index_entry.flags */
#define INDEX_HAS_ADDR		0x01
#define INDEX_HAS_CONTEXT	0x02
#define INDEX_HAS_CONTEXTID	0x04
#define INDEX_HAS_VMID		0x08
#define INDEX_BEGINS		0x10	/* the first of a fragment of trace */
#define INDEX_HAS_CHANNELS	0x20	/* @addr: bit n % 64: there is data of channel n */

/* struct index_entry.events: a trigger, of any source; the bits below are events of an ETMv4 */
#define INDEX_TRIGGER		0x8000

/**
 * struct index_entry - a stretch of one stream
 * @capture: offset of its A-sync in the source; with frames, of its first byte there
 * @pos: the same in the stream
 * @addr: its first address; bit 0: instruction set bit; of a source of messages: channels
 * @first, @last: its least and greatest timestamp, if @n_time
 * @contextid, @vmid, @info: its first context; @info as in struct csf_packet; of a source of
 *                           messages @contextid is the number of messages
 * @n_time: timestamps; @n_sync: A-syncs; @n_lost: overflows, discards, bad packets;
 *          each counter saturates
 * @events: bit n: event n; INDEX_TRIGGER
 */
struct index_entry {
	uint64_t capture, pos;
	uint64_t addr;
	uint64_t first, last;
	uint32_t contextid, vmid;
	uint32_t n_time;
	uint16_t n_sync, n_lost;
	uint16_t events;
	uint8_t info;
	uint8_t flags;
};

/**
 * struct index_stream - one trace unit
 * @id: trace ID, 0: raw
 * @protocol: enum csf_protocol
 * @cpu: its number, if known
 * @bytes: length of the stream
 * @entry: @n of them, by @pos
 * @ordered: times never go back, so bisection finds a time
 * @el1: it has a context at EL1
 */
struct index_stream {
	uint8_t id;
	uint8_t protocol;
	bool el1;
	uint32_t cpu;
	uint64_t bytes;
	struct index_entry *entry;
	size_t n, size;
	bool ordered;
};

/* From @start up to but not including @end of the source. */
struct index_range {
	uint64_t start, end;
};

#define INDEX_NO_ID	0xff

/**
 * struct index_block - INDEX_BLOCK bytes of the source
 * @ids: bit n % 8 of [n / 8]: there is trace of ID n
 * @id: ID in force at the first frame that begins in it; INDEX_NO_ID: unknown
 */
struct index_block {
	uint8_t ids[16];
	uint8_t id;
};

/**
 * struct index - the index of one source: a capture, or a recording
 * @bytes: length of the source; @hash: index_hash() of it
 * @every: minimum length of a stretch
 * @range: covered parts of the source: @n_range of them, sorted, not overlapping
 * @map: the trace IDs in each block, for frames: @n_map blocks of the source
 */
struct index {
	uint64_t bytes, hash;
	uint32_t every;
	struct index_stream *stream;
	size_t n_stream;
	struct index_range *range;
	size_t n_range;
	struct index_block *map;
	size_t n_map;
};

void index_free(struct index *index);

/* ---------------------------------------------------------------- making one */

struct index_builder;

/* Return: 0, or CSF_ERR_MEMORY. */
int index_builder_new(struct index_builder **b, uint32_t every);
void index_builder_free(struct index_builder *b);

/**
 * index_builder_begin() - a capture, or a fragment, begins
 * @in: framing and trace units; borrowed until the next call; not its bytes
 * @at: offset of its first byte in the source
 *
 * Return: 0, or a negative enum csf_error.
 */
int index_builder_begin(struct index_builder *b, const struct input *in, uint64_t at);

/* The next @n bytes; @last: no more follow of this capture.  Return: as above. */
int index_builder_feed(struct index_builder *b, const uint8_t *bytes, size_t n, bool last);

/* The capture goes on at another place of the source.  Return: 0, CSF_ERR_MEMORY. */
int index_builder_go_on(struct index_builder *b, uint64_t at);

/* The index so far, the caller's; the builder is empty again.  NULL: no memory. */
struct index *index_builder_take(struct index_builder *b);

/* ---------------------------------------------------------------- on disk */

/* The state of an index; enum csf_error and errno have other signs. */
enum index_state {
	INDEX_GOOD,
	INDEX_STALE,	/* of another source, or of an earlier state of this one */
	INDEX_VERSION,	/* written by another version of csflow */
	INDEX_CORRUPT,
};

/* In words, "is damaged" and so on. */
const char *index_state_name(enum index_state state);

/**
 * struct index_hash - a source that is being hashed
 * @head: its first bytes, @n_head; @tail: its last, @n_tail; @n: all so far
 */
struct index_hash {
	uint64_t n;
	size_t n_head, n_tail;
	uint8_t head[64 << 10], tail[64 << 10];
};

void index_hash_feed(struct index_hash *h, const uint8_t *bytes, size_t n);

/* FNV-1a of the length, and of the first and last 64 KiB. */
uint64_t index_hash_end(const struct index_hash *h);
uint64_t index_hash_of(const uint8_t *bytes, size_t n);

/* Writes it whole or not at all.  Return: 0, -errno. */
int index_write(const struct index *index, const char *path);

/**
 * index_read() - an index from a file
 * @index: set for INDEX_GOOD
 * @problem: set for INDEX_CORRUPT: where, and why
 *
 * The caller checks whether the index belongs to a source: index_fits().
 *
 * Return: enum index_state, or -errno.
 */
int index_read(struct index **index, const char *path, struct packed_problem *problem);

/* As index_read(), from memory. */
int index_parse(struct index **index, const uint8_t *bytes, size_t n,
		struct packed_problem *problem);

/* INDEX_GOOD, or INDEX_STALE. */
enum index_state index_fits(const struct index *index, uint64_t bytes, uint64_t hash);

/* ---------------------------------------------------------------- asking it */

/* The stretch that has byte @pos of the stream; INDEX_NONE: it is before the first. */
size_t index_find_pos(const struct index_stream *s, uint64_t pos);

/* The stretch with the first timestamp of @time or later; INDEX_NONE: there is none. */
size_t index_find_time(const struct index_stream *s, uint64_t time);

/* The first stretch from @from on with one of the @events; INDEX_NONE: there is none. */
size_t index_find_event(const struct index_stream *s, size_t from, uint16_t events);

/*
 * The first stretch from @from on that may have messages of @channel: channels that differ by a
 * multiple of 64 are not told apart.  INDEX_NONE: there is none.
 */
size_t index_find_channel(const struct index_stream *s, size_t from, uint32_t channel);

/* The next INDEX_BLOCK from @from on that has trace of @id; INDEX_NONE: there is none. */
size_t index_find_id(const struct index *index, size_t from, uint8_t id);

/* Is all of the source from @start up to @end covered? */
bool index_covers(const struct index *index, uint64_t start, uint64_t end);

#endif /* CSF_INDEX_H */
