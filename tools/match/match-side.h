/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One of the two traces that are compared: the items of a stream that count, one
 * at hand, and those that had to be looked at ahead.
 */
#ifndef CSF_MATCH_SIDE_H
#define CSF_MATCH_SIDE_H

#include "match-rules.h"

/* Records before a difference that can be shown. */
#define MATCH_PAST	16

/* Of an item's texts so many characters are kept when it has to wait. */
#define MATCH_TEXT	1024

/**
 * struct match_kept - an item that waits
 * @text: its texts, owned
 * @name: of a register: its one name; @half: it is the lower half of that
 */
struct match_kept {
	struct source_item item;
	char *text;
	size_t size;
	char name[32];
	bool half;
};

/**
 * struct match_side - zero it, set the first members, match_side_start()
 * @boot: the first so many instructions are passed over
 * @start: and then all up to the first at this address, with @has_start
 * @skip_equal: what repeats the record before is passed over
 * @kinds: bit for each kind that is wanted
 * @item: at hand, if @have
 * @queue: ring of @size items pulled ahead, @n from @first on
 * @past: ring of what was taken, without texts, @n_past in all
 * @insns: instructions that were taken; @records: others
 * @name, @half: of the register at hand, as in struct match_kept; @pulled: of the last one read
 * @time0: of the first item that was compared, with @has_time0
 * @error: negative errno: the source failed
 */
struct match_side {
	struct source *source;
	const struct match_rules *rules;
	uint64_t boot;
	uint64_t start;
	uint32_t kinds;
	bool has_start, skip_equal;

	struct source_item item;
	bool have, ended;
	char name[32], pulled[32];
	bool half, pulled_half;
	struct match_kept *queue;
	size_t first, n, size;
	struct source_item past[MATCH_PAST];
	uint64_t n_past;
	uint64_t insns, records;
	uint64_t time0;
	bool has_time0;
	struct match_kept last;		/* for @skip_equal */
	bool has_last;
	int error;
};

/* Return: 0 or -errno. */
int match_side_start(struct match_side *s, const struct source_stream *stream);
void match_side_free(struct match_side *s);

/* The item at hand; NULL: there is no more, or s->error. */
static inline struct source_item *match_side_peek(struct match_side *s);

/* @n instructions of the item at hand, or a record, are done with. */
static inline void match_side_take(struct match_side *s, uint32_t n);

/* As match_side_peek(), @i items further on; NULL also for want of memory, see s->error. */
const struct match_kept *match_side_ahead(struct match_side *s, size_t i);

/* Bytes of the first @n instructions of @item. */
uint32_t match_bytes(const struct source_item *item, uint32_t n);

/* Takes the first @n instructions off @item, which has more. */
void match_trim(struct source_item *item, uint32_t n);

/* A copy that lasts.  Return: 0 or -ENOMEM. */
int match_keep(struct match_kept *kept, const struct source_item *item);

/* private */
bool match_side_load(struct match_side *s);
void match_side_done(struct match_side *s);
void match_side_remember(struct match_side *s, const struct source_item *item, uint32_t n);

static inline struct source_item *match_side_peek(struct match_side *s)
{
	return s->have || match_side_load(s) ? &s->item : NULL;
}

static inline void match_side_take(struct match_side *s, uint32_t n)
{
	match_side_remember(s, &s->item, n);
	if (s->item.kind == SOURCE_INSN) {
		s->insns += n;
		if (n < s->item.n_insn) {
			match_trim(&s->item, n);
			return;
		}
	} else if (s->item.kind < SOURCE_GAP && s->item.kind != SOURCE_CONTEXT) {
		s->records++;
	}
	match_side_done(s);
}

#endif /* CSF_MATCH_SIDE_H */
