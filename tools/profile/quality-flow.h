/* SPDX-License-Identifier: GPL-2.0-only */
/* Where counts of a table do not agree with each other. */
#ifndef CSF_QUALITY_FLOW_H
#define CSF_QUALITY_FLOW_H

#include "../count/count.h"

/**
 * struct quality_flow - sums over all places
 * @came: how much oftener they were led to than executed
 * @went: how much oftener they were executed than led to
 */
struct quality_flow {
	uint64_t came, went;
};

/* Of a settled table.  Return: 0 or -ENOMEM. */
int quality_flow(struct quality_flow *flow, const struct count_table *table);

#endif /* CSF_QUALITY_FLOW_H */
