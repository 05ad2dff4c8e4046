// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "packet.h"

#define TIMED	CSF_STP_TIMED
#define MARKED	CSF_STP_MARKED

/* The second nibble is part of the payload. */
#define ONE(first, kind, payload, flags, info) \
	[(first) << 4 ... (first) << 4 | 0xf] = { CSF_STP_##kind, payload, flags, info, 1 }
#define TWO(second, kind, payload, flags, info) \
	[0xf0 | (second)] = { CSF_STP_##kind, payload, flags, info, 2 }

/* Source: MIPI System Trace Protocol, version 2; ARM IHI 0054. */
const struct stm_row stm_two[256] = {
	ONE(0x0, NULL, 0, 0, 0),
	ONE(0x1, MASTER, 2, 0, 0),
	ONE(0x2, ERROR, 2, 0, 1),
	ONE(0x3, CHANNEL, 2, 0, 0),
	ONE(0x4, DATA, 2, 0, 0),
	ONE(0x5, DATA, 4, 0, 0),
	ONE(0x6, DATA, 8, 0, 0),
	ONE(0x7, DATA, 16, 0, 0),
	ONE(0x8, DATA, 2, TIMED | MARKED, 0),
	ONE(0x9, DATA, 4, TIMED | MARKED, 0),
	ONE(0xa, DATA, 8, TIMED | MARKED, 0),
	ONE(0xb, DATA, 16, TIMED | MARKED, 0),
	ONE(0xc, DATA, 1, 0, 0),
	ONE(0xd, DATA, 1, TIMED | MARKED, 0),
	ONE(0xe, FLAG, 0, TIMED, 0),
	[0xf0] = { STM_MORE, 0, 0, 0, 2 },
	TWO(0x1, MASTER, 4, 0, 0),
	TWO(0x2, ERROR, 2, 0, 2),
	TWO(0x3, CHANNEL, 4, 0, 0),
	TWO(0x4, DATA, 2, TIMED, 0),
	TWO(0x5, DATA, 4, TIMED, 0),
	TWO(0x6, DATA, 8, TIMED, 0),
	TWO(0x7, DATA, 16, TIMED, 0),
	TWO(0x8, DATA, 2, MARKED, 0),
	TWO(0x9, DATA, 4, MARKED, 0),
	TWO(0xa, DATA, 8, MARKED, 0),
	TWO(0xb, DATA, 16, MARKED, 0),
	TWO(0xc, DATA, 1, TIMED, 0),
	TWO(0xd, DATA, 1, MARKED, 0),
	TWO(0xe, FLAG, 0, 0, 0),
	TWO(0xf, SYNC, 0, 0, 0),
};

/* TIME, F04 and F05, is reserved here: the size of its value is not known. */
#define RESERVED(nibbles)	{ CSF_STP_BAD, 0, 0, 0, nibbles }
const struct stm_row stm_three[16] = {
	[0x0] = { CSF_STP_VERSION, 1, 0, 0, 3 },
	[0x1] = { CSF_STP_NULL, 0, TIMED, 0, 3 },
	[0x2] = { CSF_STP_USER, 0, 0, 0, 3 },
	[0x3] = { CSF_STP_USER, 0, TIMED, 0, 3 },
	[0x4] = RESERVED(3),
	[0x5] = RESERVED(3),
	[0x6] = { CSF_STP_TRIGGER, 2, 0, 0, 3 },
	[0x7] = { CSF_STP_TRIGGER, 2, TIMED, 0, 3 },
	[0x8] = { CSF_STP_FREQUENCY, 8, 0, 0, 3 },
	[0x9] = { CSF_STP_FREQUENCY, 8, TIMED, 0, 3 },
	[0xa] = { CSF_STP_CROSS_SYNC, 2, 0, 0, 3 },
	[0xb] = { CSF_STP_CROSS_SYNC, 2, TIMED, 0, 3 },
	[0xc ... 0xe] = RESERVED(3),
	[0xf] = { STM_MORE, 0, 0, 0, 3 },
};

const struct stm_row stm_four[16] = {
	[0x0] = { CSF_STP_FREQUENCY, 10, 0, 0, 4 },
	[0x1] = { CSF_STP_FREQUENCY, 10, TIMED, 0, 4 },
	[0x2] = { CSF_STP_NULL, 0, 0, 0, 4 },
	[0x3] = { CSF_STP_ERROR, 2, 0, 3, 4 },
	[0x4 ... 0xf] = RESERVED(4),
};

const uint8_t stm_time_size[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16 };

bool stm_is_sync(const uint8_t *p, size_t i, size_t end, bool high_first)
{
	return i + CSF_STP_SYNC_NIBBLES <= end && stm_nibbles(p, i, high_first) == ~0ull &&
	       stm_nibbles(p, i + 6, high_first) == ~0ull << 4;
}

/* The nibbles F from @i on; no more than matter. */
static unsigned int count_ones(const uint8_t *p, size_t i, size_t end, bool high_first)
{
	unsigned int n = 0;

	while (i + n < end && n < 2 * CSF_STP_SYNC_NIBBLES &&
	       stm_nibbles(p, i + n, high_first) >> 60 == 0xf)
		n++;
	return n;
}

/* It begins with FF, but no sync begins in it: a longer row of F may have one at its end. */
static int read_ones(const struct csf_stp_format *f, const uint8_t *p, size_t at, size_t end,
		     struct csf_stp_packet *pkt)
{
	const unsigned int n = count_ones(p, at, end, f->high_first);

	if (at + n == end && n < CSF_STP_SYNC_NIBBLES)
		return 0;
	pkt->kind = CSF_STP_BAD;
	if (n == 2 * CSF_STP_SYNC_NIBBLES ||
	    (n >= CSF_STP_SYNC_NIBBLES &&
	     stm_is_sync(p, at + n - (CSF_STP_SYNC_NIBBLES - 1), end, f->high_first)))
		pkt->kind = CSF_STP_CUT;
	return 1;
}

int stm_read_cut(const struct csf_stp_format *f, const uint8_t *p, size_t at, size_t end,
		 struct csf_stp_packet *pkt)
{
	const size_t after = at + pkt->nibbles;

	for (size_t i = at; i < after && i < end; i++) {
		if (!stm_is_sync(p, i, end, f->high_first))
			continue;
		pkt->kind = i == at ? CSF_STP_SYNC : CSF_STP_CUT;
		pkt->nibbles = CSF_STP_SYNC_NIBBLES;
		return i == at ? CSF_STP_SYNC_NIBBLES : 1;
	}
	if (pkt->kind == CSF_STP_SYNC)
		return read_ones(f, p, at, end, pkt);
	if (after > end)
		return 0;
	return pkt->kind == CSF_STP_BAD ? 1 : pkt->nibbles;
}

/* -------- public */

CSF_API int csf_stp_read(const struct csf_stp_format *format, const uint8_t *bytes, size_t n,
			 size_t at, struct csf_stp_packet *packet)
{
	uint8_t own[STM_AHEAD + 4 * CSF_STP_SYNC_NIBBLES] = { 0 };
	const size_t first = at / 2;

	if (!format || !packet || (!bytes && n) || first >= n)
		return 0;
	n -= first;
	if (n > sizeof(own) - STM_AHEAD)
		n = sizeof(own) - STM_AHEAD;
	memcpy(own, bytes + first, n);
	return stm_read(format, own, at & 1, 2 * n, packet);
}

CSF_API size_t csf_stp_find_sync(const struct csf_stp_format *format, const uint8_t *bytes,
				 size_t n, size_t at)
{
	const size_t end = 2 * n;
	unsigned int ones = 0;

	for (; at < end; at++) {
		const uint8_t v = bytes[at / 2] >> ((at & 1) == format->high_first ? 0 : 4) & 0xf;

		if (!v && ones >= CSF_STP_SYNC_NIBBLES - 1)
			return at - (CSF_STP_SYNC_NIBBLES - 1);
		ones = v == 0xf ? ones + 1 : 0;
	}
	return end;
}

CSF_API unsigned int csf_stp_version(struct csf_stp_format *format,
				     const struct csf_stp_packet *packet)
{
	const unsigned int shift = 4 * (packet->size - 1);
	const unsigned int times = packet->value >> shift & 7;

	format->old_times = times < CSF_STP_TIMES_DELTA;
	format->reversed = packet->size > 1 && packet->value & 0x80;
	return times;
}
