/* SPDX-License-Identifier: GPL-2.0-only */
/* The CoreSight metadata as perf shows it. */
#ifndef SHIM_METADATA_H
#define SHIM_METADATA_H

#include "compat.h"

/* Checks its size and version; with -D prints it.  Return: 0, -EINVAL. */
int csflow_metadata(const union perf_event *info);

#endif /* SHIM_METADATA_H */
