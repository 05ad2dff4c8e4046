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

/**
 * struct shot - a snapshot that is being converted
 * @data: the trace of its buffer, @n bytes
 * @framing: CSF_FRAMES_MEMORY or INPUT_RAW
 * @unit: @n_unit trace units of the buffer
 */
struct shot {
	const char *path;
	struct snapshot snapshot;
	struct snapshot_capture capture;
	const uint8_t *data;
	size_t n;
	int framing;
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

static void put_segment(struct shot *shot, const char *path, const struct elf_segment *segment)
{
	const struct perf_write_who who = { .time = UINT32_MAX, .pid = KERNEL, .tid = KERNEL };
	const struct perf_mmap map = {
		.addr = segment->addr, .len = segment->size, .pgoff = segment->offset,
		.flags = MAP_PRIVATE, .prot = PROT_READ | PROT_EXEC, .name = path,
		.cpumode = PERF_RECORD_MISC_KERNEL,
	};

	if (segment->exec && segment->size)
		perf_write_mmap(shot->writer, &who, &map);
}

/* What a program says is its code: it is used in place of dumps of the same memory. */
static int put_elf(struct shot *shot, const char *name)
{
	char *path = realpath(name, NULL);
	struct elf_file *file = NULL;
	int err = path ? elf_file_open(&file, path) : -errno;

	if (!err && !file->is_elf)
		err = -ENOEXEC;
	if (err)
		problems_error(&shot->snapshot.problems, name, 0, "%s",
			       err == -ENOEXEC ? "not an ELF file" : file_words(name, err));
	for (size_t i = 0; !err && i < file->n_segment; i++)
		put_segment(shot, path, &file->segment[i]);
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

static void put_trace(struct shot *shot)
{
	const struct perf_write_who who = { .time = UINT32_MAX, .cpu = shot->unit->number };
	struct perf_aux_record aux = { .size = shot->n };
	struct perf_auxtrace auxtrace = { .size = shot->n, .cpu = shot->unit->number,
					  .tid = PERF_NO_TID };

	if (shot->framing == INPUT_RAW)
		aux.flags = PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW;
	perf_write_aux(shot->writer, &who, &aux);
	perf_write_auxtrace(shot->writer, &auxtrace, shot->data);
	perf_write_round(shot->writer);
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

static int read_buffer(struct shot *shot, const char *name)
{
	struct snapshot *s = &shot->snapshot;
	const struct snapshot_buffer *buffer = name ? snapshot_buffer(s, name) : s->buffer;
	const char *path;
	int err;

	if (!s->n_buffer || !buffer)
		return no_buffer(shot, name ? name : "", "there is none");
	if (!name && s->n_buffer > 1)
		problems_warn(&s->problems, shot->path, 0,
			      "buffer %s is read, the first of %zu; --buffer=NAME reads another",
			      buffer->name, s->n_buffer);
	if (snapshot_framing(buffer) == CSF_FRAMES_DSTREAM)
		return no_buffer(shot, buffer->name,
				 "frames as a DSTREAM writes them, which no recording has: csflow dump, tarmac, encode, match and index read them");
	err = snapshot_capture_open(&shot->capture, s, buffer, &path);
	if (err) {
		problems_error(&s->problems, path, 0, "%s", file_words(path, err));
		return err;
	}
	shot->data = shot->capture.data;
	shot->n = shot->capture.n;
	shot->framing = snapshot_framing(buffer);
	shot->unit = calloc(s->n_device + 1, sizeof(*shot->unit));
	if (!shot->unit)
		return -ENOMEM;
	shot->n_unit = snapshot_sources(s, &shot->capture, -1, false, shot->unit);
	snapshot_number_units(s, shot->unit, shot->n_unit);
	return shot->n_unit ? 0 : no_buffer(shot, buffer->name, "no ETMv4, ETE, ETMv3, PTM or MTB wrote into it");
}

int snapshot_perf_write(struct problems *problems, const char *path,
			const struct snapshot_choice *choice, int fd)
{
	struct shot shot = { .path = path };
	int err =
		snapshot_open(&shot.snapshot, path) ? -EINVAL : read_buffer(&shot, choice->buffer);

	if (!err)
		err = put_all(&shot, choice, fd);
	if (err && !shot.snapshot.problems.n)
		problems_error(&shot.snapshot.problems, path, 0, "%s", strerror(-err));
	problems_take(problems, &shot.snapshot.problems);
	snapshot_capture_close(&shot.capture);
	snapshot_close(&shot.snapshot);
	free(shot.unit);
	return err;
}

int snapshot_perf_write_raw(struct problems *problems, const char *path,
			    const struct snapshot_choice *choice, int fd)
{
	struct raw_file raw = { .n = 0 };
	struct shot shot = { .path = path, .unit = &raw.source, .n_unit = 1 };
	int err = raw_file_open(&raw, problems, path, choice->raw);

	shot.data = raw.data;
	shot.n = raw.n;
	shot.framing = raw.framing;
	if (!err)
		err = put_all(&shot, choice, fd);
	if (err && !problems->n && !shot.snapshot.problems.n)
		problems_error(problems, path, 0, "%s", strerror(-err));
	problems_take(problems, &shot.snapshot.problems);
	raw_file_close(&raw);
	return err;
}
