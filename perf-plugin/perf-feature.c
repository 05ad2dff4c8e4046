// SPDX-License-Identifier: GPL-2.0-only
/* Features of a recording: descriptions of the machine, and tables. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "perf-abi.h"
#include "perf-walk.h"

#define INDEX_ENTRY_SIZE	16

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct perf_section perf_file_feature(const struct perf_file *file, enum perf_feature feature)
{
	return file->feature[feature];
}

bool perf_file_has_list(const struct perf_file *file)
{
	return file->feature[PERF_FEATURE_ETM_BRANCH_LIST].size && !file->n_auxtrace;
}

/* u32 size, then that many bytes including a 0.  *@at moves after it. */
static const char *read_string(const struct perf_section *section, uint64_t *at)
{
	const char *text;
	uint64_t size;

	if (*at > section->size || section->size - *at < 4)
		return NULL;
	size = get_le32(section->bytes + *at);
	text = (const char *)section->bytes + *at + 4;
	if (!size || size > section->size - *at - 4 || !memchr(text, 0, size))
		return NULL;
	*at += 4 + size;
	return text;
}

const char *perf_file_string(const struct perf_file *file, enum perf_feature feature)
{
	uint64_t at = 0;

	return read_string(&file->feature[feature], &at);
}

bool perf_file_is_emulated(const struct perf_file *file)
{
	const char *cpu = perf_file_string(file, PERF_FEATURE_CPUDESC);

	return cpu && !strcmp(cpu, PERF_EMULATOR);
}

bool perf_file_is_simpleperf(const struct perf_file *file)
{
	return file->feature[PERF_FEATURE_META_INFO].size;
}

bool perf_file_cpus(const struct perf_file *file, uint32_t *online, uint32_t *available)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_NRCPUS];

	if (section->size < 8)
		return false;
	*available = get_le32(section->bytes);
	*online = get_le32(section->bytes + 4);
	return true;
}

/*
 * An entry is a record: header, pid, build-id in 24 bytes, name.  Old files have 20 bytes and no
 * size.
 */
static bool read_build_id(const uint8_t *p, uint16_t size, struct perf_build_id *entry)
{
	const size_t fixed = sizeof(struct perf_record_header_build_id);
	uint16_t misc = PERF_FIELD(p, perf_event_header, misc);

	if (size <= fixed || !memchr(p + fixed, 0, size - fixed))
		return false;
	entry->pid = PERF_FIELD(p, perf_record_header_build_id, pid);
	entry->id = p + offsetof(struct perf_record_header_build_id, build_id);
	entry->size = 20;
	if (misc & PERF_RECORD_MISC_BUILD_ID_SIZE)
		entry->size = PERF_FIELD(p, perf_record_header_build_id, size);
	if (entry->size > 20)
		entry->size = 20;
	entry->kernel = (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	entry->name = (const char *)p + fixed;
	return true;
}

/* A recording from a pipe has the features among its records: @pos is an offset in the file. */
static bool next_build_id_record(const struct perf_file *file, uint64_t *pos,
				 struct perf_build_id *entry)
{
	struct perf_record record;
	struct perf_records it;

	perf_records_start(&it, file);
	if (*pos)
		it.pos = *pos;
	while (perf_records_next(&it, &record)) {
		*pos = it.pos;
		if (record.type == PERF_RECORD_HEADER_BUILD_ID &&
		    read_build_id(record.bytes, record.size, entry))
			return true;
	}
	return false;
}

uint64_t perf_build_id_gap(const uint8_t *p, uint64_t n)
{
	uint64_t gap = 0;

	while (n - gap >= sizeof(struct perf_event_header) && !get_le64(p + gap))
		gap += 4;
	if (n - gap < sizeof(struct perf_event_header) && !perf_le(p + gap, n - gap))
		gap = n;
	return gap;
}

bool perf_file_build_id(const struct perf_file *file, uint64_t *pos, struct perf_build_id *entry)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_BUILD_ID];
	const uint8_t *p;
	uint64_t left;
	uint16_t size;

	if (file->pipe && !section->size)
		return next_build_id_record(file, pos, entry);
	while (*pos < section->size) {
		*pos += perf_build_id_gap(section->bytes + *pos, section->size - *pos);
		p = section->bytes + *pos;
		left = section->size - *pos;
		if (left < sizeof(struct perf_event_header))
			return false;
		size = PERF_FIELD(p, perf_event_header, size);
		if (size < sizeof(struct perf_event_header) || size > left)
			return false;
		*pos += size;
		if (read_build_id(p, size, entry))
			return true;
	}
	return false;
}

static void check_build_ids(struct perf_file *file)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_BUILD_ID];
	struct perf_build_id entry;
	uint64_t at = 0, gap = 0, skip;
	uint16_t size;

	for (; at < section->size; at += size) {
		skip = perf_build_id_gap(section->bytes + at, section->size - at);
		gap += skip;
		at += skip;
		if (section->size - at < sizeof(struct perf_event_header))
			break;
		size = PERF_FIELD(section->bytes + at, perf_event_header, size);
		if (size < sizeof(struct perf_event_header) || size > section->size - at)
			break;
		if (!read_build_id(section->bytes + at, size, &entry))
			perf_problem_add(&file->problems, PERF_DAMAGE, section->offset + at,
					 "an entry of the build-id table cannot be read");
	}
	if (gap)
		perf_problem_add(&file->problems, PERF_NOTE, section->offset,
				 "the build-id table has %" PRIu64
				 " zero bytes between its entries, as perf 6.12.0 writes them",
				 gap);
	if (at < section->size)
		perf_problem_add(&file->problems, PERF_DAMAGE, section->offset + at,
				 "the build-id table is not read from here on: %" PRIu64 " bytes",
				 section->size - at);
}

static void set_name(struct perf_evsel *evsel, const char *name, size_t n)
{
	if (!evsel->name[0])
		snprintf(evsel->name, sizeof(evsel->name), "%.*s", (int)n, name);
}

/* Return: number of events that were named. */
static size_t read_event_desc(struct perf_file *file, uint32_t says)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_EVENT_DESC];
	const uint32_t attr_size = get_le32(section->bytes + 4);
	uint64_t at = 8, n_id;
	const char *name;
	size_t i;

	for (i = 0; i < file->n_evsel && i < says; i++) {
		at += attr_size;
		if (at > section->size || section->size - at < 4)
			return i;
		n_id = get_le32(section->bytes + at);
		at += 4;
		name = read_string(section, &at);
		if (!name)
			return i;
		set_name(&file->evsel[i], name, strlen(name));
		at += 8 * n_id;
	}
	return i;
}

/* u32 events, u32 size of an attribute; for each: attribute, u32 ids, name, ids */
static void names_of_perf(struct perf_file *file)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_EVENT_DESC];
	uint32_t says;
	size_t named;

	if (!section->size)
		return;
	says = section->size < 8 ? 0 : get_le32(section->bytes);
	named = says ? read_event_desc(file, says) : 0;
	if (!says || (named < says && named < file->n_evsel))
		perf_problem_add(&file->problems, PERF_DAMAGE, section->offset,
				 "the names of events end early: it has %zu of %zu", named,
				 file->n_evsel);
}

/* simpleperf does not know the configuration that it sets for an event of a PMU. */
static bool is_event(const struct perf_event_attr *attr, unsigned int type, uint64_t config)
{
	return attr->type == type && (attr->config == config || type >= PERF_TYPE_MAX);
}

/* Lines "name,type,config" */
static void names_by_type(struct perf_file *file, const char *line, const char *end)
{
	while (line < end) {
		const char *stop = memchr(line, '\n', end - line);
		const char *comma = memchr(line, ',', end - line);
		unsigned int type;
		uint64_t config;

		if (!stop)
			stop = end;
		if (comma && comma < stop && sscanf(comma, ",%u,%" SCNu64, &type, &config) == 2)
			for (size_t i = 0; i < file->n_evsel; i++)
				if (is_event(&file->evsel[i].attr, type, config))
					set_name(&file->evsel[i], line, comma - line);
		line = stop + 1;
	}
}

/* Pairs of strings, each terminated by 0 */
static void names_of_simpleperf(struct perf_file *file)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_META_INFO];
	const char *key = (const char *)section->bytes, *end, *value, *next;

	if (!section->size)
		return;
	for (end = key + section->size; key < end; key = next) {
		value = memchr(key, 0, end - key);
		next = value && value + 1 < end ? memchr(value + 1, 0, end - value - 1) : NULL;
		if (!next) {
			perf_problem_add(&file->problems, PERF_DAMAGE,
					 section->offset + (section->size - (end - key)),
					 "simpleperf's meta information ends early");
			return;
		}
		value++;
		if (!strcmp(key, "event_type_info"))
			names_by_type(file, value, next);
		next++;
	}
}

void perf_evsel_names(struct perf_file *file)
{
	names_of_perf(file);
	names_of_simpleperf(file);
}

static void check_strings(struct perf_file *file)
{
	static const struct {
		enum perf_feature feature;
		const char *name;
	} strings[] = {
		{ PERF_FEATURE_HOSTNAME,	"host name" },
		{ PERF_FEATURE_OSRELEASE,	"release of the kernel" },
		{ PERF_FEATURE_VERSION,		"version of perf" },
		{ PERF_FEATURE_ARCH,		"architecture" },
		{ PERF_FEATURE_CPUDESC,		"description of the CPU" },
		{ PERF_FEATURE_CPUID,		"name of the CPU" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		const struct perf_section *section = &file->feature[strings[i].feature];

		if (section->size && !perf_file_string(file, strings[i].feature))
			perf_problem_add(&file->problems, PERF_DAMAGE, section->offset,
					 "the %s ends early", strings[i].name);
	}
}

void perf_features_check(struct perf_file *file)
{
	const struct perf_section *cpus = &file->feature[PERF_FEATURE_NRCPUS];
	const struct perf_section *index = &file->feature[PERF_FEATURE_AUXTRACE];

	check_build_ids(file);
	check_strings(file);
	if (cpus->size && cpus->size < 8)
		perf_problem_add(&file->problems, PERF_DAMAGE, cpus->offset,
				 "the number of CPUs has %" PRIu64 " bytes, not 8", cpus->size);
	if (index->size && index->size < 8)
		perf_problem_add(&file->problems, PERF_DAMAGE, index->offset,
				 "the auxtrace index has %" PRIu64 " bytes, not even a count",
				 index->size);
}

static int compare_offset(const void *a, const void *b)
{
	const struct perf_auxtrace_at *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Linux puts a count before the entries, simpleperf does not. */
static uint64_t index_start(struct perf_file *file, const struct perf_section *section)
{
	uint64_t room = (section->size - 8) / INDEX_ENTRY_SIZE, n = get_le64(section->bytes);

	if (section->size == 8 + room * INDEX_ENTRY_SIZE && n == room)
		return 8;
	if (!(section->size % INDEX_ENTRY_SIZE) && perf_record_plausible(file, n)) {
		perf_problem_add(&file->problems, PERF_NOTE, section->offset,
				 "the auxtrace index has no count, as simpleperf writes it");
		return 0;
	}
	perf_problem_add(&file->problems, PERF_DAMAGE, section->offset,
			 "the auxtrace index says %" PRIu64 " entries and has room for %" PRIu64,
			 n, room);
	return 8;
}

int perf_index_read(struct perf_file *file)
{
	const struct perf_section *section = &file->feature[PERF_FEATURE_AUXTRACE];
	struct perf_auxtrace_at auxtrace = { 0 };
	uint64_t at;

	if (section->size < 8)
		return 0;
	file->index = malloc((section->size / INDEX_ENTRY_SIZE + 1) * sizeof(*file->index));
	if (!file->index)
		return -ENOMEM;
	at = index_start(file, section);
	for (; section->size - at >= INDEX_ENTRY_SIZE; at += INDEX_ENTRY_SIZE) {
		auxtrace.offset = get_le64(section->bytes + at);
		if (perf_record_plausible(file, auxtrace.offset) &&
		    perf_file_number(file, auxtrace.offset, 4) == PERF_RECORD_AUXTRACE)
			file->index[file->n_index++] = auxtrace;
		else
			perf_problem_add(&file->problems, PERF_DAMAGE, section->offset + at,
					 "the auxtrace index points at %#" PRIx64
					 ", where no such record is", auxtrace.offset);
	}
	qsort(file->index, file->n_index, sizeof(*file->index), compare_offset);
	return 0;
}
