/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The virtual trace unit of a CPU: an ETE or ETMv4 (the source) and a trace buffer like a TRBE (the
 * sink), both on the kernel's CoreSight core.  Its trace comes from a live unit in the emulator,
 * through a channel, or is played back.
 */
#ifndef CSFLOW_UNIT_H
#define CSFLOW_UNIT_H

#include <linux/coresight.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

struct buffer;
struct csf_channel;
struct replay;

/**
 * struct unit - a trace unit, one for each CPU
 * @cpu: its CPU
 * @source: the ETE or ETMv4; NULL: not registered
 * @sink: the trace buffer; NULL: not registered
 * @channel: of the live unit; NULL: recorded trace is played back
 * @has_irq: the channel can interrupt the CPU
 *
 * Only the CPU itself uses these, with interrupts off; a pause may come in an NMI nevertheless:
 * @pos: bytes of the channel that were taken out
 * @handle: the AUX record that is being made; NULL: none
 * @buffer: where it goes
 * @shared: the trace goes to the sink that all CPUs share
 * @runs: likewise, and that sink was not yet asked for it
 * @busy: likewise, and its interrupt is being handled
 * @paused: perf has paused the source
 * @id: the trace ID
 *
 * @lock: the fields below, which sysfs and the CPU itself use
 * @enabled: perf has started the source
 * @replay: recorded trace to play back
 * @sent: bytes that went into AUX buffers
 * @lost: bytes for which an AUX buffer had no room
 * @started: how often the source was started
 */
struct unit {
	int cpu;
	struct coresight_device *source;
	struct coresight_device *sink;
	struct csf_channel *channel;
	bool has_irq;

	u64 pos;
	struct perf_output_handle *handle;
	struct buffer *buffer;
	bool shared, runs, busy, paused;
	u8 id;

	raw_spinlock_t lock;
	bool enabled;
	struct replay *replay;
	u64 sent;
	u64 lost;
	u64 started;
};

/* The unit of the CPU on which this is called. */
struct unit *unit_here(void);

/* The unit of a source or a sink. */
static inline struct unit *unit_of(struct coresight_device *csdev)
{
	return dev_get_drvdata(&csdev->dev);
}

/* The live unit was stopped for a moment: it goes on, unless perf has disabled or paused it. */
void source_go_on(struct unit *unit);

/*
 * Registers the source or the sink of @unit.  @dev: the platform device, which must have a driver.
 *
 * Return: 0 or a negative error number, with nothing left registered.
 */
int source_register(struct unit *unit, struct device *dev);
void source_unregister(struct unit *unit);
int sink_register(struct unit *unit, struct device *dev);
void sink_unregister(struct unit *unit);

/* The unit's CPU is online, for the first time or again. */
void sink_online(struct unit *unit);

#endif /* CSFLOW_UNIT_H */
