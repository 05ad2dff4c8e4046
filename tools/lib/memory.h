/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory a command may have: --mem=SIZE.
 *
 * Trace is not kept, so most commands need a few MiB for a recording of any length.  Memory grows
 * with the code that ran (blocks, counts, call trees), with records about trace, and with the
 * entries of an index.  None of these can be left out, or the result would be wrong.  So a command
 * that needs more than its limit says so and fails.
 */
#ifndef CSF_MEMORY_H
#define CSF_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* No command works with less. */
#define MEMORY_LEAST	(32ull << 20)

/* Reads "64M", "1G", "65536K", or bytes.  Return: @text is a size. */
bool memory_size(const char *text, uint64_t *bytes);

/*
 * From now on this process ends as soon as it has more than @bytes of memory, its own pages and
 * mapped pages in memory.  This is checked a hundred times a second; memory_exceeded() detects the
 * rest.
 *
 * Return: false: the memory in use cannot be measured here.
 */
bool memory_limit(uint64_t bytes);

/* Was the limit exceeded, if only for a moment?  Reports it. */
bool memory_exceeded(void);

/* The exit status above the limit: CMD_FAILED, unless that has another meaning here. */
void memory_set_status(int status);
int memory_status(void);

/* How many of @n threads have room for what they decode ahead. */
uint32_t memory_threads(uint32_t n);

#endif /* CSF_MEMORY_H */
