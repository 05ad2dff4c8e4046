/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of the library.
 *
 * Nothing in this folder prints by itself: text goes to the function that the client set for its
 * tree, or else to the output that it chose.
 */
#ifndef OPENCSD_LOG_H
#define OPENCSD_LOG_H

#include <stdbool.h>

#include "abi.h"

/* The output for text of one tree. */
struct log_sink {
	abi_print_fn fn;	/* NULL: the output of ocsd_def_errlog_config_output() */
	const void *context;
};

/* Return: enum abi_err. */
int log_init(uint32_t severity, int output);
int log_output(int flags, const char *file);

/* Prints one or more whole lines. */
void log_print(const struct log_sink *sink, const char *text, size_t n);

/**
 * log_problem() - remember a problem for ocsd_get_last_err(), and print it if that is wanted
 * @sink: may be NULL
 * @index: index in the trace; UINT32_MAX: none
 * @id: trace ID
 *
 * Return: @err
 */
int log_problem(const struct log_sink *sink, enum abi_severity severity, enum abi_err err,
		uint32_t index, uint8_t id, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Is the text needed? */
bool log_wants(enum abi_severity severity);

/* The last problem of this thread.  Return: enum abi_err. */
int log_last(uint32_t *index, uint8_t *id, char *message, int n);

/* "0x0013 (OCSD_ERR_BAD_PACKET_SEQ) [...]" */
void log_error_text(int err, char *buf, int n);

#endif /* OPENCSD_LOG_H */
