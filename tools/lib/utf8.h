/* SPDX-License-Identifier: GPL-2.0-only */
/* Foreign names in files that must be UTF-8. */
#ifndef CSF_UTF8_H
#define CSF_UTF8_H

/* The length of the character at @s, not the final 0; 0: it is not UTF-8. */
int utf8_size(const unsigned char *s);

#endif /* CSF_UTF8_H */
