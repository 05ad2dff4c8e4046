/* SPDX-License-Identifier: GPL-2.0-only */
/* The device files of a snapshot: for snapshot.c only. */
#ifndef CSF_SNAPSHOT_DEVICE_H
#define CSF_SNAPSHOT_DEVICE_H

#include "../lib/ini.h"
#include "snapshot.h"

/* Reads @ini into a new device of @s.  Return: 0, or -ENOMEM. */
int snapshot_device_add(struct snapshot *s, const struct ini *ini);
void snapshot_device_free(struct snapshot_device *device);

/* @text may have blanks and underscores between digits.  Return: it is a 64-bit number. */
bool snapshot_number(struct problems *problems, const char *file, const struct ini_entry *entry,
		     uint64_t *number);

/* Adds a zeroed element of @size bytes after the @n of @array.  NULL: no memory. */
void *snapshot_grow(void *array, size_t n, size_t size);

#endif /* CSF_SNAPSHOT_DEVICE_H */
