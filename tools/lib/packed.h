/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers in files, packed: LEB128, seven bits a byte, the lowest first, bit 7 set in all but the
 * last.  A reader takes one field after another, and checks once, at the end, for an error.
 *
 * A file begins with its magic number, 8 bytes, its version and the CRC-32 of all that follows.
 */
#ifndef CSF_PACKED_H
#define CSF_PACKED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PACKED_HEAD	16

/* The magic numbers of count tables, and of atom runs. */
#define COUNT_MAGIC	"CSFCOUNT"
#define QUICK_MAGIC	"CSFQUICK"

/* An error in a file, and its offset. */
struct packed_problem {
	const char *why;
	size_t offset;
};

/* Bytes that grow; with @err set nothing is added. */
struct packed_out {
	uint8_t *p;
	size_t n, size;
	int err;
};

void packed_bytes(struct packed_out *out, const void *bytes, size_t n);
void packed_put(struct packed_out *out, uint64_t v);
/* Not packed: 4 bytes, little-endian. */
void packed_u32(struct packed_out *out, uint32_t v);

/* Writes the file with its head, and frees @out.  Return: 0; -errno. */
int packed_write(struct packed_out *out, const char *magic, uint32_t version, FILE *f);

/* The rest of a file; with @why set there is an error at @at, and nothing more is taken. */
struct packed_in {
	const uint8_t *p, *end, *at;
	const char *why;
};

/* Takes what follows the head of a file of this kind.  Return: 0; -EBADMSG and @problem. */
int packed_open(struct packed_in *in, const uint8_t *bytes, size_t n, uint32_t version,
		struct packed_problem *problem);
/* Call this when everything was taken.  Return: likewise. */
int packed_close(const struct packed_in *in, const uint8_t *bytes, struct packed_problem *problem);

void packed_wrong(struct packed_in *in, const char *why);
/* Takes a number of any length; for packed_take() only. */
uint64_t packed_take_long(struct packed_in *in);

/* Most numbers are of one byte. */
static inline uint64_t packed_take(struct packed_in *in)
{
	return in->p < in->end && *in->p < 0x80 ? *in->p++ : packed_take_long(in);
}

/* Takes a number of at most @max; a larger one is the error @what. */
static inline uint64_t packed_take_max(struct packed_in *in, uint64_t max, const char *what)
{
	const uint64_t v = packed_take(in);

	if (v <= max)
		return v;
	packed_wrong(in, what);
	return 0;
}

/* NULL: there are fewer than @n. */
const uint8_t *packed_take_bytes(struct packed_in *in, size_t n);

/* Maps differences of either sign to small numbers. */
static inline uint64_t packed_fold(uint64_t v)
{
	return v << 1 ^ -(v >> 63);
}

static inline uint64_t packed_unfold(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

#endif /* CSF_PACKED_H */
