/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The trace buffer of a kernel that panicked: the registers of the TMC in one region of
 * reserved memory, and the buffer, a ring, in another.
 */
#ifndef CSF_CRASH_DUMP_H
#define CSF_CRASH_DUMP_H

#include <stddef.h>
#include <stdint.h>

#include "../lib/problems.h"

/* Bytes of the registers; their region is larger. */
#define CRASH_REGISTERS	96

/**
 * struct crash_dump - both saved regions
 * @name: for messages; @problems: gets the errors
 * @registers: the region of the registers, @n_registers bytes
 * @ring: the buffer, @n_ring bytes
 */
struct crash_dump {
	const char *name;
	struct problems *problems;
	const uint8_t *registers, *ring;
	size_t n_registers, n_ring;
};

/* The size of the buffer by the registers; 0: @registers are not registers. */
size_t crash_dump_size(const uint8_t *registers, size_t n);

/**
 * crash_dump_read() - get the trace in the order in which it was written
 * @trace: owned by the caller, @n bytes
 *
 * Return: 0, -ENOMEM, or -EBADMSG: there is none.
 */
int crash_dump_read(const struct crash_dump *dump, uint8_t **trace, size_t *n);

#endif /* CSF_CRASH_DUMP_H */
