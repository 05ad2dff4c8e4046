// SPDX-License-Identifier: GPL-2.0-only
#include "perf-out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void perf_out_number(const struct perf_out *out, uint8_t *p, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		p[out->big ? size - 1 - i : i] = v >> 8 * i;
}

int perf_out_init(struct perf_out *out, int fd)
{
	int copy = dup(fd);

	if (copy < 0)
		return -errno;
	out->file = fdopen(copy, "r+b");
	if (!out->file) {
		close(copy);
		return -EINVAL;
	}
	perf_out_seek(out, 0);
	return out->err;
}

void perf_out_fini(struct perf_out *out)
{
	if (out->file)
		fclose(out->file);
	out->file = NULL;
}

int perf_out_flush(struct perf_out *out)
{
	if (!out->err && fflush(out->file))
		perf_out_fail(out, -errno);
	return out->err;
}

uint64_t perf_out_size(const struct perf_out *out)
{
	struct stat st;

	return fstat(fileno(out->file), &st) ? 0 : st.st_size;
}

bool perf_out_read(const struct perf_out *out, uint64_t at, void *buf, size_t n)
{
	return pread(fileno(out->file), buf, n, at) == (ssize_t)n;
}

/* The bytes in the stream's buffer must not reach the file any more: it gets another buffer. */
void perf_out_cut(struct perf_out *out, uint64_t at)
{
	int fd = dup(fileno(out->file));

	fclose(out->file);
	out->file = fd < 0 ? NULL : fdopen(fd, "r+b");
	out->err = !out->file || ftruncate(fd, at) ? -errno : 0;
	if (!out->file)
		close(fd);
	perf_out_seek(out, at);
}

void perf_out_fail(struct perf_out *out, int err)
{
	if (!out->err)
		out->err = err;
}

void perf_out_seek(struct perf_out *out, uint64_t at)
{
	if (!out->err && fseeko(out->file, at, SEEK_SET))
		perf_out_fail(out, -errno);
	out->at = at;
}

void perf_out_bytes(struct perf_out *out, const void *bytes, size_t n)
{
	if (n > sizeof(out->record) - out->n) {
		perf_out_fail(out, -EMSGSIZE);
		return;
	}
	if (n)
		memcpy(out->record + out->n, bytes, n);
	out->n += n;
}

void perf_out_u32(struct perf_out *out, uint32_t v)
{
	uint8_t bytes[4];

	perf_out_number(out, bytes, v, sizeof(bytes));
	perf_out_bytes(out, bytes, sizeof(bytes));
}

void perf_out_u64(struct perf_out *out, uint64_t v)
{
	uint8_t bytes[8];

	perf_out_number(out, bytes, v, sizeof(bytes));
	perf_out_bytes(out, bytes, sizeof(bytes));
}

void perf_out_begin(struct perf_out *out, uint32_t type, uint16_t misc)
{
	out->n = 0;
	perf_out_u32(out, type);
	perf_out_u32(out, 0);			/* misc, and the size: see close */
	perf_out_number(out, out->record + 4, misc, 2);
}

/* The string is aligned, not the record, whose fixed part need not be. */
void perf_out_string(struct perf_out *out, const char *text, size_t max, size_t align)
{
	static const uint8_t zeros[64];
	size_t n = strnlen(text, max);

	perf_out_bytes(out, text, n);
	perf_out_bytes(out, zeros, align - n % align);
}

void perf_out_close(struct perf_out *out)
{
	static const uint8_t zeros[8];

	perf_out_bytes(out, zeros, -out->n & 7);
	perf_out_number(out, out->record + 6, out->n, 2);
}

void perf_out_end(struct perf_out *out)
{
	perf_out_close(out);
	perf_out_raw(out, out->record, out->n);
}

void perf_out_raw(struct perf_out *out, const void *bytes, size_t n)
{
	if (!out->err && n && fwrite(bytes, 1, n, out->file) != n)
		perf_out_fail(out, errno ? -errno : -EIO);
	out->at += n;
}

void perf_out_raw_u32(struct perf_out *out, uint32_t v)
{
	uint8_t bytes[4];

	perf_out_number(out, bytes, v, sizeof(bytes));
	perf_out_raw(out, bytes, sizeof(bytes));
}

void perf_out_raw_u64(struct perf_out *out, uint64_t v)
{
	uint8_t bytes[8];

	perf_out_number(out, bytes, v, sizeof(bytes));
	perf_out_raw(out, bytes, sizeof(bytes));
}

void perf_out_raw_string(struct perf_out *out, const char *text)
{
	static const uint8_t zeros[64];
	size_t n = strlen(text);

	perf_out_raw_u32(out, (n + 64) / 64 * 64);
	perf_out_raw(out, text, n);
	perf_out_raw(out, zeros, 64 - n % 64);
}
