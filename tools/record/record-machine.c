// SPDX-License-Identifier: GPL-2.0-only
/*
 * A machine with a Cortex-M: what it executes becomes a snapshot, because it has no system, and so
 * no perf.data.  The snapshot has the ELF file as well: its segments are the code.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../perf-plugin/elf.h"
#include "../lib/file.h"
#include "../lib/frame-write.h"
#include "../lib/log.h"
#include "../lib/unit-ini.h"
#include "record.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * struct board - a machine of QEMU
 * @core: its processors, @n_cpu of them
 * @unit: the words of their trace unit
 * @v7m: they may have an ETMv3: there are no security states
 */
static const struct board {
	const char *name, *core;
	uint32_t n_cpu;
	const char *unit;
	bool v7m;
} boards[] = {
	{ "mps2-an385", "Cortex-M3", 1, "etm4=4.0", true },
	{ "mps2-an386", "Cortex-M4", 1, "etm4=4.0", true },
	{ "mps2-an500", "Cortex-M7", 1, "etm4=4.0", true },
	{ "mps2-an505", "Cortex-M33", 1, "etm4=4.2" },
	{ "mps2-an521", "Cortex-M33", 2, "etm4=4.2" },
	{ "mps3-an524", "Cortex-M33", 2, "etm4=4.2" },
	{ "mps3-an547", "Cortex-M55", 1, "etm4=4.5" },
};

/**
 * struct machine - the snapshot that is being written
 * @image: the program's name in it
 * @frames: not with @r->raw
 * @ring: owned: the memory of an MTB
 * @bytes: of trace
 * @err: the first error, -errno
 */
struct machine {
	const struct board *board;
	char image[NAME_MAX + 1];
	char words[PORT_WORDS_MAX];
	FILE *trace;
	struct frame_writer frames;
	uint8_t *ring;
	uint64_t bytes;
	int err;
};

static const struct board *find_board(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		if (!strcmp(boards[i].name, name))
			return &boards[i];
	return NULL;
}

static bool wrong(const char *what)
{
	log_say(LOG_USAGE, "csflow record: %s\n", what);
	return false;
}

static bool list_boards(const char *name)
{
	log_say(LOG_USAGE, "csflow record: --machine=%s is none of", name);
	for (size_t i = 0; i < ARRAY_SIZE(boards); i++)
		log_say(LOG_USAGE, "%s %s", i ? "," : "", boards[i].name);
	log_say(LOG_USAGE, "\n");
	return false;
}

static bool names_protocol(const char *words)
{
	return strstr(words, "etm4=") || strstr(words, "ete=") || strstr(words, "ptm=") ||
	       strstr(words, "etm3=");
}

bool machine_check(struct record *r)
{
	const struct board *board = find_board(r->machine);
	struct machine *m;
	int n;

	if (!board)
		return list_boards(r->machine);
	if (r->per_thread || r->root || r->n_env || r->migrate)
		return wrong("--per-thread, --root, --env and --migrate are for programs of Linux, not with --machine");
	if (r->raw && board->n_cpu > 1)
		return wrong("--raw is for one processor, and this machine has two");
	m = calloc(1, sizeof(*m));
	if (!m)
		return wrong("no memory");
	r->board = m;
	m->board = board;
	r->n_cpu = board->n_cpu;
	if (r->unit)
		n = snprintf(m->words, sizeof(m->words), "%s%s,m",
			     names_protocol(r->unit) || strstr(r->unit, "mtb") ? "" :
			     "etm4=4.2,", r->unit);
	else
		n = snprintf(m->words, sizeof(m->words), "%s,rs,ts=4096,m", board->unit);
	if (n >= (int)sizeof(m->words))
		return wrong("--unit is too long");
	r->unit = m->words;
	return true;
}

/* An MTB has no frames. */
bool machine_check_unit(struct record *r)
{
	if (!r->setup.mtb_size)
		return true;
	r->raw = true;
	r->board->ring = r->n_cpu == 1 ? calloc(1, r->setup.mtb_size) : NULL;
	return r->board->ring;
}

bool machine_check_etm3(const struct record *r)
{
	const struct csf_config *config = &r->setup.config;

	return csf_config_protocol(config) != CSF_PROTOCOL_ETM3 ||
	       (r->board->board->v7m && !csf_config_data(config));
}

bool machine_check_program(struct record *r)
{
	if (r->per_thread)
		return wrong("--per-thread is not for snapshots, which have a buffer for all");
	if (r->raw && r->n_cpu > 1)
		return wrong("--raw with --snapshot is for one processor: --cpus=1");
	r->board = calloc(1, sizeof(*r->board));
	return r->board || wrong("no memory");
}

/* ---------------------------------------------------------------- files of the snapshot */

static int fail(struct record *r, int err)
{
	if (!r->board->err)
		r->board->err = err;
	return r->board->err;
}

static FILE *make(struct record *r, const char *name)
{
	char path[PATH_MAX];
	FILE *file = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", r->output, name) < (int)sizeof(path))
		file = fopen(path, "wbe");
	else
		errno = ENAMETOOLONG;
	if (!file)
		fail(r, -errno);
	return file;
}

static void done(struct record *r, FILE *file)
{
	const bool bad = ferror(file);

	if (fclose(file) || bad)
		fail(r, errno ? -errno : -EIO);
}

static const char *core_of(const struct record *r)
{
	if (!r->snapshot)
		return r->board->board->core;
	return r->arm ? "Cortex-A7" : "Cortex-A53";
}

/* Its name there is that of the program; but files of the snapshot come first. */
static void name_image(struct machine *m, const char *program)
{
	const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
	const size_t n = strlen(name);
	const bool ours = (n > 4 && !strcmp(name + n - 4, ".ini")) || !strcmp(name, "trace.bin");

	snprintf(m->image, sizeof(m->image), "%s%s", name, ours ? ".elf" : "");
}

/* @elf: of a machine; the code of a program of Linux is known at its end. */
static void write_core(struct record *r, uint32_t cpu, const struct elf_file *elf)
{
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "cpu%u.ini", cpu);
	f = make(r, name);
	if (!f)
		return;
	fprintf(f, "[device]\nname=cpu%u\nclass=core\ntype=%s\n", cpu, core_of(r));
	if (!elf)
		program_dumps(r, f);
	for (size_t i = 0; elf && i < elf->n_segment; i++)
		fprintf(f, "\n[dump%zu]\nfile=%s\naddress=0x%" PRIx64 "\nlength=0x%" PRIx64
			"\noffset=0x%" PRIx64 "\n", i, r->board->image, elf->segment[i].addr,
			elf->segment[i].size, elf->segment[i].offset);
	done(r, f);
}

/* POSITION: where the next packet would go, and in bit 2 whether that was another one before. */
static void write_mtb(const struct record *r, FILE *f)
{
	const uint32_t size = r->setup.mtb_size, mask = __builtin_ctz(size) - 4;
	const uint64_t bytes = r->board->bytes;

	fprintf(f, "POSITION=0x%08x\nMASTER=0x%08x\nFLOW=0x%08x\n",
		(uint32_t)(bytes % size) | (bytes >= size ? 4 : 0), 0x80000000 | mask, 0);
}

/* For an MTB, when its registers are known. */
static void write_unit(struct record *r, uint32_t cpu)
{
	char file[32], name[32];
	FILE *f;

	snprintf(name, sizeof(name), "etm%u", cpu);
	snprintf(file, sizeof(file), "%.24s.ini", name);
	f = make(r, file);
	if (!f)
		return;
	unit_ini_write(f, &r->setup.config, name, PORT_ID(cpu));
	if (r->board->ring)
		write_mtb(r, f);
	done(r, f);
}

static void write_list(struct record *r)
{
	FILE *f = make(r, "snapshot.ini");
	uint32_t n = 0;

	if (!f)
		return;
	fprintf(f, "[snapshot]\nversion=1.0\ndescription=%s of QEMU, with a trace unit of csflow\n\n"
		"[device_list]\n", r->machine ? r->machine : "user mode");
	for (uint32_t i = 0; i < r->n_cpu; i++, n += 2)
		fprintf(f, "device%u=cpu%u.ini\ndevice%u=etm%u.ini\n", n, i, n + 1, i);
	fprintf(f, "\n[trace]\nmetadata=trace.ini\n");
	done(r, f);
}

static void write_trace_list(struct record *r)
{
	FILE *f = make(r, "trace.ini");

	if (!f)
		return;
	fprintf(f, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=trace\nfile=trace.bin\n"
		"format=%s\n\n[core_trace_sources]\n", r->raw ? "source_data" : "coresight");
	for (uint32_t i = 0; i < r->n_cpu; i++)
		fprintf(f, "cpu%u=etm%u\n", i, i);
	fprintf(f, "\n[source_buffers]\n");
	for (uint32_t i = 0; i < r->n_cpu; i++)
		fprintf(f, "etm%u=trace\n", i);
	done(r, f);
}

static void write_image(struct record *r, const struct elf_file *elf)
{
	FILE *f = make(r, r->board->image);

	if (!f)
		return;
	if (fwrite(elf->bytes, 1, elf->size, f) != elf->size)
		fail(r, errno ? -errno : -EIO);
	done(r, f);
}

/* The ELF file may be an older one of the snapshot itself, so it is read before anything else. */
static int write_files(struct record *r, const char *program)
{
	struct elf_file *elf = NULL;
	int err = elf_file_open(&elf, program);

	if (err)
		return fail(r, err);
	name_image(r->board, program);
	write_image(r, elf);
	for (uint32_t i = 0; i < r->n_cpu && !r->board->err; i++) {
		write_core(r, i, elf);
		write_unit(r, i);
	}
	if (!r->board->err)
		write_list(r);
	if (!r->board->err)
		write_trace_list(r);
	elf_file_close(elf);
	return r->board->err;
}

int machine_open(struct record *r, const char *program)
{
	if (mkdir(r->output, 0777) && errno != EEXIST)
		return fail(r, -errno);
	if (!r->snapshot && write_files(r, program))
		return r->board->err;
	r->board->trace = make(r, "trace.bin");
	return r->board->err;
}

/* ---------------------------------------------------------------- trace */

/* The newest packets overwrite the oldest. */
static void put_ring(struct record *r, const uint8_t *bytes, size_t n)
{
	const uint32_t size = r->setup.mtb_size;
	struct machine *m = r->board;

	for (size_t i = 0; i < n; i++)
		m->ring[(m->bytes + i) % size] = bytes[i];
	m->bytes += n;
}

static void put(struct machine *m, const void *bytes, size_t n)
{
	if (n && !m->err && fwrite(bytes, 1, n, m->trace) != n)
		m->err = errno ? -errno : -EIO;
}

void machine_trace(struct record *r, uint32_t cpu, const uint8_t *bytes, size_t n)
{
	struct machine *m = r->board;

	if (m->ring) {
		put_ring(r, bytes, n);
		return;
	}
	m->bytes += n;
	if (r->raw) {
		put(m, bytes, n);
		return;
	}
	frame_write(&m->frames, PORT_ID(cpu), bytes, n);
	put(m, m->frames.data, m->frames.n);
	m->frames.n = 0;
	if (m->frames.no_memory)
		fail(r, -ENOMEM);
}

void machine_fail(struct record *r, int err)
{
	fail(r, err);
}

int machine_error(const struct record *r)
{
	return r->board->err;
}

uint64_t machine_bytes(const struct record *r)
{
	return r->board->bytes;
}

/* The rest of the snapshot of a program. */
static void write_rest(struct record *r)
{
	for (uint32_t i = 0; i < r->n_cpu && !r->board->err; i++) {
		write_core(r, i, NULL);
		write_unit(r, i);
	}
	if (!r->board->err)
		write_list(r);
	if (!r->board->err)
		write_trace_list(r);
	program_free(r);
}

int machine_close(struct record *r)
{
	struct machine *m = r->board;

	if (!m->trace)
		return m->err;
	if (r->snapshot)
		write_rest(r);
	frame_write_end(&m->frames);
	put(m, m->frames.data, m->frames.n);
	if (m->ring) {
		put(m, m->ring, r->setup.mtb_size);
		write_unit(r, 0);
	}
	free(m->ring);
	m->ring = NULL;
	done(r, m->trace);
	free(m->frames.data);
	m->frames.data = NULL;
	m->trace = NULL;
	return m->err;
}
