// SPDX-License-Identifier: GPL-2.0-only
/* OpenCSD's packet reader: it stays in sync after a bad packet. */
#include <string.h>

#include "packet.h"

#define ASYNC_ZEROS	11
#define ASYNC_SIZE	12
#define CHUNK_SIZE	8
#define FRAME_SIZE	16

/*
 * The index is that of its frame, or of the ID byte that begins the piece.  An ID is at an even
 * position: right before the piece; or one byte before that if it took effect late; or three bytes
 * before if the next ID, also late, then left the piece only one byte.
 */
uint64_t ocsd_piece_index(uint64_t at, uint64_t base, uint8_t id, uint8_t before)
{
	uint64_t in_frame = (at - base) & (FRAME_SIZE - 1);

	if (in_frame & 1)
		return at - (in_frame > 1 && before >> 1 != id ? 3 : 1);
	return in_frame ? at - 2 : at;
}

/* The next @size bytes are a packet. */
static void found(struct ocsd_reader *r, const struct csf_packet *pkt, size_t size)
{
	struct ocsd_found f = {
		.pkt = *pkt, .bytes = r->byte + r->head, .size = size,
		.pos = r->pos, .idx = r->idx[r->head],
	};

	r->found(r->owner, &f);
	r->head += size;
	r->pos += size;
}

static void bad(struct ocsd_reader *r, enum csf_bad why, uint8_t type, size_t size)
{
	const struct csf_packet pkt = { .type = CSF_PKT_BAD, .n = why, .info = type };

	found(r, &pkt, size);
}

static void async(struct ocsd_reader *r)
{
	const struct csf_packet pkt = { .type = CSF_PKT_ASYNC, .size = ASYNC_SIZE };

	found(r, &pkt, ASYNC_SIZE);
	r->synced = true;
	r->zeros = 0;
}

/*
 * Bytes out of sync come in chunks of 8, or fewer before a zero, which may begin an A-sync.  @n
 * bytes are held, the last of which is new.
 *
 * Return: size of a complete chunk; 0: none is complete.
 */
static size_t unsynced_byte(struct ocsd_reader *r, size_t n)
{
	uint8_t b = r->byte[r->head + n - 1];

	if (!b) {
		size_t chunk = r->zeros == n - 1 ? 0 : n - 1;

		r->zeros = chunk ? 1 : r->zeros + 1;
		return chunk;
	}
	if (b == 0x80 && r->zeros == n - 1 && r->zeros >= ASYNC_ZEROS) {
		if (r->zeros > ASYNC_ZEROS)
			bad(r, CSF_BAD_UNSYNC, 0, r->zeros - ASYNC_ZEROS);
		async(r);
		return 0;
	}
	r->zeros = 0;
	if (n < CHUNK_SIZE)
		return 0;
	r->next_idx = r->idx[r->head + n - 1] + 1;
	r->has_next_idx = true;
	return n;
}

/* A chunk goes out when the byte after it is read, which may be in the next run of its ID. */
static void send_chunk(struct ocsd_reader *r)
{
	if (r->chunk)
		bad(r, CSF_BAD_UNSYNC, 0, r->chunk);
	r->chunk = 0;
}

/* In sync two zeros can only begin an A-sync.  Return: bytes to take; 0: more are needed. */
static size_t synced_zeros(struct ocsd_reader *r, size_t n)
{
	const uint8_t *p = r->byte + r->head;

	for (size_t i = 2; i < n && i < ASYNC_SIZE; i++) {
		if (p[i] == (i == ASYNC_ZEROS ? 0x80 : 0))
			continue;
		bad(r, CSF_BAD_SEQUENCE, CSF_PKT_ASYNC, i + 1);
		return i + 1;
	}
	if (n < ASYNC_SIZE)
		return 0;
	async(r);
	return ASYNC_SIZE;
}

/* ETE: the byte after these exceptions tells whether it is part of the packet. */
static bool may_go_on(const struct ocsd_reader *r, const struct csf_packet *p)
{
	return p->type == CSF_PKT_EXCEPTION && !(p->flags & CSF_PKT_UNKNOWN) &&
	       (!p->exception || p->exception == 0x18) &&
	       csf_config_protocol(&r->config) == CSF_PROTOCOL_ETE;
}

/* Return: bytes taken; 0: the packet is incomplete. */
static size_t synced_packet(struct ocsd_reader *r, size_t n)
{
	struct csf_packet pkt;
	const uint8_t *p = r->byte + r->head;
	int size;

	if (n > 1 && !p[0] && !p[1])
		return synced_zeros(r, n);
	size = csf_packet_read(&r->config, p, n, &pkt);
	if (size <= 0 || (pkt.type == CSF_PKT_BAD && pkt.n == CSF_BAD_CUT) ||
	    (size == n && may_go_on(r, &pkt)))
		return 0;
	found(r, &pkt, size);
	return size;
}

static void move_down(struct ocsd_reader *r)
{
	size_t n = r->tail - r->head;

	memmove(r->byte, r->byte + r->head, n);
	memmove(r->idx, r->idx + r->head, n * sizeof(r->idx[0]));
	r->head = 0;
	r->tail = n;
}

/* Endless zeros would fill the window: all but the last eleven cannot be part of an A-sync. */
static void limit_zeros(struct ocsd_reader *r)
{
	if (r->zeros < OCSD_WINDOW / 4)
		return;
	bad(r, CSF_BAD_UNSYNC, 0, r->zeros - ASYNC_ZEROS);
	r->zeros = ASYNC_ZEROS;
}

void ocsd_read(struct ocsd_reader *r, const uint8_t *p, size_t n, uint64_t idx)
{
	for (size_t i = 0; i < n; i++) {
		send_chunk(r);
		if (r->tail == OCSD_WINDOW)
			move_down(r);
		r->byte[r->tail] = p[i];
		r->idx[r->tail++] = r->has_next_idx && p[i] ? r->next_idx : idx + i;
		r->has_next_idx = false;
		if (!r->synced) {
			r->chunk = unsynced_byte(r, r->tail - r->head);
			limit_zeros(r);
		} else {
			synced_packet(r, r->tail - r->head);
		}
	}
}

void ocsd_read_end(struct ocsd_reader *r)
{
	struct csf_packet pkt;
	size_t n;

	send_chunk(r);
	n = r->tail - r->head;
	if (!n)
		return;
	if (!r->synced) {
		bad(r, CSF_BAD_UNSYNC, 0, n);
		return;
	}
	csf_packet_read(&r->config, r->byte + r->head, n, &pkt);
	bad(r, CSF_BAD_CUT, pkt.type == CSF_PKT_BAD ? pkt.info : pkt.type, n);
}

void ocsd_read_reset(struct ocsd_reader *r)
{
	r->head = 0;
	r->tail = 0;
	r->zeros = 0;
	r->chunk = 0;
	r->seen = 0;
	r->pos = 0;
	r->synced = false;
	r->has_next_idx = false;
}
