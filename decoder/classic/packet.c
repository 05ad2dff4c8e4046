// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Source: ARM IHI 0014 "ETMv3 signal protocol" and ARM IHI 0035 "Program flow trace packets". */
#include "packet.h"

/* Maximum bytes that the fields of a packet can ask for, with none of them in range. */
#define DRAFT_MAX	64

enum csf_packet_type classic_type_of(uint8_t header)
{
	if (header & 1)
		return CSF_PKT_BRANCH;
	if (header & 0x80)
		return CSF_PKT_ATOM;
	switch ((enum classic_header)header) {
	case CLASSIC_ASYNC:
		return CSF_PKT_ASYNC;
	case CLASSIC_ISYNC:
		return CSF_PKT_ISYNC;
	case CLASSIC_TRIGGER:
		return CSF_PKT_TRIGGER;
	case CLASSIC_VMID:
		return CSF_PKT_VMID;
	case CLASSIC_TIME:
	case CLASSIC_TIME_CHANGE:
		return CSF_PKT_TIME;
	case CLASSIC_IGNORE:
		return CSF_PKT_IGNORE;
	case CLASSIC_CTXTID:
		return CSF_PKT_CTXTID;
	case CLASSIC_ERET:
		return CSF_PKT_ERET;
	}
	return CSF_PKT_BAD;
}

int classic_bad(const uint8_t *p, int n, enum csf_bad why, enum csf_packet_type type,
		struct csf_packet *pkt)
{
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BAD, .n = why, .info = type, .size = n,
		.val = get_le64(p) & low_bits(8 * n),
	};
	return n;
}

int classic_read_async(const uint8_t *p, struct csf_packet *pkt)
{
	int n = 0;

	while (n < CSF_PACKET_MAX && !p[n])
		n++;
	if (n == CSF_PACKET_MAX) {
		pkt->type = CSF_PKT_IGNORE;
		return n - CLASSIC_SYNC_ZEROS;
	}
	return n >= CLASSIC_SYNC_ZEROS && p[n] == 0x80 ? n + 1 : -(n + 1);
}

/*
 * Seven bits in each byte, lowest first; six in the seventh of 48 bits, eight in the ninth of 64,
 * after which no byte follows.
 */
int classic_read_time(const struct config *c, const uint8_t *p, struct csf_packet *pkt)
{
	const int last = c->classic.ts_bits == 64 ? 9 : 7;
	int n = 1;

	pkt->info = p[0] == CLASSIC_TIME_CHANGE;
	while (n < last) {
		pkt->val |= (uint64_t)(p[n] & 0x7f) << pkt->n;
		pkt->n += 7;
		if (!(p[n++] & 0x80))
			return n;
	}
	pkt->val |= (p[n] & (last == 9 ? 0xffull : 0x3f)) << pkt->n;
	pkt->n = c->classic.ts_bits;
	return n + 1;
}

int classic_read_cid(const struct config *c, const uint8_t *p, int n, struct csf_packet *pkt)
{
	const uint8_t size = c->classic.cid_size;

	pkt->contextid = get_le32(p + n) & low_bits(8 * size);
	return n + size;
}

int classic_read_fifth(uint8_t byte, uint64_t *val)
{
	if ((byte & 0xb8) == 0x08) {
		*val = (uint32_t)((*val | (uint64_t)(byte & 7) << 27) << 2);
		return CLASSIC_A32;
	}
	if ((byte & 0xb0) == 0x10) {
		*val = (uint32_t)((*val | (uint64_t)(byte & 15) << 27) << 1);
		return CLASSIC_T32;
	}
	*val |= (uint64_t)(byte & 31) << 27;
	return (byte & 0xa0) == 0x20 ? CLASSIC_JAZELLE : -1;
}

const uint8_t *classic_quick_full(const uint8_t *p, uint64_t val, struct csf_packet *pkt)
{
	const int isa = p[4] & 0xc0 ? -1 : classic_read_fifth(p[4], &val);

	if (isa < 0 || isa == CLASSIC_JAZELLE)
		return NULL;
	*pkt = (struct csf_packet){
		.type = CSF_PKT_BRANCH, .size = 5, .val = val, .n = 32,
		.flags = isa == CLASSIC_T32 ? CSF_PKT_IS1 : 0,
	};
	return p + 5;
}

/* Zeros alone may be any number of packets that align, before an A-sync. */
int classic_cut(const uint8_t *p, int n, struct csf_packet *pkt)
{
	const uint8_t type = pkt->type == CSF_PKT_BAD ? pkt->info : pkt->type;

	return classic_bad(p, n, CSF_BAD_CUT, *p ? type : CSF_PKT_ASYNC, pkt);
}

int classic_read_packet(const struct config *c, const uint8_t *p, size_t n,
			struct csf_packet *pkt, classic_reader *read)
{
	uint8_t bytes[CSF_PACKET_MAX] = { 0 };
	int size;

	memcpy(bytes, p, n < sizeof(bytes) ? n : sizeof(bytes));
	size = read(c, bytes, pkt);
	return size > n ? classic_cut(bytes, n, pkt) : size;
}

/* -------- packets to bytes */

int classic_put_le(uint8_t *p, int n, uint64_t v, unsigned int bytes)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[n++] = i < sizeof(v) ? v >> 8 * i : 0;
	return n;
}

static int write_time(uint8_t *p, const struct csf_packet *pkt)
{
	const unsigned int bytes = pkt->n == 64 ? 9 : (pkt->n + 6) / 7;
	int n = 1;

	if (!bytes || bytes > 9)
		return 0;
	p[0] = pkt->info ? CLASSIC_TIME_CHANGE : CLASSIC_TIME;
	for (unsigned int i = 0; i < bytes - 1; i++)
		p[n++] = (pkt->val >> 7 * i & 0x7f) | 0x80;
	p[n++] = pkt->val >> 7 * (bytes - 1);
	return n;
}

int classic_draft(const struct config *c, uint8_t *p, const struct csf_packet *pkt)
{
	switch ((enum csf_packet_type)pkt->type) {
	case CSF_PKT_ASYNC:
		p[CLASSIC_SYNC_ZEROS] = 0x80;
		return CLASSIC_SYNC_SIZE;
	case CSF_PKT_TIME:
		return write_time(p, pkt);
	case CSF_PKT_CTXTID:
		p[0] = CLASSIC_CTXTID;
		return classic_put_le(p, 1, pkt->contextid, c->classic.cid_size);
	case CSF_PKT_VMID:
		p[0] = CLASSIC_VMID;
		p[1] = pkt->vmid;
		return 2;
	case CSF_PKT_TRIGGER:
		p[0] = CLASSIC_TRIGGER;
		return 1;
	case CSF_PKT_IGNORE:
		p[0] = CLASSIC_IGNORE;
		return 1;
	case CSF_PKT_ERET:
		p[0] = CLASSIC_ERET;
		return 1;
	default:
		return 0;
	}
}

static bool same(const struct csf_packet *a, const struct csf_packet *b)
{
	return a->type == b->type && a->n == b->n && a->val == b->val && a->val2 == b->val2 &&
	       a->count == b->count && a->commit == b->commit && a->contextid == b->contextid &&
	       a->vmid == b->vmid && a->exception == b->exception && a->info == b->info &&
	       a->flags == b->flags;
}

static int write_bad(uint8_t *p, const struct csf_packet *pkt)
{
	const int n = pkt->size < sizeof(pkt->val) ? pkt->size : sizeof(pkt->val);

	for (int i = 0; i < n; i++)
		p[i] = pkt->val >> 8 * i;
	return n;
}

int classic_write_packet(const struct config *c, uint8_t *p, const struct csf_packet *pkt,
			 int (*draft)(const struct config *c, uint8_t *p,
				      const struct csf_packet *pkt), classic_reader *read)
{
	uint8_t bytes[DRAFT_MAX] = { 0 };
	struct csf_packet back;
	int n;

	if (pkt->type == CSF_PKT_BAD)
		return write_bad(p, pkt);
	n = draft(c, bytes, pkt);
	if (n <= 0 || n > CSF_PACKET_MAX)
		return 0;
	if (read(c, bytes, &back) != n || !same(&back, pkt))
		return 0;
	memcpy(p, bytes, n);
	return n;
}
