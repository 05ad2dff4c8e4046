// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of the other byte order: the records read must be, byte for byte, those of the same
 * recording in this machine's order.
 */
#include <stdio.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-abi.h"
#include "perf-same.h"
#include "../lib/recording-forms.h"
#include "../lib/recording.h"

/* The same recording in both byte orders, and what the reader makes of it */
FIXTURE(both)
{
	struct small_recording rec[2];
	struct perf_file *file[2];
};

FIXTURE_VARIANT(both)
{
	uint32_t version;
	enum recording_form form;
};

FIXTURE_VARIANT_ADD(both, file_v0) { 0, RECORDING_FILE };
FIXTURE_VARIANT_ADD(both, file_v2) { 2, RECORDING_FILE };
FIXTURE_VARIANT_ADD(both, pipe) { 2, RECORDING_PIPE };
FIXTURE_VARIANT_ADD(both, compressed) { 2, RECORDING_COMPRESSED };
FIXTURE_VARIANT_ADD(both, compressed2) { 2, RECORDING_COMPRESSED2 };

FIXTURE_SETUP(both)
{
	struct recording_image image;

	for (int i = 0; i < 2; i++) {
		recording_init(&self->rec[i], variant->version, 2);
		self->rec[i].hw_id = 2;
		self->rec[i].others = true;
		self->rec[i].setup.hostname = "arm";
		self->rec[i].setup.release = "6.12.0-arm64";
		self->rec[i].setup.time_conv =
			(struct perf_time_conv){ .shift = 10, .mult = 40960, .zero = 1000 };
		self->rec[i].setup.big_endian = i;
		ASSERT_EQ(0, recording_make(&self->rec[i]));
		image = (struct recording_image){ self->rec[i].bytes, self->rec[i].n, i };
		recording_as(&image, variant->form);
		self->rec[i].bytes = image.bytes;
		self->rec[i].n = image.n;
		ASSERT_EQ(0, perf_file_open_memory(&self->file[i], self->rec[i].bytes,
						   self->rec[i].n));
	}
}

FIXTURE_TEARDOWN(both)
{
	for (int i = 0; i < 2; i++) {
		perf_file_close(self->file[i]);
		free(self->rec[i].bytes);
	}
}

TEST_F(both, records)
{
	const struct perf_file *native = self->file[0], *turned = self->file[1];
	struct perf_records it[2];
	struct perf_record a, b;
	int n = 0;

	EXPECT_FALSE(native->foreign);
	EXPECT_TRUE(turned->foreign);
	/* without an index, which is left out there, a file has been damaged */
	EXPECT_EQ(variant->form >= RECORDING_COMPRESSED, native->problems.damage);
	EXPECT_EQ(native->problems.damage, turned->problems.damage);
	EXPECT_EQ(native->n_record, turned->n_record);
	perf_records_start(&it[0], native);
	perf_records_start(&it[1], turned);
	while (perf_records_next(&it[0], &a)) {
		ASSERT_TRUE(perf_records_next(&it[1], &b));
		n++;
		ASSERT_EQ(a.type, b.type);
		EXPECT_EQ(a.misc, b.misc);
		ASSERT_EQ(a.trace.size, b.trace.size);
		EXPECT_EQ(0, memcmp(native->bytes + a.trace.offset, turned->bytes + b.trace.offset,
				    a.trace.size));
		if (a.type == PERF_RECORD_COMPRESSED || a.type == 83)
			continue;
		ASSERT_EQ(a.size, b.size);
		EXPECT_EQ(0, memcmp(a.bytes, b.bytes, a.size)) {
			TH_LOG("record %d of type %u at %#jx", n, a.type, (uintmax_t)a.offset);
		}
	}
	EXPECT_FALSE(perf_records_next(&it[1], &b));
	EXPECT_LT(30, n);
}

TEST_F(both, events_and_features)
{
	const struct perf_file *native = self->file[0], *turned = self->file[1];
	struct perf_build_id id[2] = { 0 };
	uint64_t pos[2] = { 0 };

	ASSERT_EQ(2, native->n_evsel);
	ASSERT_EQ(2, turned->n_evsel);
	for (int i = 0; i < 2; i++) {
		const struct perf_evsel *a = &native->evsel[i], *b = &turned->evsel[i];

		EXPECT_EQ(0, memcmp(&a->attr, &b->attr, sizeof(a->attr)));
		EXPECT_EQ(1, (int)b->attr.sample_id_all);
		ASSERT_EQ(a->n_id, b->n_id);
		EXPECT_EQ(0, memcmp(a->id, b->id, 8 * a->n_id));
		EXPECT_STREQ(a->name, b->name);
	}
	EXPECT_EQ(&turned->evsel[0], turned->aux_evsel);
	EXPECT_STREQ("6.12.0-arm64", perf_file_string(turned, PERF_FEATURE_OSRELEASE));
	EXPECT_TRUE(same_time_conv(&native->time_conv, &turned->time_conv));
	ASSERT_EQ(native->auxtrace_info.size, turned->auxtrace_info.size);
	EXPECT_EQ(0, memcmp(native->auxtrace_info.bytes, turned->auxtrace_info.bytes,
			    native->auxtrace_info.size));
	EXPECT_TRUE(perf_file_build_id(native, &pos[0], &id[0]));
	EXPECT_TRUE(perf_file_build_id(turned, &pos[1], &id[1]));
	EXPECT_STREQ("/bin/sort", id[1].name);
	EXPECT_EQ(20, id[1].size);
	EXPECT_EQ(-1, id[1].pid);
}

/* Files are mapped, and the pages that are written to are copies. */
TEST_F(both, mapped)
{
	char path[] = "/tmp/csflow-foreign-XXXXXX";
	struct perf_file *file;
	int fd = mkstemp(path);

	ASSERT_EQ(self->rec[1].n, write(fd, self->rec[1].bytes, self->rec[1].n));
	ASSERT_EQ(0, perf_file_open(&file, path));
	perf_file_drop(file);
	EXPECT_EQ(self->file[1]->n_record, file->n_record);
	ASSERT_EQ(self->file[1]->n_region, file->n_region);
	for (size_t i = 0; i < file->n_region; i++)
		EXPECT_EQ(0, memcmp(self->file[1]->region[i].bytes, file->region[i].bytes,
				    file->region[i].size));
	perf_file_close(file);
	EXPECT_EQ(self->rec[1].n, recording_read(path, self->rec[0].bytes, self->rec[0].n));
	EXPECT_EQ(0, memcmp(self->rec[0].bytes, self->rec[1].bytes, self->rec[1].n));
	close(fd);
	unlink(path);
}

TEST_F(both, fragments)
{
	struct perf_aux *aux[2];
	struct perf_cs *cs[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, perf_aux_new(&aux[i], self->file[i]));
		ASSERT_EQ(0, perf_cs_open(&cs[i], self->file[i], NULL));
		ASSERT_EQ(2, cs[i]->n_cpu);
		ASSERT_EQ(2, cs[i]->n_id);
	}
	EXPECT_EQ(8, aux[0]->n_fragment);
	ASSERT_EQ(8, aux[1]->n_fragment);
	for (int i = 0; i < 8; i++)
		EXPECT_TRUE(same_fragment(&aux[0]->fragment[i], &aux[1]->fragment[i]));
	for (int i = 0; i < 2; i++) {
		EXPECT_TRUE(same_unit(&cs[0]->cpu[i], &cs[1]->cpu[i]));
		EXPECT_TRUE(same_id(&cs[0]->id[i], &cs[1]->id[i]));
	}
	for (int i = 0; i < 2; i++) {
		perf_cs_free(cs[i]);
		perf_aux_free(aux[i]);
	}
}

/* Cut anywhere, and a byte changed anywhere: each walk finds the same records as the first. */
TEST_F(both, damaged)
{
	uint8_t *bytes = malloc(self->rec[1].n);

	for (size_t i = 0; i < 2 * self->rec[1].n; i += 3) {
		size_t n = i < self->rec[1].n ? i : self->rec[1].n;
		struct perf_record record;
		struct perf_records it;
		struct perf_file *file;
		struct perf_aux *aux;
		uint64_t walked = 0;

		memcpy(bytes, self->rec[1].bytes, self->rec[1].n);
		if (n < i)
			bytes[i - n] ^= 0x55;
		ASSERT_EQ(0, perf_file_open_memory(&file, bytes, n));
		perf_records_start(&it, file);
		while (file->usable && perf_records_next(&it, &record))
			walked++;
		EXPECT_EQ(file->n_record, walked);
		ASSERT_EQ(0, perf_aux_new(&aux, file));
		perf_aux_free(aux);
		perf_file_close(file);
	}
	free(bytes);
}

/*
 * Bytes of trace that look like records of this byte order are not, nor when they are walked again.
 */
TEST_F(both, trace_like_records)
{
	static const uint8_t like[8] = { PERF_RECORD_COMM, 0, 0, 0, 0, 0, 8, 0 };
	const struct perf_auxtrace_at *auxtrace = self->file[1]->auxtrace;
	struct perf_record record;
	struct perf_file *file;
	uint8_t *trace;

	if (variant->form != RECORDING_FILE)
		return;
	trace = self->rec[1].bytes + auxtrace[0].offset + 48;
	for (int i = 0; i < 4; i++)
		memcpy(trace + 0x20 + 8 * i, like, 8);
	trace[-40 + 5] = 1;		/* its size is too large by 64 KiB */
	memset(self->rec[1].bytes + 72, 0, 32);		/* and there is no index */
	ASSERT_EQ(0, perf_file_open_memory(&file, self->rec[1].bytes, self->rec[1].n));
	ASSERT_LT(1, file->n_auxtrace);
	EXPECT_EQ(auxtrace[0].size, file->auxtrace[0].size);
	EXPECT_TRUE(file->auxtrace[0].cut);
	ASSERT_TRUE(perf_record_at(file, file->auxtrace[0].offset, &record));
	EXPECT_EQ(auxtrace[0].size, record.trace.size);
	perf_file_close(file);
}

TEST_HARNESS_MAIN
