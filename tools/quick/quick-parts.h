/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by quick-fill.c and quick-older.c, which read packets, quick-stream.c, which has their
 * streams, and quick-atom-run.c, which makes atom runs.
 */
#ifndef CSF_QUICK_PARTS_H
#define CSF_QUICK_PARTS_H

#include "quick-fill.h"

/* Did code run at the current address? */
static inline bool atom_run_executed(const struct quick_stream *s)
{
	return s->known && (s->now.n || s->now.parent);
}

/* Can the next atoms and addresses be handled quickly? */
static inline void quick_fill_warm_up(struct quick_stream *s)
{
	s->hot = s->sync == QUICK_IN_SYNC && s->known && s->whose.context.known && !s->waits &&
		 !s->deaf && !s->in_transaction && !s->older.alt;
}

/* All of these return 0 or -ENOMEM, unless stated otherwise. */

/* -------- quick-fill.c */

/* @n atoms are lost; or @bytes of trace are skipped. */
void quick_fill_lose(struct quick_fill *fill, enum csf_gap why, uint64_t n);
void quick_fill_skip(struct quick_fill *fill, uint64_t bytes);

/* The second half may begin where trace itself has an event. */
void quick_fill_half(struct quick_stream *s);

/* Nothing is readable from here to the next place where decode can begin. */
int quick_fill_lose_sync(struct quick_fill *fill, struct quick_stream *s, enum csf_gap why);

/* The context is @to from here on. */
int quick_fill_enter(struct quick_fill *fill, struct quick_stream *s, const struct csf_context *to);

/* Atoms, or a timestamp. */
int quick_fill_atoms(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p);
int quick_fill_timestamp(struct quick_fill *fill, struct quick_stream *s,
			 const struct csf_packet *p);

/* Handles packets that nothing can cancel. */
int quick_fill_sure(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p,
		    size_t n);

/* -------- quick-stream.c */

/* The thread or the maps may have changed. */
int quick_fill_ask_who(struct quick_fill *fill, struct quick_stream *s);

/* -------- quick-older.c: ETMv3 and PTM */

/* Reads the registers of the stream's unit. */
void quick_older_init(struct quick_stream *s);

/* One packet, in sync or not. */
int quick_older_packet(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p);

/* The address of a branch of @n bits below 32; bit 0 of @last and of the result says T32. */
static inline uint64_t quick_older_address(uint64_t last, uint64_t val, unsigned int n,
					   unsigned int isa)
{
	const unsigned int shift = 2 - isa;

	return (last >> (n + shift) << (n + shift)) | val << shift | (isa == 1);
}

/* ETMv3: holds back what an exception may cancel, and handles the rest. */
int quick_older_hold(struct quick_fill *fill, struct quick_stream *s, const struct csf_packet *p,
		     size_t n);

/* Handles what is held back, and forgets everything, as trace breaks off here. */
int quick_older_end(struct quick_fill *fill, struct quick_stream *s);

/* -------- quick-atom-run.c */

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

/*
 * Execution came to @addr, with its instruction set bit, without an atom; @end: QUICK_REACH or
 * QUICK_OVER.
 */
int atom_run_reach(struct quick_fill *fill, struct quick_stream *s, uint64_t addr,
		   enum quick_end end);

/* An exception, where execution has come to. */
int atom_run_interrupt_here(struct quick_fill *fill, struct quick_stream *s);

/* Ends the wait of an exception, at the address that execution had come to or would go to. */
int atom_run_interrupt(struct quick_fill *fill, struct quick_stream *s, uint64_t addr);

#endif /* CSF_QUICK_PARTS_H */
