/* SPDX-License-Identifier: GPL-2.0-only */
/* At the end: what is wrong with the recording, and what was lost. */
#ifndef SHIM_REPORT_H
#define SHIM_REPORT_H

#include "csflow.h"

void csflow_report(struct csflow *c);

#endif /* SHIM_REPORT_H */
