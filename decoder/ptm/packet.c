// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet.h"

/* @n: number of bytes up to and including the one that proves it bad. */
static int bad(const uint8_t *p, int n, enum csf_bad why, enum csf_packet_type type,
	       struct csf_packet *pkt)
{
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BAD, .n = why, .info = type, .size = n,
		.val = get_le64(p) & low_bits(8 * n),
	};
	return n;
}

/*
 * Payload readers.  @n is the number of bytes of the packet so far, header included.  They return
 * the new number, or minus the number of bytes up to the one that proves the packet malformed.
 */

/* Bytes of seven bits, four at most, from bit 4 of the count on. */
static int read_count_rest(const uint8_t *p, int n, uint32_t *count)
{
	for (int i = 0; i < 4; i++) {
		*count |= (uint32_t)(p[n] & 0x7f) << (4 + 7 * i);
		if (!(p[n++] & 0x80))
			break;
	}
	return n;
}

/* The byte at @p + @at has bits 3:0 of the count at 5:2, and at 6 whether the rest is at @n. */
static int read_count(const uint8_t *p, int at, int n, struct csf_packet *pkt)
{
	pkt->flags |= CSF_PKT_COUNT;
	pkt->count = p[at] >> 2 & 15;
	return p[at] & 0x40 ? read_count_rest(p, n, &pkt->count) : n;
}

/* A count in bytes of its own.  Bit 7 of the first means nothing: real units set it in I-syncs. */
static int read_cycles(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	return c->ptm.cycles ? read_count(p, n, n + 1, pkt) : n;
}

/* At least five zeros, and 0x80.  So many zeros that it does not end here are passed over. */
static int read_async(const uint8_t *p, struct csf_packet *pkt)
{
	int n = 1;

	while (n < CSF_PACKET_MAX && !p[n])
		n++;
	if (n == CSF_PACKET_MAX) {
		pkt->type = CSF_PKT_IGNORE;
		return n - PTM_SYNC_ZEROS;
	}
	return n >= PTM_SYNC_ZEROS && p[n] == 0x80 ? n + 1 : -(n + 1);
}

static int read_cid(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	pkt->contextid = get_le32(p + n) & low_bits(8 * c->ptm.cid_size);
	return n + c->ptm.cid_size;
}

static int read_isync(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const uint32_t addr = get_le32(p + 1);
	int n = 6;

	pkt->val = addr & ~1u;
	pkt->n = 32;
	pkt->flags = addr & 1 ? CSF_PKT_IS1 : 0;
	pkt->info = p[5] & 0x6e;
	if ((p[5] & 0x91) != 1)
		return -n;
	if (PTM_INFO_REASON(pkt->info) != PTM_PERIODIC)
		n = read_cycles(c, p, n, pkt);
	return read_cid(c, p, n, pkt);
}

/*
 * The fifth byte: its leading one says the instruction set, below it are the top bits of the
 * address.  @val: the 27 bits before these.  Return: false: reserved.
 */
static bool read_fifth(uint8_t byte, struct csf_packet *pkt)
{
	pkt->n = 32;
	if ((byte & 0xb8) == 0x08) {
		pkt->val = (uint32_t)(pkt->val | (uint64_t)(byte & 7) << 27) << 2;
	} else if ((byte & 0xb0) == 0x10) {
		pkt->val = (uint32_t)(pkt->val | (uint64_t)(byte & 15) << 27) << 1;
		pkt->flags |= CSF_PKT_IS1;
	} else if ((byte & 0xa0) == 0x20) {
		pkt->val |= (uint64_t)(byte & 31) << 27;
		pkt->info |= PTM_INFO_JAZELLE;
	} else {
		return false;
	}
	return true;
}

/*
 * Up to five bytes.  The last of two to four has six bits of the address, and at bit 6 whether
 * *@more follows.  The bits of a short address count from the lowest that an instruction can have.
 */
static int read_address(const uint8_t *p, int n, struct csf_packet *pkt, bool *more)
{
	*more = false;
	pkt->val = p[n] >> 1 & 0x3f;
	pkt->n = 6;
	if (!(p[n++] & 0x80))
		return n;
	for (; pkt->n < 27; n++) {
		const bool last = !(p[n] & 0x80);

		pkt->val |= (uint64_t)(p[n] & (last ? 0x3f : 0x7f)) << pkt->n;
		pkt->n += last ? 6 : 7;
		if (last) {
			*more = p[n] & 0x40;
			return n + 1;
		}
	}
	*more = p[n] & 0x40;
	return read_fifth(p[n], pkt) ? n + 1 : -(n + 1);
}

/* One or two bytes: C AltISA 0 Exc[3:0] NS, and 0 0 Hyp Exc[8:4]. */
static int read_exception(const uint8_t *p, int n, struct csf_packet *pkt)
{
	const uint8_t first = p[n++];

	pkt->flags |= CSF_PKT_CTXT;
	pkt->info |= (first & 1 ? PTM_INFO_NS : 0) | (first & 0x40 ? PTM_INFO_ALT : 0);
	pkt->exception = first >> 1 & 15;
	if (!(first & 0x80))
		return n;
	if (p[n] & 0xc0)
		return -(n + 1);
	pkt->info |= p[n] & 0x20 ? PTM_INFO_HYP : 0;
	pkt->exception |= (p[n] & 0x1f) << 4;
	return n + 1;
}

static int read_branch(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	bool more;
	int n = read_address(p, 0, pkt, &more);

	if (n > 0 && more)
		n = read_exception(p, n, pkt);
	return n > 0 ? read_cycles(c, p, n, pkt) : n;
}

/* Only the long form has a byte more, for AltISA. */
static int read_waypoint(const uint8_t *p, struct csf_packet *pkt)
{
	bool more;
	int n = read_address(p, 1, pkt, &more);

	if (n < 0 || pkt->n < 32 || !more)
		return n;
	pkt->flags |= CSF_PKT_CTXT;
	pkt->info |= p[n] & 0x40 ? PTM_INFO_ALT : 0;
	return n + 1;
}

/*
 * Seven bits in each byte, lowest first; six in the seventh of 48 bits, eight in the ninth of 64,
 * after which no byte follows.
 */
static int read_time(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const int last = c->ptm.ts_bits == 64 ? 9 : 7;
	int n = 1;

	pkt->info = p[0] == PTM_TIME_CHANGE;
	while (n < last) {
		pkt->val |= (uint64_t)(p[n] & 0x7f) << pkt->n;
		pkt->n += 7;
		if (!(p[n++] & 0x80))
			return read_cycles(c, p, n, pkt);
	}
	pkt->val |= (p[n] & (last == 9 ? 0xffull : 0x3f)) << pkt->n;
	pkt->n = c->ptm.ts_bits;
	return read_cycles(c, p, n + 1, pkt);
}

/*
 * One atom and its cycles, in one to five bytes; or one to five atoms in one byte: the oldest next
 * to the leading one, in which 1 is N.
 */
static int read_atoms(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const uint8_t bits = p[0] >> 1 & 0x3f;
	int n = 5;

	if (c->ptm.cycles) {
		pkt->n = 1;
		pkt->val = !(p[0] & 2);
		return read_count(p, 0, 1, pkt);
	}
	while (n && !(bits >> n & 1))
		n--;
	if (!n)
		return -1;
	pkt->n = n;
	for (int i = 0; i < n; i++)
		pkt->val |= (uint64_t)!(bits >> (n - 1 - i) & 1) << i;
	return 1;
}

static enum csf_packet_type type_of(uint8_t header)
{
	if (header & 1)
		return CSF_PKT_BRANCH;
	if (header & 0x80)
		return CSF_PKT_ATOM;
	switch (header) {
	case PTM_ASYNC:
		return CSF_PKT_ASYNC;
	case PTM_ISYNC:
		return CSF_PKT_ISYNC;
	case PTM_TRIGGER:
		return CSF_PKT_TRIGGER;
	case PTM_VMID:
		return CSF_PKT_VMID;
	case PTM_TIME:
	case PTM_TIME_CHANGE:
		return CSF_PKT_TIME;
	case PTM_IGNORE:
		return CSF_PKT_IGNORE;
	case PTM_CTXTID:
		return CSF_PKT_CTXTID;
	case PTM_WAYPOINT:
		return CSF_PKT_WAYPOINT;
	case PTM_ERET:
		return CSF_PKT_ERET;
	default:
		return CSF_PKT_BAD;
	}
}

static int read_payload(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_BRANCH:
		return read_branch(c, p, pkt);
	case CSF_PKT_ATOM:
		return read_atoms(c, p, pkt);
	case CSF_PKT_ASYNC:
		return read_async(p, pkt);
	case CSF_PKT_ISYNC:
		return read_isync(c, p, pkt);
	case CSF_PKT_TIME:
		return read_time(c, p, pkt);
	case CSF_PKT_WAYPOINT:
		return read_waypoint(p, pkt);
	case CSF_PKT_CTXTID:
		return read_cid(c, p, 1, pkt);
	case CSF_PKT_VMID:
		pkt->vmid = p[1];
		return 2;
	default:
		return 1;
	}
}

int ptm_read(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const enum csf_packet_type type = type_of(*p);
	int n;

	if (type == CSF_PKT_BAD)
		return bad(p, 1, CSF_BAD_RESERVED, CSF_PKT_BAD, pkt);
	*pkt = (struct csf_packet){ .type = type };
	n = read_payload(c, p, pkt);
	if (n < 0)
		return bad(p, -n, CSF_BAD_SEQUENCE, type, pkt);
	pkt->size = n;
	return n;
}

/* The type of a packet that was cut off. */
static int cut(const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	return bad(p, n, CSF_BAD_CUT, type_of(*p), pkt);
}

int ptm_read_window(const struct window *win, const struct config *c, struct csf_packet *pkt)
{
	const int left = win->cut - win->pos;
	int size = ptm_read(c, win->pos, pkt);

	if (size <= left || win->pos == win->cut)
		return size;
	if (pkt->type == CSF_PKT_ASYNC && win->cut < win->end)
		return size;
	return cut(win->pos, left, pkt);
}

bool ptm_whole(const struct window *win, const struct csf_packet *pkt, int size)
{
	if (likely(!win->flush) || !window_is_open(win))
		return true;
	if (pkt->type == CSF_PKT_BAD && pkt->n == CSF_BAD_CUT)
		return false;
	return window_flushes(win, size);
}

int ptm_read_packet(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt)
{
	uint8_t bytes[CSF_PACKET_MAX] = { 0 };
	int size;

	memcpy(bytes, p, n < sizeof(bytes) ? n : sizeof(bytes));
	size = ptm_read(c, bytes, pkt);
	return size > n ? cut(bytes, n, pkt) : size;
}
