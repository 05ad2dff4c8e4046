// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* mremap() */
#include "elf-unpack.h"
#include "no-memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define FIRST_SIZE	(1u << 20)
#define SIZE_MAX_HERE	(1u << 28)
#define XZ_MEMORY	(1u << 28)

/* The output: @n bytes of @size */
struct growing {
	uint8_t *p;
	size_t n, size;
};

/* Makes room for more, if there is none.  Return: 0, -EINVAL, -ENOMEM. */
static int grow(struct growing *out)
{
	size_t size = out->size ? 2 * out->size : FIRST_SIZE;
	void *p;

	if (out->n < out->size)
		return 0;
	if (size > SIZE_MAX_HERE)
		return -EINVAL;
	if (out->p)
		p = mremap(out->p, out->size, size, MREMAP_MAYMOVE);
	else
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		no_memory_for("a program that is packed", size);
		return -ENOMEM;
	}
	out->p = p;
	out->size = size;
	return 0;
}

static int unpack_xz(const uint8_t *bytes, size_t n, struct growing *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&stream, XZ_MEMORY, 0);
	int err = status == LZMA_OK ? 0 : -ENOMEM;

	stream.next_in = bytes;
	stream.avail_in = n;
	while (!err && status == LZMA_OK) {
		err = grow(out);
		if (err)
			break;
		stream.next_out = out->p + out->n;
		stream.avail_out = out->size - out->n;
		status = lzma_code(&stream, LZMA_FINISH);
		out->n = out->size - stream.avail_out;
	}
	lzma_end(&stream);
	return err || status == LZMA_STREAM_END ? err : -EINVAL;
}

static int unpack_gz(const uint8_t *bytes, size_t n, struct growing *out)
{
	z_stream stream = { .next_in = (uint8_t *)bytes, .avail_in = n };
	int status = inflateInit2(&stream, 15 + 16), err = status == Z_OK ? 0 : -ENOMEM;

	while (!err && status == Z_OK) {
		err = grow(out);
		if (err)
			break;
		stream.next_out = out->p + out->n;
		stream.avail_out = out->size - out->n;
		status = inflate(&stream, Z_NO_FLUSH);
		out->n = out->size - stream.avail_out;
	}
	inflateEnd(&stream);
	return err || status == Z_STREAM_END ? err : -EINVAL;
}

static int unpack_zst(const uint8_t *bytes, size_t n, struct growing *out)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { .src = bytes, .size = n };
	size_t status = 1, before;
	int err = stream ? 0 : -ENOMEM;

	while (!err && status) {
		ZSTD_outBuffer to;

		err = grow(out);
		if (err)
			break;
		before = in.pos;
		to = (ZSTD_outBuffer){ .dst = out->p, .size = out->size, .pos = out->n };
		status = ZSTD_decompressStream(stream, &to, &in);
		/* it needs more input, and there is none */
		if (ZSTD_isError(status) || (status && in.pos == before && to.pos == out->n))
			err = -EINVAL;
		out->n = to.pos;
	}
	ZSTD_freeDStream(stream);
	return err;
}

static const struct format {
	const char *magic;
	size_t n;
	int (*unpack)(const uint8_t *bytes, size_t n, struct growing *out);
} formats[] = {
	{ "\xfd" "7zXZ", 6, unpack_xz },
	{ "\x1f\x8b\x08", 3, unpack_gz },
	{ "\x28\xb5\x2f\xfd", 4, unpack_zst },
};

int elf_unpack(const uint8_t *bytes, size_t n, uint8_t **out, size_t *size)
{
	struct growing to = { 0 };
	int err = 0;

	*out = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (n > formats[i].n && !memcmp(bytes, formats[i].magic, formats[i].n)) {
			err = formats[i].unpack(bytes, n, &to);
			if (!err && !to.n)
				err = -EINVAL;
			break;
		}
	if (!err && to.p) {
		*out = mremap(to.p, to.size, to.n, 0);
		*size = to.n;
		to.p = NULL;
	}
	if (to.p)
		munmap(to.p, to.size);
	return err;
}
