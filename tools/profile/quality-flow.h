/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds counts of a table that contradict each other. */
#ifndef CSF_QUALITY_FLOW_H
#define CSF_QUALITY_FLOW_H

#include "../count/count.h"

/**
 * struct quality_flow - sums over all places
 * @came: how many more times places were led to than executed
 * @went: how many more times places were executed than led to
 */
struct quality_flow {
	uint64_t came, went;
};

/* Sums up a settled table.  Return: 0 or -ENOMEM. */
int quality_flow(struct quality_flow *flow, const struct count_table *table);

#endif /* CSF_QUALITY_FLOW_H */
