/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that stands under its name when it is whole, and not before.  Until then it is another one
 * in the same folder, and what was there before stays.
 *
 *	f = new_file(path);
 *	... fprintf(f, ...) ...
 *	err = new_file_close(f, 0);
 *
 * It is for one thread.
 */
#ifndef CSF_NEW_FILE_H
#define CSF_NEW_FILE_H

#include <stdio.h>

/**
 * new_file() - begin one
 * @path: NULL: standard output
 *
 * A link is followed, and a file that is there keeps its mode.  What is no file, as a pipe, is
 * written at once; so is a file in a folder where none can be made.
 * Return: NULL, and errno.
 */
FILE *new_file(const char *path);

/**
 * new_file_close() - give it its name
 * @err: a negative errno: it is not whole, and goes away
 *
 * Return: @err, or a negative errno: it could not be written, and goes away.
 */
int new_file_close(FILE *f, int err);

/**
 * new_file_hold() - close one of several that are to appear together
 *
 * As new_file_close(), but it gets its name from new_file_release().
 */
int new_file_hold(FILE *f, int err);

/*
 * All that are held get their names, while signals wait.  Return: 0, or a negative errno: those
 * that have none go away.
 */
int new_file_release(void);

/*
 * A file, or a folder that is empty then, that goes away with the process: the newest goes first.
 * Without memory it stays.
 */
void new_file_passing(const char *path);

/* From now on signals that end the process, and exit(), leave nothing that is not whole. */
void new_file_guard(void);

/* The same at once, also from a signal handler. */
void new_file_drop(void);

#endif /* CSF_NEW_FILE_H */
