/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by quick-fill.c, which reads packets, and quick-string.c, which makes strings. */
#ifndef CSF_QUICK_PARTS_H
#define CSF_QUICK_PARTS_H

#include "quick-fill.h"

/* Did code run at the current address? */
static inline bool string_has_run(const struct quick_stream *s)
{
	return s->known && (s->now.n || s->now.parent);
}

/* All of these return 0 or -ENOMEM, unless stated otherwise. */

/* The maps have changed: forgets all places and strings. */
void string_forget(struct quick_stream *s);

/* Gives the raw previous string its place, by the current maps. */
int string_settle(struct quick_fill *fill, struct quick_stream *s);

/* Gives the current string, which ran, its place, by the current maps. */
int string_place(struct quick_fill *fill, struct quick_stream *s);

/* Counts the previous string, which was settled.  Return: its index; UINT32_MAX: no room. */
uint32_t string_count_before(struct quick_fill *fill, struct quick_stream *s, enum quick_end end,
			     const struct quick_string *to);

/* Adds atoms to the current string. */
int string_add(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p);

/* Execution is at @addr from here on, but nothing has run there yet. */
int string_begin(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

/* It is unknown where execution goes on. */
int string_stop(struct quick_fill *fill, struct quick_stream *s, enum csf_gap why);

/* The same for a reset: an address before a reset may be wrong. */
int string_reset(struct quick_fill *fill, struct quick_stream *s);

/* The thread or its state changed in the middle of the current, placed string. */
int string_move(struct quick_fill *fill, struct quick_stream *s, bool width);

/* The instruction at @addr was executed, but only code tells the way there. */
int string_source(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

/* Ends the wait of an exception, at the address that execution had come to or would go to. */
int string_interrupt(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

#endif /* CSF_QUICK_PARTS_H */
