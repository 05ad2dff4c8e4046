// SPDX-License-Identifier: GPL-2.0-only
/* Code of the kernel: vmlinux that was moved, images of its memory, modules; and their names. */
#include <sys/auxv.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "perf-kernel.h"

#include "../../perf-plugin/elf-unpack.h"
#include "../../perf-plugin/kallsyms.h"

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
	/* the kernel's own table may have names that vmlinux does not have */
	EXPECT_STREQ("inner.cold+4 ([kernel.kallsyms])", at(self, 0, MOVED + 12));
	EXPECT_EQ(DSO_FOUND, dso_of(self, MOVED)->state);
}

/* perf of Linux 7.2 tells of the kernel with its build-id, and without protection. */
TEST_F(kernel, without_protection)
{
	const struct perf_write_who who = { .pid = UINT32_MAX, .tid = UINT32_MAX };
	const struct perf_mmap map = { .addr = MOVED, .len = 0x10000, .pgoff = MOVED,
				       .name = "[kernel.kallsyms]_text",
				       .cpumode = PERF_RECORD_MISC_KERNEL,
				       .build_id = (const uint8_t *)id, .n_build_id = 20 };

	perf_write_mmap(self->writer, &who, &map);
	ASSERT_EQ(0, make(create(self, "usr/lib/debug/boot/vmlinux-6.12-arm64"), ET_EXEC, TEXT,
			  id));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_EXEC, insn(self, 0, MOVED + 8));
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

/* The code is that of the memory; names and addresses are those of vmlinux. */
TEST_F(kernel, kcore_and_vmlinux)
{
	struct code_place place;
	char path[64], vmlinux[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	ASSERT_EQ(0, make(create(self, "r/kcore_dir/kcore"), ET_CORE, MOVED, NULL));
	ASSERT_EQ(0, make(create(self, "myvmlinux"), ET_EXEC, TEXT, id));
	snprintf(path, sizeof(path), "%s/r", self->dir);
	snprintf(vmlinux, sizeof(vmlinux), "%s/myvmlinux", self->dir);
	self->options.recording = path;
	self->options.vmlinux = vmlinux;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
	EXPECT_STREQ("func+4 ([kernel.kallsyms])", at(self, 0, MOVED + 8));
	ASSERT_TRUE(perf_code_find(&self->tasks->code, CSF_SPACE_ALL, 0, MOVED + 8, &place));
	EXPECT_EQ(TEXT + 8, place.addr);
	EXPECT_STREQ(vmlinux, dso_of(self, MOVED)->path);
}

/* A BPF program that was there from the start, and one that came later. */
TEST_F(kernel, kcore_of_symbols)
{
	char kcore[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	symbol(self, 0, "bpf_prog_1", false);
	symbol(self, 100, "bpf_prog_1", true);
	symbol(self, 200, "bpf_prog_2", false);
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_CORE, TEXT, NULL));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, TEXT + 8));
	EXPECT_EQ(0, insn(self, 150, TEXT + 8));
	EXPECT_EQ(0, insn(self, 250, TEXT + 8));
	EXPECT_STREQ("bpf_prog_1+8 (bpf_prog_1)", at(self, 0, TEXT + 8));
}

/* Memory where no module was says nothing of modules that were loaded there later. */
TEST_F(kernel, kcore_beside_modules)
{
	char kcore[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	maps(self, "[nf_tables]", MODULE + 8, 0, NULL);
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_CORE, MODULE, NULL));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MODULE + 8));
	EXPECT_EQ(0, insn(self, 0, MODULE));
}

/* Of another boot, at other addresses: it is not used, and that is noted. */
TEST_F(kernel, kcore_of_another_boot)
{
	char kcore[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	maps(self, "[nf_tables]", MODULE, 0, NULL);
	ASSERT_EQ(0, make(create(self, "vmlinux"), ET_EXEC, TEXT, id));
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_CORE, MODULE, NULL));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_EXEC, insn(self, 0, MOVED + 8));
	EXPECT_EQ(0, insn(self, 0, MODULE + 8));
	EXPECT_STREQ(kcore, self->tasks->code.dsos.bad_kcore);
}

TEST_F(kernel, kcore_that_is_none)
{
	char kcore[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	ASSERT_EQ(0, make(create(self, "vmlinux"), ET_EXEC, TEXT, id));
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_EXEC, MOVED, NULL));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_EXEC, insn(self, 0, MOVED + 8));
	EXPECT_STREQ(kcore, self->tasks->code.dsos.bad_kcore);
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

/* There is no kernel, but its functions have names. */
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

/* Each is found by its path, and the build-id that all share is believed for none. */
TEST_F(kernel, modules_with_one_build_id)
{
	static const char *const path[] = { "/lib/modules/a.ko", "/lib/modules/b_c.ko" };

	for (int i = 0; i < 2; i++) {
		maps(self, path[i], MODULE + 0x10000 * i, 0, module_id);
		ASSERT_EQ(0, make(create(self, "%s", path[i] + 1), ET_REL, 0,
				  "a module's own id..."));
	}
	/* two names of one module do not matter */
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

/* Bytes that are not ELF are not a module. */
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

/* Packs @n bytes as @kind into @to, which has room.  Return: the number of packed bytes. */
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

/* A few bytes that would unpack to more than any module has */
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

/* The result of kallsyms_open() for a file with this text. */
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

/* The vDSO of this machine is used; that of another processor is not. */
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

/* An image of the kernel's memory with its vDSO in it, and the name of that place */
static int make_memory(struct _test_data_kernel *self, const void *vdso, size_t n)
{
	const Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh), .e_phoff = sizeof(eh), .e_phnum = 1,
		.e_phentsize = sizeof(Elf64_Phdr),
	};
	const Elf64_Phdr ph = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = MOVED, .p_offset = 0x1000,
		.p_filesz = 0x1000 + n, .p_memsz = 0x1000 + n,
	};
	FILE *f = create(self, "r/kcore_dir/kcore"), *names = create(self, "r/kcore_dir/kallsyms");

	if (!f || !names)
		return -1;
	fprintf(names, "%llx T _text\n%llx D vdso_start\n", MOVED, MOVED + 0x1000);
	fwrite(&eh, sizeof(eh), 1, f);
	fwrite(&ph, sizeof(ph), 1, f);
	fseek(f, 0x2000, SEEK_SET);
	fwrite(vdso, n, 1, f);
	return fclose(names) | fclose(f);
}

/* A program has @addr mapped as its vDSO, of that build-id.  Return: the size of one, in @bytes. */
static size_t maps_vdso(struct _test_data_kernel *self, uint64_t addr, const char *build_id,
			char *bytes)
{
	const struct perf_write_who who = { .pid = 7, .tid = 7 };
	const struct perf_mmap map = { .addr = addr, .len = 0x1000, .prot = 5, .name = "[vdso]",
				       .build_id = (const uint8_t *)build_id,
				       .n_build_id = build_id ? 20 : 0 };
	char path[64];
	size_t n;
	FILE *f;

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	perf_write_mmap(self->writer, &who, &map);
	snprintf(path, sizeof(path), "%s/some", self->dir);
	if (make(create(self, "some"), ET_DYN, 0, module_id))
		return 0;
	f = fopen(path, "r");
	n = f ? fread(bytes, 1, 4096, f) : 0;
	if (f)
		fclose(f);
	return n;
}

static const struct dso *vdso_of(struct _test_data_kernel *self)
{
	struct dso_table *dsos = &self->tasks->code.dsos;

	for (size_t i = 1; i <= dsos->n; i++)
		if (!strcmp(dsos->dso[i]->name, "[vdso]")) {
			dso_load(dsos, dsos->dso[i]);
			return dsos->dso[i];
		}
	return NULL;
}

/* perf record --kcore of Linux 7.2: no build-id, but the kernel's memory has the code. */
TEST_F(kernel, vdso_in_kcore)
{
	char path[64], bytes[4096];
	const struct dso *dso;
	size_t n;

	n = maps_vdso(self, 0xffff80000000, NULL, bytes);
	ASSERT_EQ(0, make_memory(self, bytes, n));
	snprintf(path, sizeof(path), "%s/r", self->dir);
	self->options.recording = path;
	ASSERT_EQ(0, kernel_open(self));
	dso = vdso_of(self);
	EXPECT_EQ(DSO_FOUND, dso->state);
	ASSERT_NE(NULL, dso->elf);
	EXPECT_EQ(n, dso->elf->size);
	EXPECT_EQ(0, memcmp(bytes, dso->elf->bytes, n));
	EXPECT_NE(NULL, strstr(dso->path, "r/kcore_dir/kcore"));
}

/* One with another build-id is not that of this kernel. */
TEST_F(kernel, other_vdso_in_kcore)
{
	char path[64], bytes[4096];
	size_t n = maps_vdso(self, 0xffff80000000, "that of another one.", bytes);

	ASSERT_EQ(0, make_memory(self, bytes, n));
	snprintf(path, sizeof(path), "%s/r", self->dir);
	self->options.recording = path;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(DSO_MISSING, vdso_of(self)->state);
}

/* Its table of sections lies beyond the memory. */
TEST_F(kernel, cut_vdso_in_kcore)
{
	char path[64], bytes[4096];
	size_t n = maps_vdso(self, 0xffff80000000, NULL, bytes);

	ASSERT_EQ(0, make_memory(self, bytes, n - 1));
	snprintf(path, sizeof(path), "%s/r", self->dir);
	self->options.recording = path;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(DSO_MISSING, vdso_of(self)->state);
}

static int cached(FILE *f, const void *vdso, size_t n)
{
	return f && fwrite(vdso, n, 1, f) == 1 ? fclose(f) : -1;
}

/* csflow vm keeps the vDSO by the kernel's release. */
TEST_F(kernel, vdso_of_release)
{
	char bytes[4096];
	size_t n = maps_vdso(self, 0xffff80000000, NULL, bytes);

	ASSERT_EQ(0, cached(create(self, "[vdso]/6.12-arm64/vdso"), bytes, n));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(DSO_UNCHECKED, vdso_of(self)->state);
}

/* That is for recordings without build-id only. */
TEST_F(kernel, other_vdso_of_release)
{
	char bytes[4096];
	size_t n = maps_vdso(self, 0xffff80000000, "that of another one.", bytes);

	ASSERT_EQ(0, cached(create(self, "[vdso]/6.12-arm64/vdso"), bytes, n));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(DSO_MISSING, vdso_of(self)->state);
}

/* A program of 32 bits has another one; the recording has one build-id for the name of both. */
TEST_F(kernel, vdso_of_32_bits)
{
	const struct perf_build_id build_id = { .name = "[vdso]", .id = (const uint8_t *)module_id,
						.size = 20, .pid = -1 };
	char bytes[4096], hex[41];
	size_t n = maps_vdso(self, 0xf7fff000, NULL, bytes);

	perf_write_build_id(self->writer, &build_id);
	for (int i = 0; i < 20; i++)
		sprintf(hex + 2 * i, "%02x", (uint8_t)module_id[i]);
	ASSERT_EQ(0, cached(create(self, ".build-id/%.2s/%s/vdso", hex, hex + 2), bytes, n));
	ASSERT_EQ(0, cached(create(self, "[vdso]/6.12-arm64/vdso"), bytes, n));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(DSO_MISSING, vdso_of(self)->state);
}

TEST_HARNESS_MAIN
