// SPDX-License-Identifier: GPL-2.0-only
#include "recording-forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-file.h"

/* Offsets in the header */
#define ATTRS		24
#define DATA		40
#define FEATURES	72
#define ATTR_SIZE	128

/* PERF_RECORD_COMPRESSED2, which libperf of 6.12 has not */
#define COMPRESSED2	83

/* Bytes of a compressed record without its header */
#define PART_MAX	92

static uint64_t number(const uint8_t *p, size_t size, int big)
{
	uint64_t v = perf_le(p, size);

	return big ? __builtin_bswap64(v) >> (64 - 8 * size) : v;
}

static void put(uint8_t *p, uint64_t v, size_t size, int big)
{
	for (size_t i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = v >> 8 * i;
}

static uint8_t *head(uint8_t *p, uint32_t type, uint16_t size, int big)
{
	memset(p, 0, 8);
	put(p, type, 4, big);
	put(p + 6, size, 2, big);
	return p + 8;
}

/* Size of a record and the trace after it */
static size_t size_of(const uint8_t *p, int big)
{
	return number(p + 6, 2, big) + (number(p, 4, big) == PERF_RECORD_AUXTRACE ?
					number(p + 8, 8, big) : 0);
}

/* ---------------------------------------------------------------- pipe */

static uint8_t *write_feature(uint8_t *to, const uint8_t *bytes, int feature, int big)
{
	const uint8_t *entry = bytes + number(bytes + DATA, 8, big) +
			       number(bytes + DATA + 8, 8, big);
	uint64_t bits = number(bytes + FEATURES, 8, big), size;

	for (int i = 0; i < feature; i++)
		entry += bits >> i & 1 ? 16 : 0;
	if (!(bits >> feature & 1))
		return to;
	size = number(entry + 8, 8, big);
	to = head(to, PERF_RECORD_HEADER_FEATURE, 16 + size, big);
	put(to, feature, 8, big);
	memcpy(to + 8, bytes + number(entry, 8, big), size);
	return to + 8 + size;
}

/* The build-ids are records as they are. */
static uint8_t *write_build_ids(uint8_t *to, const uint8_t *bytes, int big)
{
	const uint8_t *entry = bytes + number(bytes + DATA, 8, big) +
			       number(bytes + DATA + 8, 8, big);
	uint64_t size = number(entry + 8, 8, big);

	memcpy(to, bytes + number(entry, 8, big), size);
	put(to, PERF_RECORD_HEADER_BUILD_ID, 4, big);
	return to + size;
}

static void as_pipe(struct recording_image *rec)
{
	const int big = rec->big;
	uint8_t *bytes = rec->bytes, *pipe = calloc(1, 2 * rec->n + 1024), *to = pipe + 16;
	uint64_t data = number(bytes + DATA, 8, big), size = number(bytes + DATA + 8, 8, big);

	memcpy(pipe, bytes, 8);
	put(pipe + 8, 16, 8, big);
	for (int i = 0; i < 2; i++) {
		uint8_t *attr = bytes + number(bytes + ATTRS, 8, big) + i * (ATTR_SIZE + 16);
		uint64_t n = number(attr + ATTR_SIZE + 8, 8, big);

		to = head(to, PERF_RECORD_HEADER_ATTR, 8 + ATTR_SIZE + n, big);
		memcpy(to, attr, ATTR_SIZE);
		memcpy(to + ATTR_SIZE, bytes + number(attr + ATTR_SIZE, 8, big), n);
		to += ATTR_SIZE + n;
	}
	to = write_feature(to, bytes, PERF_FEATURE_HOSTNAME, big);
	to = write_feature(to, bytes, PERF_FEATURE_OSRELEASE, big);
	to = write_feature(to, bytes, PERF_FEATURE_ARCH, big);
	to = write_feature(to, bytes, PERF_FEATURE_EVENT_DESC, big);
	memcpy(to, bytes + data, size);
	to = write_build_ids(to + size, bytes, big);
	free(bytes);
	rec->bytes = pipe;
	rec->n = to - pipe;
}

/* ---------------------------------------------------------------- compressed */

void recording_pack(uint8_t **to, const uint8_t *bytes, size_t n, enum recording_form form, int big)
{
	size_t room = ZSTD_compressBound(n), part;
	uint8_t *packed = malloc(room), *p = *to;

	room = ZSTD_compress(packed, room, bytes, n, 3);
	for (size_t at = 0; at < room; at += part) {
		bool two = form == RECORDING_COMPRESSED2;
		size_t padding;

		part = room - at < PART_MAX ? room - at : PART_MAX - two;
		padding = two ? -part & 7 : 0;
		p = head(p, two ? COMPRESSED2 : PERF_RECORD_COMPRESSED,
			 8 + 8 * two + part + padding, big);
		if (two)
			put(p, part, 8, big);
		memcpy(p + 8 * two, packed + at, part);
		memset(p + 8 * two + part, 0x55, padding);
		p += 8 * two + part + padding;
	}
	*to = p;
	free(packed);
}

/* Records of the kernel are compressed, those of perf are not. Trace is left as it is. */
static void as_compressed(struct recording_image *rec, enum recording_form form)
{
	const int big = rec->big;
	uint64_t data = number(rec->bytes + DATA, 8, big);
	uint64_t end = data + number(rec->bytes + DATA + 8, 8, big);
	uint8_t *image = malloc(2 * rec->n + 1024), *to = image + data;
	uint8_t *kernel = malloc(rec->n);
	size_t n_kernel = 0, n_tail = rec->n - end, size;
	int64_t moved;

	memcpy(image, rec->bytes, data);
	for (uint64_t at = data; at < end; at += size) {
		const uint8_t *p = rec->bytes + at;

		size = size_of(p, big);
		if (number(p, 4, big) < PERF_RECORD_USER_TYPE_START) {
			memcpy(kernel + n_kernel, p, size);
			n_kernel += size;
		} else {
			memcpy(to, p, size);
			to += size;
		}
	}
	recording_pack(&to, kernel, n_kernel, form, big);
	/* the features move; the index, which is the last one, is left out */
	moved = to - image - (int64_t)end;
	memcpy(to, rec->bytes + end, n_tail);
	for (int i = __builtin_popcountll(number(image + FEATURES, 8, big)); i-- > 1;)
		put(to + 16 * (i - 1), number(to + 16 * (i - 1), 8, big) + moved, 8, big);
	put(image + FEATURES, number(image + FEATURES, 8, big) & ~(1ull << PERF_FEATURE_AUXTRACE),
	    8, big);
	put(image + DATA + 8, to - image - data, 8, big);
	free(kernel);
	free(rec->bytes);
	rec->bytes = image;
	rec->n = to + n_tail - image;
}

void recording_as(struct recording_image *rec, enum recording_form form)
{
	switch (form) {
	case RECORDING_FILE:
		break;
	case RECORDING_PIPE:
		as_pipe(rec);
		break;
	case RECORDING_COMPRESSED:
	case RECORDING_COMPRESSED2:
		as_compressed(rec, form);
		break;
	}
}

long recording_read(const char *path, uint8_t *bytes, size_t n)
{
	FILE *f = fopen(path, "rb");
	long got;

	if (!f)
		return -1;
	got = fread(bytes, 1, n, f);
	fclose(f);
	return got;
}
