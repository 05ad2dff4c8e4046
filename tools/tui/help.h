/* SPDX-License-Identifier: GPL-2.0-only */
/* A window of all keys, made from the tables that the keys are looked up in. */
#ifndef CSF_HELP_H
#define CSF_HELP_H

#include "key.h"

/* Shows @table, @n of them, below @title, until a key ends it. */
void help_show(const char *title, const struct key_row *const table[], size_t n);

#endif /* CSF_HELP_H */
