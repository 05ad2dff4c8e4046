/* SPDX-License-Identifier: GPL-2.0-only */
/* Problems of files that were read: file, line and reason of each, in the order found. */
#ifndef CSF_PROBLEMS_H
#define CSF_PROBLEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../perf-plugin/perf-file.h"
#include "log.h"

/* Only this many are kept, because the input decides how many there are. */
#define PROBLEMS_MAX	200

/**
 * struct problem_place - where a problem is, and how bad it is
 * @n_file: letters of the file's name, with which the text begins
 * @offset: in the file; CSF_REPORT_NOWHERE
 * @code: of the log
 */
struct problem_place {
	size_t n_file;
	uint64_t offset;
	enum log_code code;
};

/**
 * struct problems - zero is an empty list
 * @text: "file:line: reason", or "file: reason"; @place: of each
 * @n: kept; @dropped: further ones; @errors: how many of all are errors; @notes: how many are
 *     notes, which take nothing away from what was read
 */
struct problems {
	char **text;
	struct problem_place *place;
	size_t n, dropped, errors, notes;
};

/* @line 0: the file as a whole. */
__attribute__((format(printf, 4, 5)))
void problems_warn(struct problems *p, const char *file, unsigned int line, const char *format,
		   ...);
__attribute__((format(printf, 4, 5)))
void problems_note(struct problems *p, const char *file, unsigned int line, const char *format,
		   ...);
/* @column: from 1 */
__attribute__((format(printf, 5, 6)))
void problems_warn_at(struct problems *p, const char *file, unsigned int line,
		      unsigned int column, const char *format, ...);
__attribute__((format(printf, 4, 5)))
void problems_error(struct problems *p, const char *file, unsigned int line, const char *format,
		    ...);

/* The problems of a perf.data, @notes included; for a folder, the file in it is named. */
void problems_warn_perf(struct problems *p, const char *path, const struct perf_file *file,
			bool notes);

/* Appends all of @from to @p. */
void problems_take(struct problems *p, struct problems *from);

/* Says each of them, after @prefix. */
void problems_print(const struct problems *p, const char *prefix);
void problems_free(struct problems *p);

#endif /* CSF_PROBLEMS_H */
