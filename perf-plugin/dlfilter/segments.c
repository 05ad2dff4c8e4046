// SPDX-License-Identifier: GPL-2.0-only
/* Source: System V gABI, chapters 4 and 5.  Reads files with this machine's byte order. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "segments.h"

#define STRING_(x)	#x
#define STRING(x)	STRING_(x)

union ehdr {
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr e32;
	Elf64_Ehdr e64;
};

/* Reads the next program header.  Return: there is one. */
static bool read_one(Elf64_Phdr *p, FILE *f, bool wide)
{
	Elf32_Phdr narrow;

	if (wide)
		return fread(p, sizeof(*p), 1, f) == 1;
	if (fread(&narrow, sizeof(narrow), 1, f) != 1)
		return false;
	*p = (Elf64_Phdr){
		.p_type = narrow.p_type, .p_flags = narrow.p_flags, .p_offset = narrow.p_offset,
		.p_vaddr = narrow.p_vaddr, .p_filesz = narrow.p_filesz,
	};
	return true;
}

static const char *read_segments(struct segments *segments, FILE *f, bool wide, unsigned int count)
{
	bool loads = false;
	Elf64_Phdr p;

	while (count--) {
		if (!read_one(&p, f, wide))
			return "its program headers lie outside";
		if (p.p_type == PT_LOAD && !loads)
			segments->base = p.p_vaddr;
		loads |= p.p_type == PT_LOAD;
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X) ||
		    p.p_filesz > UINT64_MAX - p.p_offset)
			continue;
		if (segments->n == SEGMENTS_MAX)
			return "it has more than " STRING(SEGMENTS_MAX) " segments of code";
		segments->at[segments->n].offset = p.p_offset;
		segments->at[segments->n].addr = p.p_vaddr;
		segments->at[segments->n++].size = p.p_filesz;
	}
	return segments->n ? NULL : "it has no segment of code";
}

static const char *read_all(struct segments *segments, FILE *f)
{
	union ehdr e = { 0 };
	bool wide;
	size_t n = fread(&e, 1, sizeof(e), f);

	wide = e.ident[EI_CLASS] == ELFCLASS64;
	if (n < (wide ? sizeof(e.e64) : sizeof(e.e32)) || memcmp(e.ident, ELFMAG, SELFMAG) ||
	    e.ident[EI_DATA] != ELFDATA2LSB)
		return "it is no little-endian ELF file";
	if (fseek(f, wide ? e.e64.e_phoff : e.e32.e_phoff, SEEK_SET))
		return "its program headers lie outside";
	return read_segments(segments, f, wide, wide ? e.e64.e_phnum : e.e32.e_phnum);
}

const char *segments_read(struct segments *segments, const char *path)
{
	struct stat st;
	const char *why;
	FILE *f;

	segments->n = 0;
	if (stat(path, &st))
		return strerror(errno);
	/* The name comes from a recording: it must not be a pipe without a writer. */
	if (!S_ISREG(st.st_mode))
		return "it is no file";
	f = fopen(path, "re");
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
