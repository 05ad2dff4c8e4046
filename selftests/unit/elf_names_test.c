// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of code without symbols: small files that are made here, byte by byte, with tables of Go,
 * of stack walks, of stubs and packed ones; whole, cut and damaged.
 */
#include <elf.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/elf.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define TEXT		0x1000		/* address, and offset in the file, of .text */
#define TEXT_SIZE	0x200
#define SECTIONS	12

/**
 * struct maker - a file that is being made: addresses are offsets
 * @n: bytes so far; @section: n_section of them, from number 1 on
 */
struct maker {
	uint8_t bytes[0x8000];
	size_t n;
	Elf64_Shdr section[SECTIONS];
	size_t n_section;
	char names[256];
	size_t n_names;
	uint16_t type;
};

/* A table that is being written. */
struct bytes {
	uint8_t b[4096];
	size_t n;
};

static void put(struct bytes *t, unsigned int size, uint64_t value)
{
	memcpy(t->b + t->n, &value, size);
	t->n += size;
}

static void put_text(struct bytes *t, const char *text)
{
	memcpy(t->b + t->n, text, strlen(text) + 1);
	t->n += strlen(text) + 1;
}

/* Return: the number of the section. */
static size_t add(struct maker *m, const char *name, uint32_t type, const void *bytes, size_t n)
{
	Elf64_Shdr *sh = &m->section[++m->n_section];

	m->n = (m->n + 15) & ~15ull;
	*sh = (Elf64_Shdr){ .sh_name = m->n_names, .sh_type = type, .sh_flags = SHF_ALLOC,
			    .sh_addr = m->n, .sh_offset = m->n, .sh_size = n, .sh_addralign = 1 };
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
	strcpy(m->names + m->n_names, name);
	m->n_names += strlen(name) + 1;
	return m->n_section;
}

static void add_code(struct maker *m, const char *name, const uint32_t *insn, size_t n)
{
	m->section[add(m, name, SHT_PROGBITS, insn, 4 * n)].sh_flags |= SHF_EXECINSTR;
}

static void begin(struct maker *m, uint16_t type, const uint32_t *insn)
{
	static const uint32_t none[TEXT_SIZE / 4];

	memset(m, 0, sizeof(*m));
	m->type = type;
	m->n = TEXT;
	m->n_names = 1;
	add_code(m, ".text", insn ? insn : none, TEXT_SIZE / 4);
}

static struct elf_file *finish(struct maker *m)
{
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = m->type, .e_machine = EM_AARCH64, .e_version = EV_CURRENT,
		.e_phoff = sizeof(eh), .e_ehsize = sizeof(eh), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr),
	};
	Elf64_Phdr ph = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X };
	struct elf_file *file = NULL;
	static const char own[] = ".shstrtab";

	add(m, own, SHT_STRTAB, "", 0);
	eh.e_shstrndx = m->n_section;
	m->section[m->n_section].sh_size = m->n_names;
	memcpy(m->bytes + m->n, m->names, m->n_names);
	m->n = (m->n + m->n_names + 15) & ~15ull;
	eh.e_shoff = m->n;
	eh.e_shnum = m->n_section + 1;
	memcpy(m->bytes + m->n, m->section, eh.e_shnum * sizeof(*m->section));
	m->n += eh.e_shnum * sizeof(*m->section);
	ph.p_filesz = m->n;
	ph.p_memsz = m->n;
	memcpy(m->bytes, &eh, sizeof(eh));
	memcpy(m->bytes + sizeof(eh), &ph, sizeof(ph));
	if (elf_file_copy(&file, m->bytes, m->n))
		return NULL;
	file->name = "/usr/bin/prog";
	return file;
}

static const char *name_at(struct elf_file *file, uint64_t addr)
{
	struct elf_symbol symbol;

	return elf_file_symbol(file, addr, &symbol) ? symbol.name : "none";
}

/* ---------------------------------------------------------------- Go */

/* Two functions, at @text + 0x10 up to 0x50 and from there up to 0xa0; pointers of @width bytes. */
static void go_old(struct bytes *t, unsigned int width)
{
	const uint64_t start[] = { TEXT + 0x10, TEXT + 0x50, TEXT + 0xa0 };
	const uint64_t records = 8 + width + 5 * width;

	*t = (struct bytes){ .n = 0 };
	put(t, 4, 0xfffffffb);
	put(t, 4, 4 << 16 | (uint64_t)width << 24);
	put(t, width, 2);
	for (int i = 0; i < 2; i++) {
		put(t, width, start[i]);
		put(t, width, records + i * (width + 4));
	}
	put(t, width, start[2]);
	for (int i = 0; i < 2; i++) {
		put(t, width, start[i]);
		put(t, 4, records + 2 * (width + 4) + 10 * i);
	}
	put_text(t, "main.main");
	put_text(t, "main.sum");
}

/* @text: NULL: Go 1.16, which has none in its header */
static void go_new(struct bytes *t, uint32_t magic, const uint64_t *text)
{
	const unsigned int width = text ? 4 : 8, words = text ? 8 : 7;
	const uint64_t base = text ? 0 : TEXT, names = 8 + 8 * words, pairs = names + 32;
	const uint64_t start[] = { base + 0x10, base + 0x50, base + 0xa0 };

	*t = (struct bytes){ .n = 0 };
	put(t, 4, magic);
	put(t, 4, 4 << 16 | 8 << 24);
	put(t, 8, 2);
	put(t, 8, 1);
	if (text)
		put(t, 8, *text);
	put(t, 8, names);
	for (int i = 0; i < 3; i++)
		put(t, 8, names);
	put(t, 8, pairs);
	put_text(t, "main.main");
	put_text(t, "main.sum");
	t->n = pairs;
	for (int i = 0; i < 2; i++) {
		put(t, width, start[i]);
		put(t, width, 5 * width + i * (width + 4));
	}
	put(t, width, start[2]);
	for (int i = 0; i < 2; i++) {
		put(t, width, start[i]);
		put(t, 4, 10 * i);
	}
}

#define EXPECT_GO(file) do {							\
	EXPECT_STREQ("main.main", name_at(file, TEXT + 0x10));			\
	EXPECT_STREQ("main.main", name_at(file, TEXT + 0x4c));			\
	EXPECT_STREQ("main.sum", name_at(file, TEXT + 0x50));			\
	EXPECT_STREQ("main.sum", name_at(file, TEXT + 0x9c));			\
	EXPECT_STREQ("prog+0x1000", name_at(file, TEXT + 0xc));			\
	EXPECT_STREQ("prog+0x10a0", name_at(file, TEXT + 0x100));		\
} while (0)

static struct elf_file *go_file(struct maker *m, const struct bytes *t, size_t n)
{
	begin(m, ET_EXEC, NULL);
	add(m, ".gopclntab", SHT_PROGBITS, t->b, n);
	return finish(m);
}

TEST(go_of_each_release)
{
	static const uint64_t text = TEXT;
	static struct bytes t;
	static struct maker m;

	for (int form = 0; form < 5; form++) {
		struct elf_file *file;

		if (form < 2)
			go_old(&t, form ? 4 : 8);
		else
			go_new(&t, form == 2 ? 0xfffffffa : form == 3 ? 0xfffffff0 : 0xfffffff1,
			       form == 2 ? NULL : &text);
		file = go_file(&m, &t, t.n);
		ASSERT_NE(NULL, file);
		EXPECT_GO(file);
		elf_file_close(file);
	}
}

/* The loader fills in where the text is: a relocation says it, or else .text does. */
TEST(go_in_any_place)
{
	static const uint64_t zero;
	static struct bytes t;
	static struct maker m;

	go_new(&t, 0xfffffff1, &zero);
	for (int moved = 0; moved < 2; moved++) {
		Elf64_Rela rela = { .r_info = ELF64_R_INFO(0, R_AARCH64_RELATIVE),
				    .r_addend = TEXT + 0x40 };
		struct elf_file *file;
		size_t table;

		begin(&m, ET_DYN, NULL);
		table = add(&m, ".data.rel.ro.gopclntab", SHT_PROGBITS, t.b, t.n);
		rela.r_offset = m.section[table].sh_addr + 8 + 2 * 8;
		if (moved)
			m.section[add(&m, ".rela", SHT_RELA, &rela, sizeof(rela))].sh_entsize =
				sizeof(rela);
		file = finish(&m);
		ASSERT_NE(NULL, file);
		EXPECT_STREQ("main.main", name_at(file, TEXT + 0x10 + 0x40 * moved));
		EXPECT_STREQ("main.sum", name_at(file, TEXT + 0x9c + 0x40 * moved));
		elf_file_close(file);
	}
}

/* A cut table gives the right name, or none. */
TEST(go_cut)
{
	static const uint64_t text = TEXT;
	static struct bytes t;
	static struct maker m;
	int named = 0;

	go_new(&t, 0xfffffff1, &text);
	for (size_t n = 0; n < t.n; n++) {
		struct elf_file *file = go_file(&m, &t, n);
		const char *name;

		ASSERT_NE(NULL, file);
		name = name_at(file, TEXT + 0x20);
		EXPECT_TRUE(!strcmp(name, "main.main") || !strncmp(name, "prog+", 5));
		named += *name == 'm';
		EXPECT_STRNE("main.main", name_at(file, TEXT + 0x60));
		elf_file_close(file);
	}
	/* the record of the second function is missing */
	EXPECT_EQ(8, named);
}

static uint64_t random_state;

static uint32_t rnd(uint32_t n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) % n;
}

static void look_everywhere(struct elf_file *file)
{
	for (uint64_t addr = 0; file && addr < 0x3000; addr += 0x24) {
		struct elf_symbol symbol;

		/* reads the whole name */
		if (elf_file_symbol(file, addr, &symbol))
			random_state += strlen(symbol.name);
	}
}

TEST(go_damaged)
{
	static const uint64_t text = TEXT;
	static struct bytes t, bad;
	static struct maker m;

	for (int i = 0; i < 3000; i++) {
		struct elf_file *file;

		if (i % 2)
			go_new(&t, i % 4 == 1 ? 0xfffffffa : 0xfffffff1, i % 4 == 1 ? NULL : &text);
		else
			go_old(&t, 8);
		bad = t;
		for (uint32_t k = rnd(4); k < 4; k++)
			bad.b[rnd(t.n)] = rnd(2) ? 0xff : rnd(256);
		file = go_file(&m, &bad, t.n);
		look_everywhere(file);
		elf_file_close(file);
	}
}

/* ---------------------------------------------------------------- tables for stack walks */

/* One CIE with this augmentation, and an FDE for each of @n functions of 0x20 bytes. */
static void frames(struct bytes *t, uint64_t addr, const char *augmentation, const uint32_t *start,
		   size_t n)
{
	size_t length = t->n;

	put(t, 4, 0);
	put(t, 4, 0);
	put(t, 1, 1);
	put_text(t, augmentation);
	put(t, 1, 4);		/* code */
	put(t, 1, 0x78);	/* data: -8 */
	put(t, 1, 30);		/* return address */
	put(t, 1, strlen(augmentation) == 2 ? 1 : 7);
	if (strlen(augmentation) > 2) {
		put(t, 1, 0x1b);	/* personality: relative, 4 bytes */
		put(t, 4, 0x11223344);
		put(t, 1, 0);		/* LSDA: an address */
	}
	put(t, 1, 0x1b);
	while (t->n % 4)
		put(t, 1, 0);
	memcpy(t->b + length, &(uint32_t){ t->n - length - 4 }, 4);
	for (size_t i = 0; i < n; i++) {
		const size_t here = t->n;

		put(t, 4, 16);
		put(t, 4, here + 4 - length);
		put(t, 4, (uint32_t)(start[i] - (addr + t->n)));
		put(t, 4, 0x20);
		put(t, 4, 0);
	}
}

#define BL(from, to)	(0x94000000 | (((to) - (from)) / 4 & 0x3ffffff))

/*
 * Functions at +0x10 and +0x60, with two CIEs; calls lead to +0x80, into the first function, and
 * out of the code.
 */
static struct elf_file *walked(struct maker *m, bool calls)
{
	static const uint32_t start[] = { TEXT + 0x10, TEXT + 0x60 };
	uint32_t insn[TEXT_SIZE / 4] = { 0 };
	struct bytes t = { .n = 0 };

	if (calls) {
		insn[0x14 / 4] = BL(0x14, 0x80);
		insn[0x18 / 4] = BL(0x18, 0x20);
		insn[0x1c / 4] = BL(0x1c, 0x8000000);
	}
	begin(m, ET_DYN, insn);
	m->n = (m->n + 15) & ~15ull;
	frames(&t, m->n, "zPLR", start, 1);
	frames(&t, m->n, "zR", start + 1, 1);
	put(&t, 4, 0);
	add(m, ".eh_frame", SHT_PROGBITS, t.b, t.n);
	return finish(m);
}

TEST(walks)
{
	static struct maker m;

	for (int calls = 0; calls < 2; calls++) {
		struct elf_file *file = walked(&m, calls);

		ASSERT_NE(NULL, file);
		EXPECT_STREQ("prog+0x1000", name_at(file, TEXT));
		EXPECT_STREQ("prog+0x1010", name_at(file, TEXT + 0x10));
		EXPECT_STREQ("prog+0x1010", name_at(file, TEXT + 0x2c));
		EXPECT_STREQ("prog+0x1030", name_at(file, TEXT + 0x30));
		EXPECT_STREQ("prog+0x1060", name_at(file, TEXT + 0x7c));
		EXPECT_STREQ("prog+0x1080", name_at(file, TEXT + 0x90));
		EXPECT_STREQ("none", name_at(file, 0x800000));
		elf_file_close(file);
	}
}

TEST(walks_cut_and_damaged)
{
	static struct maker m;

	for (int i = 0; i < 3000; i++) {
		struct elf_file *file = walked(&m, true), *bad = NULL;
		const size_t at = m.section[2].sh_offset, n = m.section[2].sh_size;

		elf_file_close(file);
		for (uint32_t k = rnd(4); k < 4; k++)
			m.bytes[at + rnd(n)] = rnd(2) ? 0xff : rnd(256);
		if (!elf_file_copy(&bad, m.bytes, i % 2 ? m.n : at + rnd(n)))
			look_everywhere(bad);
		elf_file_close(bad);
	}
}

/* Without tables: the section begins one, and so does each target of a call. */
TEST(called)
{
	uint32_t insn[TEXT_SIZE / 4] = { 0 };
	static struct maker m;
	struct elf_symbol symbol;
	struct elf_file *file;

	insn[0x100 / 4] = BL(0x100, 0x40);
	insn[0x48 / 4] = BL(0x48, 0x180);
	begin(&m, ET_DYN, insn);
	file = finish(&m);
	ASSERT_NE(NULL, file);
	EXPECT_STREQ("prog+0x1000", name_at(file, TEXT + 0x3c));
	EXPECT_STREQ("prog+0x1040", name_at(file, TEXT + 0x40));
	EXPECT_STREQ("prog+0x1040", name_at(file, TEXT + 0x17c));
	EXPECT_STREQ("prog+0x1180", name_at(file, TEXT + 0x180));
	EXPECT_TRUE(elf_file_symbol(file, TEXT + 0x44, &symbol));
	EXPECT_TRUE(symbol.made);
	EXPECT_EQ(NULL, symbol.raw);
	EXPECT_EQ(TEXT + 0x40, symbol.addr);
	EXPECT_EQ(0x140, symbol.size);
	elf_file_close(file);
}

/* ---------------------------------------------------------------- symbols */

static void add_symbols(struct maker *m, const char *table, uint32_t type, const Elf64_Sym *symbol,
			size_t n, const char *names, size_t n_names)
{
	const size_t strings = add(m, ".strings", SHT_STRTAB, names, n_names);
	const size_t number = add(m, table, type, symbol, n * sizeof(*symbol));

	m->section[number].sh_link = strings;
	m->section[number].sh_entsize = sizeof(*symbol);
	m->section[number].sh_info = 1;
}

#define FUNC	ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)

/* A part with a name of its own lies in a function, whose rest is apart: no block is in both. */
TEST(symbol_in_symbol)
{
	static const char names[] = "\0outer\0inner";
	static const Elf64_Sym symbol[] = {
		{ 0 },
		{ .st_name = 1, .st_info = FUNC, .st_shndx = 1, .st_value = TEXT, .st_size = 0x80 },
		{ .st_name = 7, .st_info = FUNC, .st_shndx = 1, .st_value = TEXT + 0x20,
		  .st_size = 0x10 },
	};
	static struct maker m;
	struct elf_file *file;

	begin(&m, ET_DYN, NULL);
	add_symbols(&m, ".symtab", SHT_SYMTAB, symbol, 3, names, sizeof(names));
	file = finish(&m);
	ASSERT_NE(NULL, file);
	EXPECT_STREQ("outer", name_at(file, TEXT + 0x1c));
	EXPECT_STREQ("inner", name_at(file, TEXT + 0x2c));
	EXPECT_STREQ("prog+0x1030", name_at(file, TEXT + 0x30));
	EXPECT_STREQ("prog+0x1080", name_at(file, TEXT + 0x80));
	elf_file_close(file);
}

/* .dynsym names what is exported, and the packed table the rest. */
TEST(packed)
{
	static const char names[] = "\0_ZN3foo3barEi", exported[] = "\0shown";
	static const Elf64_Sym symbol[] = {
		{ 0 },
		{ .st_name = 1, .st_info = FUNC, .st_shndx = 1, .st_value = TEXT + 0x40,
		  .st_size = 0x20 },
	}, dynamic[] = {
		{ 0 },
		{ .st_name = 1, .st_info = FUNC, .st_shndx = 1, .st_value = TEXT, .st_size = 0x10 },
	};
	static uint8_t xz[0x4000];
	static struct maker inner, m;

	begin(&inner, ET_DYN, NULL);
	add_symbols(&inner, ".symtab", SHT_SYMTAB, symbol, 2, names, sizeof(names));
	elf_file_close(finish(&inner));
	for (int cut = 0; cut < 2; cut++) {
		struct elf_file *file;
		size_t n = 0;

		ASSERT_EQ(LZMA_OK, lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, inner.bytes,
							   inner.n, xz, &n, sizeof(xz)));
		begin(&m, ET_DYN, NULL);
		add_symbols(&m, ".dynsym", SHT_DYNSYM, dynamic, 2, exported, sizeof(exported));
		add(&m, ".gnu_debugdata", SHT_PROGBITS, xz, cut ? n / 2 : n);
		file = finish(&m);
		ASSERT_NE(NULL, file);
		EXPECT_STREQ("shown", name_at(file, TEXT + 0xc));
		EXPECT_STREQ(cut ? "prog+0x1010" : "foo::bar(int)", name_at(file, TEXT + 0x5c));
		elf_file_close(file);
	}
}

/* ---------------------------------------------------------------- stubs */

#define ADRP_X16	0x90000010	/* this page */
#define LDR_X17(slot)	(0xf9400211 | (slot) / 8 << 10)
#define ADD_X16(slot)	(0x91000210 | (slot) << 10)
#define BR_X17		0xd61f0220
#define BRAA_X17	0xd71f0a30	/* BRAA X17, X16 */
#define BTI_C		0xd503245f
#define NOP		0xd503201f

/* Sections of stubs that have no header, in the forms of all linkers; slots are in their page. */
TEST(stubs)
{
	static const char names[] = "\0first\0second";
	static const Elf64_Sym symbol[] = {
		{ 0 },
		{ .st_name = 1, .st_info = FUNC },
		{ .st_name = 7, .st_info = FUNC },
	};
	const uint32_t insn[] = {
		ADRP_X16, LDR_X17(0xf00), ADD_X16(0xf00), BR_X17,
		BTI_C, ADRP_X16, LDR_X17(0xf08), ADD_X16(0xf08), BR_X17, NOP,
		ADRP_X16, LDR_X17(0xf10), ADD_X16(0xf10), BRAA_X17,
		BTI_C, ADRP_X16, LDR_X17(0xf00), ADD_X16(0xf00), BRAA_X17,
		/* no slot */
		ADRP_X16, LDR_X17(0xf80), ADD_X16(0xf80), BR_X17,
	};
	static const char *const section[] = { ".plt.got", ".plt.sec", ".iplt" };
	static struct maker m;

	for (size_t i = 0; i < ARRAY_SIZE(section); i++) {
		const uint64_t at = TEXT + TEXT_SIZE;
		Elf64_Rela rela[] = {
			{ TEXT + 0xf00, ELF64_R_INFO(1, R_AARCH64_GLOB_DAT), 0 },
			{ TEXT + 0xf08, ELF64_R_INFO(2, R_AARCH64_JUMP_SLOT), 0 },
			{ TEXT + 0xf10, ELF64_R_INFO(0, R_AARCH64_IRELATIVE), TEXT },
		};
		struct elf_file *file;
		size_t number;

		begin(&m, ET_DYN, NULL);
		add_code(&m, section[i], insn, ARRAY_SIZE(insn));
		add_symbols(&m, ".dynsym", SHT_DYNSYM, symbol, 3, names, sizeof(names));
		number = add(&m, ".rela.dyn", SHT_RELA, rela, sizeof(rela));
		m.section[number].sh_link = number - 1;
		m.section[number].sh_entsize = sizeof(*rela);
		file = finish(&m);
		ASSERT_NE(NULL, file);
		EXPECT_STREQ("first@plt", name_at(file, at));
		EXPECT_STREQ("first@plt", name_at(file, at + 0xc));
		EXPECT_STREQ("second@plt", name_at(file, at + 0x10));
		EXPECT_STREQ("second@plt", name_at(file, at + 0x24));
		EXPECT_STREQ("offset_0x1228@plt", name_at(file, at + 0x28));
		EXPECT_STREQ("first@plt", name_at(file, at + 0x38));
		EXPECT_STREQ("first@plt", name_at(file, at + 0x48));
		EXPECT_STREQ("prog+0x124c", name_at(file, at + 0x4c));
		elf_file_close(file);
	}
}

TEST_HARNESS_MAIN
