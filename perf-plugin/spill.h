/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies input that can be read only once to a file without a name, as trace may be larger than
 * memory.
 *
 * The trace of a long recording bypasses the page cache and is read once, from where it is then: a
 * new page costs several times as much as copying into it, on a virtual machine.  Records between
 * trace are walked several times, and stay in the cache.
 */
#ifndef PERF_SPILL_H
#define PERF_SPILL_H

#include <stddef.h>
#include <stdint.h>

/*
 * This many bytes are written the ordinary way: most recordings are not longer, there is memory for
 * them, and they are read again at once.  For longer recordings bypassing the cache costs less for
 * each GiB.
 */
#define SPILL_CACHED	(1ull << 28)

/*
 * Copies the @n bytes at @head, which were read already, and everything that follows them in @fd;
 * from @cached on, a multiple of 1 MiB, trace bypasses the cache.
 * Return: a descriptor of the copy, at its beginning, never 0, which the caller owns; -errno.
 */
int spill(const void *head, size_t n, int fd, uint64_t cached);

/*
 * Opens what may be a pipe with a name, to read it: waits for its first bytes, but not for a
 * writer.  So a pipe can be looked into and then opened once more, though its writer has written
 * all and gone; something must have kept it open meanwhile.  Return: a descriptor; -errno.
 */
int spill_open(const char *path);

#endif /* PERF_SPILL_H */
