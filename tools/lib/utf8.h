/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that others chose, in files that must be UTF-8. */
#ifndef CSF_UTF8_H
#define CSF_UTF8_H

/* Bytes of the character at @s, which is not the 0 at the end; 0: it is none. */
int utf8_size(const unsigned char *s);

#endif /* CSF_UTF8_H */
