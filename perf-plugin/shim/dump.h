/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of trace, for `perf script -D`. */
#ifndef SHIM_DUMP_H
#define SHIM_DUMP_H

#include "compat.h"
#include "../plugin.h"

/* Prints those of the @n bytes at @offset of the file.  Return: 0, -ENOMEM. */
int csflow_dump(struct plugin *plugin, u64 offset, u64 n);

#endif /* SHIM_DUMP_H */
