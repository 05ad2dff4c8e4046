// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "parts.h"

#define PACKET(mask, bits, type, name, shape)	{ mask, bits, type, SHAPE_##shape, name },
const struct itm_row itm_row[ITM_ROWS] = {
#include "packet-table.h"
};

/* Most bytes of a reserved packet: that of the longest other one. */
#define RESERVED_MAX	7

static int bad(const uint8_t *p, int size, enum csf_bad why, struct csf_packet *pkt)
{
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BAD, .n = why, .size = size,
		.info = why == CSF_BAD_RESERVED ? 0 : pkt->type,
		.val = get_le64(p) & low_bits(8 * size),
	};
	return size;
}

/* Number of bytes up to the first with bit 7 clear, included; @max if all have it. */
static int bytes_to_end(const uint8_t *p, int max)
{
	int n = 1;

	while (n < max && p[n - 1] & 0x80)
		n++;
	return n;
}

static uint64_t join(const uint8_t *p, int n)
{
	uint64_t v = 0;

	for (int i = 0; i < n; i++)
		v |= (uint64_t)(p[i] & 0x7f) << 7 * i;
	return v;
}

/* Zeros and 0x80.  A run that fills the packet may go on, so its end is left to the next. */
static int read_sync(const uint8_t *p, struct csf_packet *pkt)
{
	int zeros = 1;

	while (zeros < CSF_PACKET_MAX && !p[zeros])
		zeros++;
	if (zeros > ITM_ZEROS_MAX)
		return bad(p, CSF_PACKET_MAX / 2, CSF_BAD_RESERVED, pkt);
	if (zeros < ITM_SYNC_ZEROS || p[zeros] != 0x80)
		return bad(p, zeros, CSF_BAD_RESERVED, pkt);
	pkt->n = zeros;
	return zeros + 1;
}

static int read_source(const uint8_t *p, struct csf_packet *pkt)
{
	pkt->n = 1 << ((*p & 3) - 1);
	pkt->info = *p >> 3;
	pkt->val = get_le32(p + 1) & low_bits(8 * pkt->n);
	return 1 + pkt->n;
}

static int read_local(const uint8_t *p, struct csf_packet *pkt)
{
	const int n = bytes_to_end(p + 1, 4);

	if (p[n] & 0x80)
		return bad(p, 1 + n, CSF_BAD_SEQUENCE, pkt);
	pkt->n = n;
	pkt->info = *p >> 4 & 3;
	pkt->val = join(p + 1, n);
	return 1 + n;
}

static int read_global1(const uint8_t *p, struct csf_packet *pkt)
{
	const int n = bytes_to_end(p + 1, 4);

	if (p[n] & 0x80)
		return bad(p, 1 + n, CSF_BAD_SEQUENCE, pkt);
	pkt->n = n < 4 ? 7 * n : 26;
	pkt->info = n < 4 ? 0 : p[4] >> 5 & 3;
	pkt->val = join(p + 1, n) & low_bits(pkt->n);
	return 1 + n;
}

static int read_global2(const uint8_t *p, struct csf_packet *pkt)
{
	const int n = bytes_to_end(p + 1, 6);

	if (p[n] & 0x80 || (n != 4 && n != 6))
		return bad(p, 1 + n, CSF_BAD_SEQUENCE, pkt);
	pkt->n = n == 4 ? 22 : 38;
	pkt->val = join(p + 1, n) & low_bits(pkt->n);
	return 1 + n;
}

/* The last of four payload bytes has 8 bits. */
static int read_extension(const uint8_t *p, struct csf_packet *pkt)
{
	const int n = bytes_to_end(p, 5) - 1;

	pkt->n = n < 4 ? 3 + 7 * n : 32;
	pkt->info = *p >> 2 & 1;
	pkt->val = (*p >> 4 & 7) | join(p + 1, n) << 3;
	if (n == 4)
		pkt->val |= (uint64_t)(p[4] & 0x80) << 24;
	return 1 + n;
}

static int read_payload(const struct itm_row *row, const uint8_t *p, struct csf_packet *pkt)
{
	switch ((enum itm_shape)row->shape) {
	case SHAPE_SYNC:
		return read_sync(p, pkt);
	case SHAPE_SOURCE:
		return read_source(p, pkt);
	case SHAPE_LOCAL:
		return read_local(p, pkt);
	case SHAPE_GLOBAL1:
		return read_global1(p, pkt);
	case SHAPE_GLOBAL2:
		return read_global2(p, pkt);
	case SHAPE_EXTENSION:
		return read_extension(p, pkt);
	case SHAPE_HEADER:
		pkt->val = *p >> 4;
		break;
	case SHAPE_NONE:
		break;
	}
	return 1;
}

int itm_packet_read(const uint8_t *p, struct csf_packet *pkt)
{
	/* Nearly all. */
	if (likely(*p & 3)) {
		pkt->type = *p & 4 ? CSF_PKT_HARDWARE : CSF_PKT_STIMULUS;
		return pkt->size = read_source(p, pkt);
	}
	/* Most of the others. */
	if ((*p & 0xcf) == 0xc0) {
		pkt->type = CSF_PKT_LOCAL_TIME;
		return pkt->size = read_local(p, pkt);
	}
	for (size_t i = 0; i < ITM_ROWS; i++) {
		if ((*p & itm_row[i].mask) != itm_row[i].bits)
			continue;
		pkt->type = itm_row[i].type;
		return pkt->size = read_payload(&itm_row[i], p, pkt);
	}
	return bad(p, bytes_to_end(p, RESERVED_MAX), CSF_BAD_RESERVED, pkt);
}

int itm_cut(const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	const enum csf_bad why = pkt->type == CSF_PKT_BAD ? pkt->n : CSF_BAD_CUT;

	if (pkt->type == CSF_PKT_BAD)
		pkt->type = pkt->info;
	return bad(p, n, why, pkt);
}

/* A sync that has more zeros than it needs begins before the cut. */
int itm_read(const struct window *win, struct csf_packet *pkt)
{
	int size;

	*pkt = (struct csf_packet){ 0 };
	size = itm_packet_read(win->pos, pkt);
	if (unlikely(size > win->end - win->pos))
		return itm_cut(win->pos, win->end - win->pos, pkt);
	if (unlikely(size > win->cut - win->pos) && pkt->type != CSF_PKT_ASYNC)
		return itm_cut(win->pos, win->cut - win->pos, pkt);
	return size;
}

int itm_read_within(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX] = { 0 };
	int size;

	memcpy(bytes, p, n < sizeof(bytes) ? n : sizeof(bytes));
	*pkt = (struct csf_packet){ 0 };
	size = itm_packet_read(bytes, pkt);
	return (size_t)size > n ? itm_cut(bytes, n, pkt) : size;
}

/* -------- and back */

/* Splits @v into @n bytes of 7 bits.  Return: @n. */
static int split(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = (v >> 7 * i & 0x7f) | (i < n - 1 ? 0x80 : 0);
	return n;
}

static int write_sync(uint8_t *p, const struct csf_packet *pkt)
{
	if (pkt->n < ITM_SYNC_ZEROS || pkt->n > ITM_ZEROS_MAX)
		return 0;
	memset(p, 0, pkt->n);
	p[pkt->n] = 0x80;
	return pkt->n + 1;
}

static int write_source(uint8_t *p, const struct csf_packet *pkt)
{
	if ((pkt->n != 1 && pkt->n != 2 && pkt->n != 4) || pkt->info > 31 ||
	    pkt->val > low_bits(8 * pkt->n))
		return 0;
	p[0] = pkt->info << 3 | (pkt->type == CSF_PKT_HARDWARE) << 2 |
	       (pkt->n == 4 ? 3 : pkt->n);
	for (int i = 0; i < pkt->n; i++)
		p[1 + i] = pkt->val >> 8 * i;
	return 1 + pkt->n;
}

/* One of the two formats: the one with the value in the header has no @n. */
static int write_local(uint8_t *p, const struct csf_packet *pkt)
{
	if (!pkt->n) {
		p[0] = pkt->val << 4;
		return pkt->val >= 1 && pkt->val <= 6 && !pkt->info;
	}
	if (pkt->n > 4 || pkt->info > 3 || pkt->val > low_bits(7 * pkt->n))
		return 0;
	p[0] = 0xc0 | pkt->info << 4;
	return 1 + split(p + 1, pkt->val, pkt->n);
}

static int write_global1(uint8_t *p, const struct csf_packet *pkt)
{
	const int n = pkt->n == 26 ? 4 : pkt->n / 7;

	if (n < 1 || n > 4 || pkt->n != (n < 4 ? 7 * n : 26) || pkt->val > low_bits(pkt->n) ||
	    pkt->info > (n < 4 ? 0 : ITM_CLOCK | ITM_WRAP))
		return 0;
	p[0] = 0x94;
	split(p + 1, pkt->val, n);
	p[n] |= pkt->info << 5;
	return 1 + n;
}

static int write_global2(uint8_t *p, const struct csf_packet *pkt)
{
	if ((pkt->n != 22 && pkt->n != 38) || pkt->val > low_bits(pkt->n))
		return 0;
	p[0] = 0xb4;
	return 1 + split(p + 1, pkt->val, pkt->n == 22 ? 4 : 6);
}

static int write_extension(uint8_t *p, const struct csf_packet *pkt)
{
	const int n = pkt->n == 32 ? 4 : (pkt->n - 3) / 7;

	if (pkt->n < 3 || n > 4 || pkt->n != (n < 4 ? 3 + 7 * n : 32) || pkt->info > 1 ||
	    pkt->val > low_bits(pkt->n))
		return 0;
	p[0] = 0x08 | pkt->info << 2 | (pkt->val & 7) << 4 | (n ? 0x80 : 0);
	split(p + 1, pkt->val >> 3, n);
	if (n == 4)
		p[4] = pkt->val >> 24;
	return 1 + n;
}

int itm_write(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	int n = pkt->size < 8 ? pkt->size : 8;

	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BAD:
		for (int i = 0; i < n; i++)
			p[i] = pkt->val >> 8 * i;
		return n;
	case CSF_PKT_ASYNC:
		return write_sync(p, pkt);
	case CSF_PKT_OVERFLOW:
		*p = 0x70;
		return 1;
	case CSF_PKT_STIMULUS:
	case CSF_PKT_HARDWARE:
		return write_source(p, pkt);
	case CSF_PKT_LOCAL_TIME:
		return write_local(p, pkt);
	case CSF_PKT_GLOBAL_TIME1:
		return write_global1(p, pkt);
	case CSF_PKT_GLOBAL_TIME2:
		return write_global2(p, pkt);
	case CSF_PKT_EXTENSION:
		return write_extension(p, pkt);
	default:
		return 0;
	}
}
