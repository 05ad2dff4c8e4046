// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: System V gABI chapter 4; ELF for the Arm 64-bit Architecture (AAELF64) 5.7 for
 * relocations; ARM DDI 0487 C6.2 for the branches; layout: as seen in /sys/module/NAME/sections.
 */
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "elf-module.h"

/*
 * A module is loaded section by section in the order of its section headers: executable sections
 * first, each at its own alignment.  The PLTs come first and are empty in the file; when loaded
 * they are shorter than the alignment of .text.  So .text is where it would be if they were one
 * byte long, which is their length in the linker script.
 */
int elf_module_layout(struct elf_file *file)
{
	Elf_Scn *scn = NULL;
	uint64_t addr = 0;
	size_t n, names;

	if (elf_getshdrnum(file->elf, &n) || n > 0xffff ||
	    elf_getshdrstrndx(file->elf, &names))
		return 0;
	file->segment = calloc(n + 1, sizeof(*file->segment));
	if (!file->segment)
		return -ENOMEM;
	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *name;
		struct elf_segment s;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    !(sh.sh_flags & SHF_EXECINSTR))
			continue;
		name = elf_strptr(file->elf, names, sh.sh_name);
		if (!name || !strncmp(name, ".init", 5))
			continue;
		if (sh.sh_addralign > 1 && sh.sh_addralign <= 0x10000)
			addr = (addr + sh.sh_addralign - 1) / sh.sh_addralign * sh.sh_addralign;
		s = (struct elf_segment){ .addr = addr, .offset = sh.sh_offset,
					  .size = sh.sh_size, .exec = true };
		if (sh.sh_type != SHT_NOBITS)
			elf_segment_add(file, &s);
		if (sh.sh_size > UINT32_MAX)
			break;
		addr += sh.sh_size;
	}
	return 0;
}

/* ---------------------------------------------------------------- branches */

/* The address of a symbol in the loaded part of the module. */
static bool symbol_addr(const struct elf_file *file, Elf_Data *symbols, size_t index,
			uint64_t *addr)
{
	const struct elf_segment *segment;
	Elf_Scn *scn;
	GElf_Shdr sh;
	GElf_Sym sym;

	if (!gelf_getsym(symbols, index, &sym) || sym.st_shndx == SHN_UNDEF ||
	    sym.st_shndx >= SHN_LORESERVE)
		return false;
	scn = elf_getscn(file->elf, sym.st_shndx);
	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
		return false;
	segment = elf_segment_at(file, sh.sh_offset);
	if (!segment || segment->offset != sh.sh_offset)
		return false;
	*addr = segment->addr + sym.st_value;
	return true;
}

#define IMM26		0x03ffffff
#define OP_B		0x14000000
#define OP_BL		0x94000000
#define OP_BR_X0	0xd61f0000
#define OP_BLR_X0	0xd63f0000

static uint32_t branch(uint32_t opcode, bool known, int64_t distance)
{
	if (known && distance >= -(1 << 27) && distance < 1 << 27)
		return (opcode & ~IMM26) | (distance >> 2 & IMM26);
	return (opcode & ~IMM26) == OP_BL ? OP_BLR_X0 : OP_BR_X0;
}

/**
 * struct relocation - relocations that are being filled in
 * @segment: the segment that their offsets count from
 * @symbols: the symbols that they name; @names: names of these
 * @base, @fn, @context: as in elf_module_resolve(); @fn NULL: only within the module
 */
struct relocation {
	struct elf_file *file;
	const struct elf_segment *segment;
	Elf_Data *symbols;
	size_t names;
	uint64_t base;
	elf_module_fn fn;
	void *context;
};

/* The target of @rela, counted from the start of the module. */
static bool inside(const struct relocation *r, const GElf_Rela *rela, uint64_t *target)
{
	return symbol_addr(r->file, r->symbols, GELF_R_SYM(rela->r_info), target);
}

static bool outside(const struct relocation *r, const GElf_Rela *rela, uint64_t *target)
{
	const char *name;
	GElf_Sym sym;

	if (!gelf_getsym(r->symbols, GELF_R_SYM(rela->r_info), &sym) ||
	    sym.st_shndx != SHN_UNDEF)
		return false;
	name = elf_strptr(r->file->elf, r->names, sym.st_name);
	if (!name || !r->fn(r->context, name, target))
		return false;
	*target -= r->base;
	return true;
}

static void relocate(const struct relocation *r, const GElf_Rela *rela)
{
	const struct elf_segment *segment = r->segment;
	uint32_t type = GELF_R_TYPE(rela->r_info), opcode;
	uint64_t target = 0;
	uint8_t *p;
	bool known;

	if ((type != R_AARCH64_CALL26 && type != R_AARCH64_JUMP26) || segment->size < 4 ||
	    rela->r_offset > segment->size - 4 || rela->r_offset & 3)
		return;
	known = r->fn ? outside(r, rela, &target) : inside(r, rela, &target);
	if (r->fn && !known)
		return;
	target += rela->r_addend;
	/* the map is private and writable: see map_file() */
	p = (uint8_t *)r->file->bytes + segment->offset + rela->r_offset;
	memcpy(&opcode, p, sizeof(opcode));
	if (r->fn)
		opcode = type == R_AARCH64_CALL26 ? OP_BL : OP_B;
	opcode = branch(opcode, known, target - (segment->addr + rela->r_offset));
	memcpy(p, &opcode, sizeof(opcode));
}

static void relocate_section(struct relocation *r, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *code = elf_getscn(r->file->elf, sh->sh_info);
	Elf_Scn *symtab = elf_getscn(r->file->elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Shdr of, symbols;
	GElf_Rela rela;

	if (!code || !symtab || !data || !gelf_getshdr(code, &of) || of.sh_type == SHT_NOBITS ||
	    !gelf_getshdr(symtab, &symbols))
		return;
	r->segment = elf_segment_at(r->file, of.sh_offset);
	r->symbols = elf_getdata(symtab, NULL);
	r->names = symbols.sh_link;
	if (!r->symbols || !r->segment || r->segment->offset != of.sh_offset)
		return;
	for (int i = 0; gelf_getrela(data, i, &rela); i++)
		relocate(r, &rela);
}

static void relocate_all(struct relocation *r)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(r->file->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA)
			relocate_section(r, scn, &sh);
}

void elf_module_link(struct elf_file *file)
{
	struct relocation r = { .file = file };

	relocate_all(&r);
}

void elf_module_resolve(struct elf_file *file, uint64_t base, elf_module_fn fn, void *context)
{
	struct relocation r = { .file = file, .base = base, .fn = fn, .context = context };

	relocate_all(&r);
}
