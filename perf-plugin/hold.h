/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The beginning of a pipe, in memory.  Most recordings end before there is too much of it; a file
 * in their place would cost a tenth of the time that counting their trace takes.
 *
 *	err = hold_pipe(&hold, fd);
 *	if (!err && !hold.whole)
 *		copy = spill(hold.at, hold.n, fd, SPILL_CACHED);
 *	hold_free(&hold);
 */
#ifndef HOLD_H
#define HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are held at most. */
#define HOLD_MAX	(128ull << 20)

/**
 * struct hold - what was read
 * @at: @n bytes; NULL: none
 * @size: memory, in whole pages
 * @whole: nothing follows in the pipe
 */
struct hold {
	uint8_t *at;
	size_t n, size;
	bool whole;
};

/* From now on no more than @bytes are held. */
void hold_limit(uint64_t bytes);

/*
 * Reads @fd to its end, or as much as may be held: HOLD_MAX, and a quarter of the memory that this
 * machine and control group have left; nothing where a process may have only so many addresses.
 *
 * Return: 0; -errno, with nothing to free.
 */
int hold_pipe(struct hold *hold, int fd);

void hold_free(struct hold *hold);

#endif /* HOLD_H */
