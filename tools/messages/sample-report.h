/* SPDX-License-Identifier: GPL-2.0-only */
/* Hot functions of trace that has samples of the program counter, and says no more of execution. */
#ifndef CSF_SAMPLE_REPORT_H
#define CSF_SAMPLE_REPORT_H

#include "../input/snapshot-perf.h"

/* Is @path a snapshot, all trace sources of which send messages, or the raw trace of an ITM? */
bool sample_report_fits(const char *path, const struct snapshot_choice *choice);

/* Prints its functions.  Return: the exit status. */
int sample_report(const char *path, const struct snapshot_choice *choice);

#endif /* CSF_SAMPLE_REPORT_H */
