// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "apart.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/lower-bound.h"

/* Is @word @path itself, or a folder above? */
static bool is_below(const char *path, const char *word)
{
	static const char mount[] = "/sys/fs/cgroup";
	size_t n;

	if (!strncmp(word, mount, sizeof(mount) - 1))
		word += sizeof(mount) - 1;
	word += *word == '/';
	path += *path == '/';
	n = strlen(word);
	return !strncmp(path, word, n) && (!path[n] || path[n] == '/');
}

/* Is one of the folders of @path the unit? */
static bool is_of_unit(const char *path, const char *unit)
{
	const size_t n = strlen(unit);

	for (const char *p = path; *p; p += strcspn(p, "/")) {
		p += *p == '/';
		if (!strncmp(p, unit, n) && (!p[n] || p[n] == '/'))
			return true;
	}
	return false;
}

static bool fits_cgroup(const struct agent_config *c, const char *path)
{
	for (size_t i = 0; i < c->not_cgroup.n; i++)
		if (is_below(path, c->not_cgroup.value[i]))
			return true;
	for (size_t i = 0; i < c->not_unit.n; i++)
		if (is_of_unit(path, c->not_unit.value[i]))
			return true;
	return false;
}

/* A line is "number:controllers:path". */
static bool in_cgroup(const struct agent_config *c, uint32_t pid)
{
	char name[64], line[PATH_MAX + 64];
	bool fits = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/cgroup", pid);
	f = fopen(name, "re");
	while (f && !fits && fgets(line, sizeof(line), f)) {
		const char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		line[strcspn(line, "\n")] = '\0';
		fits = path && fits_cgroup(c, path + 1);
	}
	if (f)
		fclose(f);
	return fits;
}

/* By its number, or by its name. */
static bool is_user(const char *word, unsigned int uid)
{
	const struct passwd *user;

	if (!word[strspn(word, "0123456789")])
		return *word && strtoul(word, NULL, 10) == uid;
	user = getpwnam(word);
	return user && user->pw_uid == uid;
}

/* The real, effective, saved and file system's one: any of them. */
static bool of_user(const struct agent_config *c, uint32_t pid)
{
	char name[64], line[256];
	unsigned int uid[4];
	bool fits = false;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%" PRIu32 "/status", pid);
	f = fopen(name, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Uid: %u %u %u %u", &uid[0], &uid[1], &uid[2], &uid[3]) != 4)
			continue;
		for (size_t i = 0; i < c->not_user.n; i++)
			for (int k = 0; k < 4; k++)
				fits |= is_user(c->not_user.value[i], uid[k]);
		break;
	}
	if (f)
		fclose(f);
	return fits;
}

bool apart_fits(const struct agent_config *c, uint32_t pid, const char *comm)
{
	return (c->not_comm.n && opt_list_has(&c->not_comm, comm)) ||
	       ((c->not_cgroup.n || c->not_unit.n) && in_cgroup(c, pid)) ||
	       (c->not_user.n && of_user(c, pid));
}

/* The first place whose process is not before @pid. */
static size_t place(const struct apart *a, uint32_t pid)
{
	return LOWER_BOUND(a->n, i, a->pid[i] < pid);
}

bool apart_has(const struct apart *a, uint32_t pid)
{
	const size_t i = place(a, pid);

	return i < a->n && a->pid[i] == pid;
}

int apart_add(struct apart *a, uint32_t pid)
{
	const size_t i = place(a, pid);

	if (i < a->n && a->pid[i] == pid)
		return 0;
	if (!array_room(&a->pid, a->n, &a->size, sizeof(*a->pid)))
		return -ENOMEM;
	memmove(a->pid + i + 1, a->pid + i, (a->n++ - i) * sizeof(*a->pid));
	a->pid[i] = pid;
	return 0;
}

int apart_add_fork(struct apart *a, const struct apart_fork *fork)
{
	if (!array_room(&a->fork, a->n_fork, &a->fork_size, sizeof(*a->fork)))
		return -ENOMEM;
	a->fork[a->n_fork++] = *fork;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct apart_fork *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

/* A process is forked before it forks. */
int apart_follow(struct apart *a)
{
	int err = 0;

	if (a->n_fork)
		qsort(a->fork, a->n_fork, sizeof(*a->fork), by_time);
	for (size_t i = 0; i < a->n_fork && !err; i++)
		if (apart_has(a, a->fork[i].parent))
			err = apart_add(a, a->fork[i].pid);
	return err;
}

void apart_free(struct apart *a)
{
	free(a->pid);
	free(a->fork);
	*a = (struct apart){ 0 };
}
