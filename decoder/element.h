/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Elements: the meaning of packets, the same for all protocols, as the flow takes it.
 *
 * struct element_queue holds elements while the processor may still take them back.  A trace unit
 * that speculates traces branches before it knows that they are executed: a Commit packet commits
 * the oldest P0 elements, a cancel takes the youngest back, a mispredict inverts the youngest
 * atom.  The elements of other trace units are never queued.
 */
#ifndef CSF_ELEMENT_H
#define CSF_ELEMENT_H

#include "bytes.h"
#include "csflow.h"

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
	EL_DATA,
	EL_DATA_REST,		/* more of an access before it */
	EL_COND,
	EL_COND_RESULT,
	EL_COND_FLUSH,		/* no result comes for the conditional instructions so far */
	EL_GAP,
	EL_END,
	EL_NR
};

/* struct element.flags */
#define EL_CTX		0x01	/* @ctx is valid: EXCEPTION, Q: before it; ADDRESS: after it */
#define EL_LATER	0x02	/* CYCLES: @at is set when it leaves the queue */
#define EL_ADDR		0x02	/* EXCEPTION, Q: @addr is valid; GAP: execution should be there */
#define EL_TARGET	0x04	/* EXCEPTION: @addr is also the target of the P0 element before */
#define EL_COUNT	0x08	/* Q, TIME, CYCLES: @count is valid */
#define EL_TRANS	0x10	/* INFO: inside a transaction */
#define EL_IN_SYNC	0x10	/* GAP: the place is lost, but not sync or context */
#define EL_FAULT	0x20	/* EXCEPTION: a serious fault is pending */
#define EL_CTX_AFTER	0x40	/* Q: @ctx is the context after it */
#define EL_HARMLESS	0x80	/* GAP: execution is still known */
#define EL_P0		0x100	/* a P0 element; ATOMS: always @n of them */
#define EL_STRICT	0x200	/* SOURCE, EXCEPTION, ADDRESS: no untraced branch was taken */
#define EL_IT		0x400	/* with EL_STRICT: execution may have begun in an IT block */
#define EL_PASSED	0x200	/* COND_RESULT: the instruction was executed; with neither this */
#define EL_FAILED	0x400	/* nor that it is not known */
#define EL_APSR		0x800	/* COND_RESULT: @n is the flags N, Z, C, V, with V in bit 0 */
#define EL_BAD_KEY	0x1000	/* COND, COND_RESULT: the trace unit does not have such a key */

/**
 * struct element - the elements of one packet
 * @offset: offset of its packet
 * @val: ATOMS: current outcomes, oldest in bit 0; TIME, EVENT, ITE: the value; GAP: P0 elements
 *       lost; DATA, DATA_REST: for the protocol, until it has set csf_decoder.access
 *       COND, COND_RESULT: the key
 * @addr: ADDRESS, SOURCE, EXCEPTION, Q; COND: number of keys, after which they start again from 0;
 *        0: they do not
 * @at: CYCLES: steps when its packet was read; GAP: bytes skipped
 * @count: see the flags; ITE: exception level; COND: number of conditional instructions, each with
 *         the next key
 * @init: ATOMS: outcomes as first traced
 * @ctx: CONTEXT, or with EL_CTX
 * @exception: EXCEPTION: type; GAP: enum csf_gap
 * @type: enum element_type
 * @n: ATOMS: their number
 * @is1: ADDRESS, SOURCE, EXCEPTION, Q: instruction set bit of the address
 * @flags: EL_x
 * @stage: for the flow: its progress with this element; @begun: the flow has had it before
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
	uint16_t flags;
	uint8_t type;
	uint8_t n;
	uint8_t is1;
	uint8_t stage : 7;
	uint8_t begun : 1;
};

/* The fate of an element that is not a P0 element itself. */
#define EL_SURVIVES_CANCEL	0x01	/* the P0 elements below it are cancelled */
#define EL_SURVIVES_DISCARD	0x02	/* everything uncommitted is thrown away */
#define EL_DROPS_MISPREDICT	0x04	/* a mispredict drops it, as it described the wrong path */

extern const uint8_t element_rule[EL_NR];

/* The number of P0 elements that @el stands for: 0, 1, or the atoms of a packet. */
static inline unsigned int element_n_p0(const struct element *el)
{
	return el->type == EL_ATOMS ? el->n : !!(el->flags & EL_P0);
}

#define QUEUE_MIN	1024	/* elements that there is room for initially */
#define QUEUE_MAX	65536	/* elements; a power of two, above any trace unit's MAXSPEC */

/**
 * struct element_queue - elements not committed, oldest first
 * @ring: owned
 * @oldest: index of the oldest
 * @n: number of elements
 * @size: size of @ring, a power of two
 * @depth: number of P0 elements in it
 * @unseen: uncommitted P0 elements from before decode began, older than all of these
 * @commit: number of the oldest P0 elements that are sure
 */
struct element_queue {
	struct element *ring;
	uint32_t oldest, n, size;
	uint32_t depth;
	uint32_t unseen;
	uint32_t commit;
};

void queue_fini(struct element_queue *q);

/* Returns false if there is no room: the stream makes no sense, or there is no memory. */
bool queue_push(struct element_queue *q, const struct element *el);

/* Takes back the @n youngest P0 elements.  Returns false if there are fewer. */
bool queue_cancel(struct element_queue *q, uint32_t n);

/* Inverts the youngest atom.  Returns false if there is none, seen or unseen. */
bool queue_mispredict(struct element_queue *q);

/* With nothing committed, must all elements wait?  This is so if the oldest are atoms. */
static inline bool queue_waits(const struct element_queue *q)
{
	return q->n && q->ring[q->oldest & (q->size - 1)].type == EL_ATOMS;
}

/* Commits the @n oldest uncommitted P0 elements.  Returns false if there are fewer. */
bool queue_commit(struct element_queue *q, uint32_t n);

/*
 * Takes out the oldest element; of its atoms, those that are committed.  Returns false if it has to
 * wait.
 */
bool queue_pop(struct element_queue *q, struct element *el);

/* Keeps only what survives a discard.  Returns the number of P0 elements removed. */
uint32_t queue_discard(struct element_queue *q);

#endif /* CSF_ELEMENT_H */
