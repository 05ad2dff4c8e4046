// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bytes of a recording: the file, the other files of a directory from perf record --threads,
 * and what was unpacked, one after the other in memory as if they were one file.
 *
 * Each piece begins at a page boundary, with an unused page between two pieces, so that an offset
 * identifies its piece.
 */
#define _GNU_SOURCE	/* mremap() */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lower-bound.h"
#include "array.h"
#include "hold.h"
#include "no-memory.h"
#include "perf-abi.h"
#include "perf-walk.h"
#include "spill.h"

/* No machine has more CPUs, and perf writes at most one file for each. */
#define PARTS_MAX	65536

#define AROUND		(2ul << 20)

/* Approximate number of bytes that stay in memory of what a walk over records has passed. */
#define PASSED_MAX	(8u << 20)

static uint64_t page_up(uint64_t v)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);

	return (v + page - 1) / page * page;
}

/* The offset where another piece can begin. */
static uint64_t next_start(const struct perf_file *file, uint64_t end)
{
	return file->n_piece || file->size ? page_up(end) + sysconf(_SC_PAGESIZE) : 0;
}

static int grow_pieces(struct perf_file *file)
{
	size_t n = file->n_piece;
	struct perf_piece *piece;

	if (n & (n - 1))
		return 0;
	piece = realloc(file->piece, (n ? 2 * n : 1) * sizeof(*piece));
	if (!piece)
		return -ENOMEM;
	file->piece = piece;
	return 0;
}

/* Moves the map to where there is room for @total bytes; written bytes stay. */
static int move_map(struct perf_file *file, size_t total)
{
	const int reserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint8_t *map = mmap(NULL, total, PROT_NONE, reserve, -1, 0), *old = file->map;

	if (map == MAP_FAILED) {
		no_memory_for("the recording", total);
		return -errno;
	}
	for (size_t i = 0; i < file->n_piece; i++) {
		const struct perf_piece *piece = &file->piece[i];
		size_t n = page_up(piece->n);

		if (mremap(old + piece->at, n, n, MREMAP_MAYMOVE | MREMAP_FIXED,
			   map + piece->at) == MAP_FAILED) {
			munmap(map, total);
			return -ENOMEM;
		}
	}
	if (old)
		munmap(old, file->n_map);
	file->map = map;
	file->n_map = total;
	file->bytes = map;
	return 0;
}

/* Maps the @n bytes of @fd after what is mapped. */
static int map_piece(struct perf_file *file, int fd, uint64_t n, int number)
{
	const int fixed = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
	uint64_t at = next_start(file, file->n_map);
	int err = grow_pieces(file);

	if (!err && n > SIZE_MAX / 2 - at)
		err = -EFBIG;
	if (!err)
		err = move_map(file, at + page_up(n));
	if (err)
		return err;
	if (mmap((uint8_t *)file->map + at, n, PROT_READ, fixed, fd, 0) == MAP_FAILED)
		return -errno;
	file->piece[file->n_piece++] = (struct perf_piece){ .at = at, .n = n, .number = number };
	return 0;
}

static int map_regular(struct perf_file *file, int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return -errno;
	err = st.st_size ? map_piece(file, fd, st.st_size, PERF_PIECE_DATA) : 0;
	file->size = st.st_size;
	/* a file without a name is a copy, which nothing else reads */
	if (err || st.st_nlink || file->size <= SPILL_CACHED)
		return err;
	/* memory before a page was given back already */
	madvise(file->map, file->n_map, MADV_SEQUENTIAL);
	file->spilled = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return file->spilled < 0 ? -errno : 0;
}

/* Takes over what is held. */
static int map_held(struct perf_file *file, struct hold *hold)
{
	if (grow_pieces(file)) {
		hold_free(hold);
		return -ENOMEM;
	}
	file->piece[file->n_piece++] = (struct perf_piece){
		.n = hold->n, .number = PERF_PIECE_DATA,
	};
	file->size = hold->n;
	file->map = hold->at;
	file->bytes = hold->at;
	file->n_map = hold->size;
	file->n_held = hold->size;
	return 0;
}

static int map_pipe(struct perf_file *file, int fd)
{
	struct hold hold;
	int copy, err = hold_pipe(&hold, fd);

	if (err)
		return err;
	if (hold.whole && hold.n)
		return map_held(file, &hold);
	copy = spill(hold.at, hold.n, fd, SPILL_CACHED);
	hold_free(&hold);
	if (copy < 0)
		return copy;
	err = map_regular(file, copy);
	close(copy);
	return err;
}

static int map_file(struct perf_file *file, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	return S_ISREG(st.st_mode) ? map_regular(file, fd) : map_pipe(file, fd);
}

/* perf.data/data.0 and so on: records without a header.  Reports files that cannot be read. */
static int map_parts(struct perf_file *file)
{
	char path[PATH_MAX];
	struct stat st;

	for (int i = 0; i < PARTS_MAX; i++) {
		int fd, err = 0;

		if (snprintf(path, sizeof(path), "%s/data.%d", file->dir, i) >= (int)sizeof(path))
			return -ENAMETOOLONG;
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 && errno == ENOENT)
			break;
		if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
			perf_problem_add(&file->problems, PERF_DAMAGE, PERF_PROBLEM_NOWHERE,
					 "data.%d cannot be read", i);
		else if (st.st_size)
			err = map_piece(file, fd, st.st_size, i);
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
	return 0;
}

static int open_directory(struct perf_file *file, const char *path)
{
	char data[PATH_MAX];
	struct stat st;
	int fd, err;

	file->dir = strdup(path);
	if (!file->dir)
		return -ENOMEM;
	if (snprintf(data, sizeof(data), "%s/data", path) >= (int)sizeof(data))
		return -ENAMETOOLONG;
	/* opening a pipe would wait for a writer */
	fd = open(data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == ENOENT ? -EISDIR : -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		err = map_file(file, fd);
	else
		err = -EINVAL;
	close(fd);
	return err ? err : map_parts(file);
}

int perf_store_open(struct perf_file *file, const char *path)
{
	struct stat st;
	int fd, err;

	fd = strcmp(path, "-") ? spill_open(path) : dup(STDIN_FILENO);
	if (fd < 0)
		return strcmp(path, "-") ? fd : -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISDIR(st.st_mode))
		err = open_directory(file, path);
	else
		err = map_file(file, fd);
	close(fd);
	return err;
}

void perf_store_close(struct perf_file *file)
{
	free(file->copy);
	free(file->jump);
	free(file->piece);
	free(file->region);
	free(file->dir);
	if (file->map)
		munmap(file->map, file->n_map);
	if (file->spilled > 0)
		close(file->spilled);
}

/* Pages that were written to would be lost: converted bytes stay, and so does what is held. */
void perf_file_drop(const struct perf_file *file)
{
	if (file->n_map > file->n_held && !file->foreign)
		madvise((uint8_t *)file->map + file->n_held, file->n_map - file->n_held,
			MADV_DONTNEED);
}

/* A page fault also maps the pages around it, up to a large page. */
static void unmap_part(const struct perf_file *file, uint64_t from, uint64_t to)
{
	const uintptr_t map = (uintptr_t)file->map, end = map + file->n_map;
	uintptr_t first = map + from, last = map + to;

	first -= first % AROUND;
	last += AROUND - last % AROUND;
	if (first < map + file->n_held)
		first = map + file->n_held;
	if (last > end)
		last = end;
	if (file->map && !file->foreign && first < last)
		madvise((void *)first, last - first, MADV_DONTNEED);
}

/* The first AUXTRACE record whose trace ends after @at. */
static size_t first_auxtrace(const struct perf_file *file, uint64_t at)
{
	const struct perf_auxtrace_at *all = file->auxtrace;

	return LOWER_BOUND(file->n_auxtrace, i, all[i].offset + all[i].size < at);
}

/*
 * Drops from the cache the pages with nothing but trace, as records are read again; a large page
 * when its end was read.
 */
static void uncache_part(const struct perf_file *file, uint64_t from, uint64_t to)
{
	if (file->spilled <= 0)
		return;
	from -= from % AROUND;
	for (size_t i = first_auxtrace(file, from); i < file->n_auxtrace; i++) {
		const struct perf_auxtrace_at *auxtrace = &file->auxtrace[i];
		uint64_t first = auxtrace->offset + sizeof(struct perf_record_auxtrace);
		uint64_t last = first + auxtrace->size;

		if (first >= to)
			break;
		if (last > to)
			last = to - to % AROUND;
		if (first < from)
			first = from;
		if (first >= SPILL_CACHED && first < last)
			posix_fadvise(file->spilled, first, last - first, POSIX_FADV_DONTNEED);
	}
}

void perf_file_drop_part(const struct perf_file *file, uint64_t from, uint64_t to)
{
	unmap_part(file, from, to);
	uncache_part(file, from, to);
}

static bool is_far(uint64_t *from, uint64_t at, uint64_t max)
{
	if (at < *from)
		*from = at;
	return at - *from >= max;
}

void perf_file_pass(const struct perf_file *file, uint64_t *from, uint64_t at)
{
	if (!is_far(from, at, PERF_FILE_READ))
		return;
	perf_file_drop_part(file, *from, at);
	*from = at;
}

void perf_store_pass(const struct perf_file *file, uint64_t *from, uint64_t at)
{
	if (!is_far(from, at, PASSED_MAX))
		return;
	unmap_part(file, *from, at);
	*from = at;
}

/* ---------------------------------------------------------------- regions */

int perf_store_region(struct perf_file *file, uint64_t offset, uint64_t size)
{
	size_t n = file->n_region;

	if (!array_next(&file->region, n, sizeof(*file->region)))
		return -ENOMEM;
	/* an empty file has no bytes */
	file->region[n] = (struct perf_section){
		.bytes = file->bytes ? file->bytes + offset : NULL, .offset = offset, .size = size,
	};
	file->n_region++;
	return 0;
}

int perf_store_parts(struct perf_file *file)
{
	int err = 0;

	for (size_t i = 0; !err && i < file->n_piece; i++)
		if (file->piece[i].number >= 0)
			err = perf_store_region(file, file->piece[i].at, file->piece[i].n);
	return err;
}

static void rebase(const struct perf_file *file, struct perf_section *section)
{
	section->bytes = file->bytes + section->offset;
}

int perf_store_writable(struct perf_file *file)
{
	if (file->copy)
		return 0;
	if (!file->map) {
		file->copy = malloc(file->size + 1);
		if (!file->copy)
			return -ENOMEM;
		memcpy(file->copy, file->bytes, file->size);
		file->bytes = file->copy;
		return 0;
	}
	for (size_t i = 0; i < file->n_piece; i++)
		if (mprotect((uint8_t *)file->map + file->piece[i].at, page_up(file->piece[i].n),
			     PROT_READ | PROT_WRITE))
			return -errno;
	return 0;
}

static int copy_to(struct perf_file *file, FILE *spill, uint64_t at, size_t n)
{
	uint8_t *copy = malloc(at + n);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, file->bytes, file->size);
	memset(copy + file->size, 0, at - file->size);
	rewind(spill);
	if (fread(copy + at, 1, n, spill) != n) {
		free(copy);
		return -EIO;
	}
	free(file->copy);
	file->copy = copy;
	file->bytes = copy;
	return 0;
}

int perf_store_append(struct perf_file *file, FILE *spill, size_t n, uint64_t *at)
{
	int err;

	if (file->map) {
		err = map_piece(file, fileno(spill), n, PERF_PIECE_UNPACKED);
		*at = err ? 0 : file->piece[file->n_piece - 1].at;
	} else {
		*at = next_start(file, file->size);
		err = copy_to(file, spill, *at, n);
	}
	if (err)
		return err;
	for (size_t i = 0; i < file->n_region; i++)
		rebase(file, &file->region[i]);
	rebase(file, &file->auxtrace_info);
	for (int i = 0; i < PERF_FEATURE_NR; i++)
		rebase(file, &file->feature[i]);
	return file->foreign ? perf_store_writable(file) : 0;
}

const char *perf_file_part(const struct perf_file *file, uint64_t *offset, char *name, size_t n)
{
	const struct perf_piece *piece = file->piece;

	if (!file->n_piece)
		return NULL;
	for (size_t i = 1; i < file->n_piece && *offset >= file->piece[i].at; i++)
		piece = &file->piece[i];
	*offset -= piece->at;
	if (piece->number == PERF_PIECE_UNPACKED)
		snprintf(name, n, "unpacked records");
	else if (piece->number >= 0)
		snprintf(name, n, "data.%d", piece->number);
	else
		return NULL;
	return name;
}
