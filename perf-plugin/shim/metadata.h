/* SPDX-License-Identifier: GPL-2.0-only */
/* The CoreSight metadata, as far as perf shows it. */
#ifndef SHIM_METADATA_H
#define SHIM_METADATA_H

#include "compat.h"

/* Whether there can be anything in it; with -D prints it.  Return: 0, -EINVAL. */
int csflow_metadata(const union perf_event *info);

#endif /* SHIM_METADATA_H */
