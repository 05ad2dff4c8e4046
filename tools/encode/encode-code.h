/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The executed code, page by page, with which its trace can be decoded.
 *
 * Each process has its own.  Only those bytes of a page are known that were executed, or that a
 * program file has.  If other bytes are executed than before, the page has a new version from then
 * on.
 */
#ifndef CSF_ENCODE_CODE_H
#define CSF_ENCODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_PAGE	4096

/**
 * struct code_page - a version of a page
 * @from: time from which it is valid, 0: from the start; @until: the next one's, or UINT64_MAX
 * @older: the version before, or NULL
 * @known: a bit for each byte that is known; @sure: a bit for each byte that was executed in this
 *         version, not only before
 */
struct code_page {
	uint64_t addr, from, until;
	uint32_t pid;
	struct code_page *older;
	uint8_t known[CODE_PAGE / 8], sure[CODE_PAGE / 8];
	uint8_t bytes[CODE_PAGE];
};

/* An address of a process, at a time. */
struct encode_addr {
	uint64_t addr, time;
	uint32_t pid;
};

/**
 * struct encode_code - zero is an empty one
 * @changed: how often there was a new version
 * @changed_at: the address of the first change
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

/**
 * encode_code_add() - add @n executed bytes
 * @from: set to the time from which the code is as it is now; may be NULL
 *
 * Return: 0, -ENOMEM.
 */
int encode_code_add(struct encode_code *code, const struct encode_addr *where, const void *bytes,
		    size_t n, uint64_t *from);

/* Reads up to @n known bytes.  Return: how many. */
size_t encode_code_read(struct encode_code *code, const struct encode_addr *where, void *bytes,
			size_t n);

/* Sorts pages by process, time and address, for writing. */
void encode_code_sort(struct encode_code *code);

/**
 * encode_code_run() - find adjacent pages of the same time
 * @first: index of the first one in sorted pages
 *
 * Return: how many pages from @first on.
 */
size_t encode_code_run(const struct encode_code *code, size_t first);

/* Adds the segments of the ELF file @path, moved by @offset.  Return: 0, -errno. */
int encode_code_elf(struct encode_code *code, uint32_t pid, const char *path, uint64_t offset);

#endif /* CSF_ENCODE_CODE_H */
