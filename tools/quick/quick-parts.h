/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by quick-fill.c, which reads packets, and quick-atom-run.c, which makes atom runs. */
#ifndef CSF_QUICK_PARTS_H
#define CSF_QUICK_PARTS_H

#include "quick-fill.h"

/* Did code run at the current address? */
static inline bool atom_run_executed(const struct quick_stream *s)
{
	return s->known && (s->now.n || s->now.parent);
}

/* All of these return 0 or -ENOMEM, unless stated otherwise. */

/* The maps have changed: forgets all sections and atom runs. */
void atom_run_forget(struct quick_stream *s);

/* Locates the raw previous atom run by the current maps. */
int atom_run_settle(struct quick_fill *fill, struct quick_stream *s);

/* Locates the current atom run, which was executed, by the current maps. */
int atom_run_locate(struct quick_fill *fill, struct quick_stream *s);

/* Counts the previous atom run, which was settled.  Return: its index; UINT32_MAX: no room. */
uint32_t atom_run_count_before(struct quick_fill *fill, struct quick_stream *s, enum quick_end end,
			       const struct atom_run *to);

/* Adds atoms to the current atom run. */
int atom_run_add(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p);

/* Execution is at @addr from here on, but nothing has run there yet. */
int atom_run_begin(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

/* It is unknown where execution goes on. */
int atom_run_stop(struct quick_fill *fill, struct quick_stream *s, enum csf_gap why);

/* The same for a reset: an address before a reset may be wrong. */
int atom_run_reset(struct quick_fill *fill, struct quick_stream *s);

/* The thread or its state changed in the middle of the current, located atom run. */
int atom_run_move(struct quick_fill *fill, struct quick_stream *s, bool width);

/* The instruction at @addr was executed, but only code tells the way there. */
int atom_run_source(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

/* Ends the wait of an exception, at the address that execution had come to or would go to. */
int atom_run_interrupt(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

#endif /* CSF_QUICK_PARTS_H */
