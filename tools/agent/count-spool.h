/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The folder of the agent's files.  A file has its name only when it is whole and on the disk.
 * Names are TIME-BOOT-NUMBER.KIND: UTC, eight digits of the kernel's boot ID, and a number that
 * grows.
 */
#ifndef CSF_COUNT_SPOOL_H
#define CSF_COUNT_SPOOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define COUNT_SPOOL_NAME	64

/**
 * struct count_spool - zero it, count_spool_open(), count_spool_close()
 * @folder: borrowed
 * @most: bytes in it
 * @boot: of the kernel
 * @number: that of the next round
 * @fd: of the folder, which is locked; -1: it is not open
 */
struct count_spool {
	const char *folder;
	uint64_t most;
	char boot[9];
	uint64_t number;
	int fd;
};

/*
 * Makes the folder if it is not there, takes it, and removes what another agent left half written.
 * Reports errors.  Return: done.
 */
bool count_spool_open(struct count_spool *spool, const char *folder, uint64_t most);
void count_spool_close(struct count_spool *spool);

/*
 * For a child process: @own is @spool without the lock, which is the parent's alone and ends with
 * it.  Return: 0, -errno.
 */
int count_spool_share(struct count_spool *own, const struct count_spool *spool);

/* Is there room on the disk for a small file?  Return: 0, -errno. */
int count_spool_room(const struct count_spool *spool);

/* The name of a round that begins now, without its kind: at most COUNT_SPOOL_NAME bytes. */
void count_spool_name(const struct count_spool *spool, char *name);

/**
 * count_spool_write() - write a file, whole or not at all
 * @name: with its kind
 * @fill: writes to the file; 0 or -errno
 *
 * The oldest files are removed, and reported, if the spool would have too many bytes.
 *
 * Return: 0; -EFBIG: the file alone is larger than the spool may be; -EEXIST; -errno.
 */
int count_spool_write(const struct count_spool *spool, const char *name,
		      int (*fill)(void *owner, FILE *f), void *owner);

#endif /* CSF_COUNT_SPOOL_H */
