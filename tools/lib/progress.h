/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The progress of a long job: one line on standard error, with rate and time left.
 * It shows only on a terminal, only after a second, and never if switched off.  With --progress it
 * also shows elsewhere, as lines, of which the last one is written in any case.
 */
#ifndef CSF_PROGRESS_H
#define CSF_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct progress - the caller's; fields are private
 * @what: begins the line; borrowed, and may change
 * @total: bytes to do; 0: not known
 */
struct progress {
	const char *what;
	uint64_t total;
	uint64_t started, shown, done;
	bool on, lines;
};

/* --progress or --no-progress was given: see OPT_PROGRESS(). */
extern bool progress_asked;

void progress_start(struct progress *p, const char *what, uint64_t total, bool wanted);

/* Is a line shown, or will one be?  If not, nothing need be found out for @what. */
static inline bool progress_shows(const struct progress *p)
{
	return p->on;
}

/* @done bytes are done.  Cheap enough for every few kilobytes. */
void progress_at(struct progress *p, uint64_t done);

/* Removes the line. */
void progress_stop(struct progress *p);

/* The line for @done bytes in @ns nanoseconds, as progress_at() shows it.  Return: its length. */
int progress_line(const struct progress *p, uint64_t done, uint64_t ns, char *buf, size_t n);

#endif /* CSF_PROGRESS_H */
