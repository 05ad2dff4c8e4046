// SPDX-License-Identifier: GPL-2.0-only
/* Records of the kernel, and AUXTRACE, field by field. */
#include "perf-record.h"

#include "perf-abi.h"

/* @record is of type @kind and has all of struct @kind up to its array at the end. */
#define IS(record, kind, fixed)	((record)->type == (kind) && (record)->size >= (fixed))

/* The string at @at if it ends inside the record; otherwise "". */
static const char *string_at(const struct perf_record *record, size_t at)
{
	if (at >= record->size || !memchr(record->bytes + at, 0, record->size - at))
		return "";
	return (const char *)record->bytes + at;
}

static bool mmap1(const struct perf_record *record, struct perf_mmap *map)
{
	const uint8_t *p = record->bytes;
	const size_t name = offsetof(struct perf_record_mmap, filename);

	if (!IS(record, PERF_RECORD_MMAP, name))
		return false;
	map->pid = PERF_FIELD(p, perf_record_mmap, pid);
	map->tid = PERF_FIELD(p, perf_record_mmap, tid);
	map->addr = PERF_FIELD(p, perf_record_mmap, start);
	map->len = PERF_FIELD(p, perf_record_mmap, len);
	map->pgoff = PERF_FIELD(p, perf_record_mmap, pgoff);
	map->prot = record->misc & PERF_RECORD_MISC_MMAP_DATA ? 1 : 1 | 4;
	map->name = string_at(record, name);
	return true;
}

static bool mmap2(const struct perf_record *record, struct perf_mmap *map)
{
	const uint8_t *p = record->bytes;
	const size_t name = offsetof(struct perf_record_mmap2, filename);

	if (!IS(record, PERF_RECORD_MMAP2, name))
		return false;
	map->pid = PERF_FIELD(p, perf_record_mmap2, pid);
	map->tid = PERF_FIELD(p, perf_record_mmap2, tid);
	map->addr = PERF_FIELD(p, perf_record_mmap2, start);
	map->len = PERF_FIELD(p, perf_record_mmap2, len);
	map->pgoff = PERF_FIELD(p, perf_record_mmap2, pgoff);
	map->prot = PERF_FIELD(p, perf_record_mmap2, prot);
	map->flags = PERF_FIELD(p, perf_record_mmap2, flags);
	map->name = string_at(record, name);
	if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		map->n_build_id = PERF_FIELD(p, perf_record_mmap2, build_id_size);
		if (map->n_build_id > 20)
			map->n_build_id = 20;
		map->build_id = p + offsetof(struct perf_record_mmap2, build_id);
		return true;
	}
	map->maj = PERF_FIELD(p, perf_record_mmap2, maj);
	map->min = PERF_FIELD(p, perf_record_mmap2, min);
	map->ino = PERF_FIELD(p, perf_record_mmap2, ino);
	map->ino_generation = PERF_FIELD(p, perf_record_mmap2, ino_generation);
	return true;
}

/* perf makes these itself: from Linux 7.2 on with a build-id, and with no protection. */
static bool is_of_kernel(const struct perf_mmap *map)
{
	return map->cpumode == PERF_RECORD_MISC_KERNEL ||
	       map->cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
}

bool perf_record_mmap(const struct perf_record *record, struct perf_mmap *map)
{
	*map = (struct perf_mmap){ .name = "" };
	map->cpumode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	if (!mmap1(record, map) && !mmap2(record, map))
		return false;
	if (!map->prot && is_of_kernel(map))
		map->prot = 1 | 4;
	return true;
}

static bool take_comm(const struct perf_record *record, struct perf_task *task)
{
	const size_t name = offsetof(struct perf_record_comm, comm);

	if (record->size < name)
		return false;
	task->pid = PERF_FIELD(record->bytes, perf_record_comm, pid);
	task->tid = PERF_FIELD(record->bytes, perf_record_comm, tid);
	task->comm = string_at(record, name);
	task->exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
	return true;
}

static bool take_fork(const struct perf_record *record, struct perf_task *task)
{
	if (record->size < sizeof(struct perf_record_fork))
		return false;
	task->pid = PERF_FIELD(record->bytes, perf_record_fork, pid);
	task->ppid = PERF_FIELD(record->bytes, perf_record_fork, ppid);
	task->tid = PERF_FIELD(record->bytes, perf_record_fork, tid);
	task->ptid = PERF_FIELD(record->bytes, perf_record_fork, ptid);
	return true;
}

static bool take_switch(const struct perf_record *record, struct perf_task *task)
{
	task->out = record->misc & PERF_RECORD_MISC_SWITCH_OUT;
	task->preempt = task->out && record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	if (record->type == PERF_RECORD_SWITCH)
		return true;
	if (record->size < sizeof(struct perf_record_switch))
		return false;
	task->pid = PERF_FIELD(record->bytes, perf_record_switch, next_prev_pid);
	task->tid = PERF_FIELD(record->bytes, perf_record_switch, next_prev_tid);
	return true;
}

bool perf_record_task(const struct perf_record *record, struct perf_task *task)
{
	*task = (struct perf_task){ .pid = PERF_NO_TID, .tid = PERF_NO_TID, .comm = "" };
	switch (record->type) {
	case PERF_RECORD_COMM:
		return take_comm(record, task);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return take_fork(record, task);
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return take_switch(record, task);
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_NAMESPACES:		/* begins with the same two fields */
		if (record->size < sizeof(struct perf_record_itrace_start))
			return false;
		task->pid = PERF_FIELD(record->bytes, perf_record_itrace_start, pid);
		task->tid = PERF_FIELD(record->bytes, perf_record_itrace_start, tid);
		return true;
	default:
		return false;
	}
}

bool perf_record_aux(const struct perf_record *record, struct perf_aux_record *aux)
{
	if (!IS(record, PERF_RECORD_AUX, sizeof(struct perf_record_aux)))
		return false;
	aux->offset = PERF_FIELD(record->bytes, perf_record_aux, aux_offset);
	aux->size = PERF_FIELD(record->bytes, perf_record_aux, aux_size);
	aux->flags = PERF_FIELD(record->bytes, perf_record_aux, flags);
	return true;
}

bool perf_record_auxtrace(const struct perf_record *record, struct perf_auxtrace *auxtrace)
{
	const uint8_t *p = record->bytes;

	if (!IS(record, PERF_RECORD_AUXTRACE, sizeof(struct perf_record_auxtrace)))
		return false;
	auxtrace->size = PERF_FIELD(p, perf_record_auxtrace, size);
	auxtrace->offset = PERF_FIELD(p, perf_record_auxtrace, offset);
	auxtrace->reference = PERF_FIELD(p, perf_record_auxtrace, reference);
	auxtrace->idx = PERF_FIELD(p, perf_record_auxtrace, idx);
	auxtrace->tid = PERF_FIELD(p, perf_record_auxtrace, tid);
	auxtrace->cpu = PERF_FIELD(p, perf_record_auxtrace, cpu);
	return true;
}

bool perf_record_hw_id(const struct perf_record *record, uint64_t *hw_id)
{
	if (!IS(record, PERF_RECORD_AUX_OUTPUT_HW_ID, sizeof(struct perf_record_aux_output_hw_id)))
		return false;
	*hw_id = PERF_FIELD(record->bytes, perf_record_aux_output_hw_id, hw_id);
	return true;
}

bool perf_record_ksymbol(const struct perf_record *record, struct perf_ksymbol *ksymbol)
{
	const size_t name = offsetof(struct perf_record_ksymbol, name);
	const uint8_t *p = record->bytes;

	if (!IS(record, PERF_RECORD_KSYMBOL, name))
		return false;
	ksymbol->addr = PERF_FIELD(p, perf_record_ksymbol, addr);
	ksymbol->len = PERF_FIELD(p, perf_record_ksymbol, len);
	ksymbol->type = PERF_FIELD(p, perf_record_ksymbol, ksym_type);
	ksymbol->gone = PERF_FIELD(p, perf_record_ksymbol, flags) &
			PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	ksymbol->name = string_at(record, name);
	return true;
}

bool perf_record_text_poke(const struct perf_record *record, struct perf_text_poke *poke)
{
	const size_t bytes = offsetof(struct perf_record_text_poke_event, bytes);
	const uint8_t *p = record->bytes;

	if (!IS(record, PERF_RECORD_TEXT_POKE, bytes))
		return false;
	poke->addr = PERF_FIELD(p, perf_record_text_poke_event, addr);
	poke->old_len = PERF_FIELD(p, perf_record_text_poke_event, old_len);
	poke->new_len = PERF_FIELD(p, perf_record_text_poke_event, new_len);
	poke->old_bytes = p + bytes;
	poke->new_bytes = p + bytes + poke->old_len;
	return bytes + poke->old_len + poke->new_len <= record->size;
}

bool perf_record_lost(const struct perf_record *record, uint64_t *lost)
{
	if (IS(record, PERF_RECORD_LOST, sizeof(struct perf_record_lost))) {
		*lost = PERF_FIELD(record->bytes, perf_record_lost, lost);
		return true;
	}
	if (IS(record, PERF_RECORD_LOST_SAMPLES, sizeof(struct perf_record_lost_samples))) {
		*lost = PERF_FIELD(record->bytes, perf_record_lost_samples, lost);
		return true;
	}
	return false;
}
