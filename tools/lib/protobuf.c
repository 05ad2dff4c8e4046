// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "../../perf-plugin/leb128.h"
#include "protobuf.h"

/* ---------------------------------------------------------------- reading */

/* Bits of a number above the lowest 64 are ignored, as protobuf says. */
static bool number(struct protobuf *m, uint64_t *v)
{
	const enum leb128 what = leb128_get(&m->at, m->end, v);

	return what == LEB128_GOOD || what == LEB128_WIDE;
}

int protobuf_next(struct protobuf *m, struct protobuf_field *field)
{
	uint64_t tag, n;

	*field = (struct protobuf_field){ 0 };
	if (m->at == m->end)
		return 0;
	if (!number(m, &tag) || !(tag >> 3) || tag >> 3 > UINT32_MAX)
		return -EBADMSG;
	field->number = tag >> 3;
	switch (tag & 7) {
	case PROTO_NUMBER:
		return number(m, &field->value) ? 1 : -EBADMSG;
	case PROTO_BYTES:
		if (!number(m, &n))
			return -EBADMSG;
		break;
	case PROTO_FIXED64:
		n = 8;
		break;
	case PROTO_FIXED32:
		n = 4;
		break;
	default:
		return -EBADMSG;
	}
	if (n > protobuf_size(m))
		return -EBADMSG;
	field->bytes = (struct protobuf){ m->at, m->at + n };
	m->at += n;
	return 1;
}

/* ---------------------------------------------------------------- writing */

void proto_raw(struct proto *p, uint64_t v)
{
	assert(p->n + LEB128_MAX <= PROTO_MAX);
	p->n += leb128_put(p->bytes + p->n, v);
}

void proto_number(struct proto *p, unsigned int field, uint64_t v)
{
	proto_raw(p, field << 3 | PROTO_NUMBER);
	proto_raw(p, v);
}

void proto_double(struct proto *p, unsigned int field, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	proto_raw(p, field << 3 | PROTO_FIXED64);
	assert(p->n + 8 <= PROTO_MAX);
	for (int i = 0; i < 8; i++)
		p->bytes[p->n++] = bits >> 8 * i;
}

void proto_bytes(struct proto *p, unsigned int field, const void *bytes, size_t n)
{
	proto_raw(p, field << 3 | PROTO_BYTES);
	proto_raw(p, n);
	assert(n <= PROTO_MAX - p->n);
	memcpy(p->bytes + p->n, bytes, n);
	p->n += n;
}

void proto_text(struct proto *p, unsigned int field, const char *text)
{
	proto_bytes(p, field, text, strlen(text));
}

void proto_message(struct proto *p, unsigned int field, const struct proto *inner)
{
	proto_bytes(p, field, inner->bytes, inner->n);
}
