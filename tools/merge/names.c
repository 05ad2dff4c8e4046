// SPDX-License-Identifier: GPL-2.0-only
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../lib/options.h"
#include "names.h"

/* Folders in folders: a link may lead back. */
#define DEEP	32

const char *names_weight(const char *operand, uint64_t *times)
{
	const char *colon = strchr(operand, ':');
	char number[24];
	size_t n = colon ? colon - operand : 0;

	*times = 1;
	if (!n || n >= sizeof(number))
		return operand;
	memcpy(number, operand, n);
	number[n] = 0;
	if (!options_number(number, times)) {
		*times = 1;
		return operand;
	}
	return *times ? colon + 1 : NULL;
}

static void bad(const struct names *names, const char *path, size_t line, const char *why)
{
	if (names->bad)
		names->bad(names->owner, path, line, why);
}

/* ---------------------------------------------------------------- folders */

static int each_in(const struct names *names, struct merge_name *name, int depth);

/* A file, or a folder. */
static int file_or_folder(const struct names *names, struct merge_name *name, int depth, bool file)
{
	struct stat st;

	if (file || stat(name->path, &st) || !S_ISDIR(st.st_mode))
		return names->take(names->owner, name);
	return each_in(names, name, depth);
}

static int each_in(const struct names *names, struct merge_name *name, int depth)
{
	const char *const folder = name->path;
	struct dirent *entry;
	char path[PATH_MAX];
	int status = 0;
	DIR *dir = depth < DEEP ? opendir(folder) : NULL;

	if (!dir) {
		bad(names, folder, 0, depth < DEEP ? strerror(errno) : "too many folders in folders");
		return 0;
	}
	while (!status && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
		    (int)sizeof(path)) {
			bad(names, folder, 0, "a name in it is too long");
			continue;
		}
		name->path = path;
		status = file_or_folder(names, name, depth + 1, entry->d_type == DT_REG);
	}
	name->path = folder;
	closedir(dir);
	return status;
}

/* ---------------------------------------------------------------- lists */

/* Takes the columns after the name off a line.  Return: the error; NULL: none. */
static const char *take_columns(char *line, struct merge_name *name)
{
	char *weight = strchr(line, '\t'), *date;

	*name = (struct merge_name){ .path = line, .times = 1 };
	if (!weight)
		return NULL;
	*weight++ = 0;
	date = strchr(weight, '\t');
	if (date)
		*date++ = 0;
	if (*weight && (!options_number(weight, &name->times) || !name->times))
		return "the weight is no number of at least 1";
	name->dated = date && *date;
	if (name->dated && !weight_date(date, &name->date))
		return "the date is neither YYYY-MM-DD nor seconds since 1970";
	return NULL;
}

/* Reads a line that fits, without its end.  Return: 1; 0: there is none; -1: it does not fit. */
static int read_line(FILE *f, char *line, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (n < size)
			line[n] = c;
		n += n < size && c ? 1 : size;
	}
	if (n < size)
		line[n] = 0;
	return n >= size ? -1 : c != EOF || n;
}

static int each_line(const struct names *names, const char *path, FILE *f)
{
	char line[PATH_MAX + 64];
	struct merge_name name;
	const char *why;
	int status = 0, got;

	for (size_t i = 1; !status && (got = read_line(f, line, sizeof(line))); i++) {
		if (got > 0 && !*line)
			continue;
		why = got > 0 ? take_columns(line, &name) : "it is no name";
		if (why)
			bad(names, path, i, why);
		else
			status = file_or_folder(names, &name, 0, false);
	}
	if (ferror(f))
		bad(names, path, 0, strerror(errno));
	return status;
}

/* ---------------------------------------------------------------- operands */

int names_each(const struct names *names, const char *operand)
{
	struct merge_name name = { .times = 1 };
	const char *list;
	FILE *f;
	int status;

	if (*operand != '@') {
		name.path = names_weight(operand, &name.times);
		return file_or_folder(names, &name, 0, !strcmp(name.path, "-"));
	}
	list = operand + 1;
	if (!strcmp(list, "-"))
		return each_line(names, "standard input", stdin);
	f = fopen(list, "re");
	if (!f) {
		bad(names, list, 0, strerror(errno));
		return 0;
	}
	status = each_line(names, list, f);
	fclose(f);
	return status;
}

bool names_again(const char *operand)
{
	struct stat st;

	return strcmp(operand, "-") &&
	       (*operand != '@' || (!stat(operand + 1, &st) && S_ISREG(st.st_mode)));
}
