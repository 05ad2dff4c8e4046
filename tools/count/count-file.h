/* SPDX-License-Identifier: GPL-2.0-only */
/* A count table on disk: Documentation/format/counts.rst describes the format. */
#ifndef CSF_COUNT_FILE_H
#define CSF_COUNT_FILE_H

#include <stdio.h>

#include "count.h"
#include "../lib/packed.h"

#define COUNT_VERSION	1
#define COUNT_NAME_MAX	4096
#define COUNT_PROGRAM	8	/* ORed to the kind of a file: a process ran it */

/* Is a file that begins with these @n bytes a count table, of any version? */
bool count_file_is(const void *bytes, size_t n);

/* The same for the file at @path; false if it cannot be read. */
bool count_file_at(const char *path);

/* Writes a settled table.  Return: 0 or -errno. */
int count_file_write(const struct count_table *table, FILE *f);

/**
 * count_file_read() - a table from the @n bytes of a file
 * @table: empty; must be settled if another program wrote the file
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.  Free @table in any case.
 */
int count_file_read(struct count_table *table, const void *bytes, size_t n,
		    struct packed_problem *problem);

/* Kind, build-id and name, as in all packed files. */
void count_file_put_dso(struct packed_out *out, const struct count_dso *dso);
/* Return: its index in @table; < 0: -ENOMEM, or an error that @in records. */
long count_file_take_dso(struct packed_in *in, struct count_table *table);

#endif /* CSF_COUNT_FILE_H */
