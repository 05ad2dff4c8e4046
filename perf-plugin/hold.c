// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* F_SETPIPE_SZ */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "hold.h"

#define CHUNK		(1u << 20)
#define LARGE_PAGE	(2ul << 20)

static uint64_t most = HOLD_MAX;

void hold_limit(uint64_t bytes)
{
	most = bytes < HOLD_MAX ? bytes : HOLD_MAX;
}

/* ---------------------------------------------------------------- room */

/* The number that follows @name in the file at @path; @name "": its first word. */
static uint64_t number_in(const char *path, const char *name)
{
	FILE *f = fopen(path, "r");
	uint64_t number = UINT64_MAX;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name))) {
			if (sscanf(line + strlen(name), "%" SCNu64, &number) != 1)
				number = UINT64_MAX;
			break;
		}
	if (f)
		fclose(f);
	return number;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the control group at @path may still have. */
static uint64_t left_in(const char *path)
{
	char file[PATH_MAX + 32];
	uint64_t max, now;

	snprintf(file, sizeof(file), "/sys/fs/cgroup%s/memory.max", path);
	max = number_in(file, "");
	if (max == UINT64_MAX)
		return max;
	snprintf(file, sizeof(file), "/sys/fs/cgroup%s/memory.current", path);
	now = number_in(file, "");
	return now < max ? max - now : 0;
}

/* The same for the group of this process and all above it. */
static uint64_t left_in_groups(void)
{
	FILE *f = fopen("/proc/self/cgroup", "r");
	uint64_t left = UINT64_MAX;
	char path[PATH_MAX] = "", *end;

	while (f && fscanf(f, "0::%4095[^\n]", path) != 1 && fgets(path, sizeof(path), f))
		*path = '\0';
	if (f)
		fclose(f);
	while ((end = strrchr(path, '/'))) {
		left = least(left, left_in(path));
		*end = '\0';
	}
	return least(left, left_in(""));
}

/* How many bytes may be held. */
static size_t room(void)
{
	struct rlimit limit;
	uint64_t left;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur != RLIM_INFINITY)
		return 0;
	left = least(number_in("/proc/meminfo", "MemAvailable:"), UINT64_MAX >> 10) << 10;
	return least(most, least(left, left_in_groups()) / 4) / LARGE_PAGE * LARGE_PAGE;
}

/* ---------------------------------------------------------------- bytes */

/* Maps @size bytes, from the beginning of a large page on.  NULL: that is not possible. */
static uint8_t *map(size_t size)
{
	uint8_t *p = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	const size_t before = -(uintptr_t)p % LARGE_PAGE;

	if (p == MAP_FAILED)
		return NULL;
	if (before)
		munmap(p, before);
	munmap(p + before + size, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
	madvise(p + before, size, MADV_HUGEPAGE);
#endif
	return p + before;
}

/* Return: 0, -errno. */
static int fill(struct hold *h, int fd)
{
	while (h->n < h->size) {
		ssize_t n = read(fd, h->at + h->n, least(h->size - h->n, CHUNK));

		if (!n) {
			h->whole = true;
			return 0;
		}
		if (n > 0)
			h->n += n;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Gives back the pages that were not needed. */
static void trim(struct hold *h)
{
	const size_t page = sysconf(_SC_PAGESIZE), size = (h->n + page - 1) / page * page;

	if (size < h->size)
		munmap(h->at + size, h->size - size);
	h->size = size;
	if (!size)
		h->at = NULL;
}

int hold_pipe(struct hold *h, int fd)
{
	int err;

	*h = (struct hold){ .size = room() };
	if (h->size)
		h->at = map(h->size);
	if (!h->at) {
		h->size = 0;
		return 0;
	}
	/* fewer calls; it is as good without */
	fcntl(fd, F_SETPIPE_SZ, CHUNK);
	err = fill(h, fd);
	if (err)
		hold_free(h);
	else
		trim(h);
	return err;
}

void hold_free(struct hold *h)
{
	if (h->at)
		munmap(h->at, h->size);
	*h = (struct hold){ 0 };
}
