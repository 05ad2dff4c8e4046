// SPDX-License-Identifier: GPL-2.0-only
/* OpenCSD's packet reader: it stays in step behind a bad packet. */
#include "list-opencsd-id.h"

#define ASYNC_ZEROS	11
#define ASYNC_SIZE	12
#define CHUNK_SIZE	8

/* The next @size bytes are a packet. */
static void found(struct ocsd_id *s, const struct csf_packet *pkt, size_t size)
{
	struct ocsd_found f = {
		.pkt = *pkt, .bytes = s->byte + s->head, .size = size,
		.pos = s->pos, .idx = s->idx[s->head],
	};

	ocsd_found(s, &f);
	s->head += size;
	s->pos += size;
}

static void bad(struct ocsd_id *s, enum csf_bad why, uint8_t type, size_t size)
{
	const struct csf_packet pkt = { .type = CSF_PKT_BAD, .n = why, .info = type };

	found(s, &pkt, size);
}

static void async(struct ocsd_id *s)
{
	const struct csf_packet pkt = { .type = CSF_PKT_ASYNC, .size = ASYNC_SIZE };

	found(s, &pkt, ASYNC_SIZE);
	s->synced = true;
	s->zeros = 0;
}

/*
 * Out of sync bytes come in chunks of 8, or fewer before a zero: that may begin
 * an A-sync.  @n bytes are held, the last of them is new.
 *
 * Return: bytes of a chunk that is complete; 0: none is.
 */
static size_t unsynced_byte(struct ocsd_id *s, size_t n)
{
	uint8_t b = s->byte[s->head + n - 1];

	if (!b) {
		size_t chunk = s->zeros == n - 1 ? 0 : n - 1;

		s->zeros = chunk ? 1 : s->zeros + 1;
		return chunk;
	}
	if (b == 0x80 && s->zeros == n - 1 && s->zeros >= ASYNC_ZEROS) {
		if (s->zeros > ASYNC_ZEROS)
			bad(s, CSF_BAD_UNSYNC, 0, s->zeros - ASYNC_ZEROS);
		async(s);
		return 0;
	}
	s->zeros = 0;
	if (n < CHUNK_SIZE)
		return 0;
	s->next_idx = s->idx[s->head + n - 1] + 1;
	s->has_next_idx = true;
	return n;
}

/* A chunk goes out when the byte behind it is looked at, if only in the next run of its ID. */
static void send_chunk(struct ocsd_id *s)
{
	if (s->chunk)
		bad(s, CSF_BAD_UNSYNC, 0, s->chunk);
	s->chunk = 0;
}

/* In sync two zeros can only begin an A-sync.  Return: bytes to take, 0: more are needed. */
static size_t synced_zeros(struct ocsd_id *s, size_t n)
{
	const uint8_t *p = s->byte + s->head;

	for (size_t i = 2; i < n && i < ASYNC_SIZE; i++) {
		if (p[i] == (i == ASYNC_ZEROS ? 0x80 : 0))
			continue;
		bad(s, CSF_BAD_SEQUENCE, CSF_PKT_ASYNC, i + 1);
		return i + 1;
	}
	if (n < ASYNC_SIZE)
		return 0;
	async(s);
	return ASYNC_SIZE;
}

/* ETE: the byte behind these exceptions tells whether it is part of the packet. */
static bool may_go_on(const struct ocsd_id *s, const struct csf_packet *p)
{
	return s->ete && p->type == CSF_PKT_EXCEPTION && !(p->flags & CSF_PKT_UNKNOWN) &&
	       (!p->exception || p->exception == 0x18);
}

/* Return: bytes taken; 0: the packet is not whole. */
static size_t synced_packet(struct ocsd_id *s, size_t n)
{
	struct csf_packet pkt;
	const uint8_t *p = s->byte + s->head;
	int size;

	if (n > 1 && !p[0] && !p[1])
		return synced_zeros(s, n);
	size = csf_packet_read(&s->config, p, n, &pkt);
	if (size <= 0 || (pkt.type == CSF_PKT_BAD && pkt.n == CSF_BAD_CUT) ||
	    (size == n && may_go_on(s, &pkt)))
		return 0;
	found(s, &pkt, size);
	return size;
}

static void move_down(struct ocsd_id *s)
{
	size_t n = s->tail - s->head;

	memmove(s->byte, s->byte + s->head, n);
	memmove(s->idx, s->idx + s->head, n * sizeof(s->idx[0]));
	s->head = 0;
	s->tail = n;
}

/* Zeros without end would fill the window: all but the last eleven are no part of an A-sync. */
static void limit_zeros(struct ocsd_id *s)
{
	if (s->zeros < OCSD_WINDOW / 4)
		return;
	bad(s, CSF_BAD_UNSYNC, 0, s->zeros - ASYNC_ZEROS);
	s->zeros = ASYNC_ZEROS;
}

void ocsd_read(struct ocsd_id *s, const uint8_t *p, size_t n, uint64_t idx)
{
	for (size_t i = 0; i < n; i++) {
		send_chunk(s);
		if (s->tail == OCSD_WINDOW)
			move_down(s);
		s->byte[s->tail] = p[i];
		s->idx[s->tail++] = s->has_next_idx && p[i] ? s->next_idx : idx + i;
		s->has_next_idx = false;
		if (!s->synced) {
			s->chunk = unsynced_byte(s, s->tail - s->head);
			limit_zeros(s);
		} else {
			synced_packet(s, s->tail - s->head);
		}
	}
}

/* What was begun is incomplete. */
void ocsd_read_end(struct ocsd_id *s)
{
	struct csf_packet pkt;
	size_t n;

	send_chunk(s);
	n = s->tail - s->head;
	if (!n)
		return;
	if (!s->synced) {
		bad(s, CSF_BAD_UNSYNC, 0, n);
		return;
	}
	csf_packet_read(&s->config, s->byte + s->head, n, &pkt);
	bad(s, CSF_BAD_CUT, pkt.type == CSF_PKT_BAD ? pkt.info : pkt.type, n);
}
