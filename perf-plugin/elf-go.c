// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table begins with a header, whose magic tells its form:
 *
 *	magic, 0, 0, size of an instruction, size of a pointer
 *	1.2:	number of functions; then come pairs {address, offset of the function's record}
 *	1.16:	number of functions and files; offsets of names, units, files, pc tables, pairs
 *	1.18:	the same, with the address of the text before the offsets; addresses in pairs and
 *		records are 32-bit distances from it, and offsets in pairs have 32 bits
 *	1.20:	as 1.18
 *
 * After the last pair comes the address where the last function ends.  A record begins with the
 * function's address, and a 32-bit offset of its name follows.
 *
 * Source: golang.org/s/go12symtab and the package debug/gosym, for Go 1.2 to 1.26.
 */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "elf-go.h"
#include "lower-bound.h"
#include "section.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

enum magic {
	GO_1_2 = 0xfffffffb,
	GO_1_16 = 0xfffffffa,
	GO_1_18 = 0xfffffff0,
	GO_1_20 = 0xfffffff1,
};

/**
 * struct table - a table, once its header was read
 * @bytes: @n bytes, at the address @addr
 * @width: bytes of a pointer
 * @n_function: number of functions, not checked yet
 * @text: added to each address
 * @names, @pairs, @records: where these begin, counted from the start of the table
 */
struct table {
	const struct elf_file *file;
	const uint8_t *bytes;
	uint64_t n, addr;
	enum magic magic;
	unsigned int width;
	uint64_t n_function, text, names, pairs, records;
};

/* ---------------------------------------------------------------- bytes */

/* The number of @width bytes at @offset.  Return: it is in the table. */
static bool number(const struct table *t, uint64_t offset, unsigned int width, uint64_t *value)
{
	*value = 0;
	if (offset > t->n || width > t->n - offset)
		return false;
	memcpy(value, t->bytes + offset, width);
	return true;
}

/* Word @i of the header. */
static bool word(const struct table *t, unsigned int i, uint64_t *value)
{
	return number(t, 8 + i * t->width, t->width, value);
}

/* Its end is looked for when it is needed: many names without one would take too long. */
static const char *name_at(const struct table *t, uint64_t offset)
{
	const uint64_t at = t->names + offset;

	return at < offset || at >= t->n || !t->bytes[at] ? NULL : (const char *)t->bytes + at;
}

/* ---------------------------------------------------------------- header */

/* In a position-independent program the loader fills in an address; a relocation has it. */
static uint64_t relocated(Elf *elf, uint64_t addr)
{
	Elf_Scn *scn = NULL;
	GElf_Rela rela;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !(sh.sh_flags & SHF_ALLOC))
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == addr &&
			    GELF_R_TYPE(rela.r_info) == R_AARCH64_RELATIVE)
				return rela.r_addend;
	}
	return 0;
}

/* Word 2 of the header, or where it is 0 the start of .text. */
static bool find_text(struct table *t)
{
	struct elf_range text;

	if (!word(t, 2, &t->text))
		return false;
	if (!t->text)
		t->text = relocated(t->file->elf, t->addr + 8 + 2 * t->width);
	if (!t->text && elf_file_section(t->file, ".text", &text))
		t->text = text.start;
	return true;
}

static bool read_header(struct table *t)
{
	uint64_t magic, width;

	if (!number(t, 0, 4, &magic) || !number(t, 7, 1, &width) || (width != 4 && width != 8))
		return false;
	t->magic = magic;
	t->width = width;
	if (!word(t, 0, &t->n_function))
		return false;
	switch (t->magic) {
	case GO_1_2:
		t->pairs = 8 + t->width;
		return true;
	case GO_1_16:
		if (!word(t, 2, &t->names) || !word(t, 6, &t->pairs))
			return false;
		break;
	case GO_1_18:
	case GO_1_20:
		if (!find_text(t) || !word(t, 3, &t->names) || !word(t, 7, &t->pairs))
			return false;
		t->width = 4;
		break;
	default:
		return false;
	}
	t->records = t->pairs;
	return true;
}

/* ---------------------------------------------------------------- functions */

/* The function of pair @i.  Return: the table has it whole. */
static bool read_function(const struct table *t, uint64_t i, struct elf_symbol *symbol)
{
	const uint64_t pair = t->pairs + 2 * i * t->width;
	uint64_t addr, end, record, name;

	if (!number(t, pair, t->width, &addr) ||
	    !number(t, pair + t->width, t->width, &record) ||
	    !number(t, pair + 2 * t->width, t->width, &end) ||
	    !number(t, t->records + record + t->width, 4, &name) || end <= addr)
		return false;
	*symbol = (struct elf_symbol){ .name = name_at(t, name), .addr = t->text + addr,
				       .size = end - addr };
	symbol->raw = symbol->name;
	return symbol->name;
}

static bool read_functions(const struct table *t, struct elf_go *go)
{
	uint64_t end = 0;

	if (t->pairs > t->n || t->n_function > (t->n - t->pairs) / (2 * t->width))
		return true;
	for (uint64_t i = 0; i < t->n_function; i++) {
		struct elf_symbol symbol;

		if (!read_function(t, i, &symbol) || symbol.addr < end ||
		    symbol.size > UINT64_MAX - symbol.addr)
			continue;
		if (!array_room(&go->symbol, go->n, &go->size, sizeof(*go->symbol)))
			return false;
		go->symbol[go->n++] = symbol;
		end = symbol.addr + symbol.size;
	}
	return true;
}

static bool find_table(const struct elf_file *file, struct table *t)
{
	static const char *const name[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	struct elf_range range;

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		const struct section s = section_find(file->elf, name[i]);

		if (s.at == s.end || !elf_file_section(file, name[i], &range))
			continue;
		*t = (struct table){ .file = file, .bytes = s.at, .n = s.end - s.at,
				     .addr = range.start };
		return true;
	}
	return false;
}

bool elf_go_read(const struct elf_file *file, struct elf_go *go)
{
	struct table t;

	if (file->is_module || file->is_core || !find_table(file, &t) || !read_header(&t))
		return true;
	go->end = t.bytes + t.n;
	return read_functions(&t, go);
}

void elf_go_free(struct elf_go *go)
{
	free(go->symbol);
	*go = (struct elf_go){ 0 };
}

bool elf_go_find(const struct elf_go *go, uint64_t addr, struct elf_symbol *symbol)
{
	const size_t next = LOWER_BOUND(go->n, i, go->symbol[i].addr <= addr);
	const struct elf_symbol *at = &go->symbol[next - !!next];

	if (!next || addr - at->addr >= at->size ||
	    !memchr(at->name, 0, go->end - (const uint8_t *)at->name))
		return false;
	*symbol = *at;
	return true;
}

bool elf_go_address(const struct elf_go *go, const char *name, uint64_t *addr)
{
	const size_t n = strlen(name) + 1;

	for (size_t i = 0; i < go->n; i++) {
		const char *own = go->symbol[i].name;

		if (n <= go->end - (const uint8_t *)own && !memcmp(own, name, n)) {
			*addr = go->symbol[i].addr;
			return true;
		}
	}
	return false;
}
