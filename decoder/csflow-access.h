/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Data accesses, from the data trace of ETMv3 and ETMv4.  Part of csflow.h, which includes it.
 *
 * A decoder whose csf_config.marks has CSF_MARK_DATA reports each access that is in the trace:
 *
 *	for (size_t i = 0; i < run.n_mark; i++)
 *		if (run.mark[i].kind == CSF_MARK_DATA)
 *			use(&run.access[run.mark[i].value]);
 *
 * Each is reported once.  An access whose value comes later in the trace is reported when the value
 * has come, or when it cannot come any more; so @at may name a step in an earlier run.
 */
#ifndef CSFLOW_ACCESS_H
#define CSFLOW_ACCESS_H

#include <stdint.h>

#ifndef CSF_API
#include "csflow.h"
#endif

/* Return values of csf_config_data(). */
#define CSF_DATA_ADDRESSES	0x01
#define CSF_DATA_VALUES		0x02

/* The data that a configuration traces: CSF_DATA_x; 0: none, or it is invalid. */
CSF_API uint32_t csf_config_data(const struct csf_config *config);

/* struct csf_access.flags */
#define CSF_ACCESS_READ		0x0001	/* the instruction reads; with CSF_ACCESS_WRITE: both */
#define CSF_ACCESS_WRITE	0x0002	/* it writes; neither of them: not known */
#define CSF_ACCESS_VALUE	0x0004	/* @value is valid */
#define CSF_ACCESS_INSN		0x0008	/* @insn and @at are valid */
#define CSF_ACCESS_NEXT		0x0010	/* @addr follows the one before: the packet has none */
#define CSF_ACCESS_BIG		0x0020	/* big-endian */
#define CSF_ACCESS_REGISTER	0x0040	/* of a coprocessor's register, not of memory */
#define CSF_ACCESS_ENTRY	0x0080	/* by an exception entry (M profile), not an instruction */
#define CSF_ACCESS_FAILED	0x0100	/* the store failed: memory is as before */
#define CSF_ACCESS_LATE		0x0200	/* the value came later in the trace than its place */
#define CSF_ACCESS_UNTRACED	0x0400	/* values of this kind are not traced */
#define CSF_ACCESS_LOST		0x0800	/* so is the value; @addr_bits 0: or whole accesses */

/**
 * struct csf_access - one transfer of data: an instruction may make several
 * @addr: address, of which the low @addr_bits bits are known; the others are 0
 * @value: with CSF_ACCESS_VALUE: the bytes of the packet, the first one lowest
 * @insn: with CSF_ACCESS_INSN: address of the instruction
 * @at: with CSF_ACCESS_INSN: number of steps from the start of decode up to and including that
 *      instruction, which is the last one of its step
 * @offset: offset of the packet that has the place of the access, in bytes fed to the decoder
 * @number: which transfer of its instruction this is, from 0
 * @flags: CSF_ACCESS_x
 * @addr_bits: 0: the address is unknown, or there is none; 32 or 64: it is known
 * @size: bytes; 0: not known
 */
struct csf_access {
	uint64_t addr;
	uint64_t value;
	uint64_t insn;
	uint64_t at;
	uint64_t offset;
	uint32_t number;
	uint16_t flags;
	uint8_t addr_bits;
	uint8_t size;
};

#endif /* CSFLOW_ACCESS_H */
