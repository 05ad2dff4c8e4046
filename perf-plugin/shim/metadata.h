/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of the CoreSight metadata, as far as perf does not look at it itself. */
#ifndef SHIM_METADATA_H
#define SHIM_METADATA_H

#include "compat.h"

/* Return: 0; -EINVAL: it cannot be read. */
int csflow_metadata(const union perf_event *info);

#endif /* SHIM_METADATA_H */
