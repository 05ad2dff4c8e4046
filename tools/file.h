/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole file in memory, read-only. */
#ifndef CSF_FILE_H
#define CSF_FILE_H

#include <stddef.h>
#include <stdint.h>

struct file {
	const uint8_t *data;
	size_t n;
	void *map;
};

/* Return: 0, or a negative errno.  An empty file has @n 0 and a @data that may not be read. */
int file_map(struct file *file, const char *path);
void file_unmap(struct file *file);

#endif /* CSF_FILE_H */
