// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as a perf.data: all that the reader finds must lie inside them, and be bounded. */
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/perf-cs.h"
#include "../../perf-plugin/perf-tasks.h"
#include "../../perf-plugin/perf-switch.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Receives sums, so that they are computed. */
unsigned int fuzz_perf_seen;

/* Reads every byte, so that a sanitizer sees it. */
static unsigned int touch(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	unsigned int sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i];
	return sum;
}

static unsigned int unpack(const struct perf_file *file, const struct perf_record *record)
{
	struct perf_text_poke poke;
	struct perf_ksymbol ksymbol;
	struct perf_sample_id id;
	struct perf_mmap map;
	struct perf_task task;
	unsigned int sum = 0;
	uint64_t v;

	perf_record_id(file, record, &id);
	if (perf_record_mmap(record, &map))
		sum += touch(map.name, strlen(map.name)) + touch(map.build_id, map.n_build_id);
	if (perf_record_task(record, &task))
		sum += touch(task.comm, strlen(task.comm));
	if (perf_record_ksymbol(record, &ksymbol))
		sum += touch(ksymbol.name, strlen(ksymbol.name));
	if (perf_record_text_poke(record, &poke))
		sum += touch(poke.old_bytes, poke.old_len) + touch(poke.new_bytes, poke.new_len);
	if (perf_record_lost(record, &v))
		sum += v;
	return sum + touch(record->bytes, record->size);
}

static bool lies_in_region(const struct perf_file *file, const struct perf_fragment *fragment)
{
	for (size_t i = 0; i < file->n_region; i++) {
		const struct perf_section *region = &file->region[i];

		if (fragment->offset >= region->offset && fragment->size <= region->size &&
		    fragment->offset - region->offset <= region->size - fragment->size)
			return true;
	}
	return false;
}

static void check_trace(struct perf_file *file, const struct perf_cs *cs)
{
	struct perf_cs_id id[CSF_ID_MAX];
	struct perf_aux *aux;
	uint64_t total = 0, size = 0;

	for (size_t i = 0; i < file->n_region; i++)
		size += file->region[i].size;
	if (perf_aux_new(&aux, file))
		return;
	for (size_t i = 0; i < aux->n_fragment; i++) {
		const struct perf_fragment *fragment = &aux->fragment[i];

		check(fragment->size);
		check(lies_in_region(file, fragment));
		check(fragment->queue < aux->n_queue);
		total += fragment->size;
		if (cs && i < 16)
			check(perf_cs_ids(cs, fragment, id) <= CSF_ID_MAX);
	}
	check(total <= size);	/* no byte is decoded twice */
	perf_aux_free(aux);
}

/* Threads: each answer is valid up to the time that it names. */
static void check_switches(struct perf_file *file)
{
	struct perf_switches switches;
	uint64_t time = 0, until;

	if (perf_switches_init(&switches, file))
		return;
	for (int i = 0; i < 64 && time != UINT64_MAX; i++) {
		uint32_t tid = perf_switches_at(&switches, 3, time, &until);

		check(until > time);
		check(perf_switches_only(&switches, 3, time, until - 1) == tid);
		time = until;
	}
	perf_switches_fini(&switches);
}

/* Names in the file lead nowhere. */
static unsigned int check_tasks(struct perf_file *file)
{
	const struct dso_options options = { .symfs = "/nowhere", .debug_dir = "/nowhere",
					     .release = perf_file_string(file,
									 PERF_FEATURE_OSRELEASE) };
	struct csf_image *image;
	struct perf_tasks *tasks = NULL;
	struct code_place place;
	struct elf_symbol symbol;
	struct perf_who who;
	unsigned int sum = 0;
	uint8_t code[64];

	if (csf_image_new(&image))
		return 0;
	if (!perf_tasks_new(&tasks, image, &options) && !perf_tasks_open(tasks, file)) {
		for (uint64_t time = 1000; time < 3000; time += 500)
			check(!perf_tasks_who(tasks, 42, time, &who) && who.until > time);
		for (uint64_t addr = 0x400000; addr; addr = addr == 0x400000 ?
		     0xffff800010000040 : 0) {
			sum += touch(code, csf_image_read(image, who.space, addr, 2000, code,
							  sizeof(code)));
			if (perf_code_find(&tasks->code, who.space, 2000, addr, &place) &&
			    perf_code_symbol(&tasks->code, &place, &symbol))
				sum += strlen(symbol.name);
		}
	}
	perf_tasks_free(tasks);
	csf_image_free(image);
	return sum;
}

static void check_file(struct perf_file *file)
{
	struct perf_timeline timeline;
	struct perf_build_id build_id;
	struct perf_cs *cs = NULL;
	struct perf_record record;
	struct csf_config config;
	struct perf_records it;
	uint64_t pos = 0, n = 0;
	unsigned int sum = 0;

	perf_records_start(&it, file);
	while (perf_records_next(&it, &record)) {
		sum += unpack(file, &record);
		n++;
	}
	check(n == file->n_record);
	while (perf_file_build_id(file, &pos, &build_id))
		sum += touch(build_id.id, build_id.size) + strlen(build_id.name);
	if (!perf_timeline_init(&timeline, file, PERF_KINDS_SIDEBAND)) {
		for (size_t i = 0; i < timeline.n; i++)
			check(perf_record_at(file, timeline.moment[i].offset, &record));
		perf_timeline_fini(&timeline);
	}
	if (!perf_cs_open(&cs, file, NULL))
		for (size_t i = 0; i < cs->n_cpu; i++)
			perf_cs_config(cs, cs->cpu[i].cpu, &config);
	check_trace(file, cs);
	perf_cs_free(cs);
	check_switches(file);
	sum += check_tasks(file);
	fuzz_perf_seen = sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct perf_file *file;

	if (!perf_file_open_memory(&file, bytes, n)) {
		check_file(file);
		perf_file_close(file);
	}
	return 0;
}
