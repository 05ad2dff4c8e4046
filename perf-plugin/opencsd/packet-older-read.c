// SPDX-License-Identifier: GPL-2.0-only
/* OpenCSD's packet readers for ETMv3 and PTM: they stay in sync after a bad packet. */
#include <string.h>

#include "packet-older.h"

#define ZEROS	5	/* of an A-sync, at least */

/* The next @size bytes are a packet. */
static void found(struct ocsd_reader *r, const struct csf_packet *pkt, size_t size)
{
	const struct ocsd_found f = {
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

	if (size)
		found(r, &pkt, size);
}

static size_t leading_zeros(const struct ocsd_reader *r, size_t n)
{
	size_t zeros = 0;

	while (zeros < n && !r->byte[r->head + zeros])
		zeros++;
	return zeros;
}

/* The number of zeros at the end of @n bytes. */
static size_t trailing_zeros(const struct ocsd_reader *r, size_t n)
{
	size_t zeros = 0;

	while (zeros < n && !r->byte[r->head + n - 1 - zeros])
		zeros++;
	return zeros;
}

static void async(struct ocsd_reader *r, size_t size)
{
	const struct csf_packet pkt = { .type = CSF_PKT_ASYNC };

	r->synced = true;
	found(r, &pkt, size);
}

/* Bytes of ETMv3 out of sync come in pieces, which end before a zero, too. */
static void etm3_unsynced(struct ocsd_reader *r, size_t n)
{
	const size_t before = n - 1, zeros = leading_zeros(r, before);
	const uint8_t last = r->byte[r->head + before];

	if (last == 0x80 && zeros == before && zeros >= ZEROS) {
		bad(r, CSF_BAD_UNSYNC, 0, zeros - ZEROS);
		async(r, ZEROS + 1);
	} else if (!last && zeros < before) {
		bad(r, CSF_BAD_UNSYNC, 0, before);
	} else if (n == CSF_PACKET_MAX) {
		bad(r, CSF_BAD_UNSYNC, 0, n - (zeros == before ? ZEROS : 0));
	}
}

/* Those of PTM are one packet up to an A-sync, which has all the zeros. */
static void ptm_unsynced(struct ocsd_reader *r, size_t n)
{
	const size_t zeros = trailing_zeros(r, n - 1);

	if (r->byte[r->head + n - 1] == 0x80 && zeros >= ZEROS) {
		bad(r, CSF_BAD_UNSYNC, 0, n - 1 - zeros);
		async(r, zeros + 1);
	} else if (n == OCSD_WINDOW) {
		bad(r, CSF_BAD_UNSYNC, 0, n - ZEROS);
	}
}

static void synced(struct ocsd_reader *r, size_t n)
{
	struct csf_packet pkt;
	const int size = csf_packet_read(&r->config, r->byte + r->head,
					 n < CSF_PACKET_MAX ? n : CSF_PACKET_MAX, &pkt);

	if (size > 0 && !(pkt.type == CSF_PKT_BAD && pkt.n == CSF_BAD_CUT))
		found(r, &pkt, size);
}

static void move_down(struct ocsd_reader *r)
{
	const size_t n = r->tail - r->head;

	memmove(r->byte, r->byte + r->head, n);
	memmove(r->idx, r->idx + r->head, n * sizeof(r->idx[0]));
	r->head = 0;
	r->tail = n;
}

size_t ocsd_read_older(struct ocsd_reader *r, const uint8_t *p, size_t n, uint64_t idx)
{
	const size_t held = r->tail - r->head;

	if (r->has_next_idx && !r->synced && held && leading_zeros(r, held) < held)
		r->idx[r->head] = idx;
	r->has_next_idx = false;
	if (r->tail + n > OCSD_WINDOW)
		move_down(r);
	if (n > OCSD_WINDOW - r->tail)
		n = OCSD_WINDOW - r->tail;
	memcpy(r->byte + r->tail, p, n);
	for (size_t i = 0; i < n; i++)
		r->idx[r->tail++] = idx + i;
	return n;
}

bool ocsd_read_older_next(struct ocsd_reader *r)
{
	const uint64_t pos = r->pos;

	while (r->pos == pos && r->seen < r->tail - r->head) {
		r->seen = r->synced ? r->tail - r->head : r->seen + 1;
		if (r->synced)
			synced(r, r->seen);
		else if (r->ptm)
			ptm_unsynced(r, r->seen);
		else
			etm3_unsynced(r, r->seen);
	}
	if (r->pos == pos)
		return false;
	r->seen = r->synced ? 0 : r->seen - (r->pos - pos);
	return true;
}

/*
 * ETMv3: OpenCSD waits for the sixth byte of what may be an A-sync even if it is clear that it is
 * none, and then gives it a later index.
 */
static size_t waiting(const struct ocsd_reader *r, size_t n)
{
	if (r->ptm)
		return trailing_zeros(r, n);
	return leading_zeros(r, n) == n || (!r->byte[r->head] && n <= ZEROS) ? n : 0;
}

void ocsd_read_older_pause(struct ocsd_reader *r)
{
	const size_t n = r->tail - r->head;

	if (!r->synced)
		bad(r, CSF_BAD_UNSYNC, 0, n - waiting(r, n));
	r->seen = r->tail - r->head;
	r->has_next_idx = !r->ptm;
}

void ocsd_read_older_end(struct ocsd_reader *r)
{
	const size_t n = r->tail - r->head;
	struct csf_packet pkt = { .type = CSF_PKT_BAD };

	if (r->synced && n)
		csf_packet_read(&r->config, r->byte + r->head, n, &pkt);
	bad(r, r->synced ? CSF_BAD_CUT : CSF_BAD_UNSYNC, pkt.info, n);
}
