// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* O_DIRECT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-abi.h"
#include "spill.h"

#define CHUNK		(1u << 20)

/*
 * Writes that bypass the cache begin and end at multiples of ALIGN; fewer bytes than LEAST are not
 * worth it.
 */
#define ALIGN		4096u
#define LEAST		(64u << 10)

#define PIPE_HEADER	16

/* Bytes that are read of a record; the last of them are the size of the trace after it. */
#define HEAD		16

/**
 * struct spilling - a copy in progress
 * @in, @out: descriptors; @at: number of bytes written
 * @before: @n_before bytes that come before those of @in
 * @chunk: the @n bytes after these
 * @past: from this offset on trace may bypass the cache; @cached: that is not possible
 * @record: offset of the next record; UINT64_MAX: not known
 * @trace, @trace_end: the trace of the last AUXTRACE record
 * @head: @n_head bytes of the record at @record
 */
struct spilling {
	int in, out;
	const uint8_t *before;
	size_t n_before;
	uint64_t at, past;
	uint8_t *chunk;
	size_t n;
	uint64_t record, trace, trace_end;
	uint8_t head[HEAD];
	size_t n_head;
	bool cached;
};

/* Return: 0, -errno. */
static int fill(struct spilling *s)
{
	size_t some = s->n_before < CHUNK - s->n ? s->n_before : CHUNK - s->n;

	if (some) {
		memcpy(s->chunk + s->n, s->before, some);
		s->n += some;
		s->before += some;
		s->n_before -= some;
	}
	while (s->n < CHUNK) {
		ssize_t n = read(s->in, s->chunk + s->n, CHUNK - s->n);

		if (!n)
			break;
		if (n > 0)
			s->n += n;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* Writes the part of the chunk from @from up to @to, which are offsets in the file. */
static int put(struct spilling *s, uint64_t from, uint64_t to)
{
	while (from < to) {
		ssize_t n = pwrite(s->out, s->chunk + (from - s->at), to - from, from);

		if (n > 0)
			from += n;
		else if (n < 0 && errno != EINTR)
			return -errno;
		else if (!n)
			return -EIO;
	}
	return 0;
}

static bool direct(const struct spilling *s, bool on)
{
	int flags = fcntl(s->out, F_GETFL);

	return flags >= 0 && !fcntl(s->out, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

/* Bypasses the cache, if the file system supports that. */
static int put_past(struct spilling *s, uint64_t from, uint64_t to)
{
	int err = -EINVAL;

	if (!s->cached && direct(s, true)) {
		err = put(s, from, to);
		direct(s, false);
	}
	if (err != -EINVAL)
		return err;
	s->cached = true;
	return put(s, from, to);
}

/* Takes up to @n bytes of the next record.  Return: they are there. */
static bool take_head(struct spilling *s, size_t n)
{
	const uint64_t end = s->at + s->n, at = s->record + s->n_head;
	size_t some = n - s->n_head;

	if (s->n_head >= n)
		return true;
	if (at >= end)
		return false;
	if (some > end - at)
		some = end - at;
	memcpy(s->head + s->n_head, s->chunk + (at - s->at), some);
	s->n_head += some;
	return s->n_head == n;
}

/* Reads the header of the next record, as soon as it is there.  Return: it was. */
static bool next_record(struct spilling *s)
{
	const size_t least = sizeof(struct perf_event_header);
	bool traced;
	uint64_t n;

	if (s->record == UINT64_MAX || !take_head(s, least))
		return false;
	n = PERF_FIELD(s->head, perf_event_header, size);
	traced = PERF_FIELD(s->head, perf_event_header, type) == PERF_RECORD_AUXTRACE;
	if (traced && !take_head(s, HEAD))
		return false;
	s->n_head = 0;
	s->trace = s->record + n;
	s->trace_end = s->trace + (traced ? PERF_FIELD(s->head, perf_record_auxtrace, size) : 0);
	/* after damage everything may be records */
	s->record = n < (traced ? HEAD : least) || s->trace_end < s->trace ? UINT64_MAX :
		    s->trace_end;
	if (s->record == UINT64_MAX)
		s->trace_end = s->trace;
	return true;
}

/* Pages of the chunk, from @from on, that have nothing but trace. */
static bool pages_of_trace(const struct spilling *s, uint64_t from, uint64_t *first, uint64_t *last)
{
	const uint64_t end = s->at + s->n;

	*first = s->trace > from ? s->trace : from;
	*first += -*first % ALIGN;
	*last = s->trace_end < end ? s->trace_end : end;
	*last -= *last % ALIGN;
	return *first >= s->past && *first < *last && *last - *first >= LEAST;
}

static int put_chunk(struct spilling *s)
{
	uint64_t from = s->at, first, last;
	int err = 0;

	do {
		if (!pages_of_trace(s, from, &first, &last))
			continue;
		err = put(s, from, first);
		if (!err)
			err = put_past(s, first, last);
		from = last;
	} while (!err && next_record(s));
	if (!err)
		err = put(s, from, s->at + s->n);
	s->at += s->n;
	s->n = 0;
	return err;
}

static int copy(struct spilling *s)
{
	bool end;
	int err;

	do {
		err = fill(s);
		end = s->n < CHUNK;
		if (!err)
			err = put_chunk(s);
	} while (!err && !end);
	return err;
}

/* Opens a file whose name is removed at once; its descriptor is not a standard one. */
static int nameless(void)
{
	FILE *f = tmpfile();
	int fd = f ? fcntl(fileno(f), F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
	int err = fd < 0 ? -errno : 0;

	if (f)
		fclose(f);
	return err ? err : fd;
}

int spill(const void *head, size_t n, int fd, uint64_t cached)
{
	struct spilling s = { .in = fd, .out = nameless(), .before = head, .n_before = n,
			      .past = cached };
	int err = 0;

	if (s.out < 0)
		return s.out;
	if (posix_memalign((void **)&s.chunk, ALIGN, CHUNK))
		err = -ENOMEM;
	if (!err) {
		err = fill(&s);
		s.record = s.n >= PIPE_HEADER && !memcmp(s.chunk, "PERFILE2", 8) &&
			   get_le64(s.chunk + 8) == PIPE_HEADER ? PIPE_HEADER : UINT64_MAX;
	}
	if (!err)
		err = copy(&s);
	free(s.chunk);
	if (!err)
		return s.out;
	close(s.out);
	return err;
}

int spill_open(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct stat st;

	if (fd < 0)
		return -errno;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if (!fstat(fd, &st) && S_ISFIFO(st.st_mode))
		while (poll(&wait, 1, -1) < 0 && errno == EINTR)
			;
	return fd;
}
