/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets of a trace unit that traces what it may still cancel: they wait until they are sure.
 *
 * The rules are those of the decoder's queue (decoder/element.h), and so is the order: first what a
 * packet itself says happened, then what it makes sure, then what it takes back.  What comes out
 * is a stream of packets of a unit that never speculates.  Addresses in it are whole, and so are
 * timestamps and the identifiers of a context, for what they leave out may have been taken back.
 */
#ifndef CSF_QUICK_SURE_H
#define CSF_QUICK_SURE_H

#include "../../decoder/csflow.h"

#define TYPE_TRANSACTION_FAIL	0x18	/* of ETE, an exception */

/* @at: as it was given with the packet.  Return: 0 or -ENOMEM, which ends it. */
typedef int (*sure_pass_t)(void *to, const struct csf_packet *packet, uint64_t at);

/* Sync is lost, and with it @n P0 elements.  Return: likewise. */
typedef int (*sure_lose_t)(void *to, enum csf_gap why, uint64_t n);

/* One that waits; @glued: it is the address of the exception, or Q, before it. */
struct sure_entry {
	struct csf_packet packet;
	uint64_t at;
	bool glued;
};

/**
 * struct quick_sure - zero it, and set @pass, @lose, @to, and what is known of the unit
 * @max: TRCIDR8.MAXSPEC; @commits: cycle counts commit; @starts: a Transaction Start is a P0
 *       element; @fails: an ETE, of which one type of exceptions is a Transaction Failure, and none
 * @entry: a ring of @size, a power of two; @n from @oldest on wait, in which are @depth P0 elements
 * @unseen: P0 elements older than these that are not sure, from before sync
 * @addr: the last three addresses, newest first, bit 0 is the instruction set bit
 * @time: the last timestamp
 * @context: the last packet with one
 * @half: an exception, or a Q, waits for its address; @waits: there is one
 */
struct quick_sure {
	sure_pass_t pass;
	sure_lose_t lose;
	void *to;
	uint32_t max;
	bool commits, starts, fails;
	struct sure_entry *entry;
	uint32_t size, oldest, n, depth, unseen;
	uint64_t addr[3], time;
	struct csf_packet context;
	struct sure_entry half;
	bool waits;
};

void sure_fini(struct quick_sure *sure);

/* Of where execution went: with a context, too. */
bool sure_is_address(const struct csf_packet *packet);

/* A Cancel of no P0 elements cannot be right, but what comes behind it need not be wrong. */
bool sure_takes_nothing(const struct csf_packet *packet);

/* The stream is in sync, behind this Trace Info. */
void sure_join(struct quick_sure *sure, const struct csf_packet *info);

/* The next packet in sync.  Return: 0 or what one of the two returned; -ENOMEM. */
int sure_packet(struct quick_sure *sure, const struct csf_packet *packet, uint64_t at);

/* There is no more: what is not sure is lost.  Return: likewise. */
int sure_end(struct quick_sure *sure);

#endif /* CSF_QUICK_SURE_H */
