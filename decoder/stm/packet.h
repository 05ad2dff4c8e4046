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

/* The next nibbles: @left of them are at the top of @word, and those after them begin at @i. */
struct stm_cursor {
	const uint8_t *p;
	size_t i;
	uint64_t word;
	unsigned int left;
};

/* The @n low nibbles of a number, the other way round. */
static inline uint64_t stm_reverse(uint64_t v, unsigned int n)
{
	uint64_t to = 0;

	while (n--) {
		to = to << 4 | (v & 0xf);
		v >>= 4;
	}
	return to;
}

/* Takes a field of @n nibbles, 0..16. */
static __always_inline uint64_t stm_take(struct stm_cursor *c, const struct csf_stp_format *f,
					 unsigned int n)
{
	uint64_t v;

	if (n > c->left) {
		c->word = stm_nibbles(c->p, c->i, f->high_first);
		c->left = 16;
	}
	v = n ? c->word >> (64 - 4 * n) : 0;
	c->word = c->word << 2 * n << 2 * n;
	c->left -= n;
	c->i += n;
	return unlikely(f->reversed) ? stm_reverse(v, n) : v;
}

/* Does a sync begin at nibble @i of the @end nibbles at @p? */
bool stm_is_sync(const uint8_t *p, size_t i, size_t end, bool high_first);

/* The rest of the @end nibbles at @p begins with no whole packet. */
int stm_read_cut(const struct csf_stp_format *f, const uint8_t *p, size_t at, size_t end,
		 struct csf_stp_packet *pkt);

/* The packet says how long its payload is. */
static __always_inline void stm_read_size(struct stm_cursor *c, const struct csf_stp_format *f,
					  struct csf_stp_packet *pkt)
{
	if (pkt->kind == CSF_STP_USER)
		pkt->size = 1 + stm_take(c, f, 1);
	else if (pkt->kind == CSF_STP_VERSION && c->word >> 63)
		pkt->size = 3;
}

/* Sets the fields of @pkt; its opcode was taken. */
static __always_inline void stm_read_fields(struct stm_cursor *c, const struct csf_stp_format *f,
					    const struct stm_row *row, struct csf_stp_packet *pkt)
{
	pkt->kind = row->kind;
	pkt->flags = row->flags;
	pkt->size = row->payload;
	if (unlikely(row->opcode > 2))
		stm_read_size(c, f, pkt);
	pkt->value = stm_take(c, f, pkt->size);
	if (unlikely(f->reversed) && pkt->kind == CSF_STP_VERSION)
		pkt->value = stm_reverse(pkt->value, pkt->size);
	pkt->time_size = 0;
	pkt->time = 0;
	if (!(row->flags & CSF_STP_TIMED))
		return;
	pkt->time_size = 2;
	if (likely(!f->old_times)) {
		const uint8_t size = stm_take(c, f, 1);

		pkt->time_size = stm_time_size[size];
		if (unlikely(size == 0xf))
			pkt->kind = CSF_STP_BAD;
	}
	pkt->time = stm_take(c, f, pkt->time_size);
}

/*
 * Can a sync begin in a packet of up to 17 nibbles at @p?  Then nine bytes F follow its first byte,
 * which is in the first nine.
 */
static __always_inline bool stm_may_sync(const uint8_t *p)
{
	return p[9] == 0xff && (p[5] == 0xff || p[13] == 0xff);
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
	struct stm_cursor c;

	if (unlikely(row->kind == STM_MORE)) {
		row = &stm_three[head >> 52 & 0xf];
		if (row->kind == STM_MORE)
			row = &stm_four[head >> 48 & 0xf];
	}
	pkt->opcode = head >> (64 - 4 * row->opcode);
	c = (struct stm_cursor){
		p, at + row->opcode, head << 4 * row->opcode, 16 - row->opcode,
	};
	stm_read_fields(&c, f, row, pkt);
	pkt->nibbles = c.i - at;
	if (unlikely(stm_may_sync(p) || pkt->nibbles > 17 || c.i > end ||
		     pkt->kind <= CSF_STP_SYNC))
		return stm_read_cut(f, p, at, end, pkt);
	return pkt->nibbles;
}

#endif /* CSF_STM_PACKET_H */
