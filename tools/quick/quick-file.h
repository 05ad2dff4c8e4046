/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings in a file: Documentation/format/quick.rst has the format. */
#ifndef CSF_QUICK_FILE_H
#define CSF_QUICK_FILE_H

#include <stdio.h>

#include "../lib/packed.h"
#include "quick.h"

#define QUICK_MAGIC	"CSFQUICK"
#define QUICK_VERSION	1

/* Whether a file that begins with these @n bytes is one. */
bool quick_file_is(const void *bytes, size_t n);

/* A settled table.  Return: 0, -ENOMEM, -errno. */
int quick_file_write(const struct quick *quick, FILE *f);

/**
 * quick_file_read() - the inverse
 * @quick: empty but for @max; it may be filled in part if this fails
 *
 * Return: 0; -EBADMSG, and @problem; -ENOMEM.
 */
int quick_file_read(struct quick *quick, const void *bytes, size_t n,
		    struct packed_problem *problem);

#endif /* CSF_QUICK_FILE_H */
