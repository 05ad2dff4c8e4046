/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A-sync: some zeros, eleven in ETMv4, then 0x80.  No other packet of the protocol contains these
 * bytes, so a packet starts there.
 */
#ifndef CSF_SYNC_H
#define CSF_SYNC_H

#include <stddef.h>
#include <stdint.h>

#define SYNC_MAX	12	/* bytes of the longest A-sync */

/**
 * sync_find() - find the first A-sync
 * @p: @n bytes
 * @zeros: number of zeros of an A-sync, 1..SYNC_MAX - 1; 0: the protocol has none
 *
 * In a longer run of zeros, which payload before an A-sync can cause, only the last @zeros count.
 * Bytes before @p do not matter.
 *
 * Return: offset of the A-sync; @n if there is no complete one.  The head of one may then still be
 * in the last @zeros bytes.
 */
size_t sync_find(const uint8_t *p, size_t n, size_t zeros);

#endif /* CSF_SYNC_H */
