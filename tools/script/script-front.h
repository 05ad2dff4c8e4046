/* SPDX-License-Identifier: GPL-2.0-only */
/* The beginning of a line, thread and time: written once for a run, except for some digits. */
#ifndef CSF_SCRIPT_FRONT_H
#define CSF_SCRIPT_FRONT_H

#include "../code/line-cache.h"
#include "script-print.h"

#define FRONT_WHO_MAX	128
#define FRONT_MAX	(FRONT_WHO_MAX + LINE_PIECE)
#define FRONT_THOUSAND	1000

/**
 * struct script_front - zero it, script_front_init()
 * @text: @n bytes, of which @n_who name the thread
 * @timed: time is printed; @ns: to the nanosecond
 * @known: @text has a time, of second @second: that of @from, in ns, up to its last three digits
 * @digits: of all numbers up to 999, with the characters after them
 */
struct script_front {
	char text[FRONT_MAX + LINE_PIECE];
	size_t n_who, n;
	bool timed, ns, known;
	uint64_t from, second;
	char digits[FRONT_THOUSAND][4];
};

void script_front_init(struct script_front *f, const struct script_print *p);

/* Begins the lines of a run.  Return: false: the name of the thread is too long to be kept. */
bool script_front_run(struct script_front *f, struct script_print *p, const struct perf_run *run);

/* The same, from another front that has the run. */
void script_front_who(struct script_front *f, const char *text, size_t n);

/* Changes the time. */
void script_front_clock(struct script_front *f, struct out *out, uint64_t time);

/* Writes the beginning of a line; there is room for FRONT_MAX + LINE_PIECE. */
static inline void script_front_put(struct script_front *f, struct out *out, uint64_t time)
{
	const uint32_t unit = f->ns ? 1 : 1000;
	char *to;

	if (f->timed && (!f->known || time - f->from >= FRONT_THOUSAND * unit))
		script_front_clock(f, out, time);
	to = line_copy(out->buf + out->n, f->text, f->n);
	if (f->timed) {
		const uint32_t part = time - f->from;

		/* not into @text: reading bytes that were just written is slow */
		memcpy(to - strlen("999: "), f->digits[f->ns ? part : part / 1000],
		       sizeof(f->digits[0]));
	}
	out->n = to - out->buf;
}

#endif /* CSF_SCRIPT_FRONT_H */
