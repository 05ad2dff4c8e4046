// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "problems.h"

/* Input is quoted in reasons: nothing that moves the cursor may reach a terminal. */
static void clean(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = '?';
}

/* A line and a column of a file; 0: the file, or the line, as a whole.  @offset: in the file */
struct position {
	const char *file;
	unsigned int line, column;
	uint64_t offset;
};

/* Makes room for @n more.  Return: there is. */
static bool grow(struct problems *p, size_t n)
{
	char **text = realloc(p->text, (p->n + n) * sizeof(*text));
	struct problem_place *place = realloc(p->place, (p->n + n) * sizeof(*place));

	if (text)
		p->text = text;
	if (place)
		p->place = place;
	return text && place;
}

static void add(struct problems *p, enum log_code code, const struct position *at,
		const char *reason)
{
	char position[36] = "";
	char *text;
	size_t size;

	if (p->n == PROBLEMS_MAX) {
		p->dropped++;
		return;
	}
	if (at->line && at->column)
		snprintf(position, sizeof(position), ":%u:%u", at->line, at->column);
	else if (at->line)
		snprintf(position, sizeof(position), ":%u", at->line);
	size = strlen(at->file) + strlen(position) + strlen(reason) + 3;
	text = malloc(size);
	if (!text || !grow(p, 1)) {
		free(text);
		p->dropped++;
		return;
	}
	snprintf(text, size, "%s%s: %s", at->file, position, reason);
	clean(text);
	p->place[p->n] = (struct problem_place){
		.n_file = strlen(at->file), .code = code,
		.offset = at->offset ? at->offset : CSF_REPORT_NOWHERE,
	};
	p->text[p->n++] = text;
}

static void format_and_add(struct problems *p, enum log_code code, struct position at,
			   const char *format, va_list ap)
{
	char reason[512];

	vsnprintf(reason, sizeof(reason), format, ap);
	add(p, code, &at, reason);
}

void problems_warn(struct problems *p, const char *file, unsigned int line, const char *format,
		   ...)
{
	va_list ap;

	va_start(ap, format);
	format_and_add(p, LOG_INPUT, (struct position){ file, line }, format, ap);
	va_end(ap);
}

void problems_warn_at(struct problems *p, const char *file, unsigned int line,
		      unsigned int column, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	format_and_add(p, LOG_INPUT, (struct position){ file, line, column }, format, ap);
	va_end(ap);
}

void problems_note(struct problems *p, const char *file, unsigned int line, const char *format,
		   ...)
{
	va_list ap;

	p->notes++;
	va_start(ap, format);
	format_and_add(p, LOG_NOTE, (struct position){ file, line }, format, ap);
	va_end(ap);
}

void problems_error(struct problems *p, const char *file, unsigned int line, const char *format,
		    ...)
{
	va_list ap;

	p->errors++;
	va_start(ap, format);
	format_and_add(p, LOG_DAMAGE, (struct position){ file, line }, format, ap);
	va_end(ap);
}

static void warn_perf(struct problems *p, const char *path, const struct perf_file *file,
		      const struct perf_problem *problem)
{
	static const enum log_code codes[] = {
		[PERF_NOTE] = LOG_NOTE, [PERF_WARNING] = LOG_INPUT, [PERF_DAMAGE] = LOG_DAMAGE,
	};
	struct position at = { .file = path };
	uint64_t offset = problem->offset;
	const char *part;
	char name[32], reason[256];

	if (offset == PERF_PROBLEM_NOWHERE) {
		add(p, codes[problem->severity], &at, problem->text);
		return;
	}
	part = perf_file_part(file, &offset, name, sizeof(name));
	at.offset = offset;
	snprintf(reason, sizeof(reason), "%s%soffset 0x%" PRIx64 ": %s", part ? part : "",
		 part ? ": " : "", offset, problem->text);
	add(p, codes[problem->severity], &at, reason);
}

void problems_warn_perf(struct problems *p, const char *path, const struct perf_file *file,
			bool notes)
{
	const struct perf_problems *found = &file->problems;
	uint64_t damage = 0;

	for (size_t i = 0; i < found->n; i++) {
		damage += found->list[i].severity == PERF_DAMAGE;
		if (found->list[i].severity != PERF_NOTE || notes)
			warn_perf(p, path, file, &found->list[i]);
	}
	if (found->damage > damage)
		problems_warn(p, path, 0, "and %" PRIu64 " more", found->damage - damage);
}

void problems_take(struct problems *p, struct problems *from)
{
	const bool grown = grow(p, from->n + 1);

	for (size_t i = 0; i < from->n; i++) {
		if (grown && p->n < PROBLEMS_MAX) {
			p->place[p->n] = from->place[i];
			p->text[p->n++] = from->text[i];
		} else {
			free(from->text[i]);
			p->dropped++;
		}
	}
	p->dropped += from->dropped;
	p->errors += from->errors;
	p->notes += from->notes;
	from->n = 0;
	problems_free(from);
}

void problems_print(const struct problems *p, const char *prefix)
{
	for (size_t i = 0; i < p->n; i++)
		log_say_place(p->place[i].code, p->place[i].n_file, p->place[i].offset, "%s%s\n",
			      prefix, p->text[i]);
	if (p->dropped)
		log_say(LOG_INPUT, "%s... and %zu more\n", prefix, p->dropped);
}

void problems_free(struct problems *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->text[i]);
	free(p->text);
	free(p->place);
	memset(p, 0, sizeof(*p));
}
