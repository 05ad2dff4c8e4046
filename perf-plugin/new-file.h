/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that gets its name only when it is complete.  Until then it has another name in the same
 * folder, and an existing file of its name stays.
 *
 *	f = new_file(path);
 *	... fprintf(f, ...) ...
 *	err = new_file_close(f, 0);
 *
 * Only one thread may use this.
 */
#ifndef CSF_NEW_FILE_H
#define CSF_NEW_FILE_H

#include <stdio.h>

/**
 * new_file() - begin a new file
 * @path: NULL: standard output
 *
 * A link is followed, and an existing file keeps its mode.  Anything but a regular file, such as a
 * pipe, is written directly; so is a file in a folder where none can be created.
 * Return: NULL on error, with errno set.
 */
FILE *new_file(const char *path);

/**
 * new_file_close() - finish the file and give it its name
 * @err: a negative errno: the file is not complete, and is removed
 *
 * Return: @err, or a negative errno: it could not be written, and is removed.
 */
int new_file_close(FILE *f, int err);

/**
 * new_file_hold() - close one of several files that are to appear together
 *
 * As new_file_close(), but new_file_release() gives it its name.
 */
int new_file_hold(FILE *f, int err);

/*
 * Gives all held files their names, with signals blocked.  Return: 0, or a negative errno: files
 * without a name are removed.
 */
int new_file_release(void);

/*
 * A file, or a folder that is empty by then, to be removed when the process ends: the newest first.
 * Without memory it is not removed.
 */
void new_file_passing(const char *path);

/* From now on, signals that end the process, and exit(), leave no incomplete files. */
void new_file_guard(void);

/* Removes them at once; may be called from a signal handler. */
void new_file_drop(void);

#endif /* CSF_NEW_FILE_H */
