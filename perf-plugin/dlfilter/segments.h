/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of code in an ELF file: perf has offsets in the file, compilers need addresses. */
#ifndef DLFILTER_SEGMENTS_H
#define DLFILTER_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define SEGMENTS_MAX	16

/* Executable segments of a file, in file order; @base: address of the first that is loaded. */
struct segments {
	unsigned int n;
	uint64_t base;
	struct {
		uint64_t offset, addr, size;
	} at[SEGMENTS_MAX];
};

/* Return: NULL, or why not. */
const char *segments_read(struct segments *segments, const char *path);

/* Return: is @offset in a segment?  If so, sets *@addr to its address. */
bool segments_addr(const struct segments *segments, uint64_t offset, uint64_t *addr);

#endif /* DLFILTER_SEGMENTS_H */
