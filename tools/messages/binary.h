/* SPDX-License-Identifier: GPL-2.0-only */
/* Files with the bytes that were written to channels. */
#ifndef CSF_MESSAGES_BINARY_H
#define CSF_MESSAGES_BINARY_H

#include <stdio.h>

#include "channel.h"
#include "row.h"

/* Channels, and the file that gets their bytes. */
struct binary_file {
	struct channels channels;
	const char *path;
	FILE *file;
};

/* Zero is none. */
struct binaries {
	struct binary_file *file;
	size_t n;
};

/* Adds "PORT=FILE", of which @text is borrowed.  Return: 0; -EINVAL; -ENOMEM. */
int binaries_read(struct binaries *b, const char *text);

/* Opens all files, or finishes them.  Return: 0; a negative errno, and *@path is the file. */
int binaries_open(struct binaries *b, const char **path);
int binaries_close(struct binaries *b, bool whole, const char **path);

/* Writes the bytes of a row of CSF_MESSAGE_DATA.  Return: a file took them. */
bool binaries_take(struct binaries *b, const struct row *row);
void binaries_free(struct binaries *b);

#endif /* CSF_MESSAGES_BINARY_H */
