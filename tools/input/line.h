/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A serial wire as a logic analyser saw it: samples of its level to the bytes that were sent, as
 * UART (NRZ) or in Manchester code.
 */
#ifndef CSF_LINE_H
#define CSF_LINE_H

#include <stddef.h>
#include <stdint.h>

enum line_code { LINE_AUTO, LINE_UART, LINE_MANCHESTER };

/**
 * struct line_samples - what the analyser has
 * @data: @n samples of @unit bytes; bit @bit of each, from the lowest of the first byte, is the
 *        wire
 */
struct line_samples {
	const uint8_t *data;
	size_t n;
	unsigned int unit, bit;
};

/**
 * struct line - what was sent
 * @bytes: @n bytes; free() it
 * @bad: bytes or packets that were not whole
 * @code: enum line_code, found or given
 * @bit: samples of a bit, found or given
 */
struct line {
	uint8_t *bytes;
	size_t n, bad;
	int code;
	double bit;
};

/**
 * line_read() - find what was sent
 * @code: enum line_code; LINE_AUTO: UART if the wire is high when idle
 * @bit: samples of a bit; 0: found from the shortest pulses
 *
 * Return: 0; -ENOMEM; -ENODATA: the wire never changes.
 */
int line_read(struct line *line, const struct line_samples *samples, int code, double bit);

#endif /* CSF_LINE_H */
