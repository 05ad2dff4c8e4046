// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../../perf-plugin/elf.h"
#include "../../perf-plugin/perf-write.h"
#include "../lib/file.h"
#include "raw-file.h"
#include "snapshot-capture.h"
#include "snapshot-perf.h"
#include "../lib/spool.h"

/* Maps of the kernel have this process. */
#define KERNEL		UINT32_MAX

/* TRCCONFIGR: trace context IDs; trace virtual context IDs */
#define CONFIGR_CID	(1u << 6)
#define CONFIGR_VMID	(1u << 7)

/* ETMCR: the size of a context ID is not 0 */
#define ETMCR_CID	(3u << 14)

/* The name that stands for all buffers, unless there is a buffer of that name. */
#define ALL_BUFFERS	"all"

/**
 * struct ring - a buffer that is converted
 * @data: its trace, @n bytes
 * @framing: CSF_FRAMES_MEMORY or INPUT_RAW
 * @unit: number of one of its trace units
 */
struct ring {
	struct snapshot_capture capture;
	const uint8_t *data;
	size_t n;
	int framing;
	size_t unit;
};

/**
 * struct shot - a snapshot that is being converted
 * @ring: @n_ring of them
 * @unit: @n_unit trace units of all
 */
struct shot {
	const char *path;
	struct snapshot snapshot;
	struct ring *ring;
	size_t n_ring;
	struct input_source *unit;
	size_t n_unit;
	struct perf_writer *writer;
};

bool snapshot_perf_is(const char *path)
{
	return snapshot_is(path) && !spool_perf_at(path);
}

/* ---------------------------------------------------------------- code */

/* The available part of its file; the missing rest of the dump is reported. */
static uint64_t there(struct snapshot *s, const struct snapshot_dump *dump)
{
	struct stat st;
	uint64_t n;

	if (!*dump->path)
		return 0;
	if (stat(dump->path, &st)) {
		problems_warn(&s->problems, dump->ini, dump->line, "%s: %s", dump->path,
			      strerror(errno));
		return 0;
	}
	n = (uint64_t)st.st_size > dump->offset ? st.st_size - dump->offset : 0;
	if (n < dump->length && (!n || dump->length != UINT64_MAX))
		problems_warn(&s->problems, dump->ini, dump->line,
			      "%s has only %llu bytes of the dump", dump->path,
			      (unsigned long long)n);
	if (dump->length < n)
		n = dump->length;
	return n && dump->address + n - 1 < dump->address ? -dump->address : n;
}

static void put_dump(struct shot *shot, const struct snapshot_dump *dump, uint64_t time)
{
	const struct perf_write_who who = { .time = time, .pid = KERNEL, .tid = KERNEL };
	struct perf_mmap map = { .addr = dump->address, .pgoff = dump->offset, .flags = MAP_PRIVATE,
				 .prot = PROT_READ | PROT_EXEC,
				 .cpumode = PERF_RECORD_MISC_KERNEL };
	char *path;

	map.len = there(&shot->snapshot, dump);
	path = map.len ? realpath(dump->path, NULL) : NULL;
	map.name = path;
	if (path)
		perf_write_mmap(shot->writer, &who, &map);
	free(path);
}

/* A recording cannot have several memory spaces for one kernel. */
static void tell_space(struct snapshot *s, const struct snapshot_dump *dump, bool *told)
{
	if (*told || dump->space == SPACE_ANY)
		return;
	*told = true;
	problems_warn(&s->problems, dump->ini, dump->line,
		      "the dump is of one memory space, but is used in all of them: if two have different code at one address, use csflow dump");
}

/* The first of overlapping dumps is used, but the last of maps: so go backwards. */
static void put_dumps(struct shot *shot)
{
	struct snapshot *s = &shot->snapshot;
	uint64_t time = 1;
	bool told = false;

	for (size_t i = s->n_device; i-- > 0;) {
		for (size_t k = s->device[i].n_dump; k-- > 0;) {
			tell_space(s, &s->device[i].dump[k], &told);
			put_dump(shot, &s->device[i].dump[k], time++);
		}
	}
}

static void put_segment(struct shot *shot, const char *path, const struct elf_segment *segment,
			uint64_t offset)
{
	const struct perf_write_who who = { .time = UINT32_MAX, .pid = KERNEL, .tid = KERNEL };
	const struct perf_mmap map = {
		.addr = segment->addr + offset, .len = segment->size, .pgoff = segment->offset,
		.flags = MAP_PRIVATE, .prot = PROT_READ | PROT_EXEC, .name = path,
		.cpumode = PERF_RECORD_MISC_KERNEL,
	};

	if (segment->exec && segment->size)
		perf_write_mmap(shot->writer, &who, &map);
}

/* What a program says is its code: it is used in place of dumps of the same memory. */
static int put_elf(struct shot *shot, const char *text)
{
	struct elf_file *file = NULL;
	char name[PATH_MAX], *path;
	uint64_t offset;
	int err;

	options_file_at(text, name, sizeof(name), &offset);
	path = realpath(name, NULL);
	err = path ? elf_file_open(&file, path) : -errno;
	if (!err && !file->is_elf)
		err = -ENOEXEC;
	if (err)
		problems_error(&shot->snapshot.problems, name, 0, "%s",
			       err == -ENOEXEC ? "not an ELF file" : file_words(name, err));
	for (size_t i = 0; !err && i < file->n_segment; i++)
		put_segment(shot, path, &file->segment[i], offset);
	elf_file_close(file);
	free(path);
	return err;
}

static int put_elfs(struct shot *shot, const struct opt_list *elf)
{
	int err = 0;

	for (size_t i = 0; i < elf->n && !err; i++)
		err = put_elf(shot, elf->value[i]);
	return err;
}

/* ---------------------------------------------------------------- trace */

/* How much was written before of the AUX ring that has the trace of @ring. */
static uint64_t written(const struct shot *shot, const struct ring *ring)
{
	uint64_t n = 0;

	for (const struct ring *r = shot->ring; r < ring; r++)
		if (r->unit == ring->unit)
			n += r->n;
	return n;
}

/* One buffer after another: as if each had been emptied when all before it were. */
static void put_trace(struct shot *shot)
{
	for (size_t i = 0; i < shot->n_ring; i++) {
		const struct ring *ring = &shot->ring[i];
		const uint32_t cpu = shot->unit[ring->unit].number;
		const uint64_t offset = written(shot, ring);
		const struct perf_write_who who = {
			.time = (uint64_t)UINT32_MAX + i, .cpu = cpu,
		};
		struct perf_aux_record aux = { .offset = offset, .size = ring->n };
		struct perf_auxtrace auxtrace = {
			.size = ring->n, .offset = offset, .idx = ring->unit, .cpu = cpu,
			.tid = PERF_NO_TID,
		};

		if (ring->framing == INPUT_RAW)
			aux.flags = PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW;
		perf_write_aux(shot->writer, &who, &aux);
		perf_write_auxtrace(shot->writer, &auxtrace, ring->data);
		perf_write_round(shot->writer);
	}
}

static enum perf_cs_pid pid_of(const struct csf_config *config)
{
	if (config->etmcr & ETMCR_CID)
		return PERF_CS_PID_CONTEXTID;
	if (config->trcconfigr & CONFIGR_CID)
		return PERF_CS_PID_CONTEXTID;
	return config->trcconfigr & CONFIGR_VMID ? PERF_CS_PID_VMID : PERF_CS_PID_NONE;
}

static int put_all(struct shot *shot, const struct snapshot_choice *choice, int fd)
{
	struct perf_cs_cpu *cpu = calloc(shot->n_unit, sizeof(*cpu));
	struct perf_write_setup setup = { .version = 1, .cpu = cpu, .n_cpu = shot->n_unit };
	int err;

	if (!cpu)
		return -ENOMEM;
	for (size_t i = 0; i < shot->n_unit; i++) {
		const struct input_source *unit = &shot->unit[i];

		cpu[i] = (struct perf_cs_cpu){
			.config = unit->config, .cpu = unit->number, .id = unit->id,
			.protocol = csf_config_protocol(&unit->config),
			.pid = pid_of(&unit->config), .time = PERF_CS_TIME_UNKNOWN,
		};
	}
	err = perf_write_new(&shot->writer, fd, &setup);
	if (!err) {
		int finished;

		put_dumps(shot);
		err = put_elfs(shot, &choice->elf);
		put_trace(shot);
		finished = perf_write_finish(shot->writer);
		err = err ? err : finished;
	}
	free(cpu);
	return err;
}

/* ---------------------------------------------------------------- the buffer */

static int no_buffer(struct shot *shot, const char *name, const char *why)
{
	problems_error(&shot->snapshot.problems, shot->path, 0, "buffer %s: %s", name, why);
	return -ENODATA;
}

/* Are these the same trace unit, in two buffers? */
static bool same_unit(const struct shot *shot, const struct input_source *a,
		      const struct input_source *b)
{
	const struct snapshot *s = &shot->snapshot;
	const struct snapshot_device *core = snapshot_core(s, snapshot_device(s, a->name));

	if (a->id != b->id || memcmp(&a->config, &b->config, sizeof(a->config)))
		return false;
	return !strcmp(a->name, b->name) ||
	       (core && core == snapshot_core(s, snapshot_device(s, b->name)));
}

/* Of raw trace, whose unit has no need of the ID that another one has. */
static uint8_t free_id(const struct shot *shot)
{
	uint8_t id = 1;

	for (size_t i = 0; i < shot->n_unit; i++) {
		if (shot->unit[i].id != id)
			continue;
		id++;
		i = -1;
	}
	return id;
}

/* Adds a unit of a buffer, unless it is there.  Return: its number, or a negative errno. */
static long add_unit(struct shot *shot, const struct ring *ring, const struct input_source *unit)
{
	bool taken = false;
	size_t i;

	for (i = 0; i < shot->n_unit; i++) {
		if (same_unit(shot, &shot->unit[i], unit))
			return i;
		taken |= shot->unit[i].id == unit->id;
	}
	if (taken && ring->framing != INPUT_RAW) {
		problems_error(&shot->snapshot.problems, shot->path, 0,
			       "trace ID 0x%02x is that of other trace units in other buffers: read one buffer",
			       unit->id);
		return -EINVAL;
	}
	shot->unit[i] = *unit;
	if (taken)
		shot->unit[i].id = free_id(shot);
	shot->n_unit++;
	return i;
}

static int read_buffer(struct shot *shot, const struct snapshot_buffer *buffer)
{
	struct snapshot *s = &shot->snapshot;
	struct ring *ring = &shot->ring[shot->n_ring];
	struct input_source *unit;
	const char *path;
	size_t n;
	long err;

	if (snapshot_framing(buffer) == CSF_FRAMES_DSTREAM)
		return no_buffer(shot, buffer->name,
				 "frames as a DSTREAM writes them, which no recording has: csflow dump, tarmac, encode, match and index read them");
	shot->n_ring++;
	err = snapshot_capture_open(&ring->capture, s, buffer, &path);
	if (err) {
		problems_error(&s->problems, path, 0, "%s", file_words(path, err));
		return err;
	}
	ring->data = ring->capture.data;
	ring->n = ring->capture.n;
	ring->framing = snapshot_framing(buffer);
	unit = calloc(2 * s->n_device + 1, sizeof(*unit));
	if (!unit)
		return -ENOMEM;
	n = snapshot_sources(s, &ring->capture, -1, SNAPSHOT_EXECUTION, unit);
	for (size_t i = 0; i < n && err >= 0; i++) {
		err = add_unit(shot, ring, &unit[i]);
		ring->unit = i || err < 0 ? ring->unit : (size_t)err;
	}
	free(unit);
	if (err < 0 || n)
		return err < 0 ? err : 0;
	return no_buffer(shot, buffer->name, "no ETMv4, ETE, ETMv3, PTM or MTB wrote into it");
}

/* Of all buffers those are read that have execution; of one that is named it must. */
static int read_all(struct shot *shot)
{
	struct snapshot *s = &shot->snapshot;
	int err = 0;

	for (size_t i = 0; i < s->n_buffer && !err; i++) {
		const size_t errors = s->problems.errors, n = shot->n_ring;

		err = read_buffer(shot, &s->buffer[i]);
		if (err != -ENODATA)
			continue;
		/* it was said; the others are read */
		s->problems.errors = errors;
		if (shot->n_ring > n)
			snapshot_capture_close(&shot->ring[--shot->n_ring].capture);
		err = 0;
	}
	return err ?: shot->n_ring ? err : -ENODATA;
}

static int read_buffers(struct shot *shot, const char *name)
{
	struct snapshot *s = &shot->snapshot;
	const struct snapshot_buffer *buffer = name ? snapshot_buffer(s, name) : s->buffer;
	int err;

	shot->ring = calloc(s->n_buffer + 1, sizeof(*shot->ring));
	shot->unit = calloc((2 * s->n_device + 1) * (s->n_buffer + 1), sizeof(*shot->unit));
	if (!shot->ring || !shot->unit)
		return -ENOMEM;
	if (!buffer && name && s->n_buffer && !strcmp(name, ALL_BUFFERS)) {
		err = read_all(shot);
	} else if (!s->n_buffer || !buffer) {
		err = no_buffer(shot, name ? name : "", "there is none");
	} else {
		if (!name && s->n_buffer > 1)
			problems_warn(&s->problems, shot->path, 0,
				      "buffer %s is read, the first of %zu; --buffer=NAME reads another, --buffer=all all of them",
				      buffer->name, s->n_buffer);
		err = read_buffer(shot, buffer);
	}
	if (!err)
		snapshot_number_units(s, shot->unit, shot->n_unit);
	return err;
}

int snapshot_perf_write(struct problems *problems, const char *path,
			const struct snapshot_choice *choice, int fd)
{
	struct shot shot = { .path = path };
	int err =
		snapshot_open(&shot.snapshot, path) ? -EINVAL : read_buffers(&shot, choice->buffer);

	if (!err)
		err = put_all(&shot, choice, fd);
	if (err && !shot.snapshot.problems.n)
		problems_error(&shot.snapshot.problems, path, 0, "%s", strerror(-err));
	problems_take(problems, &shot.snapshot.problems);
	for (size_t i = 0; i < shot.n_ring; i++)
		snapshot_capture_close(&shot.ring[i].capture);
	snapshot_close(&shot.snapshot);
	free(shot.ring);
	free(shot.unit);
	return err;
}

int snapshot_perf_write_raw(struct problems *problems, const char *path,
			    const struct snapshot_choice *choice, int fd)
{
	struct raw_file raw = { .n = 0 };
	struct ring ring = { .n = 0 };
	struct shot shot = {
		.path = path, .unit = &raw.source, .n_unit = 1, .ring = &ring, .n_ring = 1,
	};
	int err = raw_file_open(&raw, problems, path, choice->raw);

	ring.data = raw.data;
	ring.n = raw.n;
	ring.framing = raw.framing;
	if (!err)
		err = put_all(&shot, choice, fd);
	if (err && !problems->n && !shot.snapshot.problems.n)
		problems_error(problems, path, 0, "%s", strerror(-err));
	problems_take(problems, &shot.snapshot.problems);
	raw_file_close(&raw);
	return err;
}
