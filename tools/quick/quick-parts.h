/* SPDX-License-Identifier: GPL-2.0-only */
/* What quick-fill.c, which reads packets, and quick-string.c, which makes strings, share. */
#ifndef CSF_QUICK_PARTS_H
#define CSF_QUICK_PARTS_H

#include "quick-fill.h"

/* Something ran at the address at hand. */
static inline bool string_has_run(const struct quick_stream *s)
{
	return s->known && (s->now.n || s->now.parent);
}

/* All of these return 0 or -ENOMEM, unless they say otherwise. */

/* Other maps are in force: no place, and no string, is what it was. */
void string_forget(struct quick_stream *s);

/* What came before as it came gets its place, in the maps in force. */
int string_settle(struct quick_fill *fill, struct quick_stream *s);

/* The string at hand, which ran, gets its place, in the maps in force. */
int string_place(struct quick_fill *fill, struct quick_stream *s);

/* What came before has ended, and that was settled.  Return: its index; UINT32_MAX: no room. */
uint32_t string_count_before(struct quick_fill *fill, struct quick_stream *s, enum quick_end end,
			     const struct quick_string *to);

/* Atoms of the string at hand. */
int string_add(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p);

/* From here on execution is at @addr; but nothing has run there yet. */
int string_begin(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

/* Nobody knows where execution goes on. */
int string_stop(struct quick_fill *fill, struct quick_stream *s, enum csf_gap why);

/* The same, by a reset: an address that is in trace before one may be wrong. */
int string_reset(struct quick_fill *fill, struct quick_stream *s);

/* Who runs, or how, changed in the midst of the string at hand, which has its place. */
int string_move(struct quick_fill *fill, struct quick_stream *s, bool width);

/* The instruction at @addr was executed, but the way there takes code to tell. */
int string_source(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

/* The exception that waited, with the address to which execution had come, or was about to go. */
int string_interrupt(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

#endif /* CSF_QUICK_PARTS_H */
