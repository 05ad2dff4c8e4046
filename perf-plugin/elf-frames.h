/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions by the table for stack walks, .eh_frame, which stays in a file without symbols. */
#ifndef ELF_FRAMES_H
#define ELF_FRAMES_H

#include "elf.h"

/* @n ranges of code, each of a function or of a part of one, sorted by their first address. */
struct elf_frames {
	struct elf_range *range;
	size_t n, size;
};

/* Return: false: no memory. */
bool elf_frames_read(const struct elf_file *file, struct elf_frames *frames);
/* Is @addr in one of them? */
bool elf_frames_has(const struct elf_frames *frames, uint64_t addr);
void elf_frames_free(struct elf_frames *frames);

#endif /* ELF_FRAMES_H */
