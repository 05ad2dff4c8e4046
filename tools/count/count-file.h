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

/*
 * The parts of a file, one by one, for those who do not have all of it in memory.  @last: the
 * offset of the block or edge before it in the same dso; at first 0.
 */
void count_file_put_block(struct packed_out *out, const struct count_block *block, uint64_t *last);
void count_file_put_edge(struct packed_out *out, const struct count_edge *edge, uint64_t *last);
/* Return: the number of files.  Statistics that are not in the file are left as they are. */
uint32_t count_file_take_head(struct packed_in *in, uint64_t stat[COUNT_STAT_NR]);
void count_file_take_block(struct packed_in *in, struct count_block *block, uint64_t *last);
/* @n_dso: the number of files */
void count_file_take_edge(struct packed_in *in, struct count_edge *edge, uint64_t *last,
			  uint64_t n_dso);
/* The build-id, and the name of @n_name bytes without a zero after them, stay in the file. */
bool count_file_take_key(struct packed_in *in, struct dso_key *key, size_t *n_name);

/* Kind, build-id and name, as in all packed files. */
void count_file_put_dso(struct packed_out *out, const struct count_dso *dso);
/* Return: its index in @table; < 0: -ENOMEM, or an error that @in records. */
long count_file_take_dso(struct packed_in *in, struct count_table *table);

#endif /* CSF_COUNT_FILE_H */
