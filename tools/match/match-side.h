/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One of the two traces that are compared: the items of a stream that are compared, the
 * current one, and those that were read ahead.
 */
#ifndef CSF_MATCH_SIDE_H
#define CSF_MATCH_SIDE_H

#include "match-rules.h"

/* Records before a difference that can be shown at most. */
#define MATCH_PAST	16

/* How many characters of an item's text are kept while it waits. */
#define MATCH_TEXT	1024

/**
 * struct match_kept - an item that waits
 * @text: its texts, owned
 * @name: for a register, its canonical name; @half: it is the lower half of that register
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
 * @boot: how many instructions to skip first
 * @start: then everything is skipped up to the first at this address, with @has_start
 * @skip_equal: records that repeat the one before are skipped
 * @kinds: bit for each kind that is compared
 * @item: the current item, if @have
 * @queue: ring of @size items pulled ahead, @n from @first on
 * @past: ring of taken items, without texts, @n_past in all
 * @insns: taken instructions; @records: other taken records
 * @name, @half: of the current register, as in struct match_kept; @pulled: of the last one read
 * @time0: the time of the first item that was compared, with @has_time0
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

/* The current item; NULL: there are no more, or s->error is set. */
static inline struct source_item *match_side_next(struct match_side *s);

/* Takes @n instructions of the current item, or a record. */
static inline void match_side_take(struct match_side *s, uint32_t n);

/* As match_side_next(), @i items further on; NULL also without memory, see s->error. */
const struct match_kept *match_side_ahead(struct match_side *s, size_t i);

/* The length of the first @n instructions of @item in bytes. */
uint32_t match_bytes(const struct source_item *item, uint32_t n);

/* Removes the first @n instructions of @item, which has more. */
void match_trim(struct source_item *item, uint32_t n);

/* Makes a lasting copy.  Return: 0 or -ENOMEM. */
int match_keep(struct match_kept *kept, const struct source_item *item);

/* private */
bool match_side_load(struct match_side *s);
void match_side_done(struct match_side *s);
void match_side_remember(struct match_side *s, const struct source_item *item, uint32_t n);

static inline struct source_item *match_side_next(struct match_side *s)
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
