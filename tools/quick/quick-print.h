/* SPDX-License-Identifier: GPL-2.0-only */
/* Which addresses strings begin at, and how much is there. */
#ifndef CSF_QUICK_PRINT_H
#define CSF_QUICK_PRINT_H

#include "quick-load.h"

/**
 * struct quick_print - what is printed
 * @load: strings, and who ran, as far as recordings told
 * @limit: lines of a table; 0: all
 * @dso: where symbols are
 */
struct quick_print {
	const struct quick_load *load;
	uint64_t limit;
	struct dso_options dso;
};

/* How much there is, in one line, to standard error. */
void quick_print_sum(const struct quick *quick);

/* The tables, to standard output.  Return: 0 or -ENOMEM. */
int quick_print(const struct quick_print *print);

#endif /* CSF_QUICK_PRINT_H */
