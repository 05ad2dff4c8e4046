// SPDX-License-Identifier: GPL-2.0-only
/* Records that are kept: the same as in the file, and none where that is damaged. */
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-record.h"
#include "../lib/recording-forms.h"
#include "../lib/recording.h"

FIXTURE(keep)
{
	struct small_recording rec;
	struct perf_file *file;
};

FIXTURE_SETUP(keep)
{
	recording_init(&self->rec, 2, 2);
	self->rec.hw_id = 2;
	ASSERT_EQ(0, recording_make(&self->rec));
}

FIXTURE_TEARDOWN(keep)
{
	perf_file_close(self->file);
	free(self->rec.bytes);
}

static bool same_record(const struct perf_record *a, const struct perf_record *b)
{
	return a->offset == b->offset && a->type == b->type && a->misc == b->misc &&
	       a->size == b->size && !memcmp(a->bytes, b->bytes, a->size) &&
	       a->trace.offset == b->trace.offset && a->trace.bytes == b->trace.bytes &&
	       a->trace.size == b->trace.size;
}

/* Return: number of records that are the same in the file and where they are kept. */
static size_t same_kept(struct perf_file *file)
{
	struct perf_record record, found, other;
	struct perf_records it, lies;
	size_t n = 0;

	perf_records_start(&it, file);
	perf_records_start(&lies, file);
	for (;;) {
		file->keep.done = false;
		if (!perf_records_next(&lies, &other))
			break;
		file->keep.done = true;
		n += perf_records_next(&it, &record) && same_record(&record, &other) &&
		     it.pos == lies.pos && !it.skipped &&
		     perf_record_at(file, record.offset, &found) && same_record(&found, &other);
	}
	file->keep.done = true;
	return perf_records_next(&it, &record) || perf_record_at(file, 1, &found) ? 0 : n;
}

TEST_F(keep, all)
{
	ASSERT_EQ(0, perf_file_open_memory(&self->file, self->rec.bytes, self->rec.n));
	ASSERT_TRUE(self->file->keep.done);
	EXPECT_LT(20, self->file->n_record);
	EXPECT_EQ(self->file->n_record, same_kept(self->file));
}

TEST_F(keep, none)
{
	static const char of_a_pipe[16] = "PERFILE2\20";

	ASSERT_EQ(0, perf_file_open_memory(&self->file, of_a_pipe, sizeof(of_a_pipe)));
	ASSERT_TRUE(self->file->keep.done);
	EXPECT_EQ(0, same_kept(self->file));
}

/* As others write it: of a pipe, and compressed, with the records that the others came in. */
TEST_F(keep, forms)
{
	for (int form = RECORDING_PIPE; form <= RECORDING_COMPRESSED2; form++) {
		struct recording_image image = { .n = self->rec.n };

		image.bytes = malloc(image.n);
		ASSERT_NE(NULL, image.bytes);
		memcpy(image.bytes, self->rec.bytes, image.n);
		recording_as(&image, form);
		ASSERT_EQ(0, perf_file_open_memory(&self->file, image.bytes, image.n));
		ASSERT_TRUE(self->file->keep.done);
		EXPECT_EQ(form != RECORDING_PIPE, self->file->n_packed > 0);
		EXPECT_EQ(self->file->n_record, same_kept(self->file));
		perf_file_close(self->file);
		self->file = NULL;
		free(image.bytes);
	}
}

/* Of more records than there is room for none is kept, and all are there. */
TEST_F(keep, too_many)
{
	static const uint8_t round[8] = { PERF_RECORD_FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0 };
	const size_t n = 200000;
	struct perf_record record;
	struct perf_records it;
	size_t found = 0;

	free(self->rec.bytes);
	self->rec.bytes = malloc(16 + n * 8);
	ASSERT_NE(NULL, self->rec.bytes);
	memcpy(self->rec.bytes, "PERFILE2\20\0\0\0\0\0\0", 16);
	for (size_t i = 0; i < n; i++)
		memcpy(self->rec.bytes + 16 + i * 8, round, 8);
	ASSERT_EQ(0, perf_file_open_memory(&self->file, self->rec.bytes, 16 + n * 8));
	EXPECT_FALSE(self->file->keep.done);
	EXPECT_EQ(NULL, self->file->keep.record);
	for (perf_records_start(&it, self->file); perf_records_next(&it, &record); found++)
		EXPECT_EQ(16 + found * 8, record.offset);
	EXPECT_EQ(n, found);
	EXPECT_EQ(n, self->file->n_record);
}

/* The walk says where a record is skipped, or trace is cut. */
TEST_F(keep, damaged)
{
	for (int cut = 0; cut < 2; cut++) {
		uint64_t at = get_le64(self->rec.bytes + 40);

		while (get_le32(self->rec.bytes + at) != PERF_RECORD_AUXTRACE)
			at += get_le16(self->rec.bytes + at + 6);
		if (cut)
			memset(self->rec.bytes + at + 8, 0x7f, 7);
		else
			memset(self->rec.bytes + get_le64(self->rec.bytes + 40) + 6, 0, 2);
		ASSERT_EQ(0, perf_file_open_memory(&self->file, self->rec.bytes, self->rec.n));
		EXPECT_LT(0, self->file->problems.damage);
		EXPECT_FALSE(self->file->keep.done);
		EXPECT_EQ(NULL, self->file->keep.bytes);
		perf_file_close(self->file);
		self->file = NULL;
		free(self->rec.bytes);
		recording_init(&self->rec, 2, 2);
		ASSERT_EQ(0, recording_make(&self->rec));
	}
}

TEST_HARNESS_MAIN
