/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of STP: rows of tables, by the nibbles of the opcode. */
#ifndef CSF_STM_PACKET_H
#define CSF_STM_PACKET_H

#include "../bytes.h"
#include "../csflow.h"

#define STM_MORE	0xff	/* struct stm_row.kind: the opcode goes on */
#define STM_AHEAD	28	/* bytes from the start of a packet that stm_read() may look at */

/**
 * struct stm_row - a packet
 * @kind: enum csf_stp_kind, or STM_MORE
 * @payload: nibbles after the opcode
 * @flags: CSF_STP_x
 * @info: csf_message.info of an error
 * @opcode: nibbles of the opcode
 */
struct stm_row {
	uint8_t kind, payload, flags, info, opcode;
};

/* By the first two nibbles; then by the nibble after F0, and after F0F. */
extern const struct stm_row stm_two[256] __hidden;
extern const struct stm_row stm_three[16] __hidden;
extern const struct stm_row stm_four[16] __hidden;

/* Values of the size of a timestamp that are not the number of its nibbles. */
extern const uint8_t stm_time_size[16] __hidden;

/* The 16 nibbles from @i on; the first one is the highest. */
static __always_inline uint64_t stm_nibbles(const uint8_t *p, size_t i, bool high_first)
{
	uint64_t v = __builtin_bswap64(get_le64(p + i / 2));
	uint8_t last = p[i / 2 + 8];

	if (!high_first) {
		v = (v & 0x0f0f0f0f0f0f0f0full) << 4 | (v >> 4 & 0x0f0f0f0f0f0f0f0full);
		last <<= 4;
	}
	return i & 1 ? v << 4 | last >> 4 : v;
}

/* The @n nibbles of a field at @i; @n is 0..16. */
static __always_inline uint64_t stm_field(const struct csf_stp_format *f, const uint8_t *p,
					  size_t i, unsigned int n)
{
	uint64_t v = stm_nibbles(p, i, f->high_first);

	if (unlikely(f->reversed)) {
		v = __builtin_bswap64(v);
		v = (v & 0x0f0f0f0f0f0f0f0full) << 4 | (v >> 4 & 0x0f0f0f0f0f0f0f0full);
		return v & low_bits(4 * n);
	}
	return n ? v >> (64 - 4 * n) : 0;
}

/* Does a sync begin at nibble @i of the @end nibbles at @p? */
bool stm_is_sync(const uint8_t *p, size_t i, size_t end, bool high_first);

/* What is left of the @end nibbles at @p begins with no whole packet. */
int stm_read_cut(const struct csf_stp_format *f, const uint8_t *p, size_t at, size_t end,
		 struct csf_stp_packet *pkt);

/* Sets the fields of @pkt by its row and the place of its payload.  Return: its nibbles. */
static __always_inline unsigned int stm_read_fields(const struct csf_stp_format *f,
						    const uint8_t *p, size_t at,
						    const struct stm_row *row,
						    struct csf_stp_packet *pkt)
{
	size_t i = at + row->opcode;

	pkt->kind = row->kind;
	pkt->flags = row->flags;
	pkt->size = row->payload;
	if (unlikely(row->kind == CSF_STP_USER))
		pkt->size = 1 + stm_field(f, p, i++, 1);
	else if (unlikely(row->kind == CSF_STP_VERSION && stm_field(f, p, i, 1) & 8))
		pkt->size = 3;
	pkt->value = stm_field(f, p, i, pkt->size);
	i += pkt->size;
	pkt->time_size = 0;
	pkt->time = 0;
	if (row->flags & CSF_STP_TIMED) {
		pkt->time_size = 2;
		if (likely(!f->old_times)) {
			const uint8_t size = stm_field(f, p, i++, 1);

			pkt->time_size = stm_time_size[size];
			if (unlikely(size == 0xf))
				pkt->kind = CSF_STP_BAD;
		}
		pkt->time = stm_field(f, p, i, pkt->time_size);
		i += pkt->time_size;
	}
	return i - at;
}

/*
 * The packet at nibble @at, 0 or 1, of the @end nibbles at @p.  STM_AHEAD bytes can be read,
 * although they may not count.
 *
 * Return: as csf_stp_read().
 */
static __always_inline int stm_read(const struct csf_stp_format *f, const uint8_t *p, size_t at,
				    size_t end, struct csf_stp_packet *pkt)
{
	const uint64_t head = stm_nibbles(p, at, f->high_first);
	const struct stm_row *row = &stm_two[head >> 56];

	if (unlikely(row->kind == STM_MORE)) {
		row = &stm_three[head >> 52 & 0xf];
		if (row->kind == STM_MORE)
			row = &stm_four[head >> 48 & 0xf];
	}
	pkt->opcode = head >> (64 - 4 * row->opcode);
	pkt->nibbles = stm_read_fields(f, p, at, row, pkt);
	/* Nine bytes F are in any sync; the second of these tests is for long packets. */
	if (unlikely(p[9] == 0xff || pkt->nibbles > 17 || at + pkt->nibbles > end ||
		     pkt->kind <= CSF_STP_SYNC))
		return stm_read_cut(f, p, at, end, pkt);
	return pkt->nibbles;
}

#endif /* CSF_STM_PACKET_H */
