// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "packed.h"

uint32_t packed_crc(const uint8_t *p, size_t n)
{
	return crc32_z(crc32_z(0, NULL, 0), p, n);
}

void packed_bytes(struct packed_out *out, const void *bytes, size_t n)
{
	if (out->n + n > out->size && !out->err) {
		size_t size = 2 * (out->n + n) + 4096;
		uint8_t *p = realloc(out->p, size);

		if (p) {
			out->p = p;
			out->size = size;
		} else {
			out->err = -ENOMEM;
		}
	}
	if (out->err || !n)
		return;
	memcpy(out->p + out->n, bytes, n);
	out->n += n;
}

void packed_put(struct packed_out *out, uint64_t v)
{
	uint8_t byte[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		byte[n++] = v | 0x80;
	byte[n++] = v;
	packed_bytes(out, byte, n);
}

void packed_u32(struct packed_out *out, uint32_t v)
{
	const uint8_t byte[4] = { v, v >> 8, v >> 16, v >> 24 };

	packed_bytes(out, byte, 4);
}

void packed_wrong(struct packed_in *in, const char *why)
{
	if (!in->why) {
		in->why = why;
		in->at = in->p;
	}
	in->p = in->end;
}

uint64_t packed_take(struct packed_in *in)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 70; shift += 7) {
		uint8_t byte;

		if (in->p == in->end) {
			packed_wrong(in, "it ends too early");
			return 0;
		}
		byte = *in->p++;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return v;
	}
	packed_wrong(in, "a number has more than 64 bits");
	return 0;
}

uint64_t packed_take_max(struct packed_in *in, uint64_t max, const char *what)
{
	uint64_t v = packed_take(in);

	if (v <= max)
		return v;
	packed_wrong(in, what);
	return 0;
}

const uint8_t *packed_take_bytes(struct packed_in *in, size_t n)
{
	const uint8_t *p = in->p;

	if (n > (size_t)(in->end - in->p)) {
		packed_wrong(in, "it ends too early");
		return NULL;
	}
	in->p += n;
	return p;
}

uint32_t packed_get_u32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}
