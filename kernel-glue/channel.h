/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The channels of live trace units: registers and a buffer for each CPU, in BAR 2 of an ivshmem
 * device, see csf_channel.h.  A trace unit that the emulator runs is at the other end.
 *
 * Only the CPU itself may use its channel, and it does so in program order: the unit looks at the
 * registers whenever that CPU begins a block of code.
 */
#ifndef CSFLOW_CHANNEL_H
#define CSFLOW_CHANNEL_H

#include <linux/interrupt.h>
#include <linux/types.h>

#include "csf_channel.h"

/* Looks for the device.  Without it, or if it is of no use, there are no channels. */
void channel_open(void);
void channel_close(void);

/*
 * The channel of a CPU, in which a trace unit has answered; else NULL, and if there is a device the
 * kernel's log says why.
 */
struct csf_channel *channel_of(unsigned int cpu);

/**
 * channel_irq() - have the interrupt of a CPU's channel handled, on that CPU
 * @cpu: the CPU, whose channel is there
 * @handler: called with @data
 * @data: not NULL; the same in each call for this CPU
 *
 * May be called again, when a CPU comes back.  channel_close() ends it for all.
 *
 * Return: false: the device has no interrupt for this CPU.
 */
bool channel_irq(unsigned int cpu, irq_handler_t handler, void *data);

/* Starts the trace unit.  Its other registers have been written. */
void channel_start(struct csf_channel *channel);

/* Stops the trace unit, and waits until its trace is in the buffer.  Return: false: in vain. */
bool channel_stop(struct csf_channel *channel);

/* Byte @at of the trace.  @n: how many bytes are wanted; becomes how many are in one piece. */
const u8 *channel_bytes(const struct csf_channel *channel, u64 at, size_t *n);

static inline u64 channel_written(const struct csf_channel *channel)
{
	return READ_ONCE(channel->written);
}

#endif /* CSFLOW_CHANNEL_H */
