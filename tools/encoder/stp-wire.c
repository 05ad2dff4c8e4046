// SPDX-License-Identifier: GPL-2.0-only
/* Source: MIPI System Trace Protocol, version 2; ARM IHI 0054. */
#include "stp-wire.h"

void stp_nibble(struct stp_wire *w, unsigned int v)
{
	const unsigned int shift = !(w->n & 1) == w->high_first ? 4 : 0;

	if (w->n < w->max) {
		if (!(w->n & 1))
			w->bytes[w->n / 2] = 0;
		w->bytes[w->n / 2] |= (v & 0xf) << shift;
	}
	w->n++;
}

/* Most significant nibble first. */
static void straight(struct stp_wire *w, uint64_t v, unsigned int n)
{
	while (n--)
		stp_nibble(w, v >> 4 * n);
}

static void field(struct stp_wire *w, uint64_t v, unsigned int n)
{
	if (!w->reversed) {
		straight(w, v, n);
		return;
	}
	for (; n; n--, v >>= 4)
		stp_nibble(w, v);
}

/* Nibbles of a timestamp that has at least the low @n nibbles. */
static unsigned int room_for(unsigned int n)
{
	return n <= 12 ? n : n <= 14 ? 14 : 16;
}

static unsigned int nibbles_of(uint64_t v)
{
	unsigned int n = 0;

	for (; v; v >>= 4)
		n++;
	return n;
}

static uint64_t encoded(const struct stp_wire *w, uint64_t time)
{
	return w->times == STP_GRAY ? time ^ time >> 1 : time;
}

static void timestamp(struct stp_wire *w, const uint64_t *time)
{
	const uint64_t v = w->times == STP_DELTA ? *time - w->time : encoded(w, *time);
	unsigned int n;

	if (w->times < STP_DELTA) {
		field(w, *time, 2);
		w->time = *time;
		return;
	}
	n = nibbles_of(w->times == STP_DELTA ? v : v ^ encoded(w, w->time));
	n = room_for(n < w->spare ? w->spare : n);
	stp_nibble(w, n <= 12 ? n : n == 14 ? 13 : 14);
	field(w, v, n);
	w->time = *time;
}

/* A payload of @n nibbles; the opcode with a timestamp is one more. */
static void packet(struct stp_wire *w, unsigned int opcode, unsigned int opcode_size, uint64_t v,
		   unsigned int n, const uint64_t *time)
{
	straight(w, time ? opcode + 1 : opcode, opcode_size);
	field(w, v, n);
	if (time)
		timestamp(w, time);
}

void stp_sync(struct stp_wire *w)
{
	for (int i = 0; i < 21; i++)
		stp_nibble(w, 0xf);
	stp_nibble(w, 0);
}

void stp_version(struct stp_wire *w, enum stp_times times, unsigned int minor, bool reversed)
{
	straight(w, 0xf00, 3);
	if (minor > 1)
		straight(w, (8 | times) << 8 | (reversed ? 0x80 : 0) | (minor - 1), 3);
	else
		stp_nibble(w, times);
	w->times = times;
	w->reversed = minor > 1 && reversed;
	w->time = 0;
}

void stp_master(struct stp_wire *w, uint16_t v, bool wide)
{
	if (wide)
		straight(w, 0xf1, 2);
	else
		stp_nibble(w, 0x1);
	field(w, v, wide ? 4 : 2);
}

void stp_channel(struct stp_wire *w, uint16_t v, bool wide)
{
	if (wide)
		straight(w, 0xf3, 2);
	else
		stp_nibble(w, 0x3);
	field(w, v, wide ? 4 : 2);
}

void stp_null(struct stp_wire *w, const uint64_t *time)
{
	if (time)
		packet(w, 0xf00, 3, 0, 0, time);
	else
		stp_nibble(w, 0);
}

void stp_flag(struct stp_wire *w, const uint64_t *time)
{
	if (!time) {
		straight(w, 0xfe, 2);
		return;
	}
	stp_nibble(w, 0xe);
	timestamp(w, time);
}

void stp_trigger(struct stp_wire *w, uint8_t v, const uint64_t *time)
{
	packet(w, 0xf06, 3, v, 2, time);
}

void stp_cross_sync(struct stp_wire *w, uint8_t v, const uint64_t *time)
{
	packet(w, 0xf0a, 3, v, 2, time);
}

void stp_data(struct stp_wire *w, uint64_t v, unsigned int size, bool marked, const uint64_t *time)
{
	/* by size: 4 bits, 8, 16, 32, 64 */
	static const uint8_t plain[] = { 0xc, 0x4, 0x5, 0x6, 0x7 };
	static const uint8_t marked_timed[] = { 0xd, 0x8, 0x9, 0xa, 0xb };
	static const uint8_t timed[] = { 0xfc, 0xf4, 0xf5, 0xf6, 0xf7 };
	static const uint8_t only_marked[] = { 0xfd, 0xf8, 0xf9, 0xfa, 0xfb };
	unsigned int i = 0;

	while (1u << i < size)
		i++;
	if (!marked == !time)
		stp_nibble(w, marked ? marked_timed[i] : plain[i]);
	else
		straight(w, marked ? only_marked[i] : timed[i], 2);
	field(w, v, size);
	if (time)
		timestamp(w, time);
}

void stp_user(struct stp_wire *w, uint64_t v, unsigned int size, const uint64_t *time)
{
	straight(w, time ? 0xf03 : 0xf02, 3);
	stp_nibble(w, size - 1);
	field(w, v, size);
	if (time)
		timestamp(w, time);
}

void stp_frequency(struct stp_wire *w, uint64_t v, bool wide, const uint64_t *time)
{
	if (wide)
		packet(w, 0xf0f0, 4, v, 10, time);
	else
		packet(w, 0xf08, 3, v, 8, time);
}

void stp_error(struct stp_wire *w, enum stp_error error, uint8_t v)
{
	switch (error) {
	case STP_MASTER_ERROR:
		stp_nibble(w, 0x2);
		break;
	case STP_GLOBAL_ERROR:
		straight(w, 0xf2, 2);
		break;
	case STP_CHANNEL_ERROR:
		straight(w, 0xf0f3, 4);
	}
	field(w, v, 2);
}

void stp_progress(struct stp_wire *w)
{
	straight(w, 0xf0f2, 4);
}
