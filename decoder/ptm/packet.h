/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Packets of PTM: from bytes to one struct csf_packet.
 *
 * Reading a packet is a pure function of the bytes and the configuration: compressed addresses
 * stay compressed, and the unit of a short address depends on the instruction set, which is not
 * known here.
 *
 * Source: ARM IHI 0035, "Program flow trace packets".
 */
#ifndef CSF_PTM_PACKET_H
#define CSF_PTM_PACKET_H

#include "../config.h"
#include "../window.h"

#define PTM_SYNC_ZEROS	5
#define PTM_SYNC_SIZE	6

/* Header bytes; those of atoms, branches and waypoint updates have data in them. */
enum ptm_header {
	PTM_ASYNC	= 0x00,
	PTM_ISYNC	= 0x08,
	PTM_TRIGGER	= 0x0c,
	PTM_VMID	= 0x3c,
	PTM_TIME	= 0x42,
	PTM_TIME_CHANGE	= 0x46,
	PTM_IGNORE	= 0x66,
	PTM_CTXTID	= 0x6e,
	PTM_WAYPOINT	= 0x72,
	PTM_ERET	= 0x76,
};

/* csf_packet.info of an I-sync: the information byte; of branches: the same bits. */
#define PTM_INFO_HYP		0x02
#define PTM_INFO_ALT		0x04	/* ThumbEE, if T32 */
#define PTM_INFO_NS		0x08
#define PTM_INFO_JAZELLE	0x10	/* branches */
#define PTM_INFO_REASON(info)	((info) >> 5 & 3)

enum ptm_reason { PTM_PERIODIC, PTM_ON, PTM_OVERFLOW, PTM_DEBUG };

/* Numbers of exceptions that need care. */
#define PTM_EXC_RESET		8

/**
 * ptm_read() - unpack the packet at @p
 * @p: header byte; CSF_PACKET_MAX bytes must be readable, whatever they hold
 *
 * Return: size in bytes, 1..CSF_PACKET_MAX: it may reach past the end of the trace.
 */
int ptm_read(const struct config *c, const uint8_t *p, struct csf_packet *pkt);

/*
 * Reads the packet at @win->pos; call only when window_ready().  A packet that reaches past the cut
 * or the end is CSF_BAD_CUT.  Zeros before an A-sync are part of it.  Return: bytes to take.
 */
int ptm_read_window(const struct window *win, const struct config *c, struct csf_packet *pkt);

/* May the packet that ptm_read_window() returned be taken?  If not, call window_keep(). */
bool ptm_whole(const struct window *win, const struct csf_packet *pkt, int size);

/* For struct protocol. */
int ptm_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int ptm_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt);
int ptm_print_packet(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int ptm_parse_packet(const struct config *c, const char *text, struct csf_packet *pkt,
		     const char **where);

#endif /* CSF_PTM_PACKET_H */
