/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the library has to say.
 *
 * Nothing in this folder prints of its own accord: text goes to the function that
 * the client set for its tree, and else to where it said that text shall go.
 */
#ifndef OPENCSD_LOG_H
#define OPENCSD_LOG_H

#include <stdbool.h>

#include "abi.h"

/* Where the text of one tree goes. */
struct log_sink {
	abi_print_fn fn;	/* NULL: where ocsd_def_errlog_config_output() says */
	const void *context;
};

/* Return: enum abi_err. */
int log_init(uint32_t severity, int output);
int log_output(int flags, const char *file);

/* A whole line, or several. */
void log_print(const struct log_sink *sink, const char *text, size_t n);

/**
 * log_problem() - remembers it for ocsd_get_last_err(), and says it if that is wanted
 * @sink: may be NULL
 * @index: in the trace; UINT32_MAX: nowhere
 * @id: trace ID
 *
 * Return: @err
 */
int log_problem(const struct log_sink *sink, enum abi_severity severity, enum abi_err err,
		uint32_t index, uint8_t id, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Is it worth making the text? */
bool log_wants(enum abi_severity severity);

/* The last of this thread.  Return: enum abi_err. */
int log_last(uint32_t *index, uint8_t *id, char *message, int n);

/* "0x0013 (OCSD_ERR_BAD_PACKET_SEQ) [...]" */
void log_error_text(int err, char *buf, int n);

#endif /* OPENCSD_LOG_H */
