// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: ARM DDI 0314, "Physical pin protocol".  UART: a low start bit, eight bits, the lowest
 * first, a high stop bit; high when idle.  Manchester: 1 is high and then low, 0 is low and then
 * high; a packet is a start bit 1, one to eight bytes, and a stop bit, which stays low as when
 * idle.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "line.h"

#define UART_BITS	10	/* with start and stop */
#define PACKET_BYTES	8	/* of Manchester code, at most */

/**
 * struct edges - where the wire changes
 * @at: sample of each change, @n of them
 * @end: number of samples
 * @first: the level before the first
 */
struct edges {
	uint32_t *at;
	size_t n, end;
	bool first;
};

static bool sample(const struct line_samples *s, size_t i)
{
	return s->data[i * s->unit + s->bit / 8] >> s->bit % 8 & 1;
}

/* Return: 0 or -errno. */
static int find_edges(struct edges *e, const struct line_samples *s)
{
	bool level = s->n && sample(s, 0);
	size_t n = 0;

	for (size_t i = 1; i < s->n; i++)
		n += sample(s, i) != sample(s, i - 1);
	*e = (struct edges){ .end = s->n, .first = level, .at = malloc(n * sizeof(*e->at) + 1) };
	if (!e->at)
		return -ENOMEM;
	for (size_t i = 1; i < s->n; i++) {
		if (sample(s, i) == level)
			continue;
		level = !level;
		e->at[e->n++] = i;
	}
	return e->n && s->n <= UINT32_MAX ? 0 : -ENODATA;
}

/* The level after change @i. */
static bool level_after(const struct edges *e, size_t i)
{
	return e->first ^ !(i & 1);
}

/* ---------------------------------------------------------------- how long a bit is */

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The mean of pulses that are about as short as the shortest, but for one in a hundred. */
static double short_pulse(const uint32_t *sorted, size_t n)
{
	const uint32_t least = sorted[n / 100];
	double sum = 0;
	size_t k = 0;

	for (size_t i = n / 100; i < n && sorted[i] <= least + (least + 1) / 2; i++, k++)
		sum += sorted[i];
	return sum / k;
}

/* The unit of which the pulses up to ten are multiples, if it is about @unit. */
static double refine(const uint32_t *sorted, size_t n, double unit)
{
	double sum = 0;
	size_t units = 0;

	for (size_t i = 0; i < n && sorted[i] < UART_BITS * unit; i++) {
		const size_t k = sorted[i] / unit + 0.5;

		sum += sorted[i];
		units += k ? k : 1;
	}
	return units ? sum / units : unit;
}

/* Samples of the shortest pulse, which has @parts bits; of one of them; 0: there are no pulses. */
static double find_pulse(const struct edges *e, int parts)
{
	uint32_t *length = malloc(e->n * sizeof(*length));
	const size_t n = e->n - 1;
	double unit = 0;

	if (!length || !n) {
		free(length);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		length[i] = e->at[i + 1] - e->at[i];
	qsort(length, n, sizeof(*length), compare);
	unit = parts > 1 ? (double)length[n / 100] / parts : short_pulse(length, n);
	for (int i = 0; i < 4; i++)
		unit = refine(length, n, unit);
	free(length);
	return unit;
}

/* Is it high for longer than any time that it is low?  That is how a UART is idle. */
static bool idles_high(const struct edges *e)
{
	size_t longest[2] = { 0 }, from = 0;

	for (size_t i = 0; i <= e->n; i++) {
		const size_t to = i < e->n ? e->at[i] : e->end;
		const bool level = i ? level_after(e, i - 1) : e->first;

		if (to - from > longest[level])
			longest[level] = to - from;
		from = to;
	}
	return longest[1] >= longest[0];
}

/* ---------------------------------------------------------------- UART */

/* The ten bits of a byte, from its start bit at change @i on; -1: the samples end before. */
static int uart_bits(const struct edges *e, size_t i, double bit)
{
	const double start = e->at[i];
	int bits = 0;

	if (start + (UART_BITS - 0.5) * bit > e->end)
		return -1;
	for (int k = 0; k < UART_BITS; k++) {
		while (i + 1 < e->n && e->at[i + 1] <= start + (k + 0.5) * bit)
			i++;
		bits |= level_after(e, i) << k;
	}
	return bits;
}

static void read_uart(struct line *line, const struct edges *e)
{
	for (size_t i = 0; i < e->n;) {
		const double start = e->at[i];
		const int bits = level_after(e, i) ? -1 : uart_bits(e, i, line->bit);

		i++;
		if (bits < 0 || bits & 1)
			continue;
		if (bits >> (UART_BITS - 1))
			line->bytes[line->n++] = bits >> 1;
		else
			line->bad++;
		while (i < e->n && e->at[i] < start + (UART_BITS - 0.5) * line->bit)
			i++;
	}
}

/* ---------------------------------------------------------------- Manchester */

/* The change in the middle of a bit, about @at; e->n: there is none.  @i: the change before. */
static size_t middle(const struct edges *e, size_t i, double at, double bit)
{
	while (i < e->n && e->at[i] < at - bit / 4)
		i++;
	return i < e->n && e->at[i] <= at + bit / 4 ? i : e->n;
}

/*
 * A packet, from the rise of its start bit at change @i on.  @bits: gets its bits, and @n how many.
 *
 * Return: the change after it.
 */
static size_t read_packet(const struct edges *e, size_t i, double bit, uint64_t *bits, int *n)
{
	size_t mid = middle(e, i + 1, e->at[i] + bit / 2, bit);

	*bits = 0;
	*n = -1;
	if (mid == e->n || level_after(e, mid))
		return i + 1;
	for (*n = 0; *n < 8 * PACKET_BYTES; ++*n) {
		const size_t next = middle(e, mid + 1, e->at[mid] + bit, bit);

		if (next == e->n)
			break;
		*bits |= (uint64_t)!level_after(e, next) << *n;
		mid = next;
	}
	/* the last bit may be 0, after which the wire falls for the stop bit */
	return mid + 1;
}

static void read_manchester(struct line *line, const struct edges *e)
{
	for (size_t i = 0; i < e->n;) {
		uint64_t bits;
		int n;

		if (!level_after(e, i)) {
			i++;
			continue;
		}
		i = read_packet(e, i, line->bit, &bits, &n);
		if (n < 0 || n % 8)
			line->bad++;
		for (int k = 0; k + 8 <= n; k += 8)
			line->bytes[line->n++] = bits >> k;
	}
}

/* ---------------------------------------------------------------- both */

static void read_as(struct line *line, const struct edges *e, double bit)
{
	line->bit = bit;
	line->n = 0;
	line->bad = 0;
	if (line->code == LINE_UART)
		read_uart(line, e);
	else
		read_manchester(line, e);
}

/* The bytes sent may have no pulse of one bit: then a bit is a part of the shortest. */
static void find_uart(struct line *line, const struct edges *e)
{
	double best = find_pulse(e, 1);
	size_t bad;

	read_as(line, e, best);
	bad = line->bad;
	for (int parts = 2; parts <= 3 && bad; parts++) {
		const double bit = find_pulse(e, parts);

		read_as(line, e, bit);
		if (line->n && line->bad <= bad / 4) {
			best = bit;
			bad = line->bad;
		}
	}
	read_as(line, e, best);
}

int line_read(struct line *line, const struct line_samples *samples, int code, double bit)
{
	struct edges e;
	int err = find_edges(&e, samples);

	*line = (struct line){ .code = code };
	if (!err)
		line->bytes = malloc(e.n + PACKET_BYTES + 1);
	if (!err && !line->bytes)
		err = -ENOMEM;
	if (!err && !code)
		line->code = idles_high(&e) ? LINE_UART : LINE_MANCHESTER;
	if (!err && bit > 0)
		read_as(line, &e, bit);
	else if (!err && line->code == LINE_UART)
		find_uart(line, &e);
	else if (!err)
		read_as(line, &e, 2 * find_pulse(&e, 1));
	free(e.at);
	return err;
}
