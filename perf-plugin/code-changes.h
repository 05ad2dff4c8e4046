/* SPDX-License-Identifier: GPL-2.0-only */
/* Where two images of a kernel's memory, from before and after a recording, differ. */
#ifndef CODE_CHANGES_H
#define CODE_CHANGES_H

#include "elf.h"

/**
 * struct code_changes - the code that changed
 * @range: @n ranges of whole words, sorted, with space between them
 * @compared: both images have memory at some address
 */
struct code_changes {
	struct elf_range *range;
	size_t n;
	bool compared;
	/* private */
	size_t size;
};

/*
 * Finds the places where both images have memory, and not the same.  @changes must be all zeros.
 * If there are very many, some of them are one range, with what is between them.
 *
 * Return: 0, -ENOMEM.
 */
int code_changes_find(struct code_changes *changes, const struct elf_file *before,
		      const struct elf_file *after);

/*
 * The same for the image that the directory @recording has from the end of the recording, if there
 * is one.  @path, of PATH_MAX bytes, gets its name if it could be read, else it is empty.
 *
 * Return: 0, also if there is no such image; -ENOMEM.
 */
int code_changes_read(struct code_changes *changes, const struct elf_file *before,
		      const char *recording, char *path);
void code_changes_free(struct code_changes *changes);

/* The first range that ends after @addr; @changes->n: there is none. */
size_t code_changes_at(const struct code_changes *changes, uint64_t addr);

#endif /* CODE_CHANGES_H */
