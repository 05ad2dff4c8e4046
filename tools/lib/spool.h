/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Input that may be a pipe: look at its head, then read on, or copy it to where it can be reread.
 *
 *	err = spool_begin(&s, STDIN_FILENO);
 *	if (... s.head, s.n_head say that it is what must be read twice)
 *		err = spool_all(&s);		and open s.path
 *	else
 *		while ((got = spool_read(&s, buf, n)) > 0)
 *	spool_end(&s);
 */
#ifndef CSF_SPOOL_H
#define CSF_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "file.h"

#define SPOOL_HEAD	16

/**
 * struct spool - zero before the first use
 * @head: the first @n_head bytes; fewer than there is room for if there are no more
 * @path: after spool_all(), the path of a file with all bytes
 */
struct spool {
	uint8_t head[SPOOL_HEAD];
	size_t n_head;
	char path[32];
	/* private */
	int fd;
	size_t at;
	int copy;
};

/* @fd stays the caller's, and open until spool_end().  Return: 0 or -errno. */
int spool_begin(struct spool *s, int fd);

/* The next bytes, those of @head first.  Return: how many, @n unless they end; -errno. */
ssize_t spool_read(struct spool *s, void *buf, size_t n);

/*
 * Copies everything to a file without a name; nothing but @head may have been read.  @fd then
 * refers to that file, too.  Return: 0 or -errno.
 */
int spool_all(struct spool *s);

/* Maps the file at @path; "-": standard input.  End @s after file_unmap(). */
int spool_map(struct spool *s, struct file *file, const char *path);

void spool_end(struct spool *s);

/*
 * Looks at the first bytes of the file at @path, "-": standard input, without taking them out of a
 * pipe.  Return: how many of @n; -errno.
 */
ssize_t spool_peek(const char *path, void *head, size_t n);

/* Does it begin like a perf.data? */
bool spool_is_perf(const struct spool *s);

/* The same for the file at @path, which may be a folder as perf record --threads writes it. */
bool spool_perf_at(const char *path);

/*
 * Is @path "-", and standard input a pipe with a recording?  Nothing is taken out of it here;
 * perf_file_open() then reads it once, and needs no copy.
 */
bool spool_perf_pipe(const char *path);

#endif /* CSF_SPOOL_H */
