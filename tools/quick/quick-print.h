/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the addresses where atom runs begin, and how much is there. */
#ifndef CSF_QUICK_PRINT_H
#define CSF_QUICK_PRINT_H

#include "quick-load.h"

/**
 * struct quick_print - the tables to print
 * @load: atom runs, and threads as far as recordings tell
 * @limit: lines of a table; 0: all
 * @dso: where to find symbols
 */
struct quick_print {
	const struct quick_load *load;
	uint64_t limit;
	struct dso_options dso;
};

/* Prints the totals on one line to standard error. */
void quick_print_sum(const struct quick *quick);

/* Prints the tables to standard output.  Return: 0 or -ENOMEM. */
int quick_print(const struct quick_print *print);

#endif /* CSF_QUICK_PRINT_H */
