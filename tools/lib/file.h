/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole file in memory, read-only. */
#ifndef CSF_FILE_H
#define CSF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* For commands that read standard input: a named pipe is refused, since a look at it reads it. */
#define FILE_PIPE	"a pipe, not a file: if standard input can be read, give it as -"

struct file {
	const uint8_t *data;
	size_t n;
	void *map;
};

/* Return: 0, or a negative errno.  An empty file has @n 0 and a @data that may not be read. */
int file_map(struct file *file, const char *path);
void file_unmap(struct file *file);

/* Is there a pipe at @path?  Nothing is read from it. */
bool file_is_pipe(const char *path);

/* Names what is at @path if it is not a regular file; otherwise NULL. */
const char *file_odd(const char *path);

/*
 * The reason why @path could not be read with @err: that it is not a file, or the system's message.
 * @path NULL: standard output.
 */
const char *file_words(const char *path, int err);

/* The same for an error of elf_file_open(). */
const char *file_elf_words(const char *path, int err);

#endif /* CSF_FILE_H */
