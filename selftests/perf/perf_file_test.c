// SPDX-License-Identifier: GPL-2.0-only
/* Reading of perf.data: recordings of others, and our own damaged ones. */
#include <errno.h>
#include <stdio.h>

#include "perf-ruin.h"

#include "../../kernel-glue/include/uapi/csf_abi.h"
#include "../lib/recording-forms.h"

TEST_F(ruin, without_damage)
{
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0, self->file->problems.total);
	EXPECT_EQ(8, self->aux->n_fragment);
}

/* Cut anywhere: what precedes the cut is there, and nothing else happens. */
TEST_F(ruin, cut_anywhere)
{
	uint8_t *whole = self->rec.bytes, *cut;
	size_t n = self->rec.n, fragments = 0;
	uint64_t features = get_le64(whole + 40) + get_le64(whole + DATA_SIZE);

	for (size_t i = 0; i < n; i++) {
		cut = malloc(i ? i : 1);
		memcpy(cut, whole, i);
		self->rec.bytes = cut;
		self->rec.n = i;
		ASSERT_EQ(0, ruin_open(self));
		if (i < features)
			EXPECT_LT(0, self->file->problems.damage);
		EXPECT_LE(fragments, self->aux->n_fragment);
		fragments = self->aux->n_fragment;
		ruin_close(self);
		free(cut);
	}
	EXPECT_EQ(8, fragments);
	self->rec.bytes = whole;
	self->rec.n = n;
}

TEST_F(ruin, cut_in_trace)
{
	uint64_t last = offset_of(self, record_of(self, PERF_RECORD_AUXTRACE, 3));

	self->rec.n = last + 48 + 0x50;
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "the data should have", 40));
	EXPECT_TRUE(says(self, "says 128 bytes, there are 80", last));
	ASSERT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(0x10, self->aux->fragment[7].size);
	EXPECT_EQ(PERF_FRAGMENT_CUT, self->aux->fragment[7].flags);
	EXPECT_EQ(1, self->aux->n_lost);
	EXPECT_EQ(0x30, self->aux->lost_bytes);
}

TEST_F(ruin, no_index)
{
	self->rec.bytes[FEATURES + PERF_FEATURE_AUXTRACE / 8] &= ~(1 << PERF_FEATURE_AUXTRACE % 8);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "no auxtrace index", PERF_PROBLEM_NOWHERE));
	EXPECT_EQ(8, self->aux->n_fragment);
}

/* perf record that was killed */
TEST_F(ruin, not_finished)
{
	put64(self->rec.bytes + DATA_SIZE, 0);
	memset(self->rec.bytes + FEATURES, 0, 32);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "recording was not finished", DATA_SIZE));
	EXPECT_EQ(8, self->aux->n_fragment);
}

TEST_F(ruin, ten_thousand_cpus)
{
	uint8_t *info = record_of(self, PERF_RECORD_AUXTRACE_INFO, 0);

	put64(info + 24, 8ull << 32 | 10000);
	ASSERT_EQ(0, ruin_open(self));
	ASSERT_NE(NULL, self->cs);
	EXPECT_EQ(2, self->cs->n_cpu);
	EXPECT_TRUE(says(self, "says 10000 CPUs and has 2", offset_of(self, info) + 24));
}

TEST_F(ruin, metadata)
{
	uint8_t *info = record_of(self, PERF_RECORD_AUXTRACE_INFO, 0);
	uint8_t *second = info + 40 + 8 * (CSF_ABI_CPU_PARAMS + CSF_ABI_ETM4_N_PARAMS);

	put64(second + 16, 1000);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "reaches beyond the record", offset_of(self, second)));
	EXPECT_EQ(1, self->cs->n_cpu);
	put64(second, 0x1234);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "magic 0x1234", offset_of(self, second)));
	EXPECT_EQ(1, self->cs->n_cpu);
	put64(info + 16, 3);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(NULL, self->cs);
	EXPECT_TRUE(says(self, "version 3", offset_of(self, info) + 16));
	put64(info + 8, 1);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "this is not CoreSight", offset_of(self, info) + 8));
}

/* A trace unit to come is left out with a word; the one after it is not. */
TEST_F(ruin, unknown_unit)
{
	uint8_t *info = record_of(self, PERF_RECORD_AUXTRACE_INFO, 0);
	struct csf_config config;

	put64(info + 40, 0x1234);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "magic 0x1234 of a CPU is unknown: its trace is not decoded",
			 offset_of(self, info) + 40));
	ASSERT_EQ(2, self->cs->n_cpu);
	EXPECT_EQ(-EOPNOTSUPP, perf_cs_config(self->cs, self->cs->cpu[0].cpu, &config));
	EXPECT_EQ(0, perf_cs_config(self->cs, self->cs->cpu[1].cpu, &config));
	/* nor is one that has messages and no execution */
	self->cs->cpu[1].config = (struct csf_config){
		.size = sizeof(config), .protocol = CSF_PROTOCOL_ITM,
	};
	EXPECT_EQ(-EOPNOTSUPP, perf_cs_config(self->cs, self->cs->cpu[1].cpu, &config));
}

/* A record with an impossible size: the next ones are found again. */
TEST_F(ruin, bad_record)
{
	uint8_t *aux = record_of(self, PERF_RECORD_AUX, 1);

	memset(aux + 6, 0, 2);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "no record can begin here: 64 bytes", offset_of(self, aux)));
	EXPECT_EQ(64, self->file->lost_bytes);
	/* the bytes of that AUX record are still there, but their time is unknown */
	ASSERT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(PERF_FRAGMENT_NO_RECORD, self->aux->fragment[1].flags);
	EXPECT_EQ(0x40, self->aux->fragment[1].size);
	EXPECT_EQ(1, self->aux->fragment[1].cpu);
}

/* With the index the place of the next buffer is known; without it the reader searches. */
TEST_F(ruin, trace_size_lies)
{
	uint8_t *first = record_of(self, PERF_RECORD_AUXTRACE, 0);

	for (int i = 0; i < 2; i++) {
		put64(first + 8, i ? 0x80 + 0x1000000 : 0x80 + 0x100);
		ASSERT_EQ(0, ruin_open(self));
		EXPECT_TRUE(says(self, "an AUXTRACE record says", offset_of(self, first)));
		EXPECT_EQ(8, self->aux->n_fragment);
		EXPECT_EQ(0, self->aux->n_lost);
	}
	self->rec.bytes[FEATURES + PERF_FEATURE_AUXTRACE / 8] &= ~(1 << PERF_FEATURE_AUXTRACE % 8);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "an AUXTRACE record says", offset_of(self, first)));
	EXPECT_EQ(8, self->aux->n_fragment);
	put64(first + 8, 0x10);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "no record can begin here: 112 bytes", offset_of(self, first) + 64));
	EXPECT_EQ(1, self->aux->n_queue - 1);
	EXPECT_EQ(2, self->aux->n_lost);
}

TEST_F(ruin, points_outside)
{
	put64(self->rec.bytes + 24, 1ull << 40);	/* attributes */
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "the attributes reach beyond", 24));
	put64(self->rec.bytes + 40, UINT64_MAX - 7);	/* data */
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "the data should have", 40));
	EXPECT_EQ(0, self->file->n_record);
	put64(self->rec.bytes + 16, 20);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "an attribute cannot have 20 bytes", 16));
}

TEST_F(ruin, no_perf_data)
{
	self->rec.bytes[0] = 'p';
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_FALSE(self->file->usable);
	EXPECT_TRUE(says(self, "this is not a perf.data", 0));
	memcpy(self->rec.bytes, "PERFFILE", 8);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "before 2012", 0));
}

TEST_F(ruin, index_of_simpleperf)
{
	const struct perf_section *section;
	uint8_t *index;

	ASSERT_EQ(0, ruin_open(self));
	section = &self->file->feature[PERF_FEATURE_AUXTRACE];
	index = self->rec.bytes + section->offset;
	memmove(index, index + 8, section->size - 8);
	/* the section is the last one in the table, and 8 bytes shorter */
	for (uint64_t at = 0; at + 16 <= self->rec.n; at++)
		if (get_le64(self->rec.bytes + at) == section->offset &&
		    get_le64(self->rec.bytes + at + 8) == section->size) {
			put64(self->rec.bytes + at + 8, section->size - 8);
			break;
		}
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "has no count", offset_of(self, index)));
	EXPECT_EQ(0, self->file->problems.damage);
	EXPECT_EQ(4, self->file->n_index);
	/* and a count that is wrong */
	ruin_close(self);
	memmove(index + 8, index, 4 * 16);
	put64(index, 1000);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "says 1000 entries", offset_of(self, index)));
	EXPECT_EQ(8, self->aux->n_fragment);
}

TEST_F(ruin, hw_id)
{
	uint8_t *first = record_of(self, PERF_RECORD_AUX_OUTPUT_HW_ID, 0);
	uint8_t *second = record_of(self, PERF_RECORD_AUX_OUTPUT_HW_ID, 1);
	struct perf_cs_id id[CSF_ID_MAX];

	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(3, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[0], 0x41));
	/* whatever the CPU, there is only one sink */
	self->aux->fragment[0].cpu = PERF_NO_CPU;
	EXPECT_EQ(3, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[0], 0x41));
	/* the same ID of another CPU in the same sink */
	put64(second + 8, CSF_ABI_HW_ID(0x40, 0x12345678));
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "belongs to another CPU", offset_of(self, second)));
	EXPECT_EQ(1, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[7], 0x40));
	/* ... and in another one, where it is right */
	put64(second + 8, CSF_ABI_HW_ID(0x40, 0x999));
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0, self->file->problems.total);
	EXPECT_EQ(1, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[0], 0x40));
	EXPECT_EQ(3, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[7], 0x40));
	EXPECT_EQ(1, perf_cs_ids(self->cs, &self->aux->fragment[7], id));
	EXPECT_EQ(3, id[0].cpu);
	EXPECT_EQ(PERF_NO_CPU, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[0], 0x10));
	/* a future version: back to the metadata */
	put64(first + 8, 1ull << 60 | 0x40);
	put64(second + 8, 1ull << 60 | 0x41);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "written by a newer kernel", offset_of(self, first)));
	EXPECT_FALSE(self->cs->has_hw_id);
	EXPECT_EQ(3, perf_cs_cpu_of_id(self->cs, &self->aux->fragment[0], 0x12));
}

/* Attributes and features as records, as perf record -o - has them */
TEST_F(ruin, pipe)
{
	uint8_t *bytes = self->rec.bytes, *pipe = calloc(1, self->rec.n + 1024);
	uint64_t data = get_le64(bytes + 40), size = get_le64(bytes + DATA_SIZE), at = 16;

	memcpy(pipe, "PERFILE2\20", 9);
	for (int i = 0; i < 2; i++) {
		uint8_t *attr = bytes + get_le64(bytes + 24) + i * 144;

		pipe[at] = PERF_RECORD_HEADER_ATTR;
		pipe[at + 6] = 8 + 128 + 16;
		memcpy(pipe + at + 8, attr, 128);
		memcpy(pipe + at + 136, bytes + get_le64(attr + 128), 16);
		at += 8 + 128 + 16;
	}
	pipe[at] = PERF_RECORD_HEADER_FEATURE;
	pipe[at + 6] = 16 + 16;
	pipe[at + 8] = PERF_FEATURE_ARCH;
	pipe[at + 16] = 12;
	memcpy(pipe + at + 20, "aarch64", 8);
	at += 32;
	memcpy(pipe + at, bytes + data, size);
	self->rec.bytes = pipe;
	self->rec.n = at + size;
	free(bytes);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(self->file->pipe);
	EXPECT_EQ(0, self->file->problems.total);
	ASSERT_EQ(2, self->file->n_evsel);
	EXPECT_EQ(2, self->file->evsel[1].n_id);
	EXPECT_EQ(&self->file->evsel[0], self->file->aux_evsel);
	EXPECT_STREQ("aarch64", perf_file_string(self->file, PERF_FEATURE_ARCH));
	EXPECT_EQ(8, self->aux->n_fragment);
}

/* As perf record -z writes it: records of the kernel are compressed, those of perf are not. */
static void pack_recording(struct small_recording *rec)
{
	struct recording_image image = { .bytes = rec->bytes, .n = rec->n };

	recording_as(&image, RECORDING_COMPRESSED);
	rec->bytes = image.bytes;
	rec->n = image.n;
}

TEST_F(ruin, compressed)
{
	struct perf_timeline timeline;
	struct perf_record record;
	struct perf_mmap map;
	char path[] = "/tmp/csflow-file-XXXXXX";
	uint8_t *last;
	int fd;

	pack_recording(&self->rec);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(1, self->file->problems.total);	/* there is no index */
	EXPECT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(2, self->cs->n_id);
	ASSERT_EQ(0, perf_timeline_init(&timeline, self->file, PERF_KINDS_SIDEBAND));
	EXPECT_EQ(14, timeline.n);
	ASSERT_TRUE(perf_record_at(self->file, timeline.moment[1].offset, &record));
	ASSERT_TRUE(perf_record_mmap(&record, &map));
	EXPECT_STREQ("/bin/sort", map.name);
	perf_timeline_fini(&timeline);
	/* the same from a file, which is mapped */
	ruin_close(self);
	fd = mkstemp(path);
	ASSERT_EQ(self->rec.n, write(fd, self->rec.bytes, self->rec.n));
	close(fd);
	ASSERT_EQ(0, perf_file_open(&self->file, path));
	unlink(path);
	ASSERT_EQ(0, perf_aux_new(&self->aux, self->file));
	EXPECT_EQ(8, self->aux->n_fragment);
	/* cut anywhere */
	for (size_t n = self->rec.n; n > 16; n -= 5) {
		self->rec.n = n;
		ASSERT_EQ(0, ruin_open(self));
		EXPECT_LT(1, self->file->problems.damage + (n == self->rec.n));
	}
	/* and damaged */
	ruin_close(self);
	free(self->rec.bytes);
	recording_init(&self->rec, 2, 2);
	ASSERT_EQ(0, recording_make(&self->rec));
	pack_recording(&self->rec);
	last = record_of(self, PERF_RECORD_COMPRESSED, 0);
	memset(last + 8, 0x55, 16);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "from here on records cannot be unpacked", offset_of(self, last)));
	EXPECT_EQ(0, self->file->n_aux);
	EXPECT_EQ(4, self->aux->n_fragment);	/* the trace is there, without its times */
}

static void write_file(const char *dir, const char *name, const uint8_t *bytes, size_t n)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (f) {
		fwrite(bytes, 1, n, f);
		fclose(f);
	}
}

/* perf record --threads: what each CPU wrote is in a file of its own; here one is compressed. */
static void write_parts(const struct small_recording *rec, const char *dir)
{
	uint64_t data = get_le64(rec->bytes + 40), end = data + get_le64(rec->bytes + DATA_SIZE);
	uint8_t *main = malloc(rec->n), *part[2] = { malloc(rec->n), malloc(rec->n) };
	uint8_t *kernel = malloc(rec->n), *to;
	size_t n_main = data, n[2] = { 0 }, n_kernel = 0, size;

	memcpy(main, rec->bytes, data);
	for (uint64_t at = data; at < end; at += size) {
		const uint8_t *p = rec->bytes + at;
		bool trace = get_le32(p) == PERF_RECORD_AUXTRACE;
		bool aux = get_le32(p) == PERF_RECORD_AUX;
		uint32_t cpu = trace ? get_le32(p + 40) : get_le32(p + get_le16(p + 6) - 16);

		size = get_le16(p + 6) + (trace ? get_le64(p + 8) : 0);
		if (!trace && !aux) {
			memcpy(main + n_main, p, size);
			n_main += size;
		} else if (aux && cpu == 3) {
			memcpy(kernel + n_kernel, p, size);
			n_kernel += size;
		} else {
			memcpy(part[cpu == 3] + n[cpu == 3], p, size);
			n[cpu == 3] += size;
		}
	}
	to = part[1] + n[1];
	recording_pack(&to, kernel, n_kernel, RECORDING_COMPRESSED2, false);
	memset(main + FEATURES, 0, 32);
	put64(main + DATA_SIZE, n_main - data);
	write_file(dir, "data", main, n_main);
	write_file(dir, "data.0", part[0], n[0]);
	write_file(dir, "data.1", part[1], to - part[1]);
	free(main);
	free(part[0]);
	free(part[1]);
	free(kernel);
}

TEST_F(ruin, directory)
{
	char dir[] = "/tmp/csflow-dir-XXXXXX", command[64], name[24];
	uint8_t part[256], *to;
	uint64_t offset;

	ASSERT_EQ(0, ruin_open(self));
	offset = self->aux->fragment[7].time;
	ruin_close(self);
	ASSERT_NE(NULL, mkdtemp(dir));
	write_parts(&self->rec, dir);
	ASSERT_EQ(0, perf_file_open(&self->file, dir));
	ASSERT_EQ(0, perf_aux_new(&self->aux, self->file));
	EXPECT_EQ(0, self->file->problems.total);
	EXPECT_STREQ(dir, self->file->dir);
	ASSERT_EQ(4, self->file->n_region);	/* data, data.0, data.1, unpacked */
	ASSERT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(offset, self->aux->fragment[7].time);
	for (int i = 0; i < 8; i++) {
		const struct perf_fragment *f = &self->aux->fragment[i];

		EXPECT_EQ(i < 4 ? 1 : 3, f->cpu);
		EXPECT_EQ(recording_byte(i / 4, i % 4 * 0x40), self->file->bytes[f->offset]);
		offset = f->offset;
		ASSERT_NE(NULL, perf_file_part(self->file, &offset, name, sizeof(name)));
		EXPECT_STREQ(i < 4 ? "data.0" : "data.1", name);
		EXPECT_LT(offset, 0x1000);
	}
	offset = self->aux->fragment[7].record;
	EXPECT_STREQ("unpacked records", perf_file_part(self->file, &offset, name, sizeof(name)));
	offset = 0x100;
	EXPECT_EQ(NULL, perf_file_part(self->file, &offset, name, sizeof(name)));
	ruin_close(self);
	/* a stream that breaks off ends only that file */
	memset(part, 0, sizeof(part));
	to = part;
	recording_pack(&to, self->rec.bytes, 64, RECORDING_COMPRESSED, false);
	part[6] = to - part - 12;
	write_file(dir, "data.0", part, part[6]);
	ASSERT_EQ(0, perf_file_open(&self->file, dir));
	EXPECT_EQ(4, self->file->n_aux);
	ruin_close(self);
	/* no file but an empty one; and none */
	write_file(dir, "data", (const uint8_t *)"", 0);
	ASSERT_EQ(0, perf_file_open(&self->file, dir));
	EXPECT_FALSE(self->file->usable);
	ruin_close(self);
	/* pipes without a writer */
	snprintf(command, sizeof(command), "cd %s && rm data.0 && mkfifo data.0", dir);
	ASSERT_EQ(0, system(command));
	write_file(dir, "data", self->rec.bytes, self->rec.n);
	ASSERT_EQ(0, perf_file_open(&self->file, dir));
	EXPECT_TRUE(says(self, "data.0 cannot be read", PERF_PROBLEM_NOWHERE));
	ruin_close(self);
	snprintf(command, sizeof(command), "cd %s && rm data && mkfifo data", dir);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(-EINVAL, perf_file_open(&self->file, dir));
	snprintf(command, sizeof(command), "rm -rf %s/data", dir);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(-EISDIR, perf_file_open(&self->file, dir));
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ASSERT_EQ(0, system(command));
}

/* A few bytes that would unpack to many */
TEST_F(ruin, compressed_too_much)
{
	uint64_t data = get_le64(self->rec.bytes + 40);
	uint8_t *zeros = calloc(1, 1 << 28), *to;

	self->rec.bytes = realloc(self->rec.bytes, 1 << 20);
	to = self->rec.bytes + data;
	recording_pack(&to, zeros, 1 << 28, RECORDING_COMPRESSED, false);
	free(zeros);
	memset(self->rec.bytes + FEATURES, 0, 32);
	put64(self->rec.bytes + DATA_SIZE, to - self->rec.bytes - data);
	self->rec.n = to - self->rec.bytes;
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_LT(0, self->file->n_packed);
	ASSERT_EQ(2, self->file->n_region);
	EXPECT_LT(self->file->region[1].size, 1 << 26);
	EXPECT_LT(0, self->file->problems.damage);
}

/* KiB of the file that are in memory */
static unsigned long in_memory(const struct perf_file *file)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, kib = 0;
	bool here = false;
	char line[512], *end;

	while (f && fgets(line, sizeof(line), f)) {
		from = strtoul(line, &end, 16);
		if (*end == '-')
			here = from == (uintptr_t)file->map;
		else if (here && sscanf(line, "Rss: %lu", &kib) == 1)
			break;
	}
	if (f)
		fclose(f);
	return kib;
}

#define N_LONG	4096u
#define LONG	(64u << 10)	/* the memory that a page may bring with it */

/* The memory for many records with much trace between them is that for a few. */
TEST(walks_keep_little)
{
	uint8_t auxtrace[48] = { PERF_RECORD_AUXTRACE, 0, 0, 0, 0, 0, 48, 0 };
	char path[] = "/tmp/csflow-test-XXXXXX";
	const int fd = mkstemp(path);
	struct perf_record record;
	struct perf_records it;
	struct perf_file *file;
	struct perf_aux *aux;
	unsigned int n;

	ASSERT_LE(0, fd);
	ASSERT_EQ(16, pwrite(fd, "PERFILE2\20\0\0\0\0\0\0", 16, 0));
	put64(auxtrace + 8, LONG - sizeof(auxtrace));
	for (size_t i = 0; i < N_LONG; i++) {
		put64(auxtrace + 16, i * LONG);
		ASSERT_EQ(48, pwrite(fd, auxtrace, 48, 16 + i * LONG));
	}
	ASSERT_EQ(0, ftruncate(fd, 16 + N_LONG * LONG));
	close(fd);
	ASSERT_EQ(0, perf_file_open(&file, path));
	unlink(path);
	EXPECT_EQ(N_LONG, file->n_auxtrace);
	EXPECT_GT(12 << 10, in_memory(file));
	ASSERT_EQ(0, perf_aux_new(&aux, file));
	EXPECT_GT(12 << 10, in_memory(file));
	for (int kept = 1; kept >= 0; kept--) {
		file->keep.done = kept;
		n = 0;
		for (perf_records_start(&it, file); perf_records_next(&it, &record); n++)
			EXPECT_EQ(LONG - 48, record.trace.size);
		EXPECT_EQ(N_LONG, n);
		EXPECT_GT(12 << 10, in_memory(file));
	}
	perf_aux_free(aux);
	perf_file_close(file);
}

TEST(no_such_file)
{
	struct perf_file *file;

	EXPECT_EQ(-ENOENT, perf_file_open(&file, "/nowhere/perf.data"));
	EXPECT_EQ(NULL, file);
	EXPECT_EQ(-EISDIR, perf_file_open(&file, "/"));
	ASSERT_EQ(0, perf_file_open(&file, "/dev/null"));
	EXPECT_FALSE(file->usable);
	perf_file_close(file);
}

TEST_HARNESS_MAIN
