/* SPDX-License-Identifier: GPL-2.0-only */
/* A count table on disk: Documentation/counts.rst has the format. */
#ifndef CSF_COUNT_FILE_H
#define CSF_COUNT_FILE_H

#include <stdio.h>

#include "count.h"

#define COUNT_MAGIC	"CSFCOUNT"
#define COUNT_VERSION	1
#define COUNT_HEADER	16	/* bytes: magic, version, CRC-32 of the rest */
#define COUNT_NAME_MAX	4096

/* Whether a file that begins with these @n bytes is a count table, of any version. */
bool count_file_is(const void *bytes, size_t n);

/* The same of the file at @path; one that cannot be read is none. */
bool count_file_at(const char *path);

/* A settled table.  Return: 0 or -errno. */
int count_file_write(const struct count_table *table, FILE *f);

/**
 * count_file_read() - a table from the @n bytes of a file
 * @table: empty; wants settling if others wrote the file
 * @why: what is wrong with it
 *
 * Return: 0; -EBADMSG, and @why; -ENOMEM.  In any case @table is to be freed.
 */
int count_file_read(struct count_table *table, const void *bytes, size_t n, const char **why);

#endif /* CSF_COUNT_FILE_H */
