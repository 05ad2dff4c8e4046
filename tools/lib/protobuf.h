/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of protobuf: fields that are numbers, and bytes, which may be messages.
 *
 *	while ((err = protobuf_next(&message, &field)) > 0)
 *		... field.number, field.value, field.bytes
 *
 * A message is built field by field, and then put into another message, or into a file.
 *
 *	inner.n = outer.n = 0;
 *	proto_number(&inner, 1, 42);
 *	proto_message(&outer, 3, &inner);
 */
#ifndef CSF_PROTOBUF_H
#define CSF_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of a message. */
struct protobuf {
	const uint8_t *at, *end;
};

/**
 * struct protobuf_field - a field of a message
 * @number: of the field
 * @value: of a field that is a number
 * @bytes: of any other field; both ends are NULL if it is a number
 */
struct protobuf_field {
	uint32_t number;
	uint64_t value;
	struct protobuf bytes;
};

/* Return: 1: a field; 0: there is no more; -EBADMSG. */
int protobuf_next(struct protobuf *message, struct protobuf_field *field);

/* How many bytes are left. */
static inline size_t protobuf_size(const struct protobuf *bytes)
{
	return bytes->end - bytes->at;
}

/* No message is longer: all fields but texts are short. */
#define PROTO_MAX	8192

/* A message to write: @n bytes; set @n to zero first. */
struct proto {
	size_t n;
	uint8_t bytes[PROTO_MAX];
};

/* The type that follows the number of a field. */
enum { PROTO_NUMBER = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

void proto_raw(struct proto *p, uint64_t v);
/* A negative number is passed as uint64_t, sign-extended. */
void proto_number(struct proto *p, unsigned int field, uint64_t v);
void proto_double(struct proto *p, unsigned int field, double v);
void proto_bytes(struct proto *p, unsigned int field, const void *bytes, size_t n);
void proto_text(struct proto *p, unsigned int field, const char *text);
void proto_message(struct proto *p, unsigned int field, const struct proto *inner);

#endif /* CSF_PROTOBUF_H */
