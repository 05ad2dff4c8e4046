/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of code: those that were used although it is unknown whether they are the recorded ones,
 * and those that are not here.
 */
#ifndef CSF_UNCHECKED_H
#define CSF_UNCHECKED_H

#include "../../perf-plugin/dso.h"

/* Reports on standard error which of @dsos are such files, each only once. */
void unchecked_tell(const struct dso_table *dsos);

/*
 * Reports that the file of @dso is not here, and the options that say where it is.  Of a file
 * in a recording this is said only once.  @recording: NULL: one of several
 */
void missing_say(const char *recording, const struct dso *dso);

/* The same, of all files of @dsos whose code was needed to decode. */
void missing_tell(const char *recording, const struct dso_table *dsos);

#endif /* CSF_UNCHECKED_H */
