// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of a perf.data that end early: each is reported, and the entries before the end are read.
 */
#include <errno.h>
#include <linux/bpf.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-aux.h"
#include "../../perf-plugin/perf-bpf.h"
#include "../lib/recording.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Offsets in the header */
#define ATTRS		24
#define DATA		40
#define FEATURES	72

#define META_INFO	129	/* simpleperf's */

/* An entry of the build-id table: 36 bytes, and a name of 20 */
#define ENTRY		56
#define GAP		36

FIXTURE(lists)
{
	struct small_recording rec;
	struct perf_file *file;
};

FIXTURE_SETUP(lists)
{
	recording_init(&self->rec, 2, 2);
	self->rec.hw_id = 2;
	self->rec.others = true;
	ASSERT_EQ(0, recording_make(&self->rec));
}

FIXTURE_TEARDOWN(lists)
{
	perf_file_close(self->file);
	free(self->rec.bytes);
}

static int lists_open(struct _test_data_lists *self)
{
	perf_file_close(self->file);
	return perf_file_open_memory(&self->file, self->rec.bytes, self->rec.n);
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	memcpy(p, &v, n);
}

/* Feature @bit becomes these bytes, which are put at the end of the file.  Return: where. */
static uint64_t set_feature(struct _test_data_lists *self, unsigned int bit, const void *bytes,
			    size_t n)
{
	struct small_recording *rec = &self->rec;
	size_t table = get_le64(rec->bytes + DATA) + get_le64(rec->bytes + DATA + 8), all = 0;
	size_t before = 0, at = rec->n;
	uint8_t entry[256 * 16];
	bool there = rec->bytes[FEATURES + bit / 8] >> bit % 8 & 1;

	for (unsigned int i = 0; i < 256; i++) {
		bool set = rec->bytes[FEATURES + i / 8] >> i % 8 & 1;

		before += set && i < bit;
		all += set;
	}
	rec->bytes = realloc(rec->bytes, rec->n + n + 16);
	if (!there) {
		/* the sections move by an entry: so does where they are */
		memcpy(entry, rec->bytes + table, 16 * all);
		for (size_t i = 0; i < all; i++)
			put(entry + 16 * i, get_le64(entry + 16 * i) + 16, 8);
		memmove(rec->bytes + table + 16 * (all + 1), rec->bytes + table + 16 * all,
			rec->n - table - 16 * all);
		memcpy(rec->bytes + table, entry, 16 * before);
		memcpy(rec->bytes + table + 16 * (before + 1), entry + 16 * before,
		       16 * (all - before));
		rec->bytes[FEATURES + bit / 8] |= 1 << bit % 8;
		rec->n += 16;
		at += 16;
	}
	put(rec->bytes + table + 16 * before, at, 8);
	put(rec->bytes + table + 16 * before + 8, n, 8);
	memcpy(rec->bytes + at, bytes, n);
	rec->n += n;
	return at;
}

/* How often that problem is reported, for that place in the file, by @severity */
static int said(const struct _test_data_lists *self, enum perf_severity severity, uint64_t offset,
		const char *text)
{
	int n = 0;

	for (size_t i = 0; i < self->file->problems.n; i++) {
		const struct perf_problem *p = &self->file->problems.list[i];

		n += p->severity == severity && p->offset == offset && strstr(p->text, text);
	}
	return n;
}

static size_t build_ids(const struct _test_data_lists *self)
{
	struct perf_build_id entry;
	uint64_t pos = 0;
	size_t n = 0;

	while (perf_file_build_id(self->file, &pos, &entry))
		n += entry.size == 20 && entry.id[19] == n && entry.name[5] == 'a' + (int)n;
	return n;
}

/* Three entries, with @gap bytes of zeros after each.  Return: bytes. */
static size_t make_build_ids(uint8_t *p, size_t gap)
{
	memset(p, 0, 3 * (ENTRY + gap));
	for (size_t i = 0; i < 3; i++, p += ENTRY + gap) {
		put(p + 4, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_BUILD_ID_SIZE, 2);
		put(p + 6, ENTRY, 2);
		memset(p + 8, 0xff, 4);
		memset(p + 12, 0x11, 19);
		p[31] = i;
		p[32] = 20;
		strcpy((char *)p + 36, "/bin/a");
		p[36 + 5] += i;
	}
	return 3 * (ENTRY + gap);
}

TEST_F(lists, without_damage)
{
	uint8_t table[3 * ENTRY];

	set_feature(self, PERF_FEATURE_BUILD_ID, table, make_build_ids(table, 0));
	ASSERT_EQ(0, lists_open(self));
	EXPECT_EQ(0, self->file->problems.total) TH_LOG("%s", self->file->problems.list[0].text);
	EXPECT_EQ(3, build_ids(self));
}

/* perf 6.12.0: each entry is followed by 36 bytes of zeros */
TEST_F(lists, build_ids_of_6_12_0)
{
	uint8_t table[3 * (ENTRY + GAP)];
	uint64_t at = set_feature(self, PERF_FEATURE_BUILD_ID, table, make_build_ids(table, GAP));

	ASSERT_EQ(0, lists_open(self));
	EXPECT_EQ(3, build_ids(self));
	EXPECT_EQ(1, said(self, PERF_NOTE, at, "has 108 zero bytes between its entries"));
	EXPECT_EQ(0, self->file->problems.damage);
}

TEST_F(lists, build_ids_end_early)
{
	uint8_t table[3 * ENTRY];
	uint64_t at;

	make_build_ids(table, 0);
	put(table + ENTRY + 6, 3 * ENTRY, 2);
	at = set_feature(self, PERF_FEATURE_BUILD_ID, table, sizeof(table));
	ASSERT_EQ(0, lists_open(self));
	EXPECT_EQ(1, build_ids(self));
	EXPECT_EQ(1, said(self, PERF_DAMAGE, at + ENTRY, "is not read from here on: 112 bytes"));
	/* a name without an end is passed over */
	make_build_ids(table, 0);
	memset(table + 2 * ENTRY + 36, 'x', ENTRY - 36);
	at = set_feature(self, PERF_FEATURE_BUILD_ID, table, sizeof(table));
	ASSERT_EQ(0, lists_open(self));
	EXPECT_EQ(2, build_ids(self));
	EXPECT_EQ(1, said(self, PERF_DAMAGE, at + 2 * ENTRY, "entry of the build-id table cannot"));
}

/* Names of more events than there are: each event that exists has one. */
TEST_F(lists, names_of_more_events)
{
	uint8_t desc[8 + 2 * (128 + 4 + 4 + 8)] = { 3, [4] = 128 };

	for (uint8_t *p = desc + 8; p < desc + sizeof(desc); p += 128 + 4 + 4 + 8) {
		p[128 + 4] = 8;
		strcpy((char *)p + 128 + 4 + 4, "event");
	}
	set_feature(self, PERF_FEATURE_EVENT_DESC, desc, sizeof(desc));
	ASSERT_EQ(0, lists_open(self));
	EXPECT_EQ(0, self->file->problems.total) TH_LOG("%s", self->file->problems.list[0].text);
}

/* Each feature as it should not be, and the report about it */
TEST_F(lists, features)
{
	static const struct {
		unsigned int bit;
		const char *bytes;
		size_t n;
		uint64_t at;
		const char *text;
	} rows[] = {
		{ PERF_FEATURE_HOSTNAME, "\10\0\0\0name", 8, 0, "host name ends early" },
		{ PERF_FEATURE_OSRELEASE, "\377\0\0\0name", 9, 0, "kernel ends early" },
		{ PERF_FEATURE_VERSION, "\10\0\0", 3, 0, "version of perf ends early" },
		{ PERF_FEATURE_ARCH, "\0\0\0\0", 4, 0, "architecture ends early" },
		{ PERF_FEATURE_CPUDESC, "\2\0\0\0xx", 6, 0, "description of the CPU ends early" },
		{ PERF_FEATURE_CPUID, "\2\0\0\0xx", 6, 0, "name of the CPU ends early" },
		{ PERF_FEATURE_NRCPUS, "\2\0\0\0", 4, 0, "number of CPUs has 4 bytes" },
		{ PERF_FEATURE_EVENT_DESC, "\2\0\0\0\200\0\0\0abc", 11, 0,
		  "names of events end early: it has 0 of 2" },
		{ PERF_FEATURE_EVENT_DESC, "\2\0", 2, 0, "names of events end early" },
		{ PERF_FEATURE_AUXTRACE, "\1\0\0", 3, 0, "index has 3 bytes" },
		{ PERF_FEATURE_AUXTRACE, "\1\0\0\0\0\0\0\0abc", 11, 0, "says 1 entries" },
		{ META_INFO, "key\0value\0other", 15, 10, "meta information ends early" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t at = set_feature(self, rows[i].bit, rows[i].bytes, rows[i].n) + rows[i].at;

		ASSERT_EQ(0, lists_open(self));
		EXPECT_EQ(1, said(self, PERF_DAMAGE, at, rows[i].text)) TH_LOG("row %zu", i);
	}
}

TEST_F(lists, attributes)
{
	uint8_t *p = self->rec.bytes;
	uint64_t attrs = get_le64(p + ATTRS), size = get_le64(p + ATTRS + 8);
	uint64_t attr_size = get_le64(p + 16), ids = get_le64(p + attrs + attr_size - 16);

	put(p + ATTRS + 8, size - 8, 8);
	put(p + attrs + attr_size - 8, get_le64(p + attrs + attr_size - 8) - 3, 8);
	ASSERT_EQ(0, lists_open(self));
	EXPECT_EQ(1, self->file->n_evsel);
	EXPECT_EQ(1, said(self, PERF_DAMAGE, attrs + attr_size, "attributes end early: "));
	EXPECT_EQ(1, said(self, PERF_DAMAGE, ids + 8 * self->file->evsel[0].n_id,
			  "ids of an event end early: 5 bytes"));
}

TEST_F(lists, bpf_programs)
{
	uint8_t table[4 + 16 + sizeof(struct bpf_prog_info)] = { 2 };
	struct perf_bpf bpf;
	uint64_t at;

	put(table + 4, sizeof(struct bpf_prog_info), 4);
	put(table + 20 + offsetof(struct bpf_prog_info, jited_prog_len), 8, 4);
	at = set_feature(self, PERF_FEATURE_BPF_PROG_INFO, table, sizeof(table));
	ASSERT_EQ(0, lists_open(self));
	ASSERT_EQ(0, perf_bpf_init(&bpf, self->file));
	EXPECT_EQ(0, bpf.n);
	EXPECT_EQ(1, said(self, PERF_DAMAGE, at + 4, "code of a BPF program is not all there"));
	EXPECT_EQ(1, said(self, PERF_DAMAGE, at, "ends early: number 2 of 2 is not there"));
	perf_bpf_fini(&bpf);
}

/*
 * The first record of @type gets 8 bytes and no more: the bytes after its header belong to another.
 */
static uint64_t shorten(struct _test_data_lists *self, uint32_t type)
{
	uint8_t *p = self->rec.bytes;
	uint64_t at = get_le64(p + DATA), end = at + get_le64(p + DATA + 8);
	uint16_t size;

	for (; at < end; at += size + (get_le32(p + at) == 71 ? get_le64(p + at + 8) : 0)) {
		size = get_le16(p + at + 6);
		if (get_le32(p + at) != type)
			continue;
		put(p + at + 6, 8, 2);
		put(p + at + 8, PERF_RECORD_FINISHED_ROUND, 4);
		put(p + at + 12, 0, 2);
		put(p + at + 14, size - 8, 2);
		return at;
	}
	return 0;
}

TEST_F(lists, records_too_short)
{
	static const uint32_t types[] = {
		PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_COMM, PERF_RECORD_FORK,
		PERF_RECORD_EXIT, PERF_RECORD_AUX, PERF_RECORD_ITRACE_START,
		PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_AUX_OUTPUT_HW_ID, PERF_RECORD_KSYMBOL,
		PERF_RECORD_TEXT_POKE, PERF_RECORD_LOST,
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		uint64_t at = shorten(self, types[i]);

		ASSERT_NE(0, at) TH_LOG("type %u", types[i]);
		ASSERT_EQ(0, lists_open(self));
		EXPECT_EQ(1, said(self, PERF_DAMAGE, at, "record of 8 bytes: too short"))
			TH_LOG("type %u", types[i]);
		free(self->rec.bytes);
		ASSERT_EQ(0, recording_make(&self->rec));
	}
}

/* A second copy after the first: nothing is decoded twice. */
TEST_F(lists, auxtrace_twice)
{
	struct small_recording *rec = &self->rec;
	uint64_t at = get_le64(rec->bytes + DATA), end = at + get_le64(rec->bytes + DATA + 8);
	struct perf_aux *aux;
	size_t size, n;

	for (; get_le32(rec->bytes + at) != PERF_RECORD_AUXTRACE; at += size)
		size = get_le16(rec->bytes + at + 6);
	size = get_le16(rec->bytes + at + 6) + get_le64(rec->bytes + at + 8);
	ASSERT_LT(at + size, end);
	rec->bytes = realloc(rec->bytes, rec->n + size);
	memmove(rec->bytes + at + size, rec->bytes + at, rec->n - at);
	put(rec->bytes + DATA + 8, end - get_le64(rec->bytes + DATA) + size, 8);
	memset(rec->bytes + FEATURES, 0, 32);
	rec->n += size;
	ASSERT_EQ(0, lists_open(self));
	ASSERT_EQ(0, perf_aux_new(&aux, self->file));
	EXPECT_EQ(0, aux->no_record_bytes);
	n = aux->n_fragment;
	EXPECT_EQ(8, n);
	EXPECT_EQ(1, said(self, PERF_DAMAGE, at + size, "is the same as the one at"));
	perf_aux_free(aux);
}

TEST_HARNESS_MAIN
