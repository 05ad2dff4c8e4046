/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that commands say on standard error, and records of it: --log-level, --log-file and
 * --log-format.
 *
 *	log_say(LOG_FILE, "csflow: %s: %s\n", path, strerror(errno));
 *
 * Without those options the text appears as it is.  With them each line is a record: severity,
 * code, file, trace ID, offset, message, and what to do.  Gaps in the trace are records, too; they
 * are nowhere else.  See Documentation/user/errors.rst.
 */
#ifndef CSF_LOG_H
#define CSF_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../../decoder/csflow.h"
#include "log-codes.h"

/* No CPU is known. */
#define LOG_NO_CPU	UINT32_MAX

/* A gap of one kind and one trace ID is written this many times; further ones are counted. */
#define LOG_GAPS_MAX	8

/**
 * struct log_record - one record
 * @report: its code, severity, trace ID, offset and so on; @report.words is the message
 * @file: the file that it is about, NULL: none
 * @n_file: letters of @file
 * @cpu: the CPU that was traced; LOG_NO_CPU
 * @times: how many this record stands for; 0: one
 */
struct log_record {
	struct csf_report report;
	const char *file;
	size_t n_file;
	uint32_t cpu;
	uint64_t times;
};

/*
 * One of the options, before or after the command: @name is "log-level", with @n letters; @value:
 * NULL: it has none.  Return: NULL, or what is wrong with @value.
 */
const char *log_option(const char *name, const char *value);
bool log_is_option(const char *name, size_t n);

/* The words of --log-level and --log-format, ended by NULL. */
extern const char *const log_levels[], *const log_formats[];

/* The environment variables of the same names.  Return: false: reported. */
bool log_read_environment(void);

/* Is a record of @severity wanted?  Without an option none is. */
bool log_takes(enum csf_severity severity);

/*
 * Part of a line, or lines, for standard error; the first part of a line gives its code.  If
 * @format begins with "csflow: %s: ", "csflow COMMAND: %s: " or "csflow %s: %s: ", then the last %s
 * of these is the file that the line is about, unless @code is LOG_USAGE.
 */
__attribute__((format(printf, 2, 3)))
void log_say(enum log_code code, const char *format, ...);

/*
 * As log_say(), for one whole line about a place in a file.  @n_file: letters of the file's name,
 * with which the line begins after "csflow: "; @offset: CSF_REPORT_NOWHERE
 */
__attribute__((format(printf, 4, 5)))
void log_say_place(enum log_code code, size_t n_file, uint64_t offset, const char *format, ...);

/*
 * Until it is called with false, nothing is said: neither on standard error nor in a file of the
 * log.  For words that would name private things.
 */
void log_hush(bool hushed);

/* As log_say(), for functions that write to a file. */
FILE *log_to(enum log_code code);

/*
 * As log_say(), of one whole line of @n letters that need no quotes in JSON, in a handler of
 * signals.
 */
void log_last_words(enum log_code code, const char *text, size_t n);

/* Writes a record, if it is wanted; only to the log. */
void log_write(const struct log_record *record);

/* A gap, or another report of the decoder.  Of one code and trace ID, LOG_GAPS_MAX are written. */
void log_report(const char *file, uint32_t cpu, const struct csf_report *report);

/* Writes the counts of repeated gaps.  Return: all of the log has arrived; else it was reported. */
bool log_end(void);

#endif /* CSF_LOG_H */
