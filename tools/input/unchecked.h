/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that were taken though nobody knows whether they are the ones that were recorded. */
#ifndef CSF_UNCHECKED_H
#define CSF_UNCHECKED_H

#include "../../perf-plugin/dso.h"

/* Says on standard error which of @dsos are such files, each once in the life of the program. */
void unchecked_tell(const struct dso_table *dsos);

#endif /* CSF_UNCHECKED_H */
