// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf record -z: the kernel's records, compressed as one stream that is cut
 * into records anywhere; each file of a directory has a stream of its own.
 * Trace is not compressed, nor is what perf itself adds.
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
 * @start: of each region of the file: what had come out before
 * @failed: what follows in this region cannot be unpacked
 */
struct unpacking {
	struct perf_file *file;
	ZSTD_DStream *stream;
	FILE *spill;
	void *out;
	size_t n_out;
	uint64_t n_in, n;
	uint64_t *start;
	bool failed;
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

/* Turns @un->failed on if the stream does not go on. */
static void unpack(struct unpacking *un, const struct perf_record *record, ZSTD_inBuffer *in)
{
	ZSTD_outBuffer out = { .dst = un->out, .size = un->n_out };
	size_t status;

	un->failed = true;
	un->n_in += in->size;
	do {
		out.pos = 0;
		status = ZSTD_decompressStream(un->stream, &out, in);
		if (ZSTD_isError(status)) {
			perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
					 "from here on records cannot be unpacked: %s",
					 ZSTD_getErrorName(status));
			return;
		}
		if (un->n + out.pos > un->n_in * GROWTH_MAX + un->n_out) {
			perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
					 "from here on records unpack to more than can be");
			return;
		}
		if (fwrite(un->out, 1, out.pos, un->spill) != out.pos) {
			perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
					 "no room for unpacked records in the temporary directory");
			return;
		}
		un->n += out.pos;
	} while (in->pos < in->size || out.pos == out.size);
	un->failed = false;
}

/* An offset says which region it is in: between two there must be something. */
#define BETWEEN		8

static void begin_region(struct unpacking *un, size_t region)
{
	static const uint8_t zeros[BETWEEN];

	un->start[region] = un->n;
	ZSTD_initDStream(un->stream);
	un->failed = fwrite(zeros, 1, BETWEEN, un->spill) != BETWEEN;
	un->n += BETWEEN;
}

/* What came out, as regions behind all others. */
static int add_regions(struct unpacking *un)
{
	struct perf_file *file = un->file;
	size_t n_region = file->n_region;
	uint64_t at;
	int err = perf_store_append(file, un->spill, un->n, &at);

	for (size_t i = 0; !err && i < n_region; i++) {
		uint64_t start = un->start[i] + BETWEEN, end = un->start[i + 1];

		if (end > start)
			err = perf_store_region(file, at + start, end - start);
	}
	return err;
}

static int unpack_all(struct unpacking *un)
{
	const struct perf_file *file = un->file;
	struct perf_record record;
	struct perf_records it;
	ZSTD_inBuffer in;
	size_t region = 0;

	begin_region(un, 0);
	perf_records_start(&it, file);
	while (perf_records_next(&it, &record)) {
		while (record.offset >= file->region[region].offset + file->region[region].size)
			begin_region(un, ++region);
		if (!un->failed && packed_bytes(&record, &in))
			unpack(un, &record, &in);
	}
	while (++region < file->n_region)
		un->start[region] = un->n;
	un->start[region] = un->n;
	if (fflush(un->spill))
		return -errno;
	return un->n > BETWEEN * file->n_region ? add_regions(un) : 0;
}

int perf_zstd_unpack(struct perf_file *file)
{
	struct unpacking un = { .file = file, .n_out = ZSTD_DStreamOutSize() };
	int err = -ENOMEM;

	un.stream = ZSTD_createDStream();
	un.out = malloc(un.n_out);
	un.start = calloc(file->n_region + 1, sizeof(*un.start));
	un.spill = tmpfile();
	if (!un.spill)
		err = -errno;
	else if (un.stream && un.out && un.start)
		err = unpack_all(&un);
	if (un.spill)
		fclose(un.spill);
	free(un.out);
	free(un.start);
	ZSTD_freeDStream(un.stream);
	return err;
}
