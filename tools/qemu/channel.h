/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers and the buffer of the trace unit of each CPU of a guest, in memory that the guest
 * maps: kernel-glue/include/uapi/csf_channel.h.  Only the thread of QEMU that executes a CPU uses
 * its channel.
 */
#ifndef CSF_QEMU_CHANNEL_H
#define CSF_QEMU_CHANNEL_H

#include "../../kernel-glue/include/uapi/csf_channel.h"
#include "../encoder/encoder.h"

/*
 * The most bytes between two P0 elements: A-sync, Trace Info, Trace On, exception, addresses,
 * contexts, timestamp and cycles, with room to spare.  The last bytes before the limit stay free.
 */
#define CHANNEL_SLACK	512

/* The guest writes registers, too. */
#define CHANNEL_GET(c, name)		__atomic_load_n(&(c)->reg->name, __ATOMIC_RELAXED)
#define CHANNEL_SET(c, name, value)	__atomic_store_n(&(c)->reg->name, value, __ATOMIC_RELAXED)

/**
 * struct channel - a channel, as the unit sees it
 * @reg: in shared memory
 * @data: the buffer
 * @rung: the last value of csf_channel.signal for which the interrupt was raised
 * @number: of the CPU
 */
struct channel {
	struct csf_channel *reg;
	uint8_t *data;
	uint64_t rung;
	uint32_t number;
};

/**
 * channel_open() - map the file that is the shared memory, and make it if it is not there
 * @ring: raises the interrupt of a CPU; NULL: there is none
 *
 * Return: its descriptor, or -errno.
 */
int channel_open(const char *path, void (*ring)(unsigned int cpu));

/* Makes channel @number ready: a unit as @setup says is there. */
void channel_init(struct channel *c, uint32_t number, const struct enc_setup *setup);

/* Takes it away: there is no unit. */
void channel_remove(struct channel *c);

/**
 * channel_setup() - what the driver wants of the unit
 * @setup: filled in
 * @unit: what the unit is
 *
 * Words that the unit does not have are ignored, as a register's bits are.
 */
void channel_setup(const struct channel *c, struct enc_setup *setup, const struct enc_setup *unit);

/* Is there room for what comes up to the next P0 element, and for @n bytes before? */
static inline bool channel_has_room(const struct channel *c, size_t n)
{
	return CHANNEL_GET(c, flags) & CSF_CHANNEL_WRAP ||
	       CHANNEL_GET(c, limit) >= c->reg->written + n + CHANNEL_SLACK;
}

/* Adds @n bytes to the trace.  Beyond the limit there is no room: the rest is dropped. */
void channel_write(struct channel *c, const uint8_t *bytes, size_t n);

/* Trace is lost from here on, until the driver makes room; it is told. */
void channel_fill(struct channel *c);

#endif /* CSF_QEMU_CHANNEL_H */
