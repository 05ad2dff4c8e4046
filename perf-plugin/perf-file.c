// SPDX-License-Identifier: GPL-2.0-only
#include "perf-file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Two numbers in the header, one after the other: the offset of a section, and its size. */
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
		if (file->foreign) {
			perf_swap_attr(file, entry.offset, entry.size);
			perf_swap_words(file, entry.offset + entry.size, 16);
		}
		if (!section_at(file, &ids, entry.bytes + entry.size))
			perf_problem_add(&file->problems, PERF_DAMAGE, entry.offset + entry.size,
					 "ids of an event reach beyond the end of the file");
		if (file->foreign)
			perf_swap_words(file, ids.offset, ids.size);
		err = perf_evsel_add(file, &entry, &ids);
	}
	if (attrs.size % attr_size)
		perf_problem_add(&file->problems, PERF_DAMAGE,
				 attrs.offset + attrs.size / attr_size * attr_size,
				 "the attributes end early: %" PRIu64 " bytes are left over",
				 attrs.size % attr_size);
	return err;
}

static int read_data_range(struct perf_file *file)
{
	const uint8_t *entry = file->bytes + HEADER_DATA;
	struct perf_section data;
	uint64_t offset = get_le64(entry), size = get_le64(entry + 8);

	if (!size) {
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_DATA + 8,
				 "size of the data is 0: recording was not finished; reading to the end of the file");
		size = offset < file->size ? file->size - offset : 0;
	}
	if (!perf_section_set(file, &data, offset, size))
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_DATA,
				 "the data should have %" PRIu64 " bytes from %#" PRIx64
				 ", the file ends at %#" PRIx64, size, offset, file->size);
	return perf_store_region(file, data.offset, data.size);
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
		if (file->foreign)
			perf_swap_words(file, at, 16);
		if (!section_at(file, &file->feature[bit], entry.bytes))
			perf_problem_add(&file->problems, PERF_DAMAGE, at,
					 "feature %d reaches beyond the end of the file", bit);
		if (file->foreign)
			perf_swap_feature(file, bit);
		at += 16;
	}
}

/* simpleperf: records of the beginning, which are outside the data section.  Return: 0, -ENOMEM. */
static int read_init_map(struct perf_file *file)
{
	const struct perf_section *map = &file->feature[PERF_FEATURE_INIT_MAP];
	const struct perf_section *data = &file->region[0];

	if (!map->size)
		return 0;
	if (map->offset <= data->offset + data->size) {
		perf_problem_add(&file->problems, PERF_DAMAGE, map->offset,
				 "INIT_MAP overlaps the data, and is not read");
		return 0;
	}
	file->init_map = file->n_region;
	return perf_store_region(file, map->offset, map->size);
}

static int read_pipe(struct perf_file *file)
{
	file->pipe = true;
	return perf_store_region(file, PIPE_SIZE, file->size - PIPE_SIZE);
}

static int read_header(struct perf_file *file)
{
	uint64_t size = get_le64(file->bytes + HEADER_OWN_SIZE);
	int err;

	if (size == PIPE_SIZE)
		return read_pipe(file);
	if (size != HEADER_SIZE)
		perf_problem_add(&file->problems, PERF_DAMAGE, HEADER_OWN_SIZE,
				 "the header should have %d bytes, not %" PRIu64, HEADER_SIZE,
				 size);
	if (file->size < HEADER_SIZE) {
		perf_problem_add(&file->problems, PERF_DAMAGE, file->size, "the header is cut off");
		return perf_store_region(file, file->size, 0);
	}
	err = read_data_range(file);
	if (err)
		return err;
	read_features(file);
	err = read_init_map(file);
	if (!err)
		err = perf_store_parts(file);
	if (!err)
		err = read_attrs(file);
	return err ? err : perf_index_read(file);
}

static int read_records(struct perf_file *file)
{
	int err = read_header(file);

	if (!err)
		err = perf_file_scan(file);
	if (!err)
		err = perf_evsel_finish(file);
	if (err)
		return err;
	if (file->foreign)
		perf_swap_kernel(file);
	perf_evsel_names(file);
	perf_features_check(file);
	return 0;
}

/* The file has the other byte order: from now on, a converted copy is read. */
static int turn(struct perf_file *file)
{
	int err = perf_store_writable(file);

	if (err)
		return err;
	file->foreign = true;
	file->foreign_from = 0;
	perf_swap_header(file);
	return 0;
}

static int read_file(struct perf_file *file)
{
	const char *reason = "this is not a perf.data";
	int err = 0;

	file->foreign_from = UINT64_MAX;
	file->usable = file->size >= PIPE_SIZE && (!memcmp(file->bytes, "PERFILE2", 8) ||
						   !memcmp(file->bytes, "2ELIFREP", 8));
	if (file->usable) {
		if (*file->bytes == '2')
			err = turn(file);
		return err ? err : read_records(file);
	}
	if (file->size >= 8 && (!memcmp(file->bytes, "PERFFILE", 8) ||
				!memcmp(file->bytes, "ELIFFREP", 8)))
		reason = "the format of perf before 2012, which is not read";
	else if (!file->size)
		reason = "the file is empty";
	perf_problem_add(&file->problems, PERF_DAMAGE, 0, "%s", reason);
	return perf_store_region(file, file->size, 0);
}

int perf_file_open(struct perf_file **answer, const char *path)
{
	struct perf_file *file = calloc(1, sizeof(*file));
	int err;

	*answer = NULL;
	if (!file)
		return -ENOMEM;
	err = perf_store_open(file, path);
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

void perf_file_close(struct perf_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->n_evsel; i++)
		free(file->evsel[i].id);
	free(file->evsel);
	free(file->slot);
	free(file->auxtrace);
	free(file->index);
	perf_keep_fini(&file->keep);
	perf_store_close(file);
	free(file);
}
