// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../perf-plugin/leb128.h"
#include "packed.h"

/* ---------------------------------------------------------------- writing */

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
	uint8_t byte[LEB128_MAX];

	packed_bytes(out, byte, leb128_put(byte, v));
}

void packed_u32(struct packed_out *out, uint32_t v)
{
	const uint8_t byte[4] = { v, v >> 8, v >> 16, v >> 24 };

	packed_bytes(out, byte, 4);
}

int packed_write(struct packed_out *out, const char *magic, uint32_t version, FILE *f)
{
	struct packed_out head = { 0 };
	int err;

	packed_bytes(&head, magic, 8);
	packed_u32(&head, version);
	packed_u32(&head, out->err ? 0 : crc32_z(0, out->p, out->n));
	err = out->err ? out->err : head.err;
	errno = 0;
	if (!err && (fwrite(head.p, 1, head.n, f) != head.n ||
		     fwrite(out->p, 1, out->n, f) != out->n))
		err = errno ? -errno : -EIO;
	free(head.p);
	free(out->p);
	*out = (struct packed_out){ 0 };
	return err;
}

/* ---------------------------------------------------------------- reading */

static uint32_t u32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

int packed_open(struct packed_in *in, const uint8_t *bytes, size_t n, uint32_t version,
		struct packed_problem *problem)
{
	*in = (struct packed_in){ .p = bytes + PACKED_HEAD, .end = bytes + n };
	*problem = (struct packed_problem){ 0 };
	if (u32(bytes + 8) != version)
		*problem = (struct packed_problem){ "it has another version", 8 };
	else if (u32(bytes + 12) != crc32_z(0, in->p, n - PACKED_HEAD))
		*problem = (struct packed_problem){
			"its checksum is wrong: it is damaged or incomplete", 12
		};
	return problem->why ? -EBADMSG : 0;
}

int packed_close(const struct packed_in *in, const uint8_t *bytes, struct packed_problem *problem)
{
	if (!in->why)
		return 0;
	*problem = (struct packed_problem){ in->why, in->at - bytes };
	return -EBADMSG;
}

void packed_wrong(struct packed_in *in, const char *why)
{
	if (!in->why) {
		in->why = why;
		in->at = in->p;
	}
	in->p = in->end;
}

uint64_t packed_take_long(struct packed_in *in)
{
	uint64_t v;
	const enum leb128 what = leb128_get(&in->p, in->end, &v);

	if (!what)
		return v;
	packed_wrong(in, what == LEB128_CUT ? "it ends too early" :
					      "a number has more than 64 bits");
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
