/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sink that all CPUs share, as an ETR: 16-byte frames in memory, with an ID for each CPU.  perf
 * uses it when the event names it: cs_etm/@csflow_etr0/.
 */
#ifndef CSFLOW_ETR_H
#define CSFLOW_ETR_H

struct device;
struct coresight_platform_data;
struct unit;

/* Return: 0 or a negative error number; without it there are the sinks of the CPUs. */
int etr_register(void);
void etr_unregister(void);

/**
 * etr_connect() - a source's way to the sink
 * @unit: of the source
 * @dev: the parent of the source
 * @pdata: the source's, which is empty
 */
int etr_connect(const struct unit *unit, struct device *dev,
		struct coresight_platform_data *pdata);

/* The unit's channel has bytes for the sink, as much as it was to tell of. */
void etr_interrupt(struct unit *unit);

#endif /* CSFLOW_ETR_H */
