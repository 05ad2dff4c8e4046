/* SPDX-License-Identifier: GPL-2.0-only */
/* The registers of a trace unit, as a perf event wants them. */
#ifndef CSFLOW_SETTINGS_H
#define CSFLOW_SETTINGS_H

#include <linux/perf_event.h>

struct csf_channel;

/**
 * settings_write() - write the registers of a unit that does not trace
 * @channel: of this CPU
 * @event: what to trace
 * @id: the trace ID
 *
 * Return: 0, or -EINVAL: the unit, or the kernel, cannot do what the event asks for.
 */
int settings_write(struct csf_channel *channel, struct perf_event *event, u8 id);

#endif /* CSFLOW_SETTINGS_H */
