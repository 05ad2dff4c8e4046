/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What can be read only once, copied to a file without a name, for trace is larger than memory.
 *
 * Of a long recording trace goes past the page cache, and is read once, from where it then is: a
 * page that nobody had before costs several times what copying into it costs, on a virtual machine.
 * Records between trace are walked again and again, and stay in the cache.
 */
#ifndef PERF_SPILL_H
#define PERF_SPILL_H

#include <stddef.h>
#include <stdint.h>

/*
 * So much is written as anything is: most recordings are no longer, there is memory for it, and
 * they are read again at once.  Of what is longer each GiB costs less past the cache.
 */
#define SPILL_CACHED	(1ull << 28)

/*
 * @n bytes at @head, which were read already, and all that follows them in @fd; from @cached on, a
 * multiple of 1 MiB, trace goes past the cache.
 * Return: a descriptor of the copy, the caller's, at its beginning, never 0; -errno.
 */
int spill(const void *head, size_t n, int fd, uint64_t cached);

#endif /* PERF_SPILL_H */
