/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A-sync: eleven zeros, then 0x80.  No other packet holds these bytes: there a packet starts. */
#ifndef CSF_SYNC_H
#define CSF_SYNC_H

#include <stddef.h>
#include <stdint.h>

#define SYNC_ZEROS	11
#define SYNC_SIZE	12

/**
 * sync_find() - the first A-sync
 * @p: @n bytes
 *
 * Of a longer run of zeros, which the payload in front of an A-sync can make,
 * the last eleven count.  What comes before @p does not matter.
 *
 * Return: offset of the A-sync; @n if none is complete.  Its head may then still
 * be in the last SYNC_ZEROS bytes.
 */
size_t sync_find(const uint8_t *p, size_t n);

#endif /* CSF_SYNC_H */
