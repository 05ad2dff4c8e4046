/* SPDX-License-Identifier: GPL-2.0-only */
/* Atom runs in a file: Documentation/format/quick.rst describes the format. */
#ifndef CSF_QUICK_FILE_H
#define CSF_QUICK_FILE_H

#include <stdio.h>

#include "../lib/packed.h"
#include "quick.h"

#define QUICK_VERSION	1
#define QUICK_OLDER	3	/* the version of a file with units of ETMv3 or PTM */

/* Is a file with these first @n bytes a file of atom runs? */
bool quick_file_is(const void *bytes, size_t n);

/* Writes a settled table.  Return: 0, -ENOMEM, -errno. */
int quick_file_write(const struct quick *quick, FILE *f);

/**
 * quick_file_read() - read a table
 * @quick: empty except @max; after an error it may be filled in part
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.
 */
int quick_file_read(struct quick *quick, const void *bytes, size_t n,
		    struct packed_problem *problem);

#endif /* CSF_QUICK_FILE_H */
