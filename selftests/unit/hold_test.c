// SPDX-License-Identifier: GPL-2.0-only
/* A recording that comes through a pipe, in memory: the same bytes, and not too many of them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/hold.h"
#include "../../perf-plugin/perf-file.h"
#include "../../perf-plugin/perf-walk.h"
#include "../../perf-plugin/spill.h"

#define MIB	(1ul << 20)

FIXTURE(hold) {
	uint8_t *bytes;
	struct hold hold;
	int fd;
};

FIXTURE_SETUP(hold)
{
	self->bytes = malloc(8 * MIB);
	ASSERT_NE(NULL, self->bytes);
	memcpy(self->bytes, "PERFILE2\020\0\0\0\0\0\0\0", 16);
	for (size_t i = 16; i < 8 * MIB; i++)
		self->bytes[i] = i * 0x9e3779b1u >> 24;
	self->fd = -1;
}

FIXTURE_TEARDOWN(hold)
{
	free(self->bytes);
	hold_free(&self->hold);
	if (self->fd >= 0)
		close(self->fd);
}

/* A pipe into which another process writes the first @n bytes. */
static bool pipe_of(FIXTURE_DATA(hold) * self, size_t n)
{
	int fd[2];

	if (self->fd >= 0)
		close(self->fd);
	hold_free(&self->hold);
	if (pipe(fd))
		return false;
	if (!fork()) {
		close(fd[0]);
		for (size_t at = 0; at < n;) {
			ssize_t some = write(fd[1], self->bytes + at, n - at);

			if (some <= 0)
				_exit(1);
			at += some;
		}
		_exit(0);
	}
	close(fd[1]);
	self->fd = fd[0];
	return true;
}

static bool written(void)
{
	int status;

	return wait(&status) > 0 && !status;
}

TEST_F(hold, all_of_it)
{
	static const size_t size[] = { 1, 16, 4096, 4097, 2 * MIB, 7 * MIB + 5 };

	for (size_t i = 0; i < sizeof(size) / sizeof(*size); i++) {
		ASSERT_TRUE(pipe_of(self, size[i]));
		ASSERT_EQ(0, hold_pipe(&self->hold, self->fd));
		EXPECT_TRUE(written());
		EXPECT_TRUE(self->hold.whole);
		ASSERT_EQ(size[i], self->hold.n);
		EXPECT_EQ(0, memcmp(self->bytes, self->hold.at, size[i]));
		EXPECT_GE(self->hold.size, size[i]);
		EXPECT_LT(self->hold.size, size[i] + sysconf(_SC_PAGESIZE));
	}
}

TEST_F(hold, nothing)
{
	ASSERT_TRUE(pipe_of(self, 0));
	ASSERT_EQ(0, hold_pipe(&self->hold, self->fd));
	EXPECT_TRUE(written());
	EXPECT_TRUE(self->hold.whole);
	EXPECT_EQ(0, self->hold.n);
	EXPECT_EQ(NULL, self->hold.at);
}

/* The copy then has both: what is held, and what follows in the pipe. */
TEST_F(hold, no_more_than_the_limit)
{
	uint8_t *copy = malloc(7 * MIB);
	int fd;

	ASSERT_NE(NULL, copy);
	hold_limit(4 * MIB);
	ASSERT_TRUE(pipe_of(self, 7 * MIB));
	ASSERT_EQ(0, hold_pipe(&self->hold, self->fd));
	EXPECT_FALSE(self->hold.whole);
	EXPECT_EQ(4 * MIB, self->hold.n);
	fd = spill(self->hold.at, self->hold.n, self->fd, UINT64_MAX);
	EXPECT_TRUE(written());
	ASSERT_GT(fd, 0);
	EXPECT_EQ(7 * MIB, pread(fd, copy, 7 * MIB, 0));
	EXPECT_EQ(7 * MIB, lseek(fd, 0, SEEK_END));
	EXPECT_EQ(0, memcmp(self->bytes, copy, 7 * MIB));
	close(fd);
	free(copy);
}

TEST_F(hold, nothing_if_none_may_be_held)
{
	struct rlimit few;

	hold_limit(0);
	ASSERT_TRUE(pipe_of(self, 100));
	EXPECT_EQ(0, hold_pipe(&self->hold, self->fd));
	EXPECT_EQ(0, self->hold.n);
	EXPECT_FALSE(self->hold.whole);
	EXPECT_TRUE(written());

	/* a process with so few addresses needs them for the code */
	hold_limit(UINT64_MAX);
	ASSERT_EQ(0, getrlimit(RLIMIT_AS, &few));
	few.rlim_cur = 1ul << 45;
	ASSERT_EQ(0, setrlimit(RLIMIT_AS, &few));
	ASSERT_TRUE(pipe_of(self, 100));
	EXPECT_EQ(0, hold_pipe(&self->hold, self->fd));
	EXPECT_EQ(0, self->hold.n);
	EXPECT_TRUE(written());
}

TEST_F(hold, no_pipe)
{
	self->fd = dup(STDERR_FILENO);
	close(self->fd);
	EXPECT_EQ(-EBADF, hold_pipe(&self->hold, self->fd));
	EXPECT_EQ(NULL, self->hold.at);
	self->fd = -1;
}

/* Files can be dropped from memory, as they are read again; what is held cannot. */
TEST_F(hold, a_recording_stays)
{
	struct perf_file *file;
	char path[32];

	ASSERT_TRUE(pipe_of(self, 6 * MIB + 100));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", self->fd);
	ASSERT_EQ(0, perf_file_open(&file, path));
	EXPECT_TRUE(written());
	ASSERT_EQ(6 * MIB + 100, file->size);
	EXPECT_NE(0, file->n_held);
	perf_file_drop(file);
	perf_file_drop_part(file, 0, 6 * MIB);
	EXPECT_EQ(0, memcmp(self->bytes, file->bytes, file->size));
	perf_file_close(file);
}

TEST_HARNESS_MAIN
