// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input that comes through a pipe, in a file: the same bytes; and the part that stays in the page
 * cache.
 */
#define _GNU_SOURCE	/* O_DIRECT, mincore() */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-file.h"
#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/spill.h"

#define PAGE	4096u
#define MIB	(1u << 20)

FIXTURE(spill) {
	uint8_t *bytes;
	size_t n;
	int copy;
};

static void put_le(uint8_t *p, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		p[i] = v >> 8 * i;
}

static void put_header(uint8_t *p, uint32_t type, uint16_t size)
{
	memset(p, 0, size);
	put_le(p, type, 4);
	put_le(p + 6, size, 2);
}

static void record(FIXTURE_DATA(spill) * self, uint16_t size)
{
	put_header(self->bytes + self->n, PERF_RECORD_COMM, size);
	self->n += size;
}

/* Return: offset of its trace. */
static size_t trace(FIXTURE_DATA(spill) * self, uint16_t size, size_t n)
{
	uint8_t *p = self->bytes + self->n;

	put_header(p, PERF_RECORD_AUXTRACE, size);
	if (size >= 16)
		put_le(p + 8, n, 8);
	for (size_t i = 0; i < n; i++)
		p[size + i] = (self->n + i) * 0x9e3779b1u >> 24;
	self->n += size + n;
	return self->n - n;
}

FIXTURE_SETUP(spill)
{
	self->bytes = malloc(32 * MIB);
	ASSERT_NE(NULL, self->bytes);
	memcpy(self->bytes, "PERFILE2\020\0\0\0\0\0\0\0", 16);
	self->n = 16;
	self->copy = -1;
}

FIXTURE_TEARDOWN(spill)
{
	free(self->bytes);
	if (self->copy > 0)
		close(self->copy);
}

/* Through a pipe, of which @head bytes were read before.  Return: there is a copy, as long. */
static bool copied(FIXTURE_DATA(spill) * self, size_t head, uint64_t cached)
{
	int fd[2], status;

	if (self->copy > 0)
		close(self->copy);
	if (pipe(fd))
		return false;
	if (!fork()) {
		close(fd[0]);
		for (size_t at = head; at < self->n;) {
			ssize_t n = write(fd[1], self->bytes + at, self->n - at);

			if (n <= 0)
				_exit(1);
			at += n;
		}
		_exit(0);
	}
	close(fd[1]);
	self->copy = spill(self->bytes, head, fd[0], cached);
	close(fd[0]);
	return wait(&status) > 0 && !status && self->copy > 0 &&
	       lseek(self->copy, 0, SEEK_END) == (off_t)self->n;
}

/* It has the same bytes; this check reads them into the cache. */
static bool is_same(FIXTURE_DATA(spill) * self)
{
	uint8_t *bytes = malloc(self->n + 1);
	bool is = bytes && pread(self->copy, bytes, self->n, 0) == (ssize_t)self->n &&
		  !memcmp(bytes, self->bytes, self->n);

	free(bytes);
	return is;
}

static bool same(FIXTURE_DATA(spill) * self, size_t head, uint64_t cached)
{
	return copied(self, head, cached) && is_same(self);
}

/* How many pages from @from up to @to are in the cache. */
static size_t cached(int fd, uint64_t from, uint64_t to)
{
	uint8_t *map = mmap(NULL, to - from, PROT_READ, MAP_PRIVATE, fd, from), *is;
	size_t n = (to - from + PAGE - 1) / PAGE, sum = 0;

	is = malloc(n);
	if (map == MAP_FAILED || !is || mincore(map, to - from, is))
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		sum += is[i] & 1;
	munmap(map, to - from);
	free(is);
	return sum;
}

/* Whether a file in /tmp can be written to past the cache. */
static bool can_pass(void)
{
	FILE *f = tmpfile();
	bool can = f && !fcntl(fileno(f), F_SETFL, O_DIRECT | O_RDWR);
	void *page = NULL;

	can = can && !posix_memalign(&page, PAGE, PAGE) &&
	      memset(page, 0, PAGE) && pwrite(fileno(f), page, PAGE, 0) == PAGE &&
	      !cached(fileno(f), 0, PAGE);
	free(page);
	if (f)
		fclose(f);
	return can;
}

static uint64_t down(uint64_t at)
{
	return at - at % PAGE;
}

static uint64_t up(uint64_t at)
{
	return down(at + PAGE - 1);
}

/* ---------------------------------------------------------------- the same bytes */

TEST_F(spill, bytes_of_a_recording)
{
	for (int i = 0; i < 40; i++) {
		record(self, 8 + 8 * i);
		trace(self, 48, i * i * 521);
	}
	trace(self, 48, 3 * MIB + 5);
	record(self, 4096);
	EXPECT_TRUE(same(self, 0, UINT64_MAX));
	EXPECT_TRUE(same(self, 0, 0));
	EXPECT_TRUE(same(self, 16, 0));
	EXPECT_TRUE(same(self, 5, MIB));
}

TEST_F(spill, nothing_and_little)
{
	self->n = 0;
	EXPECT_TRUE(same(self, 0, 0));
	self->n = 7;
	EXPECT_TRUE(same(self, 7, 0));
	self->n = 16;
	EXPECT_TRUE(same(self, 0, 0));
	self->n = 16 + 9;
	memset(self->bytes + 16, 0xff, 9);
	EXPECT_TRUE(same(self, 16, 0));
}

/* A size that is smaller than possible, or so large that it overflows. */
TEST_F(spill, bytes_after_damage)
{
	static const struct {
		uint32_t type;
		uint16_t size;
		uint64_t trace;
	} bad[] = {
		{ PERF_RECORD_COMM, 0, 0 }, { PERF_RECORD_COMM, 7, 0 }, { PERF_RECORD_COMM, 9, 0 },
		{ PERF_RECORD_AUXTRACE, 0, 8 }, { PERF_RECORD_AUXTRACE, 8, 0 },
		{ PERF_RECORD_AUXTRACE, 15, 0 }, { PERF_RECORD_AUXTRACE, 48, UINT64_MAX - 7 },
		{ PERF_RECORD_AUXTRACE, 48, UINT64_MAX / 2 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		for (size_t before = 4; before < 28; before++) {
			self->n = 16;
			trace(self, 48, MIB - 64 - before);
			put_header(self->bytes + self->n, bad[i].type, 48);
			put_le(self->bytes + self->n + 6, bad[i].size, 2);
			put_le(self->bytes + self->n + 8, bad[i].trace, 8);
			self->n += 48;
			trace(self, 48, 200000);
			EXPECT_TRUE(same(self, 0, 0))
				TH_LOG("case %zu, %zu bytes before the chunk ends", i, before);
		}
}

/* ---------------------------------------------------------------- what stays in the cache */

TEST_F(spill, trace_does_not_stay)
{
	size_t second;

	if (!can_pass())
		SKIP(return, "/tmp has no way past the cache");
	record(self, 40);
	trace(self, 48, 2 * MIB);
	record(self, 64);
	second = trace(self, 48, MIB + 100000);
	record(self, 64);
	ASSERT_TRUE(copied(self, 0, MIB));
	EXPECT_EQ(MIB / PAGE, cached(self->copy, 0, MIB));
	EXPECT_EQ(0, cached(self->copy, MIB, 2 * MIB));
	EXPECT_EQ(1, cached(self->copy, 2 * MIB, up(second)));
	EXPECT_EQ(0, cached(self->copy, up(second), down(self->n - 64)));
	EXPECT_EQ(1, cached(self->copy, down(self->n), self->n));
	EXPECT_TRUE(is_same(self));
}

/* Its header is in two chunks, or just in one of them. */
TEST_F(spill, trace_where_a_chunk_ends)
{
	size_t at;

	if (!can_pass())
		SKIP(return, "/tmp has no way past the cache");
	for (size_t before = 0; before <= 64; before += 8) {
		self->n = 16;
		trace(self, 48, MIB - 64 - before);
		at = trace(self, 48, MIB);
		record(self, 8);
		ASSERT_TRUE(copied(self, 0, 0));
		EXPECT_EQ(1, cached(self->copy, 0, PAGE));
		EXPECT_EQ(0, cached(self->copy, up(at), down(self->n - 8)))
			TH_LOG("%zu bytes before", before);
		EXPECT_EQ(1, cached(self->copy, down(at - 1), down(at - 1) + PAGE));
		EXPECT_TRUE(is_same(self));
	}
}

TEST_F(spill, other_bytes_stay)
{
	trace(self, 48, MIB);
	self->bytes[0] = 'p';
	ASSERT_TRUE(copied(self, 0, 0));
	EXPECT_EQ(MIB / PAGE + 1, cached(self->copy, 0, self->n));
}

/* ---------------------------------------------------------------- behind the reader */

/* Trace of SPILL_CACHED and 16 MiB more, a file with holes; NULL. */
static FILE *long_one(bool named, char *path)
{
	FILE *f = named ? NULL : tmpfile();
	uint8_t head[64] = "PERFILE2\020";
	int fd;

	if (named) {
		strcpy(path, "/tmp/spill-XXXXXX");
		fd = mkstemp(path);
		f = fd < 0 ? NULL : fdopen(fd, "w+");
	}
	if (!f)
		return NULL;
	if (!named)
		sprintf(path, "/proc/self/fd/%d", fileno(f));
	put_header(head + 16, PERF_RECORD_AUXTRACE, 48);
	put_le(head + 16 + 8, SPILL_CACHED + 16 * MIB - 64, 8);
	if (fwrite(head, 64, 1, f) == 1 && !fflush(f) &&
	    !ftruncate(fileno(f), SPILL_CACHED + 16 * MIB))
		return f;
	fclose(f);
	return NULL;
}

/* Pages that are in the cache when all from @from up to @to was read, and given back. */
static size_t left(FILE *f, const char *path, uint64_t from, uint64_t to)
{
	struct perf_file *file;
	size_t n = SIZE_MAX, sum = 0;

	if (perf_file_open(&file, path))
		return SIZE_MAX;
	for (uint64_t at = from; at < to; at += PAGE)
		sum += file->bytes[at];
	perf_file_drop_part(file, from, to);
	n = cached(fileno(f), from, to) + sum;
	perf_file_close(file);
	return n;
}

TEST(what_was_read_goes)
{
	char path[64];
	FILE *f = long_one(false, path);

	ASSERT_NE(NULL, f);
	EXPECT_EQ(0, left(f, path, SPILL_CACHED, SPILL_CACHED + 4 * MIB));
	EXPECT_EQ(MIB / PAGE, left(f, path, SPILL_CACHED + 4 * MIB, SPILL_CACHED + 5 * MIB));
	EXPECT_EQ(0, left(f, path, SPILL_CACHED + 5 * MIB, SPILL_CACHED + 16 * MIB));
	EXPECT_EQ(4 * MIB / PAGE, left(f, path, SPILL_CACHED - 4 * MIB, SPILL_CACHED));
	fclose(f);
}

TEST(what_has_a_name_stays)
{
	char path[64];
	FILE *f = long_one(true, path);

	ASSERT_NE(NULL, f);
	EXPECT_EQ(4 * MIB / PAGE, left(f, path, SPILL_CACHED, SPILL_CACHED + 4 * MIB));
	fclose(f);
	unlink(path);
}

TEST_HARNESS_MAIN
