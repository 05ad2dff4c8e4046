/* SPDX-License-Identifier: GPL-2.0-only */
/* The codes of what commands say: those that the decoder does not have, see csf_report_code(). */
#ifndef CSF_LOG_CODES_H
#define CSF_LOG_CODES_H

#include <stdio.h>

/**
 * enum log_code - what a line is about
 * @LOG_USAGE: options and operands
 * @LOG_FILE: a file cannot be opened, read or written
 * @LOG_DAMAGE: a file is damaged
 * @LOG_INPUT: something in a file is unusual, or passed over
 * @LOG_SYNTAX: text that cannot be understood
 * @LOG_MEMORY: no memory
 * @LOG_EMPTY: there is nothing to show
 * @LOG_UNKNOWN: trace, or a trace unit, that the command cannot read
 * @LOG_TOOL: a program or library that is not here
 * @LOG_PROGRAM: a program that was run failed
 * @LOG_UNREAD: trace that was not decoded
 * @LOG_UNCHECKED: code that may be other code than what ran
 * @LOG_LOST: trace is lost: counts of gaps
 * @LOG_ROUGH: the result is less exact, or has less in it, than it could
 * @LOG_NOTE: what was done
 */
enum log_code {
	LOG_USAGE,
	LOG_FILE,
	LOG_DAMAGE,
	LOG_INPUT,
	LOG_SYNTAX,
	LOG_MEMORY,
	LOG_EMPTY,
	LOG_UNKNOWN,
	LOG_TOOL,
	LOG_PROGRAM,
	LOG_UNREAD,
	LOG_UNCHECKED,
	LOG_LOST,
	LOG_ROUGH,
	LOG_NOTE,
	LOG_CODES
};

struct csf_report;

/* Sets code, severity, words and what to do; the other fields say "not known". */
void log_code_report(enum log_code code, struct csf_report *report);

/* csflow help errors: all codes, those of the decoder too, as in Documentation/user/errors.rst. */
void log_print_codes(FILE *f);

#endif /* CSF_LOG_CODES_H */
