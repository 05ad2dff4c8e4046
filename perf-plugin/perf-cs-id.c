// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU of a trace ID.
 *
 * Old: an ID for each CPU in the metadata.  New: PERF_RECORD_AUX_OUTPUT_HW_ID assigns it for the
 * whole machine (version 0.0), or for a sink (0.1): then one ID may belong to different CPUs in
 * different sinks, and all rings whose CPUs write into one sink share its IDs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../decoder/bytes.h"
#include "../kernel-glue/include/uapi/csf_abi.h"
#include "array.h"
#include "perf-cs.h"

/* The sink that a CPU writes into. */
struct perf_cs_sink {
	uint32_t cpu;
	uint32_t sink;
};

static int compare_ids(const void *a, const void *b)
{
	const struct perf_cs_id *x = a, *y = b;

	if (x->sink != y->sink)
		return x->sink < y->sink ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int set_sink(struct perf_cs *cs, uint32_t cpu, uint32_t sink)
{
	for (size_t i = 0; i < cs->n_sink; i++)
		if (cs->sink[i].cpu == cpu && cs->sink[i].sink == sink)
			return 0;
	if (!array_next(&cs->sink, cs->n_sink, sizeof(*cs->sink)))
		return -ENOMEM;
	cs->sink[cs->n_sink++] = (struct perf_cs_sink){ .cpu = cpu, .sink = sink };
	return 0;
}

/* They are not sorted while records come in: there are at most 128 for each sink. */
static int add_id(struct perf_cs *cs, const struct perf_cs_id *add)
{
	for (size_t i = 0; i < cs->n_id; i++) {
		const struct perf_cs_id *id = &cs->id[i];

		if (id->id == add->id && id->sink == add->sink)
			return id->cpu == add->cpu ? 0 : -EEXIST;
	}
	if (!array_next(&cs->id, cs->n_id, sizeof(*cs->id)))
		return -ENOMEM;
	cs->id[cs->n_id++] = *add;
	return 0;
}

int perf_cs_hw_id(struct perf_cs *cs, uint64_t hw_id, uint32_t cpu)
{
	struct perf_cs_id id = {
		.cpu = cpu, .sink = PERF_CS_NO_SINK,
		.id = CSF_ABI_HW_ID_TRACE(hw_id) & CSF_ABI_ID_MASK,
	};

	if (CSF_ABI_HW_ID_GET_MAJOR(hw_id) != CSF_ABI_HW_ID_MAJOR || cpu == PERF_NO_CPU)
		return -EINVAL;
	if (cs->n_sink + cs->n_id > 8 * CSF_ID_MAX + 4 * cs->n_cpu)	/* more than possible */
		return -EINVAL;
	/* minor versions above the known one only add fields */
	if (CSF_ABI_HW_ID_GET_MINOR(hw_id) >= 1) {
		id.sink = CSF_ABI_HW_ID_SINK(hw_id);
		if (set_sink(cs, cpu, id.sink))
			return -ENOMEM;
	}
	cs->has_hw_id = true;
	return add_id(cs, &id);
}

/* Without HW_ID records the IDs of the metadata are valid; raw trace does not need them. */
static int ids_of_metadata(struct perf_cs *cs)
{
	uint8_t seen[CSF_ID_MAX] = { 0 };

	for (size_t i = 0; i < cs->n_cpu; i++) {
		struct perf_cs_id id = { .cpu = cs->cpu[i].cpu, .sink = PERF_CS_NO_SINK,
					 .id = cs->cpu[i].id };

		if (!CSF_ABI_ID_VALID(id.id))
			continue;
		if (seen[id.id]) {
			cs->conflicts++;
			continue;
		}
		seen[id.id] = 1;
		if (add_id(cs, &id))
			return -ENOMEM;
	}
	return 0;
}

int perf_cs_ready(struct perf_cs *cs)
{
	int err = cs->has_hw_id ? 0 : ids_of_metadata(cs);

	if (!err && cs->n_id)
		qsort(cs->id, cs->n_id, sizeof(*cs->id), compare_ids);
	return err;
}

static void add_hw_id(struct perf_cs *cs, struct perf_file *file, const struct perf_record *record,
		      int *err)
{
	struct perf_sample_id who;
	uint64_t hw_id;
	int bad;

	if (!perf_record_hw_id(record, &hw_id))
		return;
	perf_record_id(file, record, &who);
	bad = perf_cs_hw_id(cs, hw_id, who.cpu);
	if (bad == -ENOMEM)
		*err = bad;
	else if (bad == -EEXIST)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "HW_ID: trace ID %#x belongs to another CPU, not to %u",
				 CSF_ABI_HW_ID_TRACE(hw_id), who.cpu);
	else if (bad && who.cpu == PERF_NO_CPU)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "HW_ID record without a CPU");
	else if (bad && CSF_ABI_HW_ID_GET_MAJOR(hw_id) != CSF_ABI_HW_ID_MAJOR)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "HW_ID of version %u.%u, known is %d: written by a newer kernel",
				 CSF_ABI_HW_ID_GET_MAJOR(hw_id), CSF_ABI_HW_ID_GET_MINOR(hw_id),
				 CSF_ABI_HW_ID_MAJOR);
	else if (bad)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "HW_ID: more trace IDs than the CPUs can have");
}

static int read_hw_ids(struct perf_cs *cs, struct perf_file *file)
{
	struct perf_record record;
	struct perf_records it;
	int err = 0;

	perf_records_start(&it, file);
	while (!err && file->n_hw_id && perf_records_next(&it, &record))
		add_hw_id(cs, file, &record, &err);
	if (!err)
		err = perf_cs_ready(cs);
	if (cs->conflicts)
		perf_problem_add(&file->problems, PERF_NOTE, file->auxtrace_info.offset,
				 "AUXTRACE_INFO: %" PRIu64 " CPUs have the trace ID of another one",
				 cs->conflicts);
	/* requests without TRCCONFIGR: old metadata versions of perf 7.1, and attr.config */
	if (file->aux_evsel)
		cs->timestamps |= !!(file->aux_evsel->attr.config &
				     (1ull << CSF_ABI_OPT_TIMESTAMP | CSF_ABI_OPT_TS_LEVEL_MASK));
	return err;
}

/* Reports raw fragments whose CPU is not known. */
static void check_raw(const struct perf_cs *cs, const struct perf_aux *aux,
		      struct perf_problems *problems)
{
	uint64_t bytes = 0;

	for (size_t i = 0; cs->n_cpu > 1 && i < aux->n_fragment; i++) {
		const struct perf_fragment *f = &aux->fragment[i];

		if (f->flags & PERF_FRAGMENT_RAW && f->cpu == PERF_NO_CPU)
			bytes += f->size;
	}
	if (bytes && cs->alike)
		perf_problem_add(problems, PERF_WARNING, PERF_PROBLEM_NOWHERE,
				 "perf did not record which CPU %" PRIu64 " bytes of raw trace came from: shown as CPU %u, because all trace units are alike",
				 bytes, cs->cpu[0].cpu);
	else if (bytes)
		perf_problem_add(problems, PERF_DAMAGE, PERF_PROBLEM_NOWHERE,
				 "perf did not record which CPU %" PRIu64 " bytes of raw trace came from, and the trace units differ: record without --per-thread, or with a newer perf, such as that of Linux 6.12",
				 bytes);
}

int perf_cs_open(struct perf_cs **cs, struct perf_file *file, const struct perf_aux *aux)
{
	int err;

	*cs = NULL;
	if (!file->auxtrace_info.size) {
		if (file->usable)	/* otherwise this was reported before */
			perf_problem_add(&file->problems, PERF_DAMAGE, PERF_PROBLEM_NOWHERE,
					 "no AUXTRACE_INFO record: how the trace units were "
					 "programmed is unknown");
		return -ENODATA;
	}
	err = perf_cs_new(cs, &file->auxtrace_info, &file->problems);
	if (err)
		return err;
	err = read_hw_ids(*cs, file);
	if (err) {
		perf_cs_free(*cs);
		*cs = NULL;
	} else if (aux) {
		check_raw(*cs, aux, &file->problems);
	}
	return err;
}

static uint32_t sink_of(const struct perf_cs *cs, uint32_t cpu)
{
	for (size_t i = 0; i < cs->n_sink; i++)
		if (cs->sink[i].cpu == cpu)
			return cs->sink[i].sink;
	return PERF_CS_NO_SINK;
}

/* The IDs of one sink are adjacent. */
static const struct perf_cs_id *find_id(const struct perf_cs *cs, uint32_t sink, uint8_t id)
{
	struct perf_cs_id key = { .sink = sink, .id = id };

	return cs->n_id ? bsearch(&key, cs->id, cs->n_id, sizeof(key), compare_ids) : NULL;
}

/*
 * First the sink of the fragment's CPU; then IDs that are valid everywhere; and if the CPU is not
 * known, or has no sink, the only sink there is.
 */
static const struct perf_cs_id *id_in(const struct perf_cs *cs, uint32_t sink, uint8_t id)
{
	const struct perf_cs_id *found = NULL;

	if (sink != PERF_CS_NO_SINK)
		found = find_id(cs, sink, id);
	if (!found)
		found = find_id(cs, PERF_CS_NO_SINK, id);
	if (!found && sink == PERF_CS_NO_SINK && cs->n_id &&
	    cs->id[0].sink == cs->id[cs->n_id - 1].sink)
		found = find_id(cs, cs->id[0].sink, id);
	return found;
}

size_t perf_cs_ids(const struct perf_cs *cs, const struct perf_fragment *fragment,
		   struct perf_cs_id *id)
{
	uint32_t sink = sink_of(cs, fragment->cpu);
	const struct perf_cs_id *found;
	size_t n = 0;

	for (int i = 0; i < CSF_ID_MAX; i++) {
		found = id_in(cs, sink, i);
		if (found)
			id[n++] = *found;
	}
	return n;
}

uint32_t perf_cs_cpu_of_id(const struct perf_cs *cs, const struct perf_fragment *fragment,
			   uint8_t id)
{
	const struct perf_cs_id *found = id_in(cs, sink_of(cs, fragment->cpu), id);

	return found ? found->cpu : PERF_NO_CPU;
}

uint32_t perf_cs_cpu_of_raw(const struct perf_cs *cs, const struct perf_fragment *fragment)
{
	if (fragment->cpu != PERF_NO_CPU)
		return fragment->cpu;
	return cs->alike ? cs->cpu[0].cpu : PERF_NO_CPU;
}
