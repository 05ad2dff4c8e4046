/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of a printf-style format and the bytes of its arguments. */
#ifndef CSF_SYST_FORMAT_H
#define CSF_SYST_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct syst_bytes - the bytes of a message that are still to be read
 * @failed: more were wanted than there are
 */
struct syst_bytes {
	const uint8_t *at, *end;
	bool failed;
};

/* The next @size bytes as a little-endian number; 0 and @failed: there are not as many. */
uint64_t syst_number(struct syst_bytes *b, unsigned int size);

/* The next text; with its length in *@n.  It ends at a 0, or, if @whole, where the bytes end. */
const char *syst_text(struct syst_bytes *b, bool whole, size_t *n);

/**
 * syst_format() - print
 * @format: of @n bytes
 * @arguments: as va_arg() has them: int in 4 bytes, long and pointers in 8 if @wide, texts inline
 * @to: room for @room bytes: what does not fit is left out
 *
 * Return: the length of @to, which may have any bytes.
 */
size_t syst_format(const char *format, size_t n, struct syst_bytes *arguments, bool wide,
		   char *to, size_t room);

#endif /* CSF_SYST_FORMAT_H */
