/* SPDX-License-Identifier: GPL-2.0-only */
/* A count table on disk: Documentation/format/counts.rst has the format. */
#ifndef CSF_COUNT_FILE_H
#define CSF_COUNT_FILE_H

#include <stdio.h>

#include "count.h"
#include "../lib/packed.h"

#define COUNT_MAGIC	"CSFCOUNT"
#define COUNT_VERSION	1
#define COUNT_NAME_MAX	4096
#define COUNT_PROGRAM	8	/* or-ed to the kind of a file: some process ran it */

/* Whether a file that begins with these @n bytes is a count table, of any version. */
bool count_file_is(const void *bytes, size_t n);

/* The same of the file at @path; one that cannot be read is none. */
bool count_file_at(const char *path);

/* A settled table.  Return: 0 or -errno. */
int count_file_write(const struct count_table *table, FILE *f);

/**
 * count_file_read() - a table from the @n bytes of a file
 * @table: empty; wants settling if others wrote the file
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.  In any case @table is to be freed.
 */
int count_file_read(struct count_table *table, const void *bytes, size_t n,
		    struct packed_problem *problem);

/* Kind, build-id and name, as all files have them that are packed. */
void count_file_put_dso(struct packed_out *out, const struct count_dso *dso);
/* Return: its index in @table; < 0: -ENOMEM, or, if that says so, what is wrong with @in. */
long count_file_take_dso(struct packed_in *in, struct count_table *table);

#endif /* CSF_COUNT_FILE_H */
