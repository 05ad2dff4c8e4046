/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets as OpenCSD reads them, passes them to clients and prints them.
 *
 *	packet-read.c	bytes to packets: after a bad one it goes on where that ended
 *	packet-make.c	the structure of a packet that clients get
 *	packet-text.c	that structure in the words of trc_pkt_lister
 */
#ifndef OPENCSD_PACKET_H
#define OPENCSD_PACKET_H

#include "../../decoder/csflow.h"
#include "../out.h"
#include "abi.h"

/* Maximum length of a line, including the bytes. */
#define OCSD_LINE_MAX	1024

/* Bytes that wait for the end of their packet, with spare room so that they are rarely moved. */
#define OCSD_WINDOW	1024

/**
 * struct ocsd_found - a packet as the reader found it
 * @bytes: its @size bytes; valid until the next byte is read
 * @pos: offset in the stream; @idx: the index of its first byte
 */
struct ocsd_found {
	struct csf_packet pkt;
	const uint8_t *bytes;
	size_t size;
	uint64_t pos, idx;
};

/**
 * struct ocsd_reader - packet reader; set it to zero, then set @config, @found and @owner
 * @found: called for each packet, with @owner
 * @byte: bytes from @head to @tail are not in a packet yet; @idx: the index of each
 * @pos: offset of byte[@head] in the stream
 * @zeros: out of sync: the held bytes are this many zeros, a possible A-sync
 * @chunk: out of sync: size of a complete chunk that is not out yet
 * @ptm, @seen: see packet-older.h
 * @next_idx: index of the next byte; out of sync, after a chunk of full size: without regard to its
 *            frame
 */
struct ocsd_reader {
	struct csf_config config;
	void (*found)(void *owner, const struct ocsd_found *f);
	void *owner;
	uint8_t byte[OCSD_WINDOW];
	uint64_t idx[OCSD_WINDOW];
	size_t head, tail, zeros, chunk, seen;
	uint64_t pos, next_idx;
	bool synced, has_next_idx, ptm;
};

/* Reads bytes; the first has the index @idx, and so on. */
void ocsd_read(struct ocsd_reader *r, const uint8_t *p, size_t n, uint64_t idx);

/**
 * ocsd_piece_index() - the index of the first byte of a piece of frames
 * @at: its offset in the stream of frames, which begin at multiples of 16 from @base
 * @id: ID of the piece; @before: the byte before it
 */
uint64_t ocsd_piece_index(uint64_t at, uint64_t base, uint8_t id, uint8_t before);

/* No bytes follow: an unfinished packet is incomplete. */
void ocsd_read_end(struct ocsd_reader *r);

/* Makes it as new. */
void ocsd_read_reset(struct ocsd_reader *r);

/**
 * struct ocsd_history - the state that packets of a stream take over from earlier ones
 * @addr: last three addresses, the newest first; @is: their instruction set bits; @bits: number of
 *        bits that their packets had
 * @packet: holds the fields that stay from packet to packet; addresses are in @addr
 */
struct ocsd_history {
	uint64_t addr[3];
	uint8_t is[3], bits[3];
	struct abi_packet packet;
};

/**
 * ocsd_packet_make() - make the structure of the next packet of a stream
 * @header: its first byte
 *
 * Return: the structure, valid until the next call.
 */
const struct abi_packet *ocsd_packet_make(struct ocsd_history *h, const struct csf_config *config,
					  const struct csf_packet *pkt, uint8_t header);

/*
 * Writes "NAME : description" and the details, without the end of the line; at most OCSD_LINE_MAX.
 */
void ocsd_packet_text(struct out *o, const struct abi_packet *p);

#endif /* OPENCSD_PACKET_H */
