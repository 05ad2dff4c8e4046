/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Elements: what packets mean.
 *
 * struct expand turns packets into elements: it keeps what packets leave out
 * because it did not change (address history, timestamp, context, threshold).
 *
 * struct element_queue holds elements back while the processor may still take
 * them back.  A trace unit with TRCIDR8.MAXSPEC > 0 traces branches before they
 * are sure: a Commit makes the oldest P0 elements so, a Cancel takes the
 * youngest back, a Mispredict turns the youngest atom over.  With MAXSPEC 0
 * nothing is ever queued.
 */
#ifndef CSF_ELEMENT_H
#define CSF_ELEMENT_H

#include "config.h"

enum element_type {
	EL_ATOMS,
	EL_EXCEPTION,
	EL_Q,
	EL_SOURCE,
	EL_TM_START,
	EL_TM_COMMIT,
	EL_TM_FAIL,
	EL_ADDRESS,
	EL_CONTEXT,
	EL_SAME,
	EL_ON,
	EL_TIME,
	EL_CYCLES,
	EL_EVENT,
	EL_MARKER,
	EL_ITE,
	EL_ERET,
	EL_RETURN,
	EL_INFO,
	EL_GAP,
	EL_END,
	EL_NR
};

/* struct element.flags */
#define EL_CTX		0x01	/* @ctx is there: EXCEPTION and Q: before it, ADDRESS: behind it */
#define EL_ADDR		0x02	/* EXCEPTION, Q: @addr is there */
#define EL_TARGET	0x04	/* EXCEPTION: @addr is also the target of the P0 element before */
#define EL_COUNT	0x08	/* Q, TIME, CYCLES: @count is there */
#define EL_TRANS	0x10	/* INFO: in a transaction */
#define EL_IN_SYNC	0x10	/* GAP: the place is lost, but neither sync nor context */
#define EL_FAULT	0x20	/* EXCEPTION: a serious fault is pending */
#define EL_CTX_AFTER	0x40	/* Q: @ctx is for what follows */
#define EL_HARMLESS	0x80	/* GAP: execution is known all the same */

/**
 * struct element - one packet's worth of elements
 * @offset: of its packet
 * @val: ATOMS: outcomes as they stand, oldest in bit 0; TIME, EVENT, ITE: the value;
 *       GAP: P0 elements lost
 * @addr: ADDRESS, SOURCE, EXCEPTION, Q
 * @at: CYCLES: steps when its packet was read; GAP: bytes skipped
 * @count: by flag; ITE: exception level
 * @init: ATOMS: outcomes as first traced
 * @ctx: CONTEXT, or with EL_CTX
 * @exception: EXCEPTION: type; GAP: enum csf_gap
 * @type: enum element_type
 * @n: ATOMS: how many
 * @is1: ADDRESS, SOURCE, EXCEPTION, Q: instruction set bit of the address
 * @flags: EL_x
 * @stage: the flow's: how far it is with this element; @begun: it was given before
 */
struct element {
	uint64_t offset;
	uint64_t val;
	uint64_t addr;
	uint64_t at;
	uint32_t count;
	uint32_t init;
	struct csf_context ctx;
	uint16_t exception;
	uint8_t type;
	uint8_t n;
	uint8_t is1;
	uint8_t flags;
	uint8_t stage;
	bool begun;
};

/* What becomes of an element that is not a P0 element itself. */
#define EL_SURVIVES_CANCEL	0x01	/* the P0 elements below it are cancelled */
#define EL_SURVIVES_DISCARD	0x02	/* everything uncommitted is thrown away */
#define EL_DROPS_MISPREDICT	0x04	/* it described the wrong path */

extern const uint8_t element_rule[EL_NR];

/**
 * struct expand - what a packet takes over from those before it
 * @addr: last three addresses, newest first; bit 0 of each is its instruction set bit
 * @time: last timestamp
 * @threshold: cycle count threshold
 * @ctx: last context
 * @half: an EXCEPTION or Q whose address packet is still to come; @waiting: there is one
 */
struct expand {
	uint64_t addr[3];
	uint64_t time;
	uint32_t threshold;
	struct csf_context ctx;
	struct element half;
	bool waiting;
};

enum expanded {
	EXPAND_NONE,	/* nothing (yet) */
	EXPAND_ELEMENT,	/* *el is one */
	EXPAND_BAD,	/* the packet may not stand here */
};

void expand_reset(struct expand *x);

/* The packet at @offset as an element.  Atoms, Commit, Cancel and the like are not its business. */
enum expanded expand_packet(struct expand *x, const struct config *c, const struct csf_packet *pkt,
			    uint64_t offset, struct element *el);

/* Does something wait for its address, and @pkt is neither that nor may stand before it? */
bool expand_lacks(const struct expand *x, const struct csf_packet *pkt);

/* h[2] = h[1], h[1] = h[0], h[0] = the new one, with its instruction set bit. */
static inline void expand_push(struct expand *x, uint64_t addr)
{
	x->addr[2] = x->addr[1];
	x->addr[1] = x->addr[0];
	x->addr[0] = addr;
}

/* An address packet, or the address of another packet. */
static inline void expand_address(struct expand *x, const struct csf_packet *pkt)
{
	if (pkt->type == CSF_PKT_ADDR_MATCH || pkt->type == CSF_PKT_SRC_MATCH ||
	    pkt->flags & CSF_PKT_MATCH)
		expand_push(x, x->addr[pkt->val]);
	else
		expand_push(x, (x->addr[0] & ~low_bits(pkt->n)) | pkt->val |
			       !!(pkt->flags & CSF_PKT_IS1));
}

/* Is @el a P0 element, one or several?  Returns how many. */
unsigned int element_n_p0(const struct config *c, const struct element *el);

#define QUEUE_MIN	1024	/* elements that there is room for, once there is one */
#define QUEUE_MAX	65536	/* elements; a power of two, more than any trace unit's MAXSPEC */

/**
 * struct element_queue - elements not committed, oldest first
 * @ring: owned
 * @oldest: index of the oldest
 * @n: elements
 * @size: of @ring, a power of two
 * @depth: P0 elements in it
 * @unseen: uncommitted P0 elements from before decode began, older than all of these
 */
struct element_queue {
	struct element *ring;
	uint32_t oldest, n, size;
	uint32_t depth;
	uint32_t unseen;
};

void queue_fini(struct element_queue *q);

/* Returns false if there is no room: the stream makes no sense, or no memory. */
bool queue_push(struct element_queue *q, const struct config *c, const struct element *el);

/* Takes back the @n youngest P0 elements.  Returns false if there are not so many. */
bool queue_cancel(struct element_queue *q, const struct config *c, uint32_t n);

/* Turns the youngest atom over.  Returns false if there is none, seen or unseen. */
bool queue_mispredict(struct element_queue *q, const struct config *c);

/* With nothing committed, is it nobody's turn?  So it is where the oldest are atoms. */
static inline bool queue_waits(const struct element_queue *q)
{
	return q->n && q->ring[q->oldest & (q->size - 1)].type == EL_ATOMS;
}

/*
 * Hands out the oldest element: of atoms, as many as *n allows, and counts
 * them off *n.  Returns false if it is not its turn yet.
 */
bool queue_pop(struct element_queue *q, const struct config *c, uint32_t *n, struct element *el);

/* Keeps only what survives a discard.  Returns how many P0 elements went. */
uint32_t queue_discard(struct element_queue *q, const struct config *c);

#endif /* CSF_ELEMENT_H */
