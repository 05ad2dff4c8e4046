/* SPDX-License-Identifier: GPL-2.0-only */
/* Every field of a record of Tarmac that is set, as text, for tests. */
#ifndef CSF_TARMAC_DUMP_H
#define CSF_TARMAC_DUMP_H

#include <stdio.h>

#include "../../tools/tarmac/tarmac.h"

/* The caller prints the name of @cpu. */
void tarmac_dump(FILE *f, const struct tarmac_record *r);

#endif /* CSF_TARMAC_DUMP_H */
