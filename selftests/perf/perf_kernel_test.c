// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code of the kernel: vmlinux that was moved, images of its memory, modules, code that it makes or
 * changes while it runs; and names for all of it.
 */
#include <elf.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/elf-unpack.h"
#include "../../perf-plugin/kallsyms.h"
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
	struct recording rec;
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

static int kernel_open(struct _test_data_kernel *self)
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

static void put(struct _test_data_kernel *self, uint64_t time,
		const struct perf_write_record *record)
{
	const struct perf_write_who who = { .time = time, .cpu = 1 };

	perf_write_record(self->writer, &who, record);
}

static void maps(struct _test_data_kernel *self, const char *name, uint64_t addr, uint64_t pgoff,
		 const char *id)
{
	const struct perf_write_who who = { .pid = UINT32_MAX, .tid = UINT32_MAX };
	const struct perf_mmap map = { .addr = addr, .len = 0x10000, .pgoff = pgoff, .prot = 5,
				       .name = name, .build_id = (const uint8_t *)id,
				       .n_build_id = id ? 20 : 0 };

	perf_write_mmap(self->writer, &who, &map);
}

static void symbol(struct _test_data_kernel *self, uint64_t time, const char *name, bool gone)
{
	const struct perf_write_field field[] = { { 8, TEXT }, { 4, 0x40 }, { 2, 1 }, { 2, gone },
						  { 0 } };
	const struct perf_write_record record = { .type = PERF_RECORD_KSYMBOL, .field = field,
						  .text = name };

	put(self, time, &record);
}

/* @old: 0: there was nothing before */
static void pokes(struct _test_data_kernel *self, uint64_t time, uint64_t addr, uint32_t old,
		  uint32_t new)
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
static FILE *create(struct _test_data_kernel *self, const char *format, ...)
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

static void fill_sections(struct image *image, uint64_t addr, bool module)
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
static int make(FILE *f, uint16_t type, uint64_t addr, const char *id)
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

static int make_kallsyms(FILE *f)
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
static uint32_t insn(struct _test_data_kernel *self, uint64_t time, uint64_t addr)
{
	uint32_t v = 0;

	csf_image_read(self->image, CSF_SPACE_ALL, addr, time, &v, 4);
	return v;
}

/* "name+offset (dso)" at @addr */
static const char *at(struct _test_data_kernel *self, uint64_t time, uint64_t addr)
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

static const struct dso *dso_of(struct _test_data_kernel *self, uint64_t addr)
{
	struct code_place place;

	if (!perf_code_find(&self->tasks->code, CSF_SPACE_ALL, 0, addr, &place))
		return NULL;
	dso_load(&self->tasks->code.dsos, place.dso);
	return place.dso;
}

static const char id[] = "the kernel's own id.", module_id[] = "that of a module....";

/* ---------------------------------------------------------------- vmlinux and images of memory */

TEST_F(kernel, moved)
{
	char kallsyms[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	ASSERT_EQ(0, make(create(self, "vmlinux"), ET_EXEC, TEXT, id));
	ASSERT_EQ(0, make_kallsyms(create(self, "mykallsyms")));
	snprintf(kallsyms, sizeof(kallsyms), "%s/mykallsyms", self->dir);
	self->options.kallsyms = kallsyms;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_EXEC, insn(self, 0, MOVED + 8));
	EXPECT_EQ(RET, insn(self, 0, MOVED + 12));
	EXPECT_EQ(0, insn(self, 0, TEXT + 12));
	EXPECT_STREQ("_text+0 ([kernel.kallsyms])", at(self, 0, MOVED));
	EXPECT_STREQ("func+4 ([kernel.kallsyms])", at(self, 0, MOVED + 8));
	/* what vmlinux has no name for the kernel's own table may have */
	EXPECT_STREQ("inner.cold+4 ([kernel.kallsyms])", at(self, 0, MOVED + 12));
	EXPECT_EQ(DSO_FOUND, dso_of(self, MOVED)->state);
}

/* Another kernel at a place where it may be is not believed. */
TEST_F(kernel, another)
{
	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	ASSERT_EQ(0, make(create(self, "usr/lib/debug/boot/vmlinux-6.12-arm64"), ET_EXEC, TEXT,
			  "some other kernel's."));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 0, MOVED + 8));
	EXPECT_EQ(DSO_DIFFERENT, dso_of(self, MOVED)->state);
}

/* perf record --kcore: a directory, with the kernel as it was, its modules, and its names */
TEST_F(kernel, recorded_kcore)
{
	char path[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	maps(self, "[nf_tables]", MOVED, 0, NULL);
	ASSERT_EQ(0, make(create(self, "r/kcore_dir/kcore"), ET_CORE, MOVED, NULL));
	ASSERT_EQ(0, make_kallsyms(create(self, "r/kcore_dir/kallsyms")));
	ASSERT_EQ(0, make(create(self, "vmlinux"), ET_EXEC, TEXT, id));
	snprintf(path, sizeof(path), "%s/r", self->dir);
	self->options.recording = path;
	ASSERT_EQ(0, kernel_open(self));
	/* mapped over the kernel, so that the image's one segment serves for both */
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
	EXPECT_EQ(DSO_IN_KCORE, dso_of(self, MOVED)->state);
	EXPECT_STREQ("inner.cold+4 ([nf_tables])", at(self, 0, MOVED + 12));
}

TEST_F(kernel, kcore_of_the_user)
{
	char kcore[64], kallsyms[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_CORE, MOVED, NULL));
	ASSERT_EQ(0, make_kallsyms(create(self, "mykallsyms")));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	snprintf(kallsyms, sizeof(kallsyms), "%s/mykallsyms", self->dir);
	self->options.kcore = kcore;
	self->options.kallsyms = kallsyms;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
	EXPECT_STREQ("_stext+4 ([kernel.kallsyms])", at(self, 0, MOVED + 4));
	EXPECT_STREQ("inner.cold+0 ([kernel.kallsyms])", at(self, 0, MOVED + 8));
}

/* perf buildid-cache --kcore, twice: the later one */
TEST_F(kernel, cached_kcore)
{
	static const char hex[] = "746865206b65726e656c2773206f776e2069642e";

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	ASSERT_EQ(0, make(create(self, "[kernel.kcore]/%s/2025010101010101/kcore", hex), ET_CORE,
			  TEXT, NULL));
	ASSERT_EQ(0, make(create(self, "[kernel.kcore]/%s/2025010101010102/kcore", hex), ET_CORE,
			  MOVED, NULL));
	ASSERT_EQ(0, make_kallsyms(create(self, ".build-id/74/%s/kallsyms", hex + 2)));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
	EXPECT_STREQ("_stext+0 ([kernel.kallsyms])", at(self, 0, MOVED));
}

/* There is no kernel, and still its functions have names. */
TEST_F(kernel, names_only)
{
	static const char hex[] = "746865206b65726e656c2773206f776e2069642e";

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	maps(self, "[nf_tables]", MODULE, 0, module_id);
	ASSERT_EQ(0, make_kallsyms(create(self, "[kernel.kallsyms]/%s/kallsyms", hex)));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 0, MOVED));
	EXPECT_STREQ("_stext+4 ([kernel.kallsyms])", at(self, 0, MOVED + 4));
	EXPECT_STREQ("module_func+8 ([nf_tables])", at(self, 0, MODULE + 12));
	EXPECT_STREQ("", at(self, 0, TEXT));
}

/* A module is known by its name, and modules.dep says where it is. */
TEST_F(kernel, module)
{
	FILE *f = create(self, "lib/modules/6.12-arm64/modules.dep");

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	maps(self, "[nf_tables]", MODULE, 0, module_id);
	maps(self, "[nf]", MODULE + 0x10000, 0, NULL);
	ASSERT_NE(NULL, f);
	fprintf(f, "kernel/net/nf_tables_core.ko:\nkernel/net/nf-tables.ko: kernel/lib/x.ko\n");
	fclose(f);
	ASSERT_EQ(0, make(create(self, "lib/modules/6.12-arm64/kernel/net/nf-tables.ko"), ET_REL, 0,
			  NULL));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_REL, insn(self, 0, MODULE + 8));
	EXPECT_EQ(0, insn(self, 0, MODULE + 0x10008));
	EXPECT_STREQ("func+4 ([nf_tables])", at(self, 0, MODULE + 8));
	EXPECT_EQ(DSO_UNCHECKED, dso_of(self, MODULE)->state);
	EXPECT_EQ(DSO_MISSING, dso_of(self, MODULE + 0x10000)->state);
}

/* Each is taken by its path, and the build-id that all have is believed of none. */
TEST_F(kernel, modules_with_one_build_id)
{
	static const char *const path[] = { "/lib/modules/a.ko", "/lib/modules/b_c.ko" };

	for (int i = 0; i < 2; i++) {
		maps(self, path[i], MODULE + 0x10000 * i, 0, module_id);
		ASSERT_EQ(0, make(create(self, "%s", path[i] + 1), ET_REL, 0,
				  "a module's own id..."));
	}
	/* two names of one module are no reason */
	maps(self, "/lib/modules/d_e.ko", MODULE + 0x20000, 0, id);
	maps(self, "[d-e]", MODULE + 0x30000, 0, id);
	ASSERT_EQ(0, kernel_open(self));
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(ET_REL, insn(self, 0, MODULE + 0x10000 * i + 8));
		EXPECT_EQ(DSO_UNCHECKED, dso_of(self, MODULE + 0x10000 * i)->state);
		EXPECT_EQ(0, dso_of(self, MODULE + 0x10000 * i)->n_build_id);
		EXPECT_EQ(20, dso_of(self, MODULE + 0x20000 + 0x10000 * i)->n_build_id);
	}
	ASSERT_EQ(1, self->file->problems.total);
	EXPECT_EQ(PERF_WARNING, self->file->problems.list[0].severity);
	EXPECT_NE(NULL, strstr(self->file->problems.list[0].text,
			       "2 kernel modules have the same build-id"));
}

/* Bytes that are no ELF are no module. */
TEST_F(kernel, no_module)
{
	FILE *f;

	maps(self, "/lib/modules/6.12-arm64/a.ko", MODULE, 0, NULL);
	f = create(self, "lib/modules/6.12-arm64/a.ko");
	ASSERT_NE(NULL, f);
	fprintf(f, "something else altogether");
	fclose(f);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 0, MODULE));
	EXPECT_EQ(DSO_UNREADABLE, dso_of(self, MODULE)->state);
}

/* @n bytes as @kind packs them into @to, which has room.  Return: how many it became. */
static size_t pack(char kind, uint8_t *to, size_t room, const uint8_t *bytes, size_t n)
{
	z_stream z = { .next_in = (uint8_t *)bytes, .avail_in = n, .next_out = to,
		       .avail_out = room };
	size_t done = 0;

	if (kind == 'z')
		return ZSTD_compress(to, room, bytes, n, 3);
	if (kind == 'x')
		return lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, bytes, n, to, &done,
					       room) == LZMA_OK ? done : 0;
	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	done = room - z.avail_out;
	deflateEnd(&z);
	return done;
}

/* A module of 3 MiB, packed in three ways; and cut */
TEST_F(kernel, packed_modules)
{
	const size_t n = 3 << 20, room = 4 << 20;
	uint8_t *module = calloc(1, n), *packed = malloc(room), *out;
	struct elf_file *elf;
	size_t size, n_out;
	char path[64];
	FILE *f;

	ASSERT_EQ(0, make(create(self, "m.ko"), ET_REL, 0, NULL));
	snprintf(path, sizeof(path), "%s/m.ko", self->dir);
	f = fopen(path, "r");
	ASSERT_LT(100, fread(module, 1, n, f));
	fclose(f);
	for (size_t i = 4096; i < n; i++)
		module[i] = i * i >> 8;
	for (const char *kind = "xgz"; *kind; kind++) {
		size = pack(*kind, packed, room, module, n);
		ASSERT_LT(100, size);
		f = fopen(path, "w");
		fwrite(packed, 1, size, f);
		fclose(f);
		ASSERT_EQ(0, elf_file_open(&elf, path));
		EXPECT_TRUE(elf->is_module);
		ASSERT_EQ(n, elf->size);
		EXPECT_EQ(0, memcmp(module, elf->bytes, n));
		elf_file_close(elf);
		for (size_t cut = 1; cut < size; cut += size / 7)
			EXPECT_EQ(cut > 6 ? -EINVAL : 0, elf_unpack(packed, cut, &out, &n_out));
	}
	free(module);
	free(packed);
}

/* A few bytes that would become more than any module has */
TEST_F(kernel, packed_too_much)
{
	const size_t n = (1 << 28) + 1, room = 1 << 20;
	uint8_t *zeros = calloc(1, n), *packed = malloc(room), *out;
	size_t size;

	for (const char *kind = "gz"; *kind; kind++) {
		size = pack(*kind, packed, room, zeros, n);
		ASSERT_LT(100, size);
		EXPECT_EQ(-EINVAL, elf_unpack(packed, size, &out, &size));
	}
	free(zeros);
	free(packed);
}

/* ---------------------------------------------------------------- code that changes */

TEST_F(kernel, symbols)
{
	struct perf_who who;

	symbol(self, 10, "bpf_prog_7_main", false);
	symbol(self, 30, "bpf_prog_7_main", true);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_STREQ("", at(self, 9, TEXT));
	EXPECT_STREQ("bpf_prog_7_main+4 (bpf_prog_7_main)", at(self, 10, TEXT + 4));
	EXPECT_STREQ("bpf_prog_7_main (gone)+4 (bpf_prog_7_main (gone))", at(self, 30, TEXT + 4));
	EXPECT_STREQ("", at(self, 10, TEXT + 0x40));
	EXPECT_EQ(1, self->tasks->n_symbol);
	ASSERT_EQ(0, perf_tasks_who(self->tasks, 0, 10, &who));
	EXPECT_EQ(30, who.until);
	EXPECT_EQ(0, insn(self, 10, TEXT));
}

TEST_F(kernel, pokes)
{
	char kcore[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	pokes(self, 20, MOVED + 4, 0x11111111, 0x22222222);
	pokes(self, 30, MOVED + 4, 0x22222222, 0x33333333);
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_CORE, MOVED, NULL));
	ASSERT_EQ(0, make_kallsyms(create(self, "k")));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(2, self->tasks->n_poke);
	EXPECT_EQ(0x11111111, insn(self, 10, MOVED + 4));
	EXPECT_EQ(0x22222222, insn(self, 20, MOVED + 4));
	EXPECT_EQ(0x22222222, insn(self, 29, MOVED + 4));
	EXPECT_EQ(0x33333333, insn(self, 30, MOVED + 4));
	EXPECT_EQ(NOP, insn(self, 20, MOVED));
	EXPECT_EQ(ET_CORE, insn(self, 20, MOVED + 8));
	EXPECT_STREQ("?+0 ([kernel.kallsyms])", at(self, 30, MOVED + 4));
}

/* A poked instruction is still one of its function. */
TEST_F(kernel, poked_function)
{
	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	pokes(self, 20, MOVED + 8, ET_EXEC, 0x22222222);
	ASSERT_EQ(0, make(create(self, "vmlinux"), ET_EXEC, TEXT, id));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0x22222222, insn(self, 20, MOVED + 8));
	EXPECT_STREQ("func+4 ([kernel.kallsyms])", at(self, 20, MOVED + 8));
	EXPECT_STREQ("func+4 ([kernel.kallsyms])", at(self, 10, MOVED + 8));
}

/* A trampoline: first its symbol, then its code. */
TEST_F(kernel, trampoline)
{
	symbol(self, 10, "ftrace_trampoline", false);
	pokes(self, 20, TEXT + 8, 0, RET);
	pokes(self, 25, MODULE, 0, NOP);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 10, TEXT + 8));
	EXPECT_EQ(RET, insn(self, 20, TEXT + 8));
	EXPECT_STREQ("ftrace_trampoline+8 (ftrace_trampoline)", at(self, 20, TEXT + 8));
	EXPECT_EQ(NOP, insn(self, 25, MODULE));
	EXPECT_STREQ("[text poke]+0 ([text poke])", at(self, 25, MODULE));
}

/* Two programs of two functions, at the same addresses, as perf record keeps them */
struct bpf_info {
	uint32_t n;
	struct __attribute__((packed)) {
		uint32_t info_len, data_len;
		uint64_t arrays;
		uint8_t info[sizeof(struct bpf_prog_info)];
		uint64_t addr[2];
		uint32_t size[2];
		uint32_t code[4];
	} program[2];
} __attribute__((packed));

static void make_bpf(struct bpf_info *bpf, uint32_t other, uint64_t ksyms)
{
	const struct bpf_prog_info info[] = { {
		.nr_jited_ksyms = 2, .nr_jited_func_lens = 2, .jited_ksyms = ksyms,
		.jited_func_lens = 16, .jited_prog_insns = 24, .jited_prog_len = 16,
	} };

	*bpf = (struct bpf_info){ .n = 2 };
	for (int i = 0; i < 2; i++) {
		__typeof__(bpf->program[0]) *p = &bpf->program[i];

		p->info_len = sizeof(p->info);
		p->data_len = 40;
		memcpy(p->info, info, sizeof(*info));
		p->addr[0] = TEXT;
		p->addr[1] = MODULE;
		p->size[0] = 4;
		p->size[1] = 12;
		p->code[0] = NOP;
		p->code[3] = i ? other : RET;
	}
}

static void bpf_symbol(struct _test_data_kernel *self, uint64_t addr, uint32_t size)
{
	const struct perf_write_field field[] = { { 8, addr }, { 4, size }, { 2, 1 }, { 2, 0 },
						  { 0 } };
	const struct perf_write_record record = { .type = PERF_RECORD_KSYMBOL, .field = field,
						  .text = "bpf_prog_1" };

	put(self, 10, &record);
}

/* What the kernel made of BPF programs is in a section of its own. */
TEST_F(kernel, bpf)
{
	struct bpf_info info;

	make_bpf(&info, RET, 0);
	self->bpf = (struct perf_section){ .bytes = (uint8_t *)&info, .size = sizeof(info) };
	bpf_symbol(self, TEXT, 4);
	bpf_symbol(self, MODULE, 12);
	bpf_symbol(self, MODULE + 0x100, 12);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 9, TEXT));
	EXPECT_EQ(NOP, insn(self, 10, TEXT));
	EXPECT_EQ(RET, insn(self, 10, MODULE + 8));
	EXPECT_EQ(0, insn(self, 10, MODULE + 0x108));
	EXPECT_STREQ("bpf_prog_1+8 (bpf_prog_1)", at(self, 10, MODULE + 8));
}

/* Two programs one after the other at one place; and sizes that are wrong. */
TEST_F(kernel, bpf_not_sure)
{
	struct perf_file file = { 0 };
	struct bpf_info info;
	struct perf_bpf bpf;

	file.feature[PERF_FEATURE_BPF_PROG_INFO] = (struct perf_section){
		.bytes = (uint8_t *)&info, .size = sizeof(info) };
	make_bpf(&info, NOP, 0);
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(2, bpf.n);
	EXPECT_EQ((void *)info.program[0].code, perf_bpf_find(&bpf, TEXT, 4));
	EXPECT_EQ(NULL, perf_bpf_find(&bpf, TEXT, 8));
	EXPECT_EQ(NULL, perf_bpf_find(&bpf, MODULE, 12));
	perf_bpf_fini(&bpf);
	/* the second function is longer than the code; addresses are not in the arrays */
	info.program[0].size[1] = 13;
	info.program[1].size[1] = 13;
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(1, bpf.n);
	perf_bpf_fini(&bpf);
	make_bpf(&info, NOP, 25);
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(0, bpf.n);
	perf_bpf_fini(&bpf);
	/* arrays larger than the section */
	make_bpf(&info, NOP, 0);
	info.program[0].data_len = 800;
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(0, bpf.n);
	perf_bpf_fini(&bpf);
	for (size_t n = 0; n < sizeof(info); n++) {
		make_bpf(&info, NOP, 0);
		file.feature[PERF_FEATURE_BPF_PROG_INFO].size = n;
		ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
		EXPECT_EQ(n < 4 + sizeof(info.program[0]) ? 0 : 2, bpf.n);
		perf_bpf_fini(&bpf);
	}
}

TEST_F(kernel, namespaces)
{
	struct perf_write_field field[] = {
		{ 4, 42 }, { 4, 42 }, { 8, 6 }, { 8, 4 }, { 8, 1 }, { 8, 4 }, { 8, 2 },
		{ 8, 4 }, { 8, 3 }, { 8, 4 }, { 8, 4 }, { 8, 4 }, { 8, 5 }, { 8, 4 }, { 8, 77 },
		{ 0 }
	};
	const struct perf_write_record record = { .type = PERF_RECORD_NAMESPACES, .field = field };

	put(self, 10, &record);
	field[0].value = 43;
	put(self, 11, &record);
	field[14].value = 78;
	put(self, 12, &record);
	field[14].value = 79;
	field[2].value = 5;		/* it does not have the mount namespace */
	put(self, 13, &record);
	ASSERT_EQ(0, kernel_open(self));
	ASSERT_EQ(2, self->tasks->namespaces.n);
	EXPECT_EQ(77, self->tasks->namespaces.mount[0].ino);
	EXPECT_EQ(42, self->tasks->namespaces.mount[0].pid);
	EXPECT_EQ(2, self->tasks->namespaces.mount[0].n);
	EXPECT_EQ(78, self->tasks->namespaces.mount[1].ino);
	EXPECT_EQ(4, self->tasks->namespaces.mount[1].dev);
}

/* ---------------------------------------------------------------- tables of names */

/* What kallsyms_open() says of a file with this text. */
static int open_text(struct _test_data_kernel *self, const char *text, struct kallsyms **k)
{
	struct kallsyms_problem problem;
	char path[64];
	FILE *f = create(self, "text");

	fputs(text, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/text", self->dir);
	return kallsyms_open(k, path, &problem);
}

TEST_F(kernel, kallsyms)
{
	struct kallsyms_problem problem;
	struct elf_symbol s;
	struct kallsyms *k;

	EXPECT_EQ(-EINVAL, open_text(self, "", &k));
	EXPECT_EQ(-EINVAL, open_text(self, "0000000000000000 T _text\n0 t a\n", &k));
	EXPECT_EQ(-EINVAL, open_text(self, "1000 T a\nsomething else\n", &k));
	EXPECT_EQ(-EINVAL, open_text(self, "1000 T", &k));
	EXPECT_EQ(-ENOENT, kallsyms_open(&k, "/nowhere/kallsyms", &problem));
	ASSERT_EQ(0, open_text(self, "3000 W c\t[m]\n1000 T a\n1000 t b\n1800 D d\n2000 w e", &k));
	ASSERT_TRUE(kallsyms_find(k, 0x1fff, &s));
	EXPECT_STREQ("a", s.name);
	EXPECT_EQ(0x1000, s.size);
	ASSERT_TRUE(kallsyms_find(k, 0x2000, &s));
	EXPECT_STREQ("e", s.name);
	ASSERT_TRUE(kallsyms_find(k, 0x3fff, &s));
	EXPECT_STREQ("c", s.name);
	EXPECT_FALSE(kallsyms_find(k, 0xfff, &s));
	EXPECT_FALSE(kallsyms_find(k, 0x4000, &s));
	kallsyms_close(k);
}

/* The vDSO of this machine is looked at; that of another processor is not taken. */
TEST_F(kernel, vdso)
{
	const Elf64_Ehdr *own = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct dso_key key = { .name = "[vdso]", .build_id = (const uint8_t *)id,
			       .n_build_id = 20 };
	struct dso_table table;
	struct elf_file *elf;

	if (!own)
		SKIP(return, "this machine has no vDSO");
	ASSERT_EQ(0, elf_file_copy(&elf, own, own->e_shoff + own->e_shnum * own->e_shentsize));
	EXPECT_TRUE(elf->is_elf);
	EXPECT_EQ(20, elf->n_build_id);
	ASSERT_EQ(0, dso_table_init(&table, &self->options));
	ASSERT_EQ(1, dso_add(&table, &key));
	EXPECT_FALSE(dso_load(&table, table.dso[1]));
	EXPECT_EQ(DSO_MISSING, table.dso[1]->state);
	key.build_id = elf->build_id;
	ASSERT_EQ(2, dso_add(&table, &key));
	EXPECT_EQ(elf->is_arm, dso_load(&table, table.dso[2]));
	EXPECT_EQ(elf->is_arm ? DSO_FOUND : DSO_MISSING, table.dso[2]->state);
	dso_table_fini(&table);
	elf_file_close(elf);
}

TEST_HARNESS_MAIN
