// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: ELF for the Arm Architecture, and EHABI32 6 for .ARM.exidx; ARM DDI 0487 C6.2 for BL.
 */
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "elf-frames.h"
#include "elf-starts.h"
#include "lower-bound.h"

bool elf_starts_add(struct elf_starts *starts, uint64_t addr)
{
	if (!array_room(&starts->addr, starts->n, &starts->size, sizeof(*starts->addr)))
		return false;
	starts->addr[starts->n++] = addr;
	return true;
}

static int by_addr(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct elf_starts *starts)
{
	size_t n = 1;

	while (n < starts->n && starts->addr[n - 1] < starts->addr[n])
		n++;
	if (n >= starts->n)
		return;
	qsort(starts->addr, starts->n, sizeof(*starts->addr), by_addr);
	n = 0;
	for (size_t i = 0; i < starts->n; i++)
		if (!n || starts->addr[n - 1] != starts->addr[i])
			starts->addr[n++] = starts->addr[i];
	starts->n = n;
}

static bool is_code(const struct elf_file *file, uint64_t addr)
{
	const struct elf_segment *s = elf_segment_find(file, addr);

	return s && s->exec;
}

/* ---------------------------------------------------------------- tables */

static bool add_frames(struct elf_starts *starts, const struct elf_frames *frames)
{
	for (size_t i = 0; i < frames->n; i++)
		if (!elf_starts_add(starts, frames->range[i].start) ||
		    !elf_starts_add(starts, frames->range[i].end))
			return false;
	return true;
}

/* Pairs of words, the first of which is a 31-bit distance to a function. */
static bool add_exidx(const struct elf_file *file, struct elf_starts *starts, const GElf_Shdr *sh)
{
	for (uint64_t at = 0; at + 8 <= sh->sh_size; at += 8) {
		uint32_t word;

		memcpy(&word, file->bytes + sh->sh_offset + at, sizeof(word));
		word = word << 1 & 0x80000000 ? word | 0x80000000 : word & 0x7fffffff;
		if (!elf_starts_add(starts, (uint32_t)(sh->sh_addr + at + word)))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- calls */

/**
 * struct code - code that is searched for calls
 * @bytes: at @addr, @size of them
 * @frames: functions that are known: calls into them tell nothing
 * @known: the first so many starts are sorted, and known
 */
struct code {
	const struct elf_file *file;
	const uint8_t *bytes;
	uint64_t addr, size;
	const struct elf_frames *frames;
	size_t known;
};

static bool is_known(const struct code *code, const struct elf_starts *starts, uint64_t addr)
{
	const size_t i = LOWER_BOUND(code->known, k, starts->addr[k] < addr);

	return (i < code->known && starts->addr[i] == addr) || elf_frames_has(code->frames, addr);
}

/* Targets of BL: the whole file has no more of them than a quarter of its bytes. */
static bool add_calls(const struct code *code, struct elf_starts *starts)
{
	for (uint64_t at = 0; at + 4 <= code->size; at += 4) {
		uint32_t insn;
		uint64_t target;

		memcpy(&insn, code->bytes + at, sizeof(insn));
		if (insn >> 26 != 0x25)
			continue;
		target = code->addr + at + (int64_t)((int32_t)(insn << 6) >> 6) * 4;
		if (is_code(code->file, target) && !is_known(code, starts, target) &&
		    !elf_starts_add(starts, target))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- sections */

static bool is_readable(const struct elf_file *file, const GElf_Shdr *sh)
{
	return sh->sh_type != SHT_NOBITS && sh->sh_offset <= file->size &&
	       sh->sh_size <= file->size - sh->sh_offset;
}

/* Code of one section does not go on in the next. */
static bool add_section(const struct elf_file *file, struct elf_starts *starts,
			const GElf_Shdr *sh)
{
	if (sh->sh_type == SHT_ARM_EXIDX)
		return add_exidx(file, starts, sh);
	return !(sh->sh_flags & SHF_EXECINSTR) ||
	       (elf_starts_add(starts, sh->sh_addr) &&
		elf_starts_add(starts, sh->sh_addr + sh->sh_size));
}

static bool add_sections(const struct elf_file *file, struct elf_starts *starts)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(file->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_ALLOC && is_readable(file, &sh) &&
		    !add_section(file, starts, &sh))
			return false;
	return true;
}

static bool add_segments(const struct elf_file *file, struct elf_starts *starts)
{
	for (size_t i = 0; i < file->n_segment; i++) {
		const struct elf_segment *s = &file->segment[i];

		if (s->exec && (!elf_starts_add(starts, s->addr) ||
				!elf_starts_add(starts, s->addr + s->size)))
			return false;
	}
	return true;
}

/* In sections of code; in segments, which may have data, too, where a file has no list of them. */
static bool add_all_calls(const struct elf_file *file, struct elf_starts *starts,
			  const struct elf_frames *frames)
{
	struct code code = { .file = file, .frames = frames, .known = starts->n };
	Elf_Scn *scn = NULL;
	bool found = false;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(file->elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) ||
		    !(sh.sh_flags & SHF_EXECINSTR) || !is_readable(file, &sh))
			continue;
		found = true;
		code.bytes = file->bytes + sh.sh_offset;
		code.addr = sh.sh_addr;
		code.size = sh.sh_size;
		if (!add_calls(&code, starts))
			return false;
	}
	for (size_t i = 0; i < file->n_segment && !found; i++) {
		const struct elf_segment *s = &file->segment[i];

		code.bytes = file->bytes + s->offset;
		code.addr = s->addr;
		code.size = s->size;
		if (s->exec && !add_calls(&code, starts))
			return false;
	}
	return true;
}

bool elf_starts_read(const struct elf_file *file, const struct elf_frames *frames, bool calls,
		     struct elf_starts *starts)
{
	const uint64_t entry = file->entry & ~1ull;

	if (!add_frames(starts, frames) || !add_sections(file, starts) ||
	    !add_segments(file, starts) ||
	    (entry && !elf_frames_has(frames, entry) && !elf_starts_add(starts, entry)))
		return false;
	sort(starts);
	if (!calls || !file->is_a64)
		return true;
	if (!add_all_calls(file, starts, frames))
		return false;
	sort(starts);
	return true;
}

void elf_starts_free(struct elf_starts *starts)
{
	free(starts->addr);
	*starts = (struct elf_starts){ 0 };
}

bool elf_starts_find(const struct elf_file *file, const struct elf_starts *starts, uint64_t addr,
		     size_t *i)
{
	const size_t next = LOWER_BOUND(starts->n, k, starts->addr[k] <= addr);

	/* segments begin and end with one */
	*i = next - 1;
	return next && next < starts->n && is_code(file, addr);
}
