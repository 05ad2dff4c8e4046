// SPDX-License-Identifier: GPL-2.0-only
/* Processes that csflow agent leaves out, by name, user and cgroup; this one is the example. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tools/agent/apart.h"

#include "kselftest_harness.h"

/* Does this process fit a list with one word? */
static bool fits(size_t offset, const char *word)
{
	struct agent_config config = { .period = 0 };
	struct opt_list *list = (struct opt_list *)((char *)&config + offset);

	list->value = &word;
	list->n = 1;
	return apart_fits(&config, getpid(), "sort");
}

#define FITS(list, word)	fits(offsetof(struct agent_config, list), word)

TEST(by_name)
{
	EXPECT_TRUE(FITS(not_comm, "sort"));
	EXPECT_FALSE(FITS(not_comm, "sor"));
	EXPECT_FALSE(FITS(not_comm, "sort2"));
}

TEST(by_user)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", getuid());
	EXPECT_TRUE(FITS(not_user, number));
	snprintf(number, sizeof(number), "%u", getuid() + 1);
	EXPECT_FALSE(FITS(not_user, number));
	if (!getuid())
		EXPECT_TRUE(FITS(not_user, "root"));
	EXPECT_FALSE(FITS(not_user, "no-such-user"));
	EXPECT_FALSE(FITS(not_user, ""));
}

/* The path of this process in some hierarchy, but not the root: "0::/user.slice/x" */
static bool own_cgroup(char *path, size_t n)
{
	FILE *f = fopen("/proc/self/cgroup", "r");
	bool found = false;

	while (f && !found && fgets(path, n, f)) {
		const char *at = strrchr(path, ':') + 1;

		path[strcspn(path, "\n")] = '\0';
		memmove(path, at, strlen(at) + 1);
		found = path[0] && path[1];
	}
	if (f)
		fclose(f);
	return found;
}

TEST(by_cgroup)
{
	char path[4096], word[4200];
	const char *last;

	if (!own_cgroup(path, sizeof(path)))
		SKIP(return, "no cgroup");
	last = strrchr(path, '/') + 1;
	EXPECT_TRUE(FITS(not_cgroup, path));
	EXPECT_TRUE(FITS(not_cgroup, path + 1));
	snprintf(word, sizeof(word), "/sys/fs/cgroup%s", path);
	EXPECT_TRUE(FITS(not_cgroup, word));
	snprintf(word, sizeof(word), "%s2", path);
	EXPECT_FALSE(FITS(not_cgroup, word));
	EXPECT_TRUE(FITS(not_unit, last));
	snprintf(word, sizeof(word), "%s2", last);
	EXPECT_FALSE(FITS(not_unit, word));
	EXPECT_FALSE(FITS(not_unit, "ssh.service"));
}

TEST(a_process_that_has_ended)
{
	struct agent_config config = { .period = 0 };
	const char *word = "root";

	config.not_user = (struct opt_list){ .value = &word, .n = 1 };
	EXPECT_FALSE(apart_fits(&config, 0x7fffffff, "sort"));
}

TEST(sorted_and_once)
{
	static const uint32_t pids[] = { 7, 3, 9, 3, 1, 9 }, want[] = { 1, 3, 7, 9 };
	struct apart apart = { .n = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		ASSERT_EQ(0, apart_add(&apart, pids[i]));
	ASSERT_EQ(4, apart.n);
	EXPECT_EQ(0, memcmp(apart.pid, want, sizeof(want)));
	EXPECT_TRUE(apart_has(&apart, 7));
	EXPECT_FALSE(apart_has(&apart, 8));
	EXPECT_FALSE(apart_has(&apart, 10));
	apart_free(&apart);
}

/* 7 is left out, it forked 8, and 8 forked 2 and 9; 5 forked 6.  The records come in no order. */
TEST(what_they_fork)
{
	static const struct apart_fork forks[] = {
		{ .time = 30, .pid = 2, .parent = 8 }, { .time = 20, .pid = 6, .parent = 5 },
		{ .time = 10, .pid = 8, .parent = 7 }, { .time = 40, .pid = 9, .parent = 8 },
	};
	static const uint32_t want[] = { 2, 7, 8, 9 };
	struct apart apart = { .n = 0 };

	for (size_t i = 0; i < ARRAY_SIZE(forks); i++)
		ASSERT_EQ(0, apart_add_fork(&apart, &forks[i]));
	ASSERT_EQ(0, apart_follow(&apart));
	EXPECT_EQ(0, apart.n);
	ASSERT_EQ(0, apart_add(&apart, 7));
	ASSERT_EQ(0, apart_follow(&apart));
	ASSERT_EQ(4, apart.n);
	EXPECT_EQ(0, memcmp(apart.pid, want, sizeof(want)));
	apart_free(&apart);
}

TEST_HARNESS_MAIN
