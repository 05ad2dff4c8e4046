/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command was doing when it failed, and with which files. */
#ifndef CSF_FAILED_H
#define CSF_FAILED_H

#include <stddef.h>

/*
 * "csflow: a.data, b.data: adding up: Cannot allocate memory".  @path: @n of them, the first ones
 * are named.  Return: CMD_FAILED.
 */
int failed_while(const char *const *path, size_t n, const char *what, int err);

/* The same of no memory, before there is any file.  Return: CMD_FAILED. */
int failed_at_once(const char *command);

#endif /* CSF_FAILED_H */
