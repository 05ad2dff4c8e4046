// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source-text.h"

/**
 * struct source_file - a file, in a list with the last requested one first
 * @text: @n bytes; owned, as @path is
 * @start: the beginning of each line, and of one more, n_line + 1 of them
 */
struct source_file {
	struct source_file *next;
	char *path, *text;
	size_t *start;
	size_t n, n_line;
};

/* Devices, and files that grow while they are read, are not read. */
static char *read_file(const char *path, size_t *n)
{
	struct stat st;
	FILE *f = stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX ? NULL :
		  fopen(path, "rb");
	char *text = f ? malloc(st.st_size + 1) : NULL;

	if (text)
		*n = fread(text, 1, st.st_size, f);
	if (f)
		fclose(f);
	return text;
}

static void find_lines(struct source_file *file)
{
	size_t n = 1;

	for (size_t i = 0; i < file->n; i++)
		n += file->text[i] == '\n';
	file->start = calloc(n + 1, sizeof(*file->start));
	if (!file->start)
		return;
	for (size_t i = 0; i < file->n; i++)
		if (file->text[i] == '\n')
			file->start[++file->n_line] = i + 1;
	if (file->start[file->n_line] < file->n)
		file->start[++file->n_line] = file->n + 1;
}

static struct source_file *open_file(struct source_text *s, const char *path)
{
	struct source_file *file = calloc(1, sizeof(*file));
	char *below = NULL;

	if (!file)
		return NULL;
	file->path = strdup(path);
	if (s->symfs && asprintf(&below, "%s/%s", s->symfs, path) >= 0) {
		file->text = read_file(below, &file->n);
		free(below);
	}
	if (!file->text)
		file->text = read_file(path, &file->n);
	if (file->text)
		find_lines(file);
	file->next = s->file;
	s->file = file;
	return file;
}

const char *source_text_line(struct source_text *s, const char *path, int number, size_t *n)
{
	struct source_file *file = s->file;

	while (file && (!file->path || strcmp(file->path, path)))
		file = file->next;
	if (!file)
		file = open_file(s, path);
	if (!file || number < 1 || (size_t)number > file->n_line)
		return NULL;
	*n = file->start[number] - 1 - file->start[number - 1];
	return file->text + file->start[number - 1];
}

void source_text_fini(struct source_text *s)
{
	while (s->file) {
		struct source_file *file = s->file;

		s->file = file->next;
		free(file->path);
		free(file->text);
		free(file->start);
		free(file);
	}
}
