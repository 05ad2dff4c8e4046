// SPDX-License-Identifier: GPL-2.0-only
/* Source: System V gABI, chapters 4 and 5.  Files of this machine's byte order. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "segments.h"

union ehdr {
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr e32;
	Elf64_Ehdr e64;
};

static void add(struct segments *segments, uint64_t offset, uint64_t addr, uint64_t size)
{
	if (segments->n == SEGMENTS_MAX || size > UINT64_MAX - offset)
		return;
	segments->at[segments->n].offset = offset;
	segments->at[segments->n].addr = addr;
	segments->at[segments->n++].size = size;
}

static bool executable(uint32_t type, uint32_t flags)
{
	return type == PT_LOAD && flags & PF_X;
}

static bool read_one(struct segments *segments, FILE *f, bool wide)
{
	Elf64_Phdr p;
	Elf32_Phdr q;

	if (wide) {
		if (fread(&p, sizeof(p), 1, f) != 1)
			return false;
		if (executable(p.p_type, p.p_flags))
			add(segments, p.p_offset, p.p_vaddr, p.p_filesz);
		return true;
	}
	if (fread(&q, sizeof(q), 1, f) != 1)
		return false;
	if (executable(q.p_type, q.p_flags))
		add(segments, q.p_offset, q.p_vaddr, q.p_filesz);
	return true;
}

static const char *read_all(struct segments *segments, FILE *f)
{
	union ehdr e = { 0 };
	bool wide;
	size_t n = fread(&e, 1, sizeof(e), f);
	unsigned int i, count;

	wide = e.ident[EI_CLASS] == ELFCLASS64;
	if (n < (wide ? sizeof(e.e64) : sizeof(e.e32)) || memcmp(e.ident, ELFMAG, SELFMAG) ||
	    e.ident[EI_DATA] != ELFDATA2LSB)
		return "it is no little-endian ELF file";
	if (fseek(f, wide ? e.e64.e_phoff : e.e32.e_phoff, SEEK_SET))
		return "its program headers lie outside";
	count = wide ? e.e64.e_phnum : e.e32.e_phnum;
	for (i = 0; i < count; i++)
		if (!read_one(segments, f, wide))
			return "its program headers lie outside";
	return segments->n ? NULL : "it has no segment of code";
}

const char *segments_read(struct segments *segments, const char *path)
{
	FILE *f = fopen(path, "re");
	const char *why;

	segments->n = 0;
	if (!f)
		return strerror(errno);
	why = read_all(segments, f);
	fclose(f);
	return why;
}

bool segments_addr(const struct segments *segments, uint64_t offset, uint64_t *addr)
{
	for (unsigned int i = 0; i < segments->n; i++) {
		if (offset - segments->at[i].offset < segments->at[i].size) {
			*addr = offset - segments->at[i].offset + segments->at[i].addr;
			return true;
		}
	}
	return false;
}
