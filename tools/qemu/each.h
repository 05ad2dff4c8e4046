/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of each instruction that an ETMv3 traces: whether its condition was met, and its data.
 *
 * QEMU executes one instruction at a time for it (-singlestep), so that the guest's registers,
 * flags and memory can be read between any two.
 */
#ifndef CSF_QEMU_EACH_H
#define CSF_QEMU_EACH_H

#include <stdbool.h>
#include <stdint.h>

#include "../encoder/encoder.h"
#include "qemu-plugin.h"

/* The most transfers of an instruction: VLDM of 32 words. */
#define EACH_DATA_MAX	64

/**
 * struct each - an instruction that is executed
 * @it: ITSTATE, for the instruction after it
 * @failed: its condition is not met
 * @exclusive: a store that may fail: register @reg tells
 * @reads: of a coprocessor: the value will be in register @reg
 * @elements: it is of VLD1 to VST4
 * @data: @n transfers
 */
struct each {
	uint8_t it;
	bool failed;
	bool exclusive, reads, elements;
	uint8_t reg;
	uint8_t n;
	struct enc_data data[EACH_DATA_MAX];
};

struct code;

/* @code is about to be executed. */
void each_begin(struct each *each, const struct code *code, const uint8_t *env);

/* It was executed; @env is the state after it. */
void each_end(struct each *each, const uint8_t *env);

/* A call-back of QEMU: the current instruction of this thread accessed memory. */
void each_access(struct each *each, qemu_plugin_meminfo_t info, uint64_t addr);

/* Instructions from here on that are in an IT block. */
static inline unsigned int each_it(const struct each *each)
{
	return each->it & 15 ? 4 - __builtin_ctz(each->it & 15) : 0;
}

#endif /* CSF_QEMU_EACH_H */
