/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the names of files out of counts.  A file with a build-id is named after that.  Of the
 * others nothing is left that tells them apart.
 */
#ifndef CSF_STRIP_H
#define CSF_STRIP_H

#include "../quick/quick.h"

/*
 * Counts of files without a build-id are removed, and @gone gets their instructions.  @table is
 * settled again.  Return: 0, -ENOMEM.
 */
int strip_table(struct count_table *table, uint64_t *gone);

/* Those files become unknown ones of this round, @round; @gone gets their number.  Likewise. */
int strip_quick(struct quick *quick, const char *round, uint64_t *gone);

#endif /* CSF_STRIP_H */
