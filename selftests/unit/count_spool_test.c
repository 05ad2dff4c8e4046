// SPDX-License-Identifier: GPL-2.0-only
/* The spool of csflow agent: a file is there whole, or not at all, and the oldest go. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/agent/count-spool.h"

#include "kselftest_harness.h"

#define MOST	1000

static int fill_400(void *owner, FILE *f)
{
	static const char bytes[400];

	return fwrite(bytes, 1, sizeof(bytes), f) == sizeof(bytes) ? 0 : -EIO;
}

/* Half of it is on the disk when the process is killed. */
static int fill_half(void *owner, FILE *f)
{
	fill_400(owner, f);
	fflush(f);
	raise(SIGKILL);
	return 0;
}

static int fill_too_much(void *owner, FILE *f)
{
	return fill_400(owner, f) || fill_400(owner, f) ? -EIO : fill_400(owner, f);
}

static int fill_nothing(void *owner, FILE *f)
{
	return -ENOSPC;
}

FIXTURE(spool)
{
	char folder[64];
	struct count_spool spool;
};

FIXTURE_SETUP(spool)
{
	strcpy(self->folder, "/tmp/count_spool_test.XXXXXX");
	ASSERT_TRUE(mkdtemp(self->folder));
	ASSERT_TRUE(count_spool_open(&self->spool, self->folder, MOST));
}

FIXTURE_TEARDOWN(spool)
{
	char command[96];

	count_spool_close(&self->spool);
	snprintf(command, sizeof(command), "rm -rf %s", self->folder);
	ASSERT_EQ(0, system(command));
}

/* The size of a file; -1: it is not there. */
static long size_of(const struct count_spool *spool, const char *name)
{
	struct stat st;

	return fstatat(spool->fd, name, &st, 0) ? -1 : st.st_size;
}

static int write_number(struct count_spool *spool, const char *time, int number)
{
	char name[COUNT_SPOOL_NAME];

	snprintf(name, sizeof(name), "%s-%s-%08d.counts", time, spool->boot, number);
	return count_spool_write(spool, name, fill_400, NULL);
}

static long size_of_number(const struct count_spool *spool, const char *time, int number)
{
	char name[COUNT_SPOOL_NAME];

	snprintf(name, sizeof(name), "%s-%s-%08d.counts", time, spool->boot, number);
	return size_of(spool, name);
}

TEST_F(spool, killed_while_it_writes)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		count_spool_write(&self->spool, "20261128T171443Z-00000000-00000000.counts",
				  fill_half, NULL);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(-1, size_of(&self->spool, "20261128T171443Z-00000000-00000000.counts"));
	EXPECT_EQ(400, size_of(&self->spool, ".half-20261128T171443Z-00000000-00000000.counts"));
	count_spool_close(&self->spool);
	ASSERT_TRUE(count_spool_open(&self->spool, self->folder, MOST));
	EXPECT_EQ(-1, size_of(&self->spool, ".half-20261128T171443Z-00000000-00000000.counts"));
}

/* The clock was set back after the first one, which is still the oldest. */
TEST_F(spool, oldest_by_number)
{
	EXPECT_EQ(0, write_number(&self->spool, "20311128T171443Z", 7));
	EXPECT_EQ(0, write_number(&self->spool, "20211128T171443Z", 8));
	EXPECT_EQ(0, write_number(&self->spool, "20261128T171443Z", 9));
	EXPECT_EQ(-1, size_of_number(&self->spool, "20311128T171443Z", 7));
	EXPECT_EQ(400, size_of_number(&self->spool, "20211128T171443Z", 8));
	EXPECT_EQ(400, size_of_number(&self->spool, "20261128T171443Z", 9));
	count_spool_close(&self->spool);
	ASSERT_TRUE(count_spool_open(&self->spool, self->folder, MOST));
	EXPECT_EQ(10, self->spool.number);
}

TEST_F(spool, another_boot_is_older)
{
	static const char other[] = "20991128T171443Z-zzzzzzzz-00000099.counts";

	EXPECT_EQ(0, count_spool_write(&self->spool, other, fill_400, NULL));
	EXPECT_EQ(0, write_number(&self->spool, "20211128T171443Z", 0));
	EXPECT_EQ(0, write_number(&self->spool, "20211128T171443Z", 1));
	EXPECT_EQ(-1, size_of(&self->spool, other));
	EXPECT_EQ(400, size_of_number(&self->spool, "20211128T171443Z", 0));
}

TEST_F(spool, nothing_is_left_of_a_failure)
{
	static const char name[] = "20261128T171443Z-00000000-00000001.counts";

	EXPECT_EQ(0, write_number(&self->spool, "20211128T171443Z", 0));
	EXPECT_EQ(-EFBIG, count_spool_write(&self->spool, name, fill_too_much, NULL));
	EXPECT_EQ(-ENOSPC, count_spool_write(&self->spool, name, fill_nothing, NULL));
	EXPECT_EQ(-EEXIST, write_number(&self->spool, "20211128T171443Z", 0));
	EXPECT_EQ(-1, size_of(&self->spool, name));
	EXPECT_EQ(400, size_of_number(&self->spool, "20211128T171443Z", 0));
	EXPECT_EQ(0, count_spool_room(&self->spool));
}

/* The lock is the agent's; the process that counts for it has none, and does not keep it. */
TEST_F(spool, one_agent)
{
	struct count_spool second, own;

	EXPECT_FALSE(count_spool_open(&second, self->folder, MOST));
	ASSERT_EQ(0, count_spool_share(&own, &self->spool));
	EXPECT_TRUE(count_spool_open(&second, self->folder, MOST));
	self->spool = own;
	EXPECT_EQ(0, write_number(&self->spool, "20211128T171443Z", 0));
	count_spool_close(&second);
}

TEST_HARNESS_MAIN
