/* SPDX-License-Identifier: GPL-2.0-only */
/* Called at the end: reports problems of the recording, and losses. */
#ifndef SHIM_REPORT_H
#define SHIM_REPORT_H

#include "csflow.h"

void csflow_report(struct csflow *c);

#endif /* SHIM_REPORT_H */
