/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets: from bytes to one struct csf_packet.  The result depends only on bytes and
 * configuration: compressed addresses stay compressed.
 */
#ifndef CSF_ETM3_PACKET_H
#define CSF_ETM3_PACKET_H

#include "../config.h"
#include "../window.h"

#define ETM3_SYNC_ZEROS		5

/* Headers.  Branches are odd, and atoms even and above 0x7f. */
#define ETM3_ASYNC		0x00
#define ETM3_CYCLES		0x04
#define ETM3_ISYNC		0x08
#define ETM3_TRIGGER		0x0c
#define ETM3_VMID		0x3c
#define ETM3_TIME		0x42
#define ETM3_TIME_CHANGE	0x46	/* the clock's frequency has changed */
#define ETM3_DATA_FAILED	0x50
#define ETM3_DATA_LOST		0x62
#define ETM3_IGNORE		0x66
#define ETM3_DATA_UNTRACED	0x6a	/* 0x7a: with an address */
#define ETM3_CTXTID		0x6e
#define ETM3_ISYNC_CYCLES	0x70
#define ETM3_ERET		0x76
#define ETM3_EXC_ENTRY		0x7e

/*
 * struct csf_packet.info of ISYNC: as its information byte without bit 0.  Of BRANCH, besides
 * NS, ALT, HYP and JAZELLE, the other bits below.
 */
#define ETM3_INFO_HYP		0x02
#define ETM3_INFO_ALT		0x04	/* ThumbEE, if T32 */
#define ETM3_INFO_NS		0x08
#define ETM3_INFO_JAZELLE	0x10
#define ETM3_INFO_REASON(info)	((info) >> 5 & 3)
#define ETM3_INFO_LSIP		0x80	/* a load or store multiple is in progress */
#define ETM3_BRANCH_LONG	0x01	/* it has the second exception byte */
#define ETM3_BRANCH_CANCEL	0x20	/* the instruction before it was not completed */
#define ETM3_BRANCH_RESUME	0x40	/* it has the third exception byte: @count */
#define ETM3_BRANCH_OLD		0x80	/* the exception is in the fifth byte of the address */

/* struct csf_packet.info of data packets */
#define ETM3_DATA_A		0x01	/* the header says that there is an address */
#define ETM3_DATA_BIG		0x02	/* big-endian */
#define ETM3_DATA_TAG(info)	((info) >> 4 & 3)

enum etm3_reason { ETM3_PERIODIC, ETM3_ON, ETM3_OVERFLOW, ETM3_DEBUG };

/* The number of the lowest bit that an address can have is 2 minus this. */
enum etm3_isa { ETM3_A32, ETM3_T32, ETM3_JAZELLE };

/* The instruction set of a full address. */
static inline enum etm3_isa etm3_isa(const struct csf_packet *pkt)
{
	return pkt->info & ETM3_INFO_JAZELLE ? ETM3_JAZELLE :
	       pkt->flags & CSF_PKT_IS1 ? ETM3_T32 : ETM3_A32;
}

/**
 * etm3_read() - unpack the packet at @p
 * @p: header byte; CSF_PACKET_MAX bytes must be readable, whatever they hold
 * @pkt: set to the packet, perhaps CSF_PKT_BAD
 *
 * Return: size in bytes.  The caller compares it with the rest of the trace.
 */
int etm3_read(const struct config *c, const uint8_t *p, struct csf_packet *pkt);

/*
 * Reads the packet at @win->pos, when window_ready().  One that reaches past the cut or the end is
 * CSF_BAD_CUT, except zeros before those of an A-sync, which are CSF_PKT_IGNORE.  Return: number
 * of bytes to take.
 */
int etm3_read_window(const struct window *win, const struct config *c, struct csf_packet *pkt);

/* May the packet that etm3_read_window() returned be taken?  If not, calls window_keep(). */
bool etm3_whole(const struct window *win, const struct csf_packet *pkt, int size);

/* As csf_packet_read(), csf_packet_write() and so on. */
int etm3_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int etm3_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
int etm3_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int etm3_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		      const char **where);

#endif /* CSF_ETM3_PACKET_H */
