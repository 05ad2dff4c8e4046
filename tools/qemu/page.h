/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mapped files, and pages of code that are in no file: the state of the recording.
 * Everything is under the lock of map.c.
 */
#ifndef CSF_QEMU_PAGE_H
#define CSF_QEMU_PAGE_H

#include <sys/types.h>

#include "map.h"

/**
 * struct page_file - a file; never freed
 * @bytes: all its @size bytes, once they were needed
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

/* NULL: not a regular file with a name, or there is no memory. */
struct page_file *page_file_of(int fd);
struct page_file *page_file_named(const char *name);

/* NULL: it cannot be read, or has changed since it was mapped. */
const uint8_t *page_file_bytes(struct page_file *file);

/* The page at @addr as it was last written; NULL: it was not written. */
const uint8_t *page_bytes(uint64_t addr);

/* Writes the page of the guest at @addr, with @code at its place. */
void page_write(uint64_t addr, const uint8_t *code, size_t n, const struct map_who *who);

/* A map of a file hides what was written before: writes it again. */
void page_again(uint64_t from, uint64_t to, const struct map_who *who);

void page_forget(uint64_t from, uint64_t to);

#endif /* CSF_QEMU_PAGE_H */
