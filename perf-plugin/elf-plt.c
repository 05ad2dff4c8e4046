// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stubs have no symbols.  Each loads a slot of the global offset table and jumps to the address in
 * it, and a relocation names the symbol for the slot.  So a stub is recognised by its instructions,
 * whatever its length and place.
 *
 * Source: SysVABI64 "Procedure linkage table", AAELF64 5.7 and AAELF32 5.6 for relocations; tables
 * written by GNU ld, lld and mold.
 */
#define _GNU_SOURCE	/* asprintf() */
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "elf-plt.h"

/* A slot of the global offset table, and its symbol; NULL: none. */
struct slot {
	uint64_t addr;
	const char *name;
};

struct slots {
	struct slot *slot;
	size_t n, size;
};

/**
 * struct table - a section with stubs
 * @bytes: its @n instructions, the first at @addr, @offset in the file
 * @header: it begins with code that all stubs share
 */
struct table {
	const uint8_t *bytes;
	size_t n;
	uint64_t addr, offset;
	bool header;
};

/* ---------------------------------------------------------------- slots */

static bool fills_slot(int machine, uint32_t type)
{
	if (machine == EM_ARM)
		return type == R_ARM_GLOB_DAT || type == R_ARM_JUMP_SLOT || type == R_ARM_IRELATIVE;
	return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT ||
	       type == R_AARCH64_IRELATIVE;
}

/* The name of symbol @i in the table that sh_link of @sh refers to; NULL: it has none. */
static const char *symbol_name(Elf *elf, const GElf_Shdr *sh, size_t i)
{
	Elf_Scn *scn = i ? elf_getscn(elf, sh->sh_link) : NULL;
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *name = NULL;
	GElf_Shdr table;
	GElf_Sym sym;

	if (data && gelf_getshdr(scn, &table) && gelf_getsym(data, i, &sym))
		name = elf_strptr(elf, table.sh_link, sym.st_name);
	return name && *name ? name : NULL;
}

static bool get_relocation(Elf_Data *data, const GElf_Shdr *sh, size_t i, GElf_Rela *rela)
{
	GElf_Rel rel;

	if (sh->sh_type == SHT_RELA)
		return gelf_getrela(data, i, rela);
	if (!gelf_getrel(data, i, &rel))
		return false;
	rela->r_offset = rel.r_offset;
	rela->r_info = rel.r_info;
	return true;
}

static bool read_relocations(Elf *elf, int machine, Elf_Scn *scn, struct slots *slots)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Rela rela;
	GElf_Shdr sh;

	if (!data || !gelf_getshdr(scn, &sh))
		return true;
	for (size_t i = 0; get_relocation(data, &sh, i, &rela); i++) {
		if (!fills_slot(machine, GELF_R_TYPE(rela.r_info)))
			continue;
		if (!array_room(&slots->slot, slots->n, &slots->size, sizeof(*slots->slot)))
			return false;
		slots->slot[slots->n++] = (struct slot){
			.addr = rela.r_offset,
			.name = symbol_name(elf, &sh, GELF_R_SYM(rela.r_info)),
		};
	}
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool read_slots(Elf *elf, int machine, struct slots *slots)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC &&
		    (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL) &&
		    !read_relocations(elf, machine, scn, slots))
			return false;
	if (slots->n)
		qsort(slots->slot, slots->n, sizeof(*slots->slot), by_addr);
	return true;
}

/* ---------------------------------------------------------------- instructions */

/* Instruction @i; 0, which is never searched for: there are no more. */
static uint32_t word(const struct table *t, size_t i)
{
	const uint8_t *p = t->bytes + 4 * i;

	return i < t->n ? p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24 : 0;
}

/*
 * ADRP X16, page; LDR X17, [X16, #n]; ... BR X17 or BRAA X17, X16.
 * Return: number of instructions; 0: it is something else.
 */
static size_t load_a64(const struct table *t, size_t i, uint64_t *slot)
{
	const uint32_t adrp = word(t, i), ldr = word(t, i + 1);
	const uint64_t low = adrp >> 29 & 3, high = adrp >> 5 & 0x7ffff;
	const uint64_t pages = (high << 2 | low) ^ 0x100000;

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	*slot = ((t->addr + 4 * i) & ~0xfffull) + ((pages - 0x100000) << 12) +
		(ldr >> 10 & 0xfff) * 8;
	for (size_t n = 2; n < 6; n++)
		if (word(t, i + n) == 0xd61f0220 || word(t, i + n) == 0xd71f0a30)
			return n + 1;
	return 0;
}

static uint32_t immediate_a32(uint32_t insn)
{
	const uint32_t v = insn & 0xff, turn = insn >> 7 & 0x1e;

	return turn ? v >> turn | v << (32 - turn) : v;
}

/*
 * ADD IP, PC, #a; ADD IP, IP, #b; ... LDR PC, [IP, #n]!; or, from lld for far slots, LDR IP, [PC,
 * #4]; ADD IP, IP, PC; LDR PC, [IP]; .word.
 */
static size_t load_a32(const struct table *t, size_t i, uint64_t *slot)
{
	uint32_t at = t->addr + 4 * i + 8;

	if (word(t, i) == 0xe59fc004 && word(t, i + 1) == 0xe08cc00f &&
	    word(t, i + 2) == 0xe59cf000) {
		*slot = (uint32_t)(at + 4 + word(t, i + 3));
		return 4;
	}
	if ((word(t, i) & 0xfffff000) != 0xe28fc000)
		return 0;
	at += immediate_a32(word(t, i));
	for (size_t n = 1; n < 4; n++) {
		const uint32_t insn = word(t, i + n);

		if ((insn & 0xfffff000) == 0xe5bcf000) {
			*slot = (uint32_t)(at + (insn & 0xfff));
			return n + 1;
		}
		if ((insn & 0xfffff000) != 0xe28cc000)
			return 0;
		at += immediate_a32(insn);
	}
	return 0;
}

/* Before a stub: BTI C; or, for entry from T32, BX PC; NOP, or BX PC; B .-2. */
static bool is_entry(int machine, uint32_t insn)
{
	if (machine == EM_ARM)
		return insn == 0x46c04778 || insn == 0xe7fd4778;
	return insn == 0xd503245f;
}

/* Between stubs: NOP; or lld's trap instruction. */
static bool is_fill(int machine, uint32_t insn)
{
	return insn == (machine == EM_ARM ? 0xd4d4d4d4 : 0xd503201f);
}

/* ---------------------------------------------------------------- stubs */

static bool push(struct elf_stubs *stubs, uint64_t addr, uint64_t size, char *name)
{
	if (!name || !array_room(&stubs->stub, stubs->n, &stubs->size, sizeof(*stubs->stub))) {
		free(name);
		return false;
	}
	stubs->stub[stubs->n++] = (struct elf_stub){ .addr = addr, .size = size, .name = name };
	return true;
}

/* A slot without a symbol is for a function of this file that is chosen at load time. */
static char *name_of(const struct slot *slot, uint64_t offset)
{
	char *name;
	int n;

	n = slot->name ? asprintf(&name, "%s@plt", slot->name) :
			 asprintf(&name, "offset_%#" PRIx64 "@plt", offset);
	return n < 0 ? NULL : name;
}

static bool read_stubs(const struct table *t, int machine, const struct slots *slots,
		       struct elf_stubs *stubs)
{
	size_t n, first;

	for (size_t i = 0; i < t->n; i += n) {
		struct slot key = { .name = NULL };
		const struct slot *slot;

		n = machine == EM_ARM ? load_a32(t, i, &key.addr) : load_a64(t, i, &key.addr);
		slot = n && slots->n ? bsearch(&key, slots->slot, slots->n, sizeof(key), by_addr) :
				       NULL;
		if (!slot) {
			n = 1;
			continue;
		}
		first = i && is_entry(machine, word(t, i - 1)) ? i - 1 : i;
		while (i + n < t->n && is_fill(machine, word(t, i + n)))
			n++;
		if (!push(stubs, t->addr + 4 * first, 4 * (i + n - first),
			  name_of(slot, t->offset + 4 * first)))
			return false;
	}
	return true;
}

static bool read_table(const struct table *t, int machine, const struct slots *slots,
		       struct elf_stubs *stubs)
{
	const size_t before = stubs->n;
	uint64_t first;

	if (!read_stubs(t, machine, slots, stubs))
		return false;
	if (!t->header || stubs->n == before)
		return true;
	first = stubs->stub[before].addr;
	return first == t->addr || push(stubs, t->addr, first - t->addr, strdup(".plt"));
}

/* Return: @scn has the name of a section with stubs. */
static bool find_table(const struct elf_file *file, Elf_Scn *scn, struct table *t)
{
	const char *name;
	size_t strings;
	GElf_Shdr sh;

	if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_PROGBITS ||
	    !(sh.sh_flags & SHF_EXECINSTR) || elf_getshdrstrndx(file->elf, &strings) ||
	    sh.sh_offset > file->size || sh.sh_size > file->size - sh.sh_offset)
		return false;
	name = elf_strptr(file->elf, strings, sh.sh_name);
	*t = (struct table){ .bytes = file->bytes + sh.sh_offset, .n = sh.sh_size / 4,
			     .addr = sh.sh_addr, .offset = sh.sh_offset };
	t->header = name && !strcmp(name, ".plt");
	return name && (!strncmp(name, ".plt", 4) || !strcmp(name, ".iplt"));
}

bool elf_plt_read(const struct elf_file *file, struct elf_stubs *stubs)
{
	struct slots slots = { 0 };
	Elf_Scn *scn = NULL;
	struct table table;
	GElf_Ehdr eh;
	bool ok;

	if (!file->is_arm || file->is_module || file->is_core || !gelf_getehdr(file->elf, &eh))
		return true;
	ok = read_slots(file->elf, eh.e_machine, &slots);
	while (ok && (scn = elf_nextscn(file->elf, scn)))
		if (find_table(file, scn, &table))
			ok = read_table(&table, eh.e_machine, &slots, stubs);
	free(slots.slot);
	return ok;
}

void elf_plt_free(struct elf_stubs *stubs)
{
	for (size_t i = 0; i < stubs->n; i++)
		free(stubs->stub[i].name);
	free(stubs->stub);
	*stubs = (struct elf_stubs){ 0 };
}
