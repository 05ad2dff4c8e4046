/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of source files, named by debug information. */
#ifndef CSF_SOURCE_TEXT_H
#define CSF_SOURCE_TEXT_H

#include <stddef.h>

/* Larger files are not source. */
#define SOURCE_MAX	(32u << 20)

/* A file; a missing file has no lines. */
struct source_file;

/**
 * struct source_text - zero it
 * @symfs: look below it first; NULL: only at the name itself
 */
struct source_text {
	const char *symfs;
	struct source_file *file;
};

/*
 * Line @number, from 1, of the file @path: *@n bytes without its end.  Return: NULL: there is none;
 * borrowed until source_text_fini().
 */
const char *source_text_line(struct source_text *s, const char *path, int number, size_t *n);
void source_text_fini(struct source_text *s);

#endif /* CSF_SOURCE_TEXT_H */
