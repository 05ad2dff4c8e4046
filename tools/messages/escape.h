/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from a trace, which may be any bytes, as UTF-8 that moves no cursor. */
#ifndef CSF_MESSAGES_ESCAPE_H
#define CSF_MESSAGES_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* Room for @n bytes with escapes, and a final 0. */
#define ESCAPE_ROOM(n)	(4 * (n) + 1)

/*
 * Writes \t, \r, \n, \\, and \xHH for other controls and for bytes that are not UTF-8.
 * Return: the length of @to.
 */
size_t escape_text(char *to, const uint8_t *bytes, size_t n);

#endif /* CSF_MESSAGES_ESCAPE_H */
