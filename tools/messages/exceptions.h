/* SPDX-License-Identifier: GPL-2.0-only */
/* Exceptions of a Cortex-M over time: which handler runs, and which wait below it. */
#ifndef CSF_MESSAGES_EXCEPTIONS_H
#define CSF_MESSAGES_EXCEPTIONS_H

#include "../../decoder/csflow.h"

#define EXCEPTION_NAME_MAX	24
/* "SysTick", "IRQ 28"; 0 is "Thread".  Return: @buf. */
const char *exception_name(uint32_t number, char buf[EXCEPTION_NAME_MAX]);

/* More than there are priorities: so deep only damage nests. */
#define EXCEPTIONS_DEPTH	256

/**
 * struct exceptions - zero is thread mode
 * @active: numbers of @n, the outermost first
 */
struct exceptions {
	uint16_t active[EXCEPTIONS_DEPTH];
	size_t n;
};

/**
 * exceptions_step() - follow a CSF_MESSAGE_EXCEPTION
 * @ends: set to the number of handlers that end, the innermost first
 *
 * Return: a handler begins, which is then the innermost.
 */
bool exceptions_step(struct exceptions *e, const struct csf_message *m, size_t *ends);

#endif /* CSF_MESSAGES_EXCEPTIONS_H */
