// SPDX-License-Identifier: GPL-2.0-only
/*
 * A perf.data of encoded trace.
 *
 * The code of each process is in an ELF file beside it, with a segment for each run of pages, so
 * that a decoder finds it like any program.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../../perf-plugin/dso.h"
#include "../../perf-plugin/perf-write.h"
#include "encode-out.h"
#include "../lib/machine.h"

/* Nanoseconds of perf's clock when that of the trace units is 0 */
#define ZERO	1000000

/* When the code was mapped that was there first */
#define FIRST	1000

/* An address without code */
#define LATER		(1ull << 56)

/* Programs have code for words of a log, or have not. */
#define WORD		4

#define BUILD_ID	20
#define NOTE		(sizeof(Elf64_Nhdr) + 4 + BUILD_ID)

/**
 * struct image - the code of a process
 * @first: of its @n_page pages, in @n_run runs
 * @data: offset of the first of them in the file
 */
struct image {
	uint32_t pid;
	size_t first, n_page, n_run;
	uint64_t data;
	uint8_t build_id[BUILD_ID];
	char *path;
};

/* ---------------------------------------------------------------- ELF */

static void measure(const struct encode_code *code, struct image *image)
{
	image->n_page = 0;
	image->n_run = 0;
	while (image->first + image->n_page < code->n_page &&
	       code->page[image->first + image->n_page]->pid == image->pid) {
		image->n_page += encode_code_run(code, image->first + image->n_page);
		image->n_run++;
	}
	image->data = sizeof(Elf64_Ehdr) + (image->n_run + 1) * sizeof(Elf64_Phdr) + NOTE;
	image->data += CODE_PAGE - 1;
	image->data -= image->data % CODE_PAGE;
}

/* Made from the contents, so the same code has the same build-id. */
static void make_build_id(const struct encode_code *code, struct image *image)
{
	uint64_t sum[3] = { 1, 2, 3 };

	for (size_t i = image->first; i < image->first + image->n_page; i++) {
		const struct code_page *page = code->page[i];

		for (size_t k = 0; k < CODE_PAGE + 8; k += 8) {
			uint64_t v = page->addr;

			if (k < CODE_PAGE)
				memcpy(&v, page->bytes + k, 8);
			for (int s = 0; s < 3; s++) {
				sum[s] = (sum[s] ^ v) * (0x9e3779b97f4a7c15ull + 2 * s);
				sum[s] ^= sum[s] >> 29;
			}
		}
	}
	memcpy(image->build_id, sum, BUILD_ID);
}

static void put_elf_header(const struct image *image, FILE *f)
{
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(header), .e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = image->n_run + 1,
	};
	const Elf64_Phdr note = {
		.p_type = PT_NOTE, .p_flags = PF_R, .p_filesz = NOTE, .p_memsz = NOTE,
		.p_offset = sizeof(header) + (image->n_run + 1) * sizeof(note), .p_align = 4,
	};

	fwrite(&header, sizeof(header), 1, f);
	fwrite(&note, sizeof(note), 1, f);
}

static void put_segments(const struct encode_code *code, const struct image *image, FILE *f)
{
	for (size_t i = image->first, n; i < image->first + image->n_page; i += n) {
		Elf64_Phdr load = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X,
				    .p_align = CODE_PAGE };

		n = encode_code_run(code, i);
		load.p_offset = image->data + (i - image->first) * CODE_PAGE;
		/* For later versions only the offset is used; no two may have the same address. */
		load.p_vaddr = code->page[i]->from ? LATER + load.p_offset : code->page[i]->addr;
		load.p_paddr = load.p_vaddr;
		load.p_filesz = n * CODE_PAGE;
		load.p_memsz = load.p_filesz;
		fwrite(&load, sizeof(load), 1, f);
	}
}

/* The full path of "@path@suffix", a file yet to be made; the caller frees it; NULL: error. */
static char *full_path(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, name - path) : strdup("."), *real, *full;

	real = folder ? realpath(folder, NULL) : NULL;
	if (!real || asprintf(&full, "%s/%s%s", real[1] ? real : "", name, suffix) < 0)
		full = NULL;
	free(folder);
	free(real);
	return full;
}

static void write_elf(const struct encode_out *out, const struct image *image, FILE *f)
{
	const Elf64_Nhdr note = { .n_namesz = 4, .n_descsz = BUILD_ID, .n_type = NT_GNU_BUILD_ID };

	put_elf_header(image, f);
	put_segments(out->code, image, f);
	fwrite(&note, sizeof(note), 1, f);
	fwrite("GNU", 4, 1, f);
	fwrite(image->build_id, BUILD_ID, 1, f);
	fseek(f, image->data, SEEK_SET);
	for (size_t i = image->first; i < image->first + image->n_page; i++)
		fwrite(out->code->page[i]->bytes, CODE_PAGE, 1, f);
}

/* The file stays open, and its descriptor is its name, until the process ends. */
static int offer_elf(const struct encode_out *out, struct image *image)
{
	FILE *f = tmpfile();
	char path[32];

	if (!f)
		return -errno;
	write_elf(out, image, f);
	if (fflush(f))
		return -errno;
	image->path = realpath(out->path, NULL) ?: strdup(out->path);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(f));
	return dso_offer(path) ? 0 : -ENOMEM;
}

static int put_elf(struct encode_out *out, struct image *image)
{
	char suffix[32];
	FILE *f;
	int err;

	if (out->to)
		return offer_elf(out, image);
	snprintf(suffix, sizeof(suffix), ".%" PRIu32 ".elf", image->pid);
	f = encode_out_create(out, suffix);
	if (!f)
		return -errno;
	write_elf(out, image, f);
	err = encode_out_hold(out, f, suffix, 0);
	if (!err)
		image->path = full_path(out->path, suffix);
	return err;
}

/* ---------------------------------------------------------------- perf.data */

/* Programs come first, and the code of the log replaces them where it differs. */
static void put_programs(const struct encode_out *out, const struct image *image,
			 struct perf_writer *writer)
{
	const struct perf_write_who who = { .time = FIRST - 1, .pid = image->pid,
					    .tid = image->pid };

	encode_programs_of(out->programs, out->code->page + image->first, image->n_page);
	for (size_t i = 0; i < out->programs->n; i++) {
		const struct encode_program *program = &out->programs->program[i];
		const struct elf_file *file = program->file;

		for (size_t k = 0; program->pid && k < file->n_segment; k++) {
			const struct elf_segment *s = &file->segment[k];
			const struct perf_mmap map = {
				.addr = s->addr + program->offset, .len = s->size,
				.pgoff = s->offset, .name = program->path,
				.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
				.build_id = file->build_id, .n_build_id = file->n_build_id,
			};

			if (s->exec && s->size)
				perf_write_mmap(writer, &who, &map);
		}
	}
}

/* Maps a run of pages, but for what a program has. */
static void put_run(const struct encode_out *out, size_t first, struct perf_mmap *map,
		    struct perf_writer *writer)
{
	const uint64_t n = map->len, addr = map->addr, pgoff = map->pgoff;
	const uint32_t pid = out->code->page[first]->pid;
	const struct perf_write_who who = { .time = FIRST, .pid = pid, .tid = pid };

	map->len = 0;
	for (uint64_t at = 0; at <= n; at += WORD) {
		if (at < n && !encode_programs_have(out->programs,
						    out->code->page[first + at / CODE_PAGE],
						    at % CODE_PAGE, WORD)) {
			map->len += WORD;
			continue;
		}
		map->addr = addr + at - map->len;
		map->pgoff = pgoff + at - map->len;
		if (map->len)
			perf_write_mmap(writer, &who, map);
		map->len = 0;
	}
}

static void put_maps(const struct encode_out *out, const struct image *image,
		     struct perf_writer *writer)
{
	const struct encode_code *code = out->code;
	struct perf_write_who who = { .pid = image->pid, .tid = image->pid };
	const struct perf_build_id build_id = { .name = image->path, .id = image->build_id,
						.size = BUILD_ID, .pid = -1 };

	if (out->programs)
		put_programs(out, image, writer);
	for (size_t i = image->first, n; i < image->first + image->n_page; i += n) {
		struct perf_mmap map = {
			.name = image->path, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
			.build_id = image->build_id, .n_build_id = BUILD_ID,
		};

		n = encode_code_run(code, i);
		/* It replaces earlier maps. */
		who.time = code->page[i]->from ? ZERO + code->page[i]->from : FIRST;
		map.addr = code->page[i]->addr;
		map.len = n * CODE_PAGE;
		map.pgoff = image->data + (i - image->first) * CODE_PAGE;
		if (out->programs && !code->page[i]->from)
			put_run(out, i, &map, writer);
		else
			perf_write_mmap(writer, &who, &map);
	}
	perf_write_build_id(writer, &build_id);
}

static int put_images(struct encode_out *out, struct perf_writer *writer)
{
	struct image image = { 0 };
	int err = 0;

	while (!err && image.first < out->code->n_page) {
		image.pid = out->code->page[image.first]->pid;
		measure(out->code, &image);
		if (image.n_run >= PN_XNUM - 1)
			return -E2BIG;
		make_build_id(out->code, &image);
		err = put_elf(out, &image);
		if (!err && !image.path)
			err = -ENOMEM;
		if (!err)
			put_maps(out, &image, writer);
		free(image.path);
		image.path = NULL;
		image.first += image.n_page;
	}
	return err;
}

static void put_threads(const struct encode_out *out, struct perf_writer *writer)
{
	for (size_t i = 0; i < out->n_tid; i++) {
		const struct perf_write_who who = { .time = 500, .pid = out->tid[i].pid,
						    .tid = out->tid[i].tid };

		perf_write_comm(writer, &who, out->name, false);
	}
}

static int put_ring(struct encode_out *out, size_t i, struct perf_writer *writer)
{
	const struct encode_trace *trace = &out->trace[i];
	const struct perf_write_who who = { .time = ZERO + trace->end, .pid = 1, .tid = 1,
					    .cpu = trace->number };
	struct perf_aux_record aux = { .flags = out->formatted ? 0 : 0x100 };
	struct perf_auxtrace auxtrace = { .idx = i, .cpu = trace->number, .tid = PERF_NO_TID };
	FILE *bytes = tmpfile();
	char buf[1 << 15];
	size_t got;
	long n;

	if (!bytes)
		return -errno;
	n = out->formatted ? encode_out_frames(out, i, 1, bytes) : encode_out_copy(out, i, bytes);
	if (n > 0 && fflush(bytes))
		n = -errno;
	if (n > 0) {
		aux.size = n;
		auxtrace.size = n;
		perf_write_itrace_start(writer, &who);
		perf_write_aux(writer, &who, &aux);
		perf_write_auxtrace(writer, &auxtrace, NULL);
		rewind(bytes);
		while ((got = fread(buf, 1, sizeof(buf), bytes)) > 0)
			perf_write_bytes(writer, buf, got);
	}
	fclose(bytes);
	return n < 0 ? n : 0;
}

/*
 * The trace units, *@n of them: those with trace, or one if there is none.  For raw trace in
 * version 1, perf refuses a file that names another unit.
 */
static struct perf_cs_cpu *units(const struct encode_out *out, size_t *n)
{
	struct perf_cs_cpu *cpu = calloc(out->n_trace + 1, sizeof(*cpu));

	*n = 0;
	for (size_t i = 0; cpu && i < out->n_trace; i++) {
		if (!out->trace[i].n && (*n || i + 1 < out->n_trace))
			continue;
		cpu[(*n)++] = (struct perf_cs_cpu){
			.config = out->setup->config,
			.cpu = out->trace[i].number,
			.id = out->trace[i].id,
			.authstatus = ENCODE_AUTHSTATUS,
			.protocol = csf_config_protocol(&out->setup->config),
			.pid = PERF_CS_PID_CONTEXTID,
			.time = out->setup->time_period ? PERF_CS_TIME_VIRTUAL :
							  PERF_CS_TIME_UNKNOWN,
		};
	}
	return cpu;
}

static int put_all(struct encode_out *out, struct perf_writer *writer)
{
	int err, end;

	put_threads(out, writer);
	err = put_images(out, writer);
	for (size_t i = 0; !err && i < out->n_trace; i++)
		err = put_ring(out, i, writer);
	perf_write_round(writer);
	end = perf_write_finish(writer);
	return err ? err : end;
}

/* Only version 2 of the metadata can mark timestamps as times; older perf reads only 1. */
int encode_out_perf(struct encode_out *out)
{
	size_t n_cpu;
	struct perf_cs_cpu *cpu = units(out, &n_cpu);
	static const char *const command[] = { "csflow", "encode", NULL };
	char by[64];
	struct perf_write_setup setup = {
		.version = out->code->changed ? 2 : 1, .cpu = cpu, .n_cpu = n_cpu,
		.release = "6.1.0", .hostname = "csflow", .by = by, .command = command,
		.cpu_name = "none: the trace was encoded", .cpu_id = MACHINE_CPU_ID,
		.total_mem = 1 << 20,
		.time_conv = { .mult = 1, .zero = ZERO, .mask = UINT64_MAX },
	};
	struct perf_writer *writer;
	FILE *f;
	int err;

	if (!cpu)
		return -ENOMEM;
	f = out->to ? out->to : encode_out_create(out, "");
	if (!f) {
		err = -errno;
		goto out;
	}
	encode_code_sort(out->code);
	snprintf(by, sizeof(by), "csflow %s", csf_version());
	err = perf_write_new(&writer, fileno(f), &setup);
	if (!err)
		err = put_all(out, writer);
	if (!out->to)
		err = encode_out_release(out, encode_out_hold(out, f, "", err));
out:
	free(cpu);
	return err;
}
