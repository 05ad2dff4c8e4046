// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf record -z: the kernel's records, compressed as one stream that is cut into records at any
 * place; each file of a directory has its own stream.  perf does not compress trace and its own
 * records; simpleperf record -z makes the trace of each AUXTRACE record a frame.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <zstd.h>

#include "perf-abi.h"
#include "perf-walk.h"

/* Input that grows more than this was made to fill the disk. */
#define GROWTH_MAX	1024

/**
 * struct unpacking - the stream, on its way into a file without a name
 * @out: a piece of the output, at most @n_out bytes
 * @n_in: number of input bytes
 * @n: number of output bytes
 * @start: output bytes before each region of the file
 * @failed: the rest of this region cannot be unpacked
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

/*
 * Writes the unpacked bytes of @in.  *@status: the last result of ZSTD_decompressStream().  Return:
 * NULL, or why it is incomplete.
 */
static const char *inflate(struct unpacking *un, ZSTD_inBuffer *in, size_t *status)
{
	ZSTD_outBuffer out = { .dst = un->out, .size = un->n_out };

	un->n_in += in->size;
	do {
		out.pos = 0;
		*status = ZSTD_decompressStream(un->stream, &out, in);
		if (ZSTD_isError(*status))
			return ZSTD_getErrorName(*status);
		if (un->n + out.pos > un->n_in * GROWTH_MAX + un->n_out)
			return "it would become larger than possible";
		if (fwrite(un->out, 1, out.pos, un->spill) != out.pos)
			return "no room in the temporary directory";
		un->n += out.pos;
	} while (in->pos < in->size || out.pos == out.size);
	return NULL;
}

/* Sets @un->failed if the stream cannot go on. */
static void unpack(struct unpacking *un, const struct perf_record *record, ZSTD_inBuffer *in)
{
	size_t status;
	const char *why = inflate(un, in, &status);

	if (why)
		perf_problem_add(&un->file->problems, PERF_DAMAGE, record->offset,
				 "from here on records cannot be unpacked: %s", why);
	un->failed = why;
}

/* ---------------------------------------------------------------- trace */

/* Maximum padding after a frame of zstd, which makes the record a multiple of 8 bytes. */
#define PADDING		8

/*
 * Number of bytes that zstd wants next at the end of a block: a flushed stream need not end its
 * frame.
 */
#define BLOCK_HEAD	3

bool perf_zstd_is_trace(const struct perf_file *file, const struct perf_section *trace)
{
	size_t n;

	if (trace->size < 4 || get_le32(trace->bytes) != ZSTD_MAGICNUMBER)
		return false;
	/* without it, it may be trace that begins so */
	if (file->feature[PERF_FEATURE_META_INFO].size)
		return true;
	n = ZSTD_findFrameCompressedSize(trace->bytes, trace->size);
	return !ZSTD_isError(n) && trace->size - n < PADDING;
}

/*
 * The trace of an AUXTRACE record is a frame, as simpleperf writes it.  Takes as much as can be
 * unpacked.
 */
static void unpack_auxtrace(struct unpacking *un, struct perf_auxtrace_at *auxtrace)
{
	const struct perf_file *file = un->file;
	uint64_t from = auxtrace->offset + perf_file_number(file, auxtrace->offset + 6, 2);
	size_t n = ZSTD_findFrameCompressedSize(file->bytes + from, auxtrace->size), status = 1;
	ZSTD_inBuffer in = { .src = file->bytes + from, .size = auxtrace->size };
	const char *why;

	if (!ZSTD_isError(n))
		in.size = n;
	auxtrace->unpacked = un->n;
	ZSTD_initDStream(un->stream);
	why = inflate(un, &in, &status);
	if (!why && status && status != BLOCK_HEAD)
		why = "its end is missing";
	if (!why && auxtrace->size - in.size >= PADDING)
		why = "there is data after it";
	auxtrace->n_unpacked = un->n - auxtrace->unpacked;
	if (!why)
		return;
	auxtrace->cut = true;
	perf_problem_add(&un->file->problems, PERF_DAMAGE, auxtrace->offset,
			 "compressed trace of an AUXTRACE record is not all unpacked: %s", why);
}

static void unpack_all_auxtrace(struct unpacking *un)
{
	for (size_t i = 0; i < un->file->n_auxtrace; i++)
		if (un->file->auxtrace[i].packed)
			unpack_auxtrace(un, &un->file->auxtrace[i]);
}

/* ---------------------------------------------------------------- records */

/* Offsets identify regions: there must be something between two of them. */
#define BETWEEN		8

static void begin_region(struct unpacking *un, size_t region)
{
	static const uint8_t zeros[BETWEEN];

	un->start[region] = un->n;
	ZSTD_initDStream(un->stream);
	un->failed = fwrite(zeros, 1, BETWEEN, un->spill) != BETWEEN;
	un->n += BETWEEN;
}

/* Adds the output as regions after all others. */
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
		if (end > start && i == file->init_map)
			file->init_unpacked = (struct perf_section){
				.offset = at + start, .size = end - start,
			};
	}
	for (size_t i = 0; i < file->n_auxtrace; i++)
		file->auxtrace[i].unpacked += at;
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
	unpack_all_auxtrace(un);
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
