// SPDX-License-Identifier: GPL-2.0-only
/* The parts of a snapshot from a perf.data. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../perf-plugin/perf-cs.h"
#include "../../perf-plugin/perf-tasks.h"
#include "../input/input.h"
#include "../lib/file.h"
#include "shot-make.h"

/* Code is read in pieces of this size, up to so many bytes of a map. */
#define PIECE		(64u << 10)
#define CODE_MAX	(256u << 20)

/* So many bytes without code may be before code; code begins at a multiple of SKIP. */
#define SKIP_MAX	(4u << 20)
#define SKIP		4

/**
 * struct maker - a recording that becomes a snapshot
 * @unit_of: number of the unit of each of @n_cpu CPUs of @cs; -1: none yet
 */
struct maker {
	struct shot *shot;
	const struct shot_perf *perf;
	struct perf_cs *cs;
	struct perf_aux *aux;
	struct perf_tasks *tasks;
	struct csf_image *image;
	int *unit_of;
};

/* ---------------------------------------------------------------- code */

/* A file without bytes of its own in a dump was there already. */
static void drop_unused(struct shot *s, size_t file)
{
	for (size_t i = 0; i < s->n_dump; i++)
		if (s->dump[i].file == file)
			return;
	if (file + 1 != s->n_file)
		return;
	s->n_file--;
	if (s->file[file].owned)
		free((void *)s->file[file].data);
}

/* Where code is in a map that is read, and what of it. */
struct look {
	const struct perf_mmap *map;
	int space;
	uint64_t time;
};

/* All bytes that are known from @addr on, in one piece; they are the caller's. */
static uint8_t *read_code(struct maker *m, const struct look *look, uint64_t addr, size_t *n)
{
	const uint64_t left = look->map->addr + look->map->len - addr;
	const uint64_t most = left < CODE_MAX ? left : CODE_MAX;
	uint8_t *code = NULL, *grown;
	size_t got = PIECE;

	for (*n = 0; *n < most && got == PIECE; *n += got) {
		grown = realloc(code, *n + PIECE);
		if (!grown)
			break;
		code = grown;
		got = csf_image_read(m->image, look->space, addr + *n, look->time, code + *n,
				     most - *n < PIECE ? most - *n : PIECE);
	}
	return code;
}

/* The next address in the map with code; UINT64_MAX: there is none in the next SKIP_MAX bytes. */
static uint64_t find_code(struct maker *m, const struct look *look, uint64_t addr)
{
	const uint64_t end = look->map->addr + look->map->len;
	const uint64_t stop = end - addr < SKIP_MAX ? end : addr + SKIP_MAX;
	uint8_t byte;

	for (; addr < stop; addr += SKIP)
		if (csf_image_read(m->image, look->space, addr, look->time, &byte, 1))
			return addr;
	return UINT64_MAX;
}

static int add_piece(struct maker *m, const struct look *look, uint64_t addr, size_t *n)
{
	struct shot *s = m->shot;
	const size_t before = s->n_file;
	char name[SHOT_NAME_MAX];
	uint8_t *code = read_code(m, look, addr, n);
	long file;
	int err;

	snprintf(name, sizeof(name), "code%zu.bin", before);
	file = shot_add_file(s, name, code, *n, true);
	if (file < 0) {
		free(code);
		return file;
	}
	err = shot_add_dump(s, &(struct shot_dump){
		.file = file, .addr = addr, .n = *n, .from = look->map->name,
	});
	drop_unused(s, file);
	return err;
}

/* Writes nothing for a map of which no code is known. */
static int add_code(struct maker *m, const struct look *look)
{
	const struct perf_mmap *map = look->map;
	uint64_t addr = map->addr, found;
	size_t n = 0;
	int err = 0;

	if (map->addr + map->len < map->addr)
		return 0;
	while (!err && (found = find_code(m, look, addr)) != UINT64_MAX) {
		err = add_piece(m, look, found, &n);
		addr = found + n;
	}
	if (!n && !err)
		problems_warn(&m->shot->problems, map->name, 0,
			      "its code is not there, so 0x%" PRIx64 " bytes at 0x%" PRIx64 " are left out",
			      map->len, map->addr);
	return err;
}

static bool is_wanted(const struct maker *m, const struct perf_mmap *map)
{
	const struct shot_perf *p = m->perf;

	if (!(map->prot & PROT_EXEC) || !map->len)
		return false;
	if (!p->n_pid || map->cpumode == PERF_RECORD_MISC_KERNEL)
		return true;
	for (size_t i = 0; i < p->n_pid; i++)
		if (map->pid >= p->pid[i].first && map->pid <= p->pid[i].last)
			return true;
	return false;
}

static int add_map(struct maker *m, const struct perf_file *file, const struct perf_record *record)
{
	struct perf_sample_id id;
	struct perf_mmap map;
	struct look look = { .map = &map, .space = CSF_SPACE_ALL };
	struct perf_who who;
	int err;

	if (!perf_record_mmap(record, &map) || !is_wanted(m, &map))
		return 0;
	perf_record_id(file, record, &id);
	look.time = id.has & PERF_HAS_TIME && id.time ? id.time : PERF_TASKS_LAST;
	if (map.cpumode != PERF_RECORD_MISC_KERNEL) {
		err = perf_tasks_who(m->tasks, map.tid, look.time, &who);
		if (err)
			return err;
		look.space = who.space;
	}
	return add_code(m, &look);
}

static int add_maps(struct maker *m, const struct perf_file *file)
{
	struct perf_records it;
	struct perf_record record;
	int err = 0;

	perf_records_start(&it, file);
	while (!err && perf_records_next(&it, &record))
		err = add_map(m, file, &record);
	return err;
}

/* ---------------------------------------------------------------- trace */

/* The unit of a CPU, which is made if it is new.  Return: its number; -1: not known; -ENOMEM. */
static int unit_of(struct maker *m, uint32_t cpu)
{
	const struct perf_cs_cpu *c = perf_cs_cpu(m->cs, cpu);
	struct shot_core *core;
	struct shot_unit *unit;
	int *number;

	if (!c)
		return -1;
	number = &m->unit_of[c - m->cs->cpu];
	if (*number >= 0)
		return *number;
	unit = shot_add_unit(m->shot);
	core = unit ? shot_add_core(m->shot) : NULL;
	if (!core)
		return -ENOMEM;
	*number = m->shot->n_unit - 1;
	if (perf_cs_config(m->cs, cpu, &unit->config)) {
		m->shot->n_unit--;
		m->shot->n_core--;
		*number = -1;
		return -1;
	}
	snprintf(unit->name, sizeof(unit->name), "%s_%" PRIu32, shot_unit_kind(&unit->config), cpu);
	snprintf(core->name, sizeof(core->name), "cpu_%" PRIu32, cpu);
	core->type = m->perf->core ?: shot_core_type(&unit->config);
	unit->core = m->shot->n_core - 1;
	unit->authstatus = c->authstatus;
	unit->id = c->id == PERF_CS_NO_ID ? 0 : c->id;
	return *number;
}

/* The unit of @cpu wrote into the last buffer, under @id. */
static int wrote(struct maker *m, uint32_t cpu, uint8_t id)
{
	const int number = unit_of(m, cpu);
	struct shot_unit *unit;

	if (number == -ENOMEM)
		return number;
	if (number < 0) {
		problems_warn(&m->shot->problems, m->perf->path, 0,
			      "trace ID 0x%02x: the trace unit is not known", id);
		return 0;
	}
	unit = &m->shot->unit[number];
	if (id && unit->n_buffer && unit->id != id)
		problems_warn(&m->shot->problems, m->perf->path, 0,
			      "CPU %" PRIu32 " has trace ID 0x%02x and 0x%02x: a snapshot has only the first",
			      cpu, unit->id, id);
	else if (id)
		unit->id = id;
	return shot_add_wrote(unit, m->shot->n_buffer - 1);
}

static void name_buffer(const struct maker *m, const struct perf_fragment *f, size_t number,
			char name[SHOT_NAME_MAX])
{
	const struct perf_queue *q = &m->aux->queue[f->queue];

	if (q->tid == PERF_NO_TID && q->cpu != PERF_NO_CPU)
		snprintf(name, SHOT_NAME_MAX, "cpu%" PRIu32 "_%zu", q->cpu, number);
	else if (q->tid != PERF_NO_TID)
		snprintf(name, SHOT_NAME_MAX, "tid%" PRIu32 "_%zu", q->tid, number);
	else
		snprintf(name, SHOT_NAME_MAX, "trace_%zu", number);
}

/* Adds the piece of trace of @n fragments from @first on: number @number of its ring. */
static int add_buffer(struct maker *m, const struct perf_file *file, size_t first, size_t n,
		      size_t number)
{
	const struct perf_fragment *f = &m->aux->fragment[first];
	struct shot_buffer *b = shot_add_buffer(m->shot);
	struct perf_cs_id id[CSF_ID_MAX];
	size_t n_id;
	int err = b ? 0 : -ENOMEM;

	if (err)
		return err;
	name_buffer(m, f, number, b->name);
	b->framing = f->flags & PERF_FRAGMENT_RAW ? INPUT_RAW : CSF_FRAMES_MEMORY;
	for (size_t i = 0; i < n && !err; i++)
		err = shot_add_part(b, file->bytes + f[i].offset, f[i].size);
	if (err)
		return err;
	if (b->framing == INPUT_RAW)
		return wrote(m, perf_cs_cpu_of_raw(m->cs, f), 0);
	n_id = perf_cs_ids(m->cs, f, id);
	for (size_t i = 0; i < n_id && !err; i++)
		err = wrote(m, id[i].cpu, id[i].id);
	return err;
}

/* More are more devices than readers take. */
#define BUFFERS_MAX	4900

/* Each piece of trace is a buffer: the trace unit was off between two of them. */
static int add_trace(struct maker *m, const struct perf_file *file)
{
	const struct perf_aux *aux = m->aux;
	size_t number = 0;
	int err = 0;

	for (size_t first = 0, n; first < aux->n_fragment && !err; first += n) {
		const uint32_t queue = aux->fragment[first].queue;

		if (first && aux->fragment[first - 1].queue != queue)
			number = 0;
		n = 1;
		while (first + n < aux->n_fragment && aux->fragment[first + n].queue == queue &&
		       aux->fragment[first + n].flags & PERF_FRAGMENT_PART)
			n++;
		if (m->shot->n_buffer == BUFFERS_MAX) {
			problems_error(&m->shot->problems, m->perf->path, 0,
				       "it has more than %d pieces of trace, which is the most that a snapshot can have",
				       BUFFERS_MAX);
			return -EFBIG;
		}
		err = add_buffer(m, file, first, n, number++);
	}
	return err;
}

/* Raw trace has no ID: each unit gets one that the others do not have. */
static void number_units(struct shot *s)
{
	for (size_t i = 0; i < s->n_unit; i++)
		if (!s->unit[i].id)
			s->unit[i].id = 0x10 + i % 0x60;
}

int shot_make_perf(struct shot *shot, const struct shot_perf *perf, const struct perf_file *file)
{
	struct maker m = { .shot = shot, .perf = perf };
	struct dso_options dso = perf->dso;
	int err = perf_aux_new(&m.aux, (struct perf_file *)file);

	if (!err)
		err = perf_cs_open(&m.cs, (struct perf_file *)file, m.aux);
	if (!err)
		err = csf_image_new(&m.image) ? -ENOMEM : 0;
	dso.recording = file->dir;
	dso.release = perf_file_string(file, PERF_FEATURE_OSRELEASE);
	if (!err)
		err = perf_tasks_new(&m.tasks, m.image, &dso);
	if (!err)
		err = perf_tasks_open(m.tasks, (struct perf_file *)file);
	if (!err) {
		m.unit_of = malloc((m.cs->n_cpu + 1) * sizeof(*m.unit_of));
		err = m.unit_of ? 0 : -ENOMEM;
	}
	for (size_t i = 0; !err && i < m.cs->n_cpu; i++)
		m.unit_of[i] = -1;
	if (!err)
		err = add_trace(&m, file);
	if (!err)
		err = add_maps(&m, file);
	number_units(shot);
	free(m.unit_of);
	perf_tasks_free(m.tasks);
	csf_image_free(m.image);
	perf_cs_free(m.cs);
	perf_aux_free(m.aux);
	return err;
}
