/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written as JSON. */
#ifndef CSF_JSON_H
#define CSF_JSON_H

#include <stdio.h>

/*
 * A string, in quotes; what is no character of UTF-8 becomes U+FFFD.  "<" is escaped: nothing in it
 * can end the script of a page.
 */
void json_string(FILE *f, const char *text);

#endif /* CSF_JSON_H */
