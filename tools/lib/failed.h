/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports that a command failed, at what, and for which files. */
#ifndef CSF_FAILED_H
#define CSF_FAILED_H

#include <stddef.h>

/*
 * Prints "csflow: a.data, b.data: adding up: Cannot allocate memory".  @path has @n names, of which
 * the first are printed.  Return: CMD_FAILED.
 */
int failed_while(const char *const *path, size_t n, const char *what, int err);

/* Reports in the same way that there is no memory before a file is open.  Return: CMD_FAILED. */
int failed_at_once(const char *command);

#endif /* CSF_FAILED_H */
