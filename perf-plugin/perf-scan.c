// SPDX-License-Identifier: GPL-2.0-only
/* The first walk over all records: collects what must be known before any other. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "array.h"
#include "perf-abi.h"
#include "perf-walk.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int add_auxtrace(struct perf_file *file, const struct perf_record *record, bool cut)
{
	size_t n = file->n_auxtrace;

	if (!array_next(&file->auxtrace, n, sizeof(*file->auxtrace)))
		return -ENOMEM;
	file->auxtrace[n] = (struct perf_auxtrace_at){
		.offset = record->offset, .size = record->trace.size, .cut = cut,
		.packed = perf_zstd_is_trace(file, &record->trace),
	};
	file->n_packed += file->auxtrace[n].packed;
	file->n_auxtrace++;
	return 0;
}

/* @size bytes at @at of a record. */
static struct perf_section part_of(const struct perf_record *record, size_t at, size_t size)
{
	return (struct perf_section){ .bytes = record->bytes + at, .offset = record->offset + at,
				      .size = size };
}

static void add_info(struct perf_file *file, const struct perf_record *record)
{
	if (file->auxtrace_info.size)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "a second AUXTRACE_INFO record, not used");
	else
		file->auxtrace_info = part_of(record, 0, record->size);
}

static void add_time_conv(struct perf_file *file, const struct perf_record *record)
{
	const size_t old_size = offsetof(struct perf_record_time_conv, time_cycles);
	const uint8_t *p = record->bytes;
	struct perf_time_conv *conv = &file->time_conv;

	if (record->size < old_size) {
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "a TIME_CONV record of %u bytes", record->size);
		return;
	}
	conv->shift = PERF_FIELD(p, perf_record_time_conv, time_shift);
	conv->mult = PERF_FIELD(p, perf_record_time_conv, time_mult);
	conv->zero = PERF_FIELD(p, perf_record_time_conv, time_zero);
	if (record->size < sizeof(struct perf_record_time_conv))
		return;
	conv->cycles = PERF_FIELD(p, perf_record_time_conv, time_cycles);
	conv->mask = PERF_FIELD(p, perf_record_time_conv, time_mask);
	conv->is_short = PERF_FIELD(p, perf_record_time_conv, cap_user_time_short);
}

/* Pipes: an attribute, then its ids up to the end of the record */
static int add_attr(struct perf_file *file, const struct perf_record *record)
{
	const size_t at = offsetof(struct perf_record_header_attr, attr);
	struct perf_section attr, ids;
	uint32_t size;

	if (!file->pipe)
		return 0;
	if (record->size < at + PERF_ATTR_SIZE_VER0) {
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "a HEADER_ATTR record of %u bytes", record->size);
		return 0;
	}
	size = PERF_FIELD(record->bytes + at, perf_event_attr, size);
	if (size > record->size - at)
		size = record->size - at;
	attr = part_of(record, at, size);
	ids = part_of(record, at + size, record->size - at - size);
	return perf_evsel_add(file, &attr, &ids);
}

static void add_feature(struct perf_file *file, const struct perf_record *record)
{
	const size_t fixed = sizeof(struct perf_record_header_feature);
	uint64_t feature;

	if (record->size < fixed)
		return;
	feature = PERF_FIELD(record->bytes, perf_record_header_feature, feat_id);
	if (file->pipe && feature < PERF_FEATURE_NR)
		file->feature[feature] = part_of(record, fixed, record->size - fixed);
}

/* Records that are read later: their required size, and whether a name follows. */
static const struct shape {
	const char *what;
	uint16_t least;
	bool named;
} shapes[] = {
#define SHAPE(type, of) \
	[PERF_RECORD_##type] = { #type, sizeof(struct of), false }
#define NAMED(type, of, name) \
	[PERF_RECORD_##type] = { #type, offsetof(struct of, name), true }
	NAMED(MMAP, perf_record_mmap, filename),
	NAMED(MMAP2, perf_record_mmap2, filename),
	NAMED(COMM, perf_record_comm, comm),
	SHAPE(LOST, perf_record_lost),
	SHAPE(EXIT, perf_record_fork),
	SHAPE(FORK, perf_record_fork),
	SHAPE(AUX, perf_record_aux),
	SHAPE(ITRACE_START, perf_record_itrace_start),
	SHAPE(SWITCH_CPU_WIDE, perf_record_switch),
	SHAPE(AUX_OUTPUT_HW_ID, perf_record_aux_output_hw_id),
	NAMED(KSYMBOL, perf_record_ksymbol, name),
	[PERF_RECORD_TEXT_POKE] = {
		"TEXT_POKE", offsetof(struct perf_record_text_poke_event, bytes), false
	},
	NAMED(HEADER_BUILD_ID, perf_record_header_build_id, filename),
	SHAPE(HEADER_FEATURE, perf_record_header_feature),
#undef SHAPE
#undef NAMED
};

/* Records that are too short are not read later, so they are reported here. */
static void check_record(struct perf_file *file, const struct perf_record *record)
{
	const struct shape *shape;

	if (record->type >= ARRAY_SIZE(shapes))
		return;
	shape = &shapes[record->type];
	if (record->size < shape->least)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "%s record of %u bytes: too short, not read", shape->what,
				 record->size);
	else if (shape->named && !memchr(record->bytes + shape->least, 0,
					 record->size - shape->least))
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "%s record: its name does not end in it", shape->what);
}

static int see_record(struct perf_file *file, const struct perf_record *record, bool cut)
{
	check_record(file, record);
	switch (record->type) {
	case PERF_RECORD_AUX:
		file->n_aux++;
		break;
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
		file->n_hw_id++;
		break;
	case PERF_RECORD_HEADER_ATTR:
		return add_attr(file, record);
	case PERF_RECORD_HEADER_FEATURE:
		add_feature(file, record);
		break;
	case PERF_RECORD_HEADER_TRACING_DATA:
		file->feature[PERF_FEATURE_TRACING_DATA] = record->trace;
		break;
	case PERF_RECORD_AUXTRACE_INFO:
		add_info(file, record);
		break;
	case PERF_RECORD_AUXTRACE:
		return add_auxtrace(file, record, cut);
	case PERF_RECORD_TIME_CONV:
		add_time_conv(file, record);
		break;
	case PERF_RECORD_COMPRESSED:
	case PERF_ZSTD_COMPRESSED2:
		file->n_packed++;
		break;
	}
	return 0;
}

static void see_damage(struct perf_file *file, const struct perf_records *it,
		       const struct perf_record *record)
{
	if (it->skipped) {
		perf_problem_add(&file->problems, PERF_DAMAGE, it->skipped_at,
				 "no record can begin here: %" PRIu64 " bytes skipped",
				 it->skipped);
		file->lost_bytes += it->skipped;
		if (file->n_hole < PERF_HOLES)
			file->hole[file->n_hole] = it->skipped_at;
		file->n_hole++;
	}
	if (!it->short_trace)
		return;
	if (record->type == PERF_RECORD_AUXTRACE)
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "an AUXTRACE record says %" PRIu64 " bytes, there are %" PRIu64,
				 PERF_FIELD(record->bytes, perf_record_auxtrace, size),
				 record->trace.size);
	else
		perf_problem_add(&file->problems, PERF_DAMAGE, record->offset,
				 "a description of tracepoints should have %" PRIu64
				 " bytes, there are %" PRIu64,
				 PERF_FIELD(record->bytes, perf_record_header_tracing_data, size),
				 record->trace.size);
}

/* Later walks do the same as this one, whatever the bytes look like by then. */
static int add_jump(struct perf_file *file, const struct perf_jump *as)
{
	size_t n = file->n_jump;

	if (!array_next(&file->jump, n, sizeof(*file->jump)))
		return -ENOMEM;
	file->jump[n] = *as;
	file->n_jump++;
	return 0;
}

/* Adds what was skipped before @end, in each region. */
static int jump_skipped(struct perf_file *file, const struct perf_records *it, uint64_t end)
{
	int err = 0;

	for (size_t i = 0; !err && it->skipped && i < file->n_region; i++) {
		const struct perf_section *region = &file->region[i];
		struct perf_jump jump = { it->skipped_at, region->offset + region->size };

		if (jump.from < region->offset)
			jump.from = region->offset;
		if (jump.to > end)
			jump.to = end;
		if (jump.from < jump.to)
			err = add_jump(file, &jump);
	}
	return err;
}

/* Converts the record, now that its offset is known, except for what the kernel wrote in it. */
static int turn(struct perf_file *file, const struct perf_records *it, struct perf_record *record)
{
	const struct perf_jump jump = { record->trace.offset, it->pos, true };
	int err = jump_skipped(file, it, record->offset);

	if (!err && it->short_trace)
		err = add_jump(file, &jump);
	perf_swap_record(file, record);
	file->foreign_from = it->pos;
	return err;
}

/* Walks from @it up to the current end.  *@whole: nothing was skipped, or cut. */
static int scan_on(struct perf_file *file, struct perf_records *it, bool *whole)
{
	struct perf_record record = { 0 };
	int err = 0;

	while (!err && perf_records_next(it, &record)) {
		file->n_record++;
		if (file->foreign)
			err = turn(file, it, &record);
		see_damage(file, it, &record);
		perf_keep_add(&file->keep, &record, it->pos);
		*whole &= !it->skipped && !it->short_trace;
		if (!err)
			err = see_record(file, &record, it->short_trace);
	}
	if (err)
		return err;
	it->short_trace = false;
	see_damage(file, it, &record);
	*whole &= !it->skipped;
	if (!file->foreign)
		return 0;
	file->foreign_from = it->pos;
	return jump_skipped(file, it, it->pos);
}

int perf_file_scan(struct perf_file *file)
{
	size_t n_region = file->n_region;
	bool whole = !file->foreign;
	struct perf_records it;
	int err;

	perf_records_start(&it, file);
	err = scan_on(file, &it, &whole);
	if (!err && file->n_packed)
		err = perf_zstd_unpack(file);
	if (!err && file->n_region > n_region)
		err = scan_on(file, &it, &whole);
	file->foreign_from = UINT64_MAX;
	perf_keep_finish(&file->keep, whole && !err);
	if (file->n_auxtrace && !file->feature[PERF_FEATURE_AUXTRACE].size && !file->pipe &&
	    !file->dir)
		perf_problem_add(&file->problems, PERF_DAMAGE, PERF_PROBLEM_NOWHERE,
				 "the file has no auxtrace index: trace found by its records");
	return err;
}
