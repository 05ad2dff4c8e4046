/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of a snapshot with one core and one ETMv4 or ETE.  Exits where one cannot be made. */
#ifndef SELFTESTS_SNAP_WRITE_H
#define SELFTESTS_SNAP_WRITE_H

#include <stdio.h>

#include "../../decoder/csflow.h"

/* A file in @dir; snap_close() returns whether all of it could be written. */
FILE *snap_make(const char *dir, const char *name);
void snap_close(FILE *f);

/* The folder and its files, except those of the core and the trace: core.ini, trace.bin. */
void snap_begin(const char *dir, const struct csf_config *config, uint8_t id, bool raw);

/* The file of the core, with code that is in a file, and where it was. */
FILE *snap_core(const char *dir);
void snap_code(FILE *core, const char *file, uint64_t addr, uint64_t n);

#endif /* SELFTESTS_SNAP_WRITE_H */
