/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of JSON. */
#ifndef CSF_JSON_H
#define CSF_JSON_H

#include <stdio.h>

/*
 * Writes a string in quotes; bytes that are not UTF-8 become U+FFFD.  "<" is escaped, so no text
 * can end the script of a page.
 */
void json_string(FILE *f, const char *text);

#endif /* CSF_JSON_H */
