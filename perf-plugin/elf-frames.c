// SPDX-License-Identifier: GPL-2.0-only
/*
 * libdw takes entries apart, but for the addresses in them.
 *
 * Source: Linux Standard Base Core 10.5 and 10.6, "DWARF Extensions" and "Exception Frames".
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "elf-frames.h"
#include "lower-bound.h"
#include "section.h"

/* Bits of an encoding: size and sign of the number, and the address to which it is added */
#define SIZE_BITS	0x07
#define FORM_BITS	0x0f
#define BASE_BITS	0xf0

/**
 * struct reader - a section that is being read
 * @all: the section, at the address @addr
 * @word: bytes of an address of the machine
 * @common: offset of the CIE that is known; @encoding: that of addresses in its FDEs
 */
struct reader {
	const uint8_t *ident;
	Elf_Data *data;
	struct section all;
	uint64_t addr;
	unsigned int word;
	Dwarf_Off common;
	uint8_t encoding;
};

/* ---------------------------------------------------------------- addresses */

/* Bytes of an encoded number; 0: it has no fixed length. */
static unsigned int width(const struct reader *r, uint8_t encoding)
{
	switch (encoding & SIZE_BITS) {
	case DW_EH_PE_absptr:
		return r->word;
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0;
	}
}

static bool read_number(const struct reader *r, struct section *s, uint8_t form, uint64_t *value)
{
	const unsigned int n = width(r, form);

	if (!n)
		return false;
	*value = section_number(s, n);
	if (form & DW_EH_PE_signed && n < 8)
		*value |= -(*value >> (8 * n - 1)) << (8 * n - 1);
	return !s->bad;
}

static bool read_address(const struct reader *r, struct section *s, uint8_t encoding,
			 uint64_t *value)
{
	const uint64_t here = r->addr + (s->at - r->all.at);

	if (!read_number(r, s, encoding & FORM_BITS, value))
		return false;
	if ((encoding & BASE_BITS) == DW_EH_PE_pcrel)
		*value += here;
	else if ((encoding & BASE_BITS) != DW_EH_PE_absptr)
		return false;
	if (r->word == 4)
		*value = (uint32_t)*value;
	return true;
}

/* The encoding that the augmentation "zPLR" of a CIE, in any order, gives to its FDEs. */
static bool read_encoding(struct reader *r, const Dwarf_CIE *cie)
{
	const char *letter = cie->augmentation;
	struct section s = { cie->augmentation_data,
			     cie->augmentation_data + cie->augmentation_data_size, false };
	uint64_t personality;

	r->encoding = DW_EH_PE_absptr;
	if (*letter != 'z')
		return !*letter;
	if (!cie->augmentation_data)
		return false;
	for (letter++; *letter && !s.bad; letter++)
		switch (*letter) {
		case 'R':
			r->encoding = section_byte(&s);
			break;
		case 'L':
			section_byte(&s);
			break;
		case 'P':
			if (!read_number(r, &s, section_byte(&s) & FORM_BITS, &personality))
				return false;
			break;
		}
	return !s.bad;
}

/* ---------------------------------------------------------------- entries */

static bool find_encoding(struct reader *r, Dwarf_Off common)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (common == r->common)
		return r->encoding != DW_EH_PE_omit;
	r->common = common;
	if (dwarf_next_cfi(r->ident, r->data, true, common, &next, &entry) ||
	    !dwarf_cfi_cie_p(&entry) || !read_encoding(r, &entry.cie))
		r->encoding = DW_EH_PE_omit;
	return r->encoding != DW_EH_PE_omit;
}

static bool read_fde(struct reader *r, const Dwarf_FDE *fde, struct elf_range *range)
{
	struct section s = { fde->start, fde->end, false };
	uint64_t size;

	if (!find_encoding(r, fde->CIE_pointer) ||
	    !read_address(r, &s, r->encoding, &range->start) ||
	    !read_number(r, &s, r->encoding & SIZE_BITS, &size) || !size ||
	    size > UINT64_MAX - range->start)
		return false;
	range->end = range->start + size;
	return true;
}

static bool read_entries(struct reader *r, struct elf_frames *frames)
{
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;
	int status;

	for (;; offset = next) {
		struct elf_range range;

		next = offset;
		status = dwarf_next_cfi(r->ident, r->data, true, offset, &next, &entry);
		if (status > 0 || next <= offset || next == (Dwarf_Off)-1)
			return true;
		if (status || dwarf_cfi_cie_p(&entry) || !read_fde(r, &entry.fde, &range))
			continue;
		if (!array_room(&frames->range, frames->n, &frames->size, sizeof(*frames->range)))
			return false;
		frames->range[frames->n++] = range;
	}
}

static int by_start(const void *a, const void *b)
{
	const struct elf_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* The data of a section, as libdw wants them: not copied, not converted. */
static Elf_Data *find_data(const struct elf_file *file, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(file->elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *own = gelf_getshdr(scn, sh) ?
			elf_strptr(file->elf, strings, sh->sh_name) : NULL;

		if (own && !strcmp(own, name) && sh->sh_type != SHT_NOBITS)
			return elf_rawdata(scn, NULL);
	}
	return NULL;
}

bool elf_frames_read(const struct elf_file *file, struct elf_frames *frames)
{
	struct reader r = { .common = (Dwarf_Off)-1, .encoding = DW_EH_PE_omit };
	GElf_Shdr sh;
	bool ok;

	r.data = find_data(file, ".eh_frame", &sh);
	r.ident = (const uint8_t *)elf_getident(file->elf, NULL);
	if (!r.data || !r.data->d_buf || !r.ident)
		return true;
	r.all = (struct section){ r.data->d_buf, (uint8_t *)r.data->d_buf + r.data->d_size, false };
	r.addr = sh.sh_addr;
	r.word = r.ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	ok = read_entries(&r, frames);
	if (frames->n)
		qsort(frames->range, frames->n, sizeof(*frames->range), by_start);
	return ok;
}

bool elf_frames_has(const struct elf_frames *frames, uint64_t addr)
{
	const size_t next = LOWER_BOUND(frames->n, i, frames->range[i].start <= addr);

	return next && addr < frames->range[next - 1].end;
}

void elf_frames_free(struct elf_frames *frames)
{
	free(frames->range);
	*frames = (struct elf_frames){ 0 };
}
