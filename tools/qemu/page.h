/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that are mapped, and pages of code that no file has: what the recording says is there.
 * Everything under the lock of map.c.
 */
#ifndef CSF_QEMU_PAGE_H
#define CSF_QEMU_PAGE_H

#include <sys/types.h>

#include "map.h"

/**
 * struct page_file - a file; never freed
 * @bytes: the whole of it, @size bytes, once somebody has asked for them
 */
struct page_file {
	char *name;
	ino_t ino;
	dev_t dev;
	uint64_t size;
	const uint8_t *bytes;
	bool tried;
	struct page_file *next;
};

/* NULL: it is no regular file with a name, or there is no memory. */
struct page_file *page_file_of(int fd);
struct page_file *page_file_named(const char *name);

/* NULL: it cannot be read, or is not what was mapped. */
const uint8_t *page_file_bytes(struct page_file *file);

/* The page at @addr as it was written last; NULL: it was not. */
const uint8_t *page_bytes(uint64_t addr);

/* Writes the page of the guest at @addr, with @code where that lies in it. */
void page_write(uint64_t addr, const uint8_t *code, size_t n, const struct map_who *who);

/* A map of a file hides what was written before: writes it again. */
void page_again(uint64_t from, uint64_t to, const struct map_who *who);

void page_forget(uint64_t from, uint64_t to);

#endif /* CSF_QEMU_PAGE_H */
