// SPDX-License-Identifier: GPL-2.0-only
#include "perf-file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf-abi.h"
#include "perf-walk.h"

#define HEADER_SIZE	104
#define PIPE_SIZE	16

/* struct perf_file_header, which no header of Linux has: offsets of its fields */
enum {
	HEADER_MAGIC	= 0,
	HEADER_OWN_SIZE	= 8,
	HEADER_ATTR_SIZE = 16,
	HEADER_ATTRS	= 24,
	HEADER_DATA	= 40,
	HEADER_FEATURES	= 72,
};

bool perf_section_set(const struct perf_file *file, struct perf_section *section, uint64_t offset,
		      uint64_t size)
{
	uint64_t from = offset < file->size ? offset : file->size;
	uint64_t left = file->size - from;

	section->offset = from;
	section->bytes = file->bytes + from;
	section->size = size < left ? size : left;
	return from == offset && section->size == size;
}

/* One after the other in the header: where a section begins, and its size. */
static bool section_at(const struct perf_file *file, struct perf_section *section,
		       const uint8_t *entry)
{
	return perf_section_set(file, section, get_le64(entry), get_le64(entry + 8));
}

static int read_attrs(struct perf_file *file)
{
	uint64_t attr_size = get_le64(file->bytes + HEADER_ATTR_SIZE);
	struct perf_section attrs, entry, ids;
	int err = 0;

	if (!section_at(file, &attrs, file->bytes + HEADER_ATTRS))
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_ATTRS,
				 "the attributes reach beyond the end of the file");
	if (attr_size < PERF_ATTR_SIZE_VER0 + 16 || attr_size > 4096) {
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_ATTR_SIZE,
				 "an attribute cannot have %" PRIu64 " bytes", attr_size);
		return 0;
	}
	for (uint64_t at = 0; !err && attrs.size - at >= attr_size; at += attr_size) {
		perf_section_set(file, &entry, attrs.offset + at, attr_size - 16);
		if (!section_at(file, &ids, entry.bytes + entry.size))
			perf_problem_add(&file->problems, PERF_DAMAGE, entry.offset + entry.size,
					 "ids of an event reach beyond the end of the file");
		err = perf_evsel_add(file, &entry, &ids);
	}
	return err;
}

static void read_data_place(struct perf_file *file)
{
	const uint8_t *entry = file->bytes + HEADER_DATA;
	uint64_t offset = get_le64(entry), size = get_le64(entry + 8);

	if (!size) {
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_DATA + 8,
				 "size of the data is 0: recording was not finished; reading to the end of the file");
		size = offset < file->size ? file->size - offset : 0;
	}
	if (!perf_section_set(file, &file->data, offset, size))
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_DATA,
				 "the data should have %" PRIu64 " bytes from %#" PRIx64
				 ", the file ends at %#" PRIx64, size, offset, file->size);
}

static void read_features(struct perf_file *file)
{
	uint64_t at = get_le64(file->bytes + HEADER_DATA) + get_le64(file->bytes + HEADER_DATA + 8);
	struct perf_section entry;

	if (!get_le64(file->bytes + HEADER_DATA + 8))
		return;
	for (int bit = 0; bit < PERF_FEATURE_NR; bit++) {
		if (!(file->bytes[HEADER_FEATURES + bit / 8] >> bit % 8 & 1))
			continue;
		if (!perf_section_set(file, &entry, at, 16)) {
			perf_problem_add(&file->problems, PERF_DAMAGE, at,
					 "the table of features is missing from feature %d on",
					 bit);
			return;
		}
		if (!section_at(file, &file->feature[bit], entry.bytes))
			perf_problem_add(&file->problems, PERF_DAMAGE, at,
					 "feature %d reaches beyond the end of the file", bit);
		at += 16;
	}
}

static int read_header(struct perf_file *file)
{
	uint64_t size = get_le64(file->bytes + HEADER_OWN_SIZE);
	int err;

	file->usable = true;
	if (size == PIPE_SIZE) {
		file->pipe = true;
		perf_section_set(file, &file->data, PIPE_SIZE, file->size - PIPE_SIZE);
		return 0;
	}
	if (size != HEADER_SIZE)
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_OWN_SIZE,
				 "the header should have %d bytes, not %" PRIu64, HEADER_SIZE,
				 size);
	if (file->size < HEADER_SIZE) {
		perf_problem_add(&file->problems, PERF_DAMAGE, file->size, "the header is cut off");
		return 0;
	}
	read_data_place(file);
	read_features(file);
	err = read_attrs(file);
	return err ? err : perf_index_read(file);
}

static int read_file(struct perf_file *file)
{
	const char *reason = "this is no perf.data";
	int err;

	if (file->size >= PIPE_SIZE && !memcmp(file->bytes, "PERFILE2", 8)) {
		err = read_header(file);
		if (!err)
			err = perf_file_scan(file);
		if (!err)
			err = perf_evsel_finish(file);
		if (!err)
			perf_evsel_names(file);
		return err;
	}
	if (file->size >= 8 && !memcmp(file->bytes, "2ELIFREP", 8))
		reason = "written on a big-endian machine: such files are not read";
	else if (file->size >= 8 && !memcmp(file->bytes, "PERFFILE", 8))
		reason = "the format of perf before 2012, which is not read";
	else if (!file->size)
		reason = "the file is empty";
	perf_problem_add(&file->problems, PERF_DAMAGE, 0, "%s", reason);
	return 0;
}

/* What can be read only once goes into a file without a name: trace is larger than memory. */
static int spill(int fd)
{
	FILE *spill = tmpfile();
	char buf[65536];
	int copy = -EIO;
	ssize_t n;

	if (!spill)
		return -errno;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (fwrite(buf, 1, n, spill) != n)
			goto out;
	if (!n && !fflush(spill)) {
		copy = dup(fileno(spill));
		if (copy < 0)
			copy = -errno;
	}
out:
	fclose(spill);
	return copy;
}

static int map_file(struct perf_file *file)
{
	struct stat st;
	int copy;

	if (fstat(file->fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode)) {
		copy = spill(file->fd);
		if (copy < 0)
			return copy;
		close(file->fd);
		file->fd = copy;
		if (fstat(file->fd, &st))
			return -errno;
	}
	file->size = st.st_size;
	if (!file->size)
		return 0;
	file->n_map = file->size;
	if (file->n_map != file->size)
		return -EFBIG;
	file->map = mmap(NULL, file->n_map, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (file->map == MAP_FAILED) {
		file->map = NULL;
		return -errno;
	}
	file->bytes = file->map;
	return 0;
}

static void rebase(const struct perf_file *file, struct perf_section *section)
{
	section->bytes = file->bytes + section->offset;
}

/* Maps the file once more, where there is room for @n bytes of @spill behind it, at @at. */
static int map_both(struct perf_file *file, FILE *spill, uint64_t at, size_t n)
{
	const int fixed = MAP_PRIVATE | MAP_FIXED;
	uint8_t *map = mmap(NULL, at + n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			    -1, 0);

	if (map == MAP_FAILED)
		return -errno;
	if (mmap(map, file->size, PROT_READ, fixed, file->fd, 0) == MAP_FAILED ||
	    mmap(map + at, n, PROT_READ, fixed, fileno(spill), 0) == MAP_FAILED) {
		munmap(map, at + n);
		return -ENOMEM;
	}
	munmap(file->map, file->n_map);
	file->map = map;
	file->n_map = at + n;
	file->bytes = map;
	return 0;
}

static int copy_both(struct perf_file *file, FILE *spill, uint64_t at, size_t n)
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
	file->copy = copy;
	file->bytes = copy;
	return 0;
}

int perf_file_append(struct perf_file *file, FILE *spill, size_t n)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t at = (file->size + page - 1) / page * page;
	int err = file->map ? map_both(file, spill, at, n) : copy_both(file, spill, at, n);

	if (err)
		return err;
	file->unpacked = (struct perf_section){ .offset = at, .size = n };
	rebase(file, &file->unpacked);
	rebase(file, &file->data);
	rebase(file, &file->auxtrace_info);
	for (int i = 0; i < PERF_FEATURE_NR; i++)
		rebase(file, &file->feature[i]);
	return 0;
}

int perf_file_open(struct perf_file **answer, const char *path)
{
	struct perf_file *file = calloc(1, sizeof(*file));
	int err;

	*answer = NULL;
	if (!file)
		return -ENOMEM;
	file->fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	err = file->fd < 0 ? -errno : map_file(file);
	if (!err)
		err = read_file(file);
	if (err) {
		perf_file_close(file);
		return err;
	}
	*answer = file;
	return 0;
}

int perf_file_open_memory(struct perf_file **answer, const void *bytes, size_t n)
{
	struct perf_file *file = calloc(1, sizeof(*file));
	int err;

	*answer = NULL;
	if (!file)
		return -ENOMEM;
	file->fd = -1;
	file->bytes = bytes;
	file->size = n;
	err = read_file(file);
	if (err) {
		perf_file_close(file);
		return err;
	}
	*answer = file;
	return 0;
}

void perf_file_drop(const struct perf_file *file)
{
	if (file->map)
		madvise(file->map, file->n_map, MADV_DONTNEED);
}

void perf_file_close(struct perf_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->n_evsel; i++)
		free(file->evsel[i].id);
	free(file->evsel);
	free(file->slot);
	free(file->place);
	free(file->index);
	free(file->copy);
	if (file->map)
		munmap(file->map, file->n_map);
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}
