/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory a command may have: --mem=SIZE.
 *
 * Trace is not kept, so most commands need a few MiB however long it is.  What does grow is with
 * code that ran (blocks, counts, call trees), with records about trace, and with entries of an
 * index.  Nothing of that can be left out, or the result would be wrong; so a command that needs
 * more than it may have ends, says so, and has failed.
 */
#ifndef CSF_MEMORY_H
#define CSF_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* With less no command does anything. */
#define MEMORY_LEAST	(32ull << 20)

/* "64M", "1G", "65536K", or bytes.  Return: it is a size. */
bool memory_size(const char *text, uint64_t *bytes);

/*
 * From now on this process ends as soon as more than @bytes of memory are its own, or are mapped
 * and in memory: seen to a hundred times a second, and memory_exceeded() tells of the rest.
 *
 * Return: false: it cannot be seen here how much it has.
 */
bool memory_limit(uint64_t bytes);

/* It had more than it may, if only for a moment; says so. */
bool memory_exceeded(void);

/* What a command that needs more exits with: CMD_FAILED, unless that means something else here. */
void memory_set_status(int status);
int memory_status(void);

/* So many of @n threads have room for what they decode ahead. */
uint32_t memory_threads(uint32_t n);

#endif /* CSF_MEMORY_H */
