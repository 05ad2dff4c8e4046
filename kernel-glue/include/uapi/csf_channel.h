/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A virtual trace unit, as the guest's kernel sees it: registers and a buffer for each CPU, in
 * memory that the guest and QEMU share (BAR 2 of an ivshmem device).
 *
 * The guest's driver writes the registers, as it would write those of an ETE and a TRBE.  The unit
 * is in QEMU (tools/qemu): it looks at them whenever the CPU begins a block of code, and writes
 * its status and the trace.  Both do this in the order in which that CPU executes, so no barriers
 * are needed; only the CPU itself may use its channel while it is enabled.
 */
#ifndef _UAPI_CSF_CHANNEL_H
#define _UAPI_CSF_CHANNEL_H

#include <linux/types.h>

#define CSF_CHANNEL_MAGIC	0x43465343U	/* "CSFC" */
#define CSF_CHANNEL_VERSION	1U

/* The channel of CPU n begins at n * CSF_CHANNEL_STRIDE, and its buffer CSF_CHANNEL_AT later. */
#define CSF_CHANNEL_CPUS	8U
#define CSF_CHANNEL_STRIDE	0x800000UL
#define CSF_CHANNEL_AT		0x400000UL
#define CSF_CHANNEL_BYTES	0x400000UL	/* of the buffer, a power of two */

#define CSF_CHANNEL_RANGES	8U	/* address filters */

/* csf_channel.flags */
#define CSF_CHANNEL_WRAP	0x1U	/* the buffer is written round and round; no @limit */

/* csf_channel_range.kind */
#define CSF_CHANNEL_INCLUDE	0U
#define CSF_CHANNEL_EXCLUDE	1U
#define CSF_CHANNEL_START	2U	/* at @from; @to is not used */
#define CSF_CHANNEL_STOP	3U

struct csf_channel_range {
	__u64 from;	/* up to but not including @to */
	__u64 to;
	__u32 kind;
	__u32 zero;
};

/**
 * struct csf_channel - the registers of a trace unit and its buffer
 * @magic: CSF_CHANNEL_MAGIC, written by the unit when it is there
 * @version: CSF_CHANNEL_VERSION
 * @trcidr0: identification registers, which the unit writes before the guest starts
 * @trcidr1: likewise
 * @trcidr2: likewise
 * @trcidr8: likewise
 * @trcdevarch: likewise; 0: an ETMv4
 * @trcauthstatus: likewise
 *
 * Written by the driver while @enable is 0:
 * @trcconfigr: TRCCONFIGR
 * @trctraceidr: TRCTRACEIDR
 * @trcccctlr: TRCCCCTLR, the fewest cycles for a cycle count packet
 * @trcsyncpr: TRCSYNCPR: 2^n bytes between two A-syncs; 0: the unit decides
 * @levels: bit n: exception level n is traced
 * @ts_period: ticks of the virtual counter between two timestamps, with TRCCONFIGR.TS; 0: the unit
 *	decides
 * @strobe_on: ticks with trace; 0: no strobing
 * @strobe_off: ticks without
 * @n_range: address filters in @range
 * @flags: CSF_CHANNEL_x
 *
 * Written by the driver at any time:
 * @enable: 1: trace
 * @signal: the unit raises the CPU's interrupt, once for each value, when @written reaches it,
 *	or when it sets @full; 0: never
 * @limit: the unit writes no byte from here on; it stops when fewer than 512 are left
 *
 * Written by the unit:
 * @idle: 1: @enable is 0, and all trace is in the buffer
 * @full: 1: trace was lost because of @limit; the driver writes 0 when there is room again, and
 *	the unit goes on with an A-sync
 * @written: bytes of trace since the guest started; byte @written goes to @written modulo
 *	CSF_CHANNEL_BYTES of the buffer
 * @lost: instructions that are not in the trace because of @limit
 * @instructions: instructions that are in the trace
 * @range: see above
 */
struct csf_channel {
	__u32 magic;
	__u32 version;
	__u32 trcidr0;
	__u32 trcidr1;
	__u32 trcidr2;
	__u32 trcidr8;
	__u32 trcdevarch;
	__u32 trcauthstatus;

	__u32 trcconfigr;
	__u32 trctraceidr;
	__u32 trcccctlr;
	__u32 trcsyncpr;
	__u32 levels;
	__u32 n_range;
	__u32 flags;
	__u32 zero;
	__u64 ts_period;
	__u64 strobe_on;
	__u64 strobe_off;

	__u32 enable;
	__u32 zero2;
	__u64 signal;
	__u64 limit;

	__u32 idle;
	__u32 full;
	__u64 written;
	__u64 lost;
	__u64 instructions;

	struct csf_channel_range range[CSF_CHANNEL_RANGES];
};

#endif /* _UAPI_CSF_CHANNEL_H */
