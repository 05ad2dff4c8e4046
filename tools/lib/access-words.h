/* SPDX-License-Identifier: GPL-2.0-only */
/* Data accesses in words, as "csflow dump" lists them. */
#ifndef CSF_ACCESS_WORDS_H
#define CSF_ACCESS_WORDS_H

#include <stddef.h>

#include "../../decoder/csflow.h"

#define ACCESS_WORDS_MAX	200

/*
 * "read 0x20001000 = 0x11 size 4 of 0x8000", in @buf, which has room for ACCESS_WORDS_MAX.  Return:
 * length.
 */
size_t access_words(const struct csf_access *access, char *buf);

#endif /* CSF_ACCESS_WORDS_H */
