/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of the matcher: other logs of the execution that a file has, and items by dictation. */
#ifndef MATCH_LOG_H
#define MATCH_LOG_H

#include <stdio.h>

#include "../../tools/source/source-private.h"
#include "random-case.h"

/**
 * match_log_truth() - a truth log of what @source executed
 * @fd: where it goes
 * @d: instructions are in other blocks than in @source; NULL: in the same
 *
 * Gaps become losses of nothing, with a reason that allows them.
 *
 * Return: instructions, or -errno.
 */
int64_t match_log_truth(struct source *source, int fd, struct dice *d);

/* A Tarmac log of it, of at most @max instructions. */
int64_t match_log_tarmac(struct source *source, FILE *f, int64_t max);

/*
 * A source of what @script says, in words with ';' between them:
 *
 *	i ADDR [N]		N A64 instructions from ADDR (hexadecimal); their opcodes are
 *				their addresses
 *	i ADDR! [N]		the last of them has another opcode
 *	gap NAME, cut, q N	as a decoder says it; exception TYPE ADDR; context ID; tm N
 *	lost NAME, found, task TID
 *	r NAME DIGITS		register; m ADDR DIGITS: memory, written; e NUMBER: event
 *
 * @format decides what it is taken for.
 */
struct source *match_log_script(enum source_format format, const char *script);

#endif /* MATCH_LOG_H */
