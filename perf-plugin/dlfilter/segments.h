/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an ELF file wants its code: perf knows offsets in the file, others want addresses. */
#ifndef DLFILTER_SEGMENTS_H
#define DLFILTER_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#define SEGMENTS_MAX	16

/* Executable segments of a file, in its order; @base: address of the first that is loaded. */
struct segments {
	unsigned int n;
	uint64_t base;
	struct {
		uint64_t offset, addr, size;
	} at[SEGMENTS_MAX];
};

/* Return: 0, or why not. */
const char *segments_read(struct segments *segments, const char *path);

/* Return: is @offset in one?  Then *@addr is its address. */
bool segments_addr(const struct segments *segments, uint64_t offset, uint64_t *addr);

#endif /* DLFILTER_SEGMENTS_H */
