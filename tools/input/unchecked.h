/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that were used although it is unknown whether they are the recorded ones. */
#ifndef CSF_UNCHECKED_H
#define CSF_UNCHECKED_H

#include "../../perf-plugin/dso.h"

/* Reports on standard error which of @dsos are such files, each only once. */
void unchecked_tell(const struct dso_table *dsos);

#endif /* CSF_UNCHECKED_H */
