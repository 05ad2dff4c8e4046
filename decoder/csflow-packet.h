/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets, one by one.  Part of csflow.h, which includes this file. */
#ifndef CSFLOW_PACKET_H
#define CSFLOW_PACKET_H

#include <stddef.h>
#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

enum csf_packet_type {
	CSF_PKT_BAD,		/* reserved, malformed, cut or out of sync: @n is enum csf_bad */
	/* extension: the second byte says which */
	CSF_PKT_ASYNC,
	CSF_PKT_DISCARD,
	CSF_PKT_OVERFLOW,
	CSF_PKT_BF_FLUSH,	/* branch future flush, Armv8.1-M */
	/* the others, by their header byte */
	CSF_PKT_INFO,
	CSF_PKT_TIME,
	CSF_PKT_ON,
	CSF_PKT_RETURN,
	CSF_PKT_EXCEPTION,
	CSF_PKT_ERET,
	CSF_PKT_ITE,
	CSF_PKT_TM_START,
	CSF_PKT_TM_COMMIT,
	CSF_PKT_CC1,
	CSF_PKT_CC2,
	CSF_PKT_CC3,
	CSF_PKT_DSYNC_N,	/* data sync marker, numbered */
	CSF_PKT_DSYNC_U,	/* data sync marker, unnumbered */
	CSF_PKT_COMMIT,
	CSF_PKT_CANCEL1,
	CSF_PKT_MISPREDICT,
	CSF_PKT_CANCEL2,
	CSF_PKT_CANCEL3,
	CSF_PKT_COND_I1,	/* conditional instruction, formats 1 to 3 */
	CSF_PKT_COND_I2,
	CSF_PKT_COND_I3,
	CSF_PKT_COND_FLUSH,
	CSF_PKT_COND_R1,	/* conditional result, formats 1 to 4 */
	CSF_PKT_COND_R2,
	CSF_PKT_COND_R3,
	CSF_PKT_COND_R4,
	CSF_PKT_IGNORE,
	CSF_PKT_EVENT,
	CSF_PKT_CONTEXT,
	CSF_PKT_ADDR_CTXT32,
	CSF_PKT_ADDR_CTXT64,
	CSF_PKT_MARKER,
	CSF_PKT_ADDR_MATCH,
	CSF_PKT_ADDR_SHORT,
	CSF_PKT_ADDR32,
	CSF_PKT_ADDR64,
	CSF_PKT_Q,
	CSF_PKT_SRC_MATCH,
	CSF_PKT_SRC_SHORT,
	CSF_PKT_SRC32,
	CSF_PKT_SRC64,
	CSF_PKT_ATOM,
	/* of ETMv3 and PTM, besides ASYNC, TIME, ERET, IGNORE and ATOM */
	CSF_PKT_ISYNC,
	CSF_PKT_BRANCH,
	CSF_PKT_WAYPOINT,	/* waypoint update: PTM */
	CSF_PKT_CTXTID,
	CSF_PKT_VMID,
	CSF_PKT_TRIGGER,
	/* of ETMv3 only */
	CSF_PKT_CYCLES,
	CSF_PKT_EXC_ENTRY,	/* the data after it is of an exception entry */
	CSF_PKT_DATA,
	CSF_PKT_DATA_PLACE,	/* the value comes later */
	CSF_PKT_DATA_LATE,	/* a value whose place came before */
	CSF_PKT_DATA_UNTRACED,	/* without its value */
	CSF_PKT_DATA_FAILED,	/* the store before it failed */
	CSF_PKT_DATA_LOST,	/* data was suppressed */
	/* of ITM and DWT, besides ASYNC and OVERFLOW */
	CSF_PKT_STIMULUS,	/* written by software */
	CSF_PKT_HARDWARE,	/* written by the DWT */
	CSF_PKT_LOCAL_TIME,
	CSF_PKT_GLOBAL_TIME1,	/* the low bits */
	CSF_PKT_GLOBAL_TIME2,	/* the high bits */
	CSF_PKT_EXTENSION,
	CSF_PKT_NR
};

enum csf_bad {
	CSF_BAD_RESERVED,	/* no version has this header */
	CSF_BAD_CONFIG,		/* this version or configuration has no such packet; @info: type */
	CSF_BAD_SEQUENCE,	/* the header is valid, the payload is not; @info: packet type */
	CSF_BAD_CUT,		/* cut off by an A-sync or the end of trace; @info: packet type */
	CSF_BAD_UNSYNC,		/* bytes before an A-sync */
	CSF_BAD_LOST,		/* csf_monitor_read_committed(): a loss; @info: enum csf_gap */
};

/* "malformed" for CSF_BAD_SEQUENCE, and so on. */
CSF_API const char *csf_bad_name(enum csf_bad bad);

/* struct csf_packet.flags */
#define CSF_PKT_IS1	0x01	/* address: instruction set bit */
#define CSF_PKT_COUNT	0x02	/* TIME, Q: @count is valid; CCn: the count is known */
#define CSF_PKT_CTXT	0x04	/* has a context: @info, maybe @vmid, @contextid */
#define CSF_PKT_ADDR	0x08	/* Q: has its own address: @n bits, or CSF_PKT_MATCH */
#define CSF_PKT_MISP	0x10	/* CANCELn: a mispredict follows; CANCEL2 and 3 always set it */
#define CSF_PKT_UNKNOWN	0x20	/* EXCEPTION: the address is unknown (third byte 0x70) */
#define CSF_PKT_MATCH	0x40	/* Q: the address is an exact match, entry @val */

/**
 * struct csf_packet - one trace packet, its payload unpacked but not interpreted
 * @val: ATOM: outcomes, oldest in bit 0, 1 is E; MISPREDICT, CANCELn: atoms before it, likewise;
 *       address packets, Q with CSF_PKT_ADDR: the @n low address bits, at their place; xx_MATCH:
 *       entry 0..2; TIME: the @n low bits of the timestamp; ITE: the value; EVENT: mask; INFO: the
 *       INFO field; BAD: first 8 bytes, little-endian; CSF_BAD_LOST: bytes skipped; DSYNC_x: the
 *       number; COND_I1: key; COND_I2: CI; COND_I3: NUM | Z << 6;
 *       COND_R1: first result: RESULT | KEY << 4; COND_R2: T | K << 2;
 *       COND_R4: T; COND_R3: 12 token bits
 * @val2: INFO: the KEY field; COND_R1: second result, with @n 2
 * @count: TIME, CCn with CSF_PKT_COUNT: cycles, as in the packet: CCn without the threshold;
 *         Q with CSF_PKT_COUNT: instructions; INFO: the CYCT field; CANCELn, COMMIT: P0 elements;
 *         CSF_BAD_LOST: P0 elements lost
 * @commit: CCn: number of P0 elements that it commits, before the count, 0 if TRCIDR0.COMMOPT; for
 *          CC2 with bit 0 of @info set: the number to add to TRCIDR8.MAXSPEC, modulo 2^32: -15..0;
 *          INFO: the SPEC field
 * @contextid: with CSF_PKT_CTXT and bit 7 of @info
 * @vmid: with CSF_PKT_CTXT and bit 6 of @info
 * @exception: EXCEPTION: TYPE, 0..1023
 * @type: enum csf_packet_type
 * @size: bytes, 1..CSF_PACKET_MAX
 * @n: number of atoms, 0..24, or of valid bits: addresses 8, 9, 16, 17, 32, 64, TIME 7, 14 .. 56,
 *     64; BAD: enum csf_bad; EXCEPTION: E1:E0; ITE: exception level; COND_R1: results, 1 or 2
 * @info: with CSF_PKT_CTXT: context info byte: C V NS SF NSE 0 EL EL; INFO: bits 4:0 of PLCTL,
 *        which say the sections that are present; EXCEPTION: P in bit 5; CC2: bit 0 of the header;
 *        COND_R1: CI0, CI1; BAD: see enum csf_bad
 * @flags: CSF_PKT_IS1 and the flags after it
 *
 * Packets of ITM and DWT: @val: the payload; @n: its bytes for STIMULUS, HARDWARE and LOCAL_TIME, 0
 * if it is in the header; its bits for GLOBAL_TIMEn and EXTENSION; zeros of ASYNC; @info: number of
 * the port or of the DWT packet; LOCAL_TIME: TC; GLOBAL_TIME1: bit 0 the clock changed, bit 1 the
 * high bits changed; EXTENSION: 1: of hardware.
 *
 * Fields that are not named for a type are 0.  Bits that the architecture ignores are not kept.
 *
 * ETMv3 has these besides:
 *
 * - BRANCH, ISYNC: @val: address; of @n below 32 bits, from the lowest that an instruction can
 *   have; CSF_PKT_IS1: T32; @info: 0x02 Hyp, 0x04 AltISA, 0x08 NS, 0x10 Jazelle
 * - BRANCH with CSF_PKT_CTXT: @exception; @info: 0x01 it says whether Hyp, 0x20 cancel, 0x40 resume
 *   with @count; without CSF_PKT_CTXT: @info 0x80: @exception of the older form
 * - ISYNC: @info: 0x60 reason, 0x80 a second address of @commit bits is @val2; @count, @contextid
 * - ATOM with CSF_PKT_COUNT: @count cycles: one for each atom; or one, for the first of two; or all
 *   before the only atom
 * - TIME: @info 1: the clock has changed
 * - DATA_x: @val: value of @n bytes; CSF_PKT_ADDR: the @commit low bits of the address are @val2;
 *   @info: 0x01 an address is there, 0x02 big-endian, 0x30 tag
 */
struct csf_packet {
	uint64_t val;
	uint64_t val2;
	uint32_t count;
	uint32_t commit;
	uint32_t contextid;
	uint32_t vmid;
	uint16_t exception;
	uint8_t type;
	uint8_t size;
	uint8_t n;
	uint8_t info;
	uint8_t flags;
};

/* Maximum size of a packet, in bytes. */
#define CSF_PACKET_MAX	32

/**
 * csf_packet_read() - unpack one packet
 * @p: the bytes; the first is the header byte
 * @n: number of bytes at @p
 * @packet: the packet; CSF_PKT_BAD with CSF_BAD_CUT if it does not end within @n
 *
 * The result depends only on the bytes and the configuration: compressed addresses stay compressed.
 *
 * Return: size of the packet in bytes, 1..CSF_PACKET_MAX and at most @n; 0 if @n is 0;
 * CSF_ERR_CONFIG.
 */
CSF_API int csf_packet_read(const struct csf_config *config, const void *p, size_t n,
			    struct csf_packet *packet);

/**
 * csf_packet_write() - pack one packet: the inverse of csf_packet_read()
 * @p: room for CSF_PACKET_MAX bytes
 *
 * For CSF_PKT_BAD up to 8 bytes are written as they were read.
 *
 * Return: number of bytes written; 0 if this configuration has no such packet; CSF_ERR_CONFIG.
 */
CSF_API int csf_packet_write(const struct csf_config *config, void *p,
			     const struct csf_packet *packet);

/**
 * csf_packet_print() - print a packet in the words that csf_packet_parse() reads
 * @buf: room for @n bytes; 160 are always enough
 *
 * Return: length of the whole text without its final 0, even if @n is too small for it;
 * CSF_ERR_ARG, CSF_ERR_CONFIG.
 */
CSF_API int csf_packet_print(const struct csf_config *config, const struct csf_packet *packet,
			     char *buf, size_t n);

/**
 * csf_packet_parse() - make a packet from words
 * @text: one packet, see Documentation/format/packets.rst
 * @packet: the packet
 * @where: set on CSF_ERR_ARG to the word in @text that is not understood; or NULL
 *
 * Return: 0, CSF_ERR_ARG, CSF_ERR_CONFIG.
 */
CSF_API int csf_packet_parse(const struct csf_config *config, const char *text,
			     struct csf_packet *packet, const char **where);

/*
 * The packet monitor reports every packet of a stream, in sync or not, with its offset.  Like the
 * decoder, it looks for the first A-sync, cuts the stream at each A-sync, and looks for the next
 * one after a bad packet.  A Cancel of nothing, CSF_BAD_SEQUENCE with CSF_PKT_CANCEL1 in @info, is
 * an exception: the monitor reads on after it.  The monitor does not check what packets mean, or
 * whether a packet may come at its place.  So if P0 elements are counted, the decoder loses sync at
 * any packet between an exception and its address, even at a Cancel of nothing, and the monitor
 * does not.
 */
struct csf_monitor;

/*
 * @config is copied.
 *
 * Return: 0; CSF_ERR_ARG; CSF_ERR_CONFIG, also for an STM, whose packets are not whole bytes;
 * CSF_ERR_MEMORY.
 */
CSF_API int csf_monitor_new(struct csf_monitor **mon, const struct csf_config *config);
CSF_API void csf_monitor_free(struct csf_monitor *mon);		/* NULL is fine */

/*
 * Hands the monitor @n bytes, borrowed until a read returns 0.  A stream may be split anywhere.
 *
 * Return: 0; CSF_ERR_ARG if the bytes fed before are not used up.
 */
CSF_API int csf_monitor_feed(struct csf_monitor *mon, const void *trace, size_t n);

/* Says that no more bytes follow: the last ones, held back until now, can be read. */
CSF_API int csf_monitor_end(struct csf_monitor *mon);

/* Makes @mon as new: nothing fed, offset 0. */
CSF_API void csf_monitor_reset(struct csf_monitor *mon);

/**
 * csf_monitor_read() - read the next packets, as many as are available
 * @packets: room for @max packets; some hundreds, which stay in the cache, are best
 * @offset: set to the offset of the first packet, in bytes fed; or NULL.  Each packet begins where
 *          the one before it ends
 * @bytes: set to all their bytes, one after the other, which stay valid until the next call; or
 *         NULL
 *
 *	while ((n = csf_monitor_read(mon, packet, 256, &offset, &bytes)) > 0)
 *		for (i = 0; i < n; offset += packet[i].size, bytes += packet[i].size, i++)
 *			...
 *
 * Return: number of packets; 0: feed more; CSF_ERR_ARG.
 */
CSF_API long csf_monitor_read(struct csf_monitor *mon, struct csf_packet *packets, size_t max,
			      uint64_t *offset, const uint8_t **bytes);

/* As csf_monitor_read(), for one packet; this takes several times as long for each. */
CSF_API int csf_monitor_next(struct csf_monitor *mon, struct csf_packet *packet, uint64_t *offset,
			     const uint8_t **bytes);

/**
 * csf_monitor_commit() - report packets only when they are committed
 *
 * Call it before the first byte is fed; csf_monitor_reset() does not change it.  Packets are then
 * read with csf_monitor_read_committed().
 *
 * Return: 0; CSF_ERR_ARG: a byte was fed before, or it is neither ETMv4 nor ETE; CSF_ERR_MEMORY.
 */
CSF_API int csf_monitor_commit(struct csf_monitor *mon);

/**
 * csf_monitor_read_committed() - read the next committed packets, in trace order
 * @packets: room for @max packets, at least 2
 * @offsets: set to the offset of each packet, in bytes fed
 * @used: set to the number of bytes used up so far; or NULL
 *
 * The packets are those of a trace unit that does not speculate, and each is complete without the
 * others.  Addresses and timestamps have 64 bits.  Contexts have all IDs that were sent.  An
 * address follows each Q, and each exception that has one.  Cycle counts include the threshold.
 * Packets that were cancelled, packets that commit or cancel, and packets that do not concern
 * execution, such as A-syncs, are left out.
 *
 * A loss is a CSF_PKT_BAD with CSF_BAD_LOST, and so are bytes before the first A-sync.  A Cancel of
 * nothing is the same packet as in csf_monitor_read().
 *
 * Return: number of packets; 0: feed more; CSF_ERR_ARG.
 */
CSF_API long csf_monitor_read_committed(struct csf_monitor *mon, struct csf_packet *packets,
					uint64_t *offsets, size_t max, uint64_t *used);

#endif /* CSFLOW_PACKET_H */
