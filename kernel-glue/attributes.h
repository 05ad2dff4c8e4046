/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a source in sysfs: registers, which perf reads, counts, and its recording. */
#ifndef CSFLOW_ATTRIBUTES_H
#define CSFLOW_ATTRIBUTES_H

#include <linux/sysfs.h>

struct unit;

/* Is the unit an ETMv4?  Otherwise it is an ETE. */
bool attributes_etm4(const struct unit *unit);

/* The files that its source has. */
const struct attribute_group **attributes_groups(const struct unit *unit);

/* Frees the recording, which was written to one of the files. */
void attributes_free(struct unit *unit);

#endif /* CSFLOW_ATTRIBUTES_H */
