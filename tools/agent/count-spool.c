// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "count-spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../perf-plugin/array.h"
#include "../lib/log.h"

/* A file has this before its name until it is whole, and PART after it. */
#define HALF	".half-"
#define ROOM	".half-room"
#define ROOM_BYTES	65536

/* How long to wait for the lock. */
#define LOCK_TRIES	10
#define LOCK_US		50000

/* "20261128T171443Z-" */
#define N_TIME	17

/**
 * struct spooled - a file of the spool
 * @here: it is of this boot
 */
struct spooled {
	char name[COUNT_SPOOL_NAME];
	uint64_t size, number;
	bool here;
};

struct list {
	struct spooled *file;
	size_t n, size;
	uint64_t bytes;
};

/* ---------------------------------------------------------------- names */

static void read_boot(struct count_spool *spool)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!f || fscanf(f, "%8[0-9a-f]", spool->boot) != 1)
		strcpy(spool->boot, "00000000");
	if (f)
		fclose(f);
}

void count_spool_name(const struct count_spool *spool, char *name)
{
	const time_t now = time(NULL);
	struct tm utc = { 0 };
	size_t n;

	gmtime_r(&now, &utc);
	n = strftime(name, COUNT_SPOOL_NAME, "%Y%m%dT%H%M%SZ", &utc);
	snprintf(name + n, COUNT_SPOOL_NAME - n, "-%s-%08" PRIu64, spool->boot, spool->number);
}

/* Is it one of ours?  @file: gets its boot and number. */
static bool read_name(const struct count_spool *spool, const char *name, struct spooled *file)
{
	char *end;

	if (strlen(name) >= COUNT_SPOOL_NAME || strlen(name) < N_TIME + 10 ||
	    name[8] != 'T' || name[15] != 'Z' || name[16] != '-' || name[N_TIME + 8] != '-')
		return false;
	file->number = strtoull(name + N_TIME + 9, &end, 10);
	if (end == name + N_TIME + 9 || *end != '.')
		return false;
	strcpy(file->name, name);
	file->here = !strncmp(name + N_TIME, spool->boot, 8);
	return true;
}

/* The oldest first.  The clock may be set, so within this boot the number decides. */
static int by_age(const void *a, const void *b)
{
	const struct spooled *x = a, *y = b;

	if (x->here != y->here)
		return x->here - y->here;
	if (x->here && x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* ---------------------------------------------------------------- what is there */

static void remove_half(const struct count_spool *spool, const char *name)
{
	struct stat st;

	if (fstatat(spool->fd, name, &st, AT_SYMLINK_NOFOLLOW) || unlinkat(spool->fd, name, 0))
		return;
	if (strcmp(name, ROOM))
		log_say(LOG_LOST, "csflow: %s/%s: removed: half a file of an agent that was killed, %llu bytes\n",
			spool->folder, name, (unsigned long long)st.st_size);
}

/* @halves: remove half files. */
static int look(const struct count_spool *spool, struct list *list, bool halves)
{
	int fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	struct stat st;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return -errno;
	}
	while ((entry = readdir(dir))) {
		struct spooled file;

		if (halves && !strncmp(entry->d_name, HALF, sizeof(HALF) - 1))
			remove_half(spool, entry->d_name);
		if (!read_name(spool, entry->d_name, &file) ||
		    fstatat(spool->fd, file.name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		file.size = st.st_size;
		if (!array_room(&list->file, list->n, &list->size, sizeof(*list->file))) {
			closedir(dir);
			return -ENOMEM;
		}
		list->file[list->n++] = file;
		list->bytes += file.size;
	}
	closedir(dir);
	if (list->n)
		qsort(list->file, list->n, sizeof(*list->file), by_age);
	return 0;
}

/* Of an agent that was killed, the process that counts may have the lock a moment longer. */
static bool lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return true;
		if (errno != EWOULDBLOCK)
			return false;
		usleep(LOCK_US);
	}
	errno = EWOULDBLOCK;
	return false;
}

bool count_spool_open(struct count_spool *spool, const char *folder, uint64_t most)
{
	struct list list = { 0 };
	int err;

	*spool = (struct count_spool){ .folder = folder, .most = most };
	read_boot(spool);
	mkdir(folder, 0750);
	spool->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->fd < 0 || !lock(spool->fd)) {
		log_say(LOG_FILE, "csflow: %s: %s\n", folder, errno == EWOULDBLOCK ?
			"another agent has this spool" : strerror(errno));
		count_spool_close(spool);
		return false;
	}
	err = look(spool, &list, true);
	for (size_t i = 0; i < list.n; i++)
		if (list.file[i].here && list.file[i].number >= spool->number)
			spool->number = list.file[i].number + 1;
	free(list.file);
	if (err) {
		log_say(LOG_FILE, "csflow: %s: %s\n", folder, strerror(-err));
		count_spool_close(spool);
	}
	return !err;
}

void count_spool_close(struct count_spool *spool)
{
	if (spool->fd >= 0)
		close(spool->fd);
	spool->fd = -1;
}

int count_spool_share(struct count_spool *own, const struct count_spool *spool)
{
	*own = *spool;
	own->fd = openat(spool->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (own->fd < 0)
		return -errno;
	close(spool->fd);
	return 0;
}

int count_spool_room(const struct count_spool *spool)
{
	int fd = openat(spool->fd, ROOM, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), err;

	if (fd < 0)
		return -errno;
	err = -posix_fallocate(fd, 0, ROOM_BYTES);
	close(fd);
	unlinkat(spool->fd, ROOM, 0);
	return err;
}

/* ---------------------------------------------------------------- writing */

/* Removes the oldest files until there is room for @size bytes. */
static int make_room(const struct count_spool *spool, uint64_t size)
{
	struct list list = { 0 };
	int err = size > spool->most ? -EFBIG : look(spool, &list, false);

	for (size_t i = 0; i < list.n && !err && list.bytes + size > spool->most; i++) {
		const struct spooled *old = &list.file[i];

		if (unlinkat(spool->fd, old->name, 0)) {
			err = -errno;
			continue;
		}
		log_say(LOG_LOST, "csflow: %s/%s: removed: the oldest, %" PRIu64 " bytes, ",
			spool->folder, old->name, old->size);
		log_say(LOG_LOST, "because the spool may have %" PRIu64 "\n", spool->most);
		list.bytes -= old->size;
	}
	free(list.file);
	return err;
}

/* Closes @f when it is on the disk.  stdio keeps no reason, but a full disk is the usual one. */
static int settle(FILE *f, int err, uint64_t *size)
{
	struct stat st;

	errno = 0;
	if (!err && (fflush(f) || ferror(f)))
		err = errno ? -errno : -EIO;
	if (!err && (fsync(fileno(f)) || fstat(fileno(f), &st)))
		err = -errno;
	if (!err)
		*size = st.st_size;
	fclose(f);
	return err;
}

int count_spool_write(const struct count_spool *spool, const char *name,
		      int (*fill)(void *owner, FILE *f), void *owner)
{
	char half[COUNT_SPOOL_NAME + sizeof(HALF)];
	uint64_t size = 0;
	int fd, err;
	FILE *f;

	snprintf(half, sizeof(half), HALF "%s", name);
	fd = openat(spool->fd, half, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	err = settle(f, fill(owner, f), &size);
	if (!err)
		err = make_room(spool, size);
	if (!err && renameat2(spool->fd, half, spool->fd, name, RENAME_NOREPLACE))
		err = -errno;
	if (err)
		unlinkat(spool->fd, half, 0);
	else if (fsync(spool->fd))
		err = -errno;
	return err;
}
