/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that was executed, page by page, so that trace of it can be decoded.
 *
 * Each process has its own.  Of a page only bytes are known that were executed, or that a program
 * file has.
 */
#ifndef CSF_ENCODE_CODE_H
#define CSF_ENCODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_PAGE	4096

struct code_page {
	uint64_t addr;
	uint32_t pid;
	uint8_t known[CODE_PAGE / 8];
	uint8_t bytes[CODE_PAGE];
};

/**
 * struct encode_code - zero is an empty one
 * @changed: instructions that were not the first ones at their address
 * @changed_at: where the first of these was
 */
struct encode_code {
	struct code_page **page;
	size_t n_page;
	uint64_t changed, changed_at;
	/* private */
	struct code_page **slot;
	size_t n_slot;
	struct code_page *last;
};

void encode_code_fini(struct encode_code *code);

/* @n bytes were executed at @addr.  Return: 0, -ENOMEM. */
int encode_code_add(struct encode_code *code, uint32_t pid, uint64_t addr, const void *bytes,
		    size_t n);

/* Reads up to @n bytes that are known.  Return: how many. */
size_t encode_code_read(struct encode_code *code, uint32_t pid, uint64_t addr, void *bytes,
			size_t n);

/* Pages by process and address, for whoever writes them. */
void encode_code_sort(struct encode_code *code);

/**
 * encode_code_run() - pages without a hole between them
 * @first: of them, in sorted pages
 *
 * Return: how many pages from @first on.
 */
size_t encode_code_run(const struct encode_code *code, size_t first);

/* All that segments of the ELF file @path have, moved by @offset.  Return: 0, -errno. */
int encode_code_elf(struct encode_code *code, uint32_t pid, const char *path, uint64_t offset);

#endif /* CSF_ENCODE_CODE_H */
