/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by annotate*.c. */
#ifndef CSF_ANNOTATE_PARTS_H
#define CSF_ANNOTATE_PARTS_H

#include "annotate.h"

/* A share with two decimals. */
void annotate_share(FILE *f, uint64_t n, uint64_t all, int width);

/* The inlined function, its caller, and so on, up to @function itself, and the end of the line. */
void annotate_callers(const struct annotate *a, const struct elf_inlined *in, const char *function);

/* The lines of the source, with their counts.  Return: 0 or -ENOMEM. */
int annotate_lines(struct annotate *a, const struct hot_lines *hot);

#endif /* CSF_ANNOTATE_PARTS_H */
