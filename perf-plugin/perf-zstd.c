// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf record -z: the kernel's records, compressed as one stream that is cut
 * into records anywhere.  Trace is not compressed, nor is what perf itself adds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <zstd.h>

#include "perf-abi.h"
#include "perf-walk.h"

/* What grows more than this was made to fill the disk. */
#define GROWTH_MAX	1024

/**
 * struct unpacking - the stream, on its way into a file without a name
 * @out: one piece of what comes out, @n_out bytes at most
 * @n_in: bytes that went in
 * @n: bytes that came out
 */
struct unpacking {
	struct perf_file *file;
	ZSTD_DStream *stream;
	FILE *spill;
	void *out;
	size_t n_out;
	uint64_t n_in, n;
};

/* The compressed bytes of a record. */
static bool packed_bytes(const struct perf_record *record, ZSTD_inBuffer *in)
{
	size_t head = sizeof(struct perf_event_header);
	uint64_t size = record->size - head;

	if (record->type == PERF_ZSTD_COMPRESSED2) {
		if (size < 8)
			return false;
		size -= 8;
		if (get_le64(record->bytes + head) < size)
			size = get_le64(record->bytes + head);
		head += 8;
	} else if (record->type != PERF_RECORD_COMPRESSED) {
		return false;
	}
	*in = (ZSTD_inBuffer){ .src = record->bytes + head, .size = size };
	return true;
}

/* Return: the stream goes on. */
static bool unpack(struct unpacking *un, const struct perf_record *record, ZSTD_inBuffer *in)
{
	ZSTD_outBuffer out = { .dst = un->out, .size = un->n_out };
	size_t status;

	un->n_in += in->size;
	do {
		out.pos = 0;
		status = ZSTD_decompressStream(un->stream, &out, in);
		if (ZSTD_isError(status)) {
			perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
					 "from here on records cannot be unpacked: %s",
					 ZSTD_getErrorName(status));
			return false;
		}
		if (un->n + out.pos > un->n_in * GROWTH_MAX + un->n_out) {
			perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
					 "from here on records unpack to more than can be");
			return false;
		}
		if (fwrite(un->out, 1, out.pos, un->spill) != out.pos) {
			perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
					 "no room for unpacked records in the temporary directory");
			return false;
		}
		un->n += out.pos;
	} while (in->pos < in->size || out.pos == out.size);
	return true;
}

static int unpack_all(struct unpacking *un)
{
	struct perf_record record;
	struct perf_records it;
	ZSTD_inBuffer in;

	perf_records_start(&it, un->file);
	while (perf_records_next(&it, &record))
		if (packed_bytes(&record, &in) && !unpack(un, &record, &in))
			break;
	if (fflush(un->spill))
		return -errno;
	if (!un->n)
		return 0;
	return perf_file_append(un->file, un->spill, un->n);
}

int perf_zstd_unpack(struct perf_file *file)
{
	struct unpacking un = { .file = file, .n_out = ZSTD_DStreamOutSize() };
	int err = -ENOMEM;

	un.stream = ZSTD_createDStream();
	un.out = malloc(un.n_out);
	un.spill = tmpfile();
	if (!un.spill)
		err = -errno;
	else if (un.stream && un.out)
		err = unpack_all(&un);
	if (un.spill)
		fclose(un.spill);
	free(un.out);
	ZSTD_freeDStream(un.stream);
	return err;
}
