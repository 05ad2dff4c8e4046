/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets as OpenCSD finds them, hands them out and prints them.
 *
 *	packet-read.c	bytes to packets: behind a bad one it goes on where that ended
 *	packet-make.c	a packet as the structure that its clients get
 *	packet-text.c	that structure in trc_pkt_lister's words
 */
#ifndef OPENCSD_PACKET_H
#define OPENCSD_PACKET_H

#include "../../decoder/csflow.h"
#include "../out.h"
#include "abi.h"

/* No line is longer, bytes and all. */
#define OCSD_LINE_MAX	1024

/* Bytes that wait for the end of their packet, and some more so that moving them down is rare. */
#define OCSD_WINDOW	1024

/**
 * struct ocsd_found - a packet as the reader found it
 * @bytes: its @size bytes; good until the next byte is read
 * @pos: place in the stream; @idx: the index of its first byte
 */
struct ocsd_found {
	struct csf_packet pkt;
	const uint8_t *bytes;
	size_t size;
	uint64_t pos, idx;
};

/**
 * struct ocsd_reader - zero it, and set @config, @found and @owner
 * @found: called for each packet, with @owner
 * @byte: bytes from @head to @tail are not yet in a packet; @idx: the index of each
 * @pos: place of byte[@head] in the stream
 * @zeros: out of sync: the bytes held are this many zeros, a possible A-sync
 * @chunk: out of sync: this many bytes are complete, but not out
 * @next_idx: index of the next byte, out of sync behind a chunk of full size: its frame is not
 *            looked at
 */
struct ocsd_reader {
	struct csf_config config;
	void (*found)(void *owner, const struct ocsd_found *f);
	void *owner;
	uint8_t byte[OCSD_WINDOW];
	uint64_t idx[OCSD_WINDOW];
	size_t head, tail, zeros, chunk;
	uint64_t pos, next_idx;
	bool synced, has_next_idx;
};

/* Bytes; the first has @idx, and so on. */
void ocsd_read(struct ocsd_reader *r, const uint8_t *p, size_t n, uint64_t idx);

/**
 * ocsd_piece_index() - the index of the first byte of a piece of frames
 * @at: its place in the stream of frames; these begin at multiples of 16 from @base
 * @id: of the piece; @before: the byte in front of it
 */
uint64_t ocsd_piece_index(uint64_t at, uint64_t base, uint8_t id, uint8_t before);

/* No more: what was begun is incomplete. */
void ocsd_read_end(struct ocsd_reader *r);

/* As new. */
void ocsd_read_reset(struct ocsd_reader *r);

/**
 * struct ocsd_history - what a stream's packets take over from those before
 * @addr: last three addresses, the newest first; @is: their instruction set bits; @bits: of these
 *        the packets had
 * @packet: with what stays from packet to packet; addresses are in @addr
 */
struct ocsd_history {
	uint64_t addr[3];
	uint8_t is[3], bits[3];
	struct abi_packet packet;
};

/**
 * ocsd_packet_make() - the next packet of a stream
 * @header: its first byte
 *
 * Return: it, good until the next call.
 */
const struct abi_packet *ocsd_packet_make(struct ocsd_history *h, const struct csf_config *config,
					  const struct csf_packet *pkt, uint8_t header);

/* "NAME : description" and the details, without the end of the line; at most OCSD_LINE_MAX. */
void ocsd_packet_text(struct out *o, const struct abi_packet *p);

#endif /* OPENCSD_PACKET_H */
