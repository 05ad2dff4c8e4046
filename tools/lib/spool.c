// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/spill.h"
#include "file.h"
#include "spool.h"

static ssize_t read_all(int fd, uint8_t *p, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t some = read(fd, p + got, n - got);

		if (!some)
			break;
		if (some > 0)
			got += some;
		else if (errno != EINTR)
			return -errno;
	}
	return got;
}

int spool_begin(struct spool *s, int fd)
{
	ssize_t got;

	*s = (struct spool){ .fd = fd };
	got = read_all(fd, s->head, sizeof(s->head));
	if (got < 0)
		return got;
	s->n_head = got;
	return 0;
}

ssize_t spool_read(struct spool *s, void *buf, size_t n)
{
	size_t head = s->n_head - s->at < n ? s->n_head - s->at : n;
	ssize_t got;

	memcpy(buf, s->head + s->at, head);
	s->at += head;
	got = read_all(s->fd, (uint8_t *)buf + head, n - head);
	return got < 0 ? got : (ssize_t)head + got;
}

int spool_all(struct spool *s)
{
	struct stat st;
	int copy;

	/* a file that is read from its beginning needs no copy */
	if (!fstat(s->fd, &st) && S_ISREG(st.st_mode) &&
	    lseek(s->fd, 0, SEEK_CUR) == (off_t)s->n_head) {
		snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->fd);
		return 0;
	}
	copy = spill(s->head, s->n_head, s->fd, SPILL_CACHED);
	if (copy < 0)
		return copy;
	/* readers of @fd read the copy, too */
	s->copy = copy;
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", copy);
	return dup2(copy, s->fd) < 0 ? -errno : 0;
}

int spool_map(struct spool *s, struct file *file, const char *path)
{
	int err;

	*s = (struct spool){ .n_head = 0 };
	if (strcmp(path, "-"))
		return file_map(file, path);
	err = spool_begin(s, STDIN_FILENO);
	if (!err)
		err = spool_all(s);
	return err ? err : file_map(file, s->path);
}

void spool_end(struct spool *s)
{
	if (s->copy)
		close(s->copy);
	s->copy = 0;
}

/* A pipe is looked into through another one, which gets the same bytes. */
static ssize_t peek_pipe(int fd, void *head, size_t n)
{
	int copy[2];
	ssize_t got;

	if (pipe2(copy, O_CLOEXEC))
		return -errno;
	got = tee(fd, copy[1], n, 0);
	if (got > 0)
		got = read(copy[0], head, got);
	if (got < 0)
		got = -errno;
	close(copy[0]);
	close(copy[1]);
	return got;
}

ssize_t spool_peek(const char *path, void *head, size_t n)
{
	const bool standard = !strcmp(path, "-");
	struct stat st;
	ssize_t got;
	int fd;

	fd = standard ? STDIN_FILENO : spill_open(path);
	if (fd < 0)
		got = fd;
	else if (fstat(fd, &st))
		got = -errno;
	else if (S_ISFIFO(st.st_mode))
		got = peek_pipe(fd, head, n);
	else
		got = S_ISREG(st.st_mode) ? pread(fd, head, n, 0) : 0;
	/* a pipe with a name stays open: closing it could end its writer */
	if (fd >= 0 && !standard && !(got >= 0 && S_ISFIFO(st.st_mode)))
		close(fd);
	return got;
}

static bool is_perf(const void *head)
{
	return !memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8);
}

bool spool_is_perf(const struct spool *s)
{
	return s->n_head >= 8 && is_perf(s->head);
}

bool spool_perf_pipe(const char *path)
{
	struct stat st;
	char head[8];

	return !strcmp(path, "-") && !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) &&
	       peek_pipe(STDIN_FILENO, head, sizeof(head)) == sizeof(head) && is_perf(head);
}

bool spool_perf_at(const char *path)
{
	FILE *f = strcmp(path, "-") && !file_is_pipe(path) ? fopen(path, "rb") : NULL;
	char magic[8] = "", data[4096];
	struct stat st;
	bool is;

	if (f && !fstat(fileno(f), &st) && S_ISDIR(st.st_mode)) {
		fclose(f);
		snprintf(data, sizeof(data), "%s/data", path);
		f = fopen(data, "rb");
	}
	is = f && fread(magic, 1, 8, f) == 8 && is_perf(magic);
	if (f)
		fclose(f);
	return is;
}
