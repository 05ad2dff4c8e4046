/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests: a recording of the kernel, files with its code and names, and what they say. */
#ifndef PERF_KERNEL_H
#define PERF_KERNEL_H

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-tasks.h"
#include "../lib/recording.h"

#define TEXT		0xffff800008000000ull	/* where the kernel was linked to be */
#define MOVED		0xffff8000ab000000ull	/* and where it was */
#define MODULE		0xffff80007c000000ull
#define NOP		0xd503201f
#define RET		0xd65f03c0

/* A recording, written by the test and then opened; files are below @dir */
FIXTURE(kernel)
{
	struct small_recording rec;
	FILE *out;
	struct perf_writer *writer;
	struct perf_file *file;
	struct csf_image *image;
	struct perf_tasks *tasks;
	struct dso_options options;
	struct perf_section bpf;
	char dir[32];
};

FIXTURE_SETUP(kernel)
{
	struct perf_write_setup setup;

	(void)recording_make;
	recording_init(&self->rec, 2, 1);
	setup = self->rec.setup;
	setup.cpu = self->rec.cpu;
	self->out = tmpfile();
	ASSERT_NE(NULL, self->out);
	strcpy(self->dir, "/tmp/kernel-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->options = (struct dso_options){ .symfs = self->dir, .debug_dir = self->dir,
					      .release = "6.12-arm64" };
	ASSERT_EQ(0, perf_write_new(&self->writer, fileno(self->out), &setup));
}

FIXTURE_TEARDOWN(kernel)
{
	char command[64];

	if (self->writer)
		perf_write_finish(self->writer);
	perf_tasks_free(self->tasks);
	csf_image_free(self->image);
	perf_file_close(self->file);
	free(self->rec.bytes);
	fclose(self->out);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	if (system(command))
		printf("# %s stays\n", self->dir);
}

static inline int kernel_open(struct _test_data_kernel *self)
{
	size_t n;
	int err = perf_write_finish(self->writer);

	self->writer = NULL;
	n = lseek(fileno(self->out), 0, SEEK_END);
	self->rec.bytes = malloc(n);
	if (err || pread(fileno(self->out), self->rec.bytes, n, 0) != (ssize_t)n)
		return -1;
	err = perf_file_open_memory(&self->file, self->rec.bytes, n);
	if (!err && self->bpf.size)
		self->file->feature[PERF_FEATURE_BPF_PROG_INFO] = self->bpf;
	if (!err)
		err = csf_image_new(&self->image);
	if (!err)
		err = perf_tasks_new(&self->tasks, self->image, &self->options);
	return err ? err : perf_tasks_open(self->tasks, self->file);
}

/* ---------------------------------------------------------------- what is recorded */

static inline void put(struct _test_data_kernel *self, uint64_t time,
		       const struct perf_write_record *record)
{
	const struct perf_write_who who = { .time = time, .cpu = 1 };

	perf_write_record(self->writer, &who, record);
}

static inline void maps(struct _test_data_kernel *self, const char *name, uint64_t addr,
			uint64_t pgoff, const char *id)
{
	const struct perf_write_who who = { .pid = UINT32_MAX, .tid = UINT32_MAX };
	const struct perf_mmap map = { .addr = addr, .len = 0x10000, .pgoff = pgoff, .prot = 5,
				       .name = name, .build_id = (const uint8_t *)id,
				       .n_build_id = id ? 20 : 0 };

	perf_write_mmap(self->writer, &who, &map);
}

static inline void symbol(struct _test_data_kernel *self, uint64_t time, const char *name,
			  bool gone)
{
	const struct perf_write_field field[] = { { 8, TEXT }, { 4, 0x40 }, { 2, 1 }, { 2, gone },
						  { 0 } };
	const struct perf_write_record record = { .type = PERF_RECORD_KSYMBOL, .field = field,
						  .text = name };

	put(self, time, &record);
}

/* @old: 0: there was nothing before */
static inline void pokes(struct _test_data_kernel *self, uint64_t time, uint64_t addr,
			 uint32_t old, uint32_t new)
{
	const struct perf_write_field field[] = {
		{ 8, addr }, { 2, old ? 4 : 0 }, { 2, 4 }, { old ? 4 : 0, old }, { 0 }
	};
	struct perf_write_record record = { .type = PERF_RECORD_TEXT_POKE, .field = field,
					    .bytes = &new, .n_bytes = 4 };

	put(self, time, &record);
}

/* ---------------------------------------------------------------- files */

__attribute__((format(printf, 2, 3)))
static inline FILE *create(struct _test_data_kernel *self, const char *format, ...)
{
	char path[160], *p;
	va_list ap;
	int n = snprintf(path, sizeof(path), "%s/", self->dir);

	va_start(ap, format);
	vsnprintf(path + n, sizeof(path) - n, format, ap);
	va_end(ap);
	for (p = path + n; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0700);
		*p = '/';
	}
	return fopen(path, "w");
}

/* Four instructions and the function "func" at the second one, "_text" at the first */
struct image {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
	uint32_t note[3];
	char gnu[4], id[20];
	uint32_t code[4];
	Elf64_Sym symbol[3];
	char strings[16];
	char names[40];
	Elf64_Shdr sh[5];
};

static inline void fill_sections(struct image *image, uint64_t addr, bool module)
{
	const Elf64_Shdr sections[5] = {
		{ 0 },
		{ .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_offset = offsetof(struct image, code), .sh_size = 16, .sh_addr = addr,
		  .sh_addralign = 4 },
		{ .sh_name = 7, .sh_type = SHT_SYMTAB, .sh_link = 3,
		  .sh_offset = offsetof(struct image, symbol), .sh_size = sizeof(image->symbol),
		  .sh_entsize = sizeof(image->symbol[0]) },
		{ .sh_name = 15, .sh_type = SHT_STRTAB, .sh_size = sizeof(image->strings),
		  .sh_offset = offsetof(struct image, strings) },
		{ .sh_name = 23, .sh_type = SHT_STRTAB, .sh_size = sizeof(image->names),
		  .sh_offset = offsetof(struct image, names) },
	};

	memcpy(image->sh, sections, sizeof(sections));
	memcpy(image->names, "\0.text\0.symtab\0.strtab\0.shstrtab", 33);
	memcpy(image->strings, "\0_text\0func", 12);
	for (int i = 1; i < 3; i++) {
		Elf64_Sym *symbol = &image->symbol[i];

		symbol->st_name = i == 1 ? 1 : 7;
		symbol->st_shndx = 1;
		symbol->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
		symbol->st_size = i == 1 ? 4 : 8;
		symbol->st_value = (module ? 0 : addr) + (i == 1 ? 0 : 4);
	}
}

/* @type: ET_EXEC with symbols, ET_REL with symbols, ET_CORE without */
static inline int make(FILE *f, uint16_t type, uint64_t addr, const char *id)
{
	struct image image = {
		.eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = type, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(image.eh), .e_phentsize = sizeof(image.ph[0]),
			.e_shentsize = sizeof(image.sh[0]) },
		.ph = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = addr,
			  .p_offset = offsetof(struct image, code), .p_filesz = 16, .p_memsz = 16 },
			{ .p_type = PT_NOTE, .p_offset = offsetof(struct image, note),
			  .p_filesz = 36 } },
		.note = { 4, 20, NT_GNU_BUILD_ID }, .gnu = "GNU",
		.code = { NOP, NOP, type, RET },
	};

	if (!f)
		return -1;
	if (id)
		memcpy(image.id, id, 20);
	if (type != ET_REL) {
		image.eh.e_phoff = offsetof(struct image, ph);
		image.eh.e_phnum = id ? 2 : 1;
	}
	if (type != ET_CORE) {
		image.eh.e_shoff = offsetof(struct image, sh);
		image.eh.e_shnum = 5;
		image.eh.e_shstrndx = 4;
		fill_sections(&image, type == ET_REL ? 0 : addr, type == ET_REL);
	}
	fwrite(&image, sizeof(image), 1, f);
	return fclose(f);
}

static inline int make_kallsyms(FILE *f)
{
	if (!f)
		return -1;
	fprintf(f, "%llx T _stext\n%llx T _text\n%llx d data\n%llx t inner.cold\n"
		   "%llx t module_func\t[nf_tables]\n%x W $x\n",
		MOVED, MOVED, MOVED + 4, MOVED + 8, MODULE + 4, 12);
	return fclose(f);
}

/* ---------------------------------------------------------------- what is asked */

/* The instruction at @addr; 0: it is not known. */
static inline uint32_t insn(struct _test_data_kernel *self, uint64_t time, uint64_t addr)
{
	uint32_t v = 0;

	csf_image_read(self->image, CSF_SPACE_ALL, addr, time, &v, 4);
	return v;
}

/* "name+offset (dso)" at @addr */
static inline const char *at(struct _test_data_kernel *self, uint64_t time, uint64_t addr)
{
	static char text[160];
	struct elf_symbol found = { .name = "?" };
	struct code_place place;
	uint64_t distance = 0;

	if (!perf_code_find(&self->tasks->code, CSF_SPACE_ALL, time, addr, &place))
		return "";
	if (perf_code_symbol(&self->tasks->code, &place, &found)) {
		perf_code_place(&self->tasks->code, place.section, place.offset, &place);
		distance = place.addr - found.addr;
	}
	snprintf(text, sizeof(text), "%s+%d (%s)", found.name, (int)distance, place.dso->name);
	return text;
}

static inline const struct dso *dso_of(struct _test_data_kernel *self, uint64_t addr)
{
	struct code_place place;

	if (!perf_code_find(&self->tasks->code, CSF_SPACE_ALL, 0, addr, &place))
		return NULL;
	dso_load(&self->tasks->code.dsos, place.dso);
	return place.dso;
}

static const char id[] = "the kernel's own id.", module_id[] = "that of a module....";

#endif /* PERF_KERNEL_H */
