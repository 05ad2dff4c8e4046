/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CoreSight trace between the kernel, perf and csflow: the numbers that all three must agree on,
 * each with the release of Linux (kernel or perf, which share numbers) that introduced it.  "<=
 * 6.1": that release has it, and older ones may have it.
 *
 * The kernel keeps most of these out of its uapi headers, and perf defines them again;
 * selftests/tree/abi_test.sh checks each number against the sources of Linux 6.12.  This header is
 * for both kernel and user space.
 */
#ifndef _UAPI_CSF_ABI_H
#define _UAPI_CSF_ABI_H

#include <linux/types.h>

/* The name of the PMU and, in perf.data, the type of the AUXTRACE_INFO record (4.6). */
#define CSF_ABI_PMU_NAME		"cs_etm"
#define CSF_ABI_AUXTRACE_TYPE		3

/*
 * perf_event_attr.config of cs_etm: bit numbers.  They are those of ETMv3's ETMCR for any trace
 * unit.
 */
#define CSF_ABI_OPT_PRESET_SHIFT	0	/* bits 3:0, configuration by configfs (<= 6.1) */
#define CSF_ABI_OPT_PRESET_MASK		0xfULL
#define CSF_ABI_OPT_TS_LEVEL_SHIFT	4	/* bits 7:4, timestamp period (7.1) */
#define CSF_ABI_OPT_TS_LEVEL_MASK	0xf0ULL
#define CSF_ABI_OPT_BRANCH_BROADCAST	8	/* an address for every branch (<= 6.1) */
#define CSF_ABI_OPT_CYCACC		12	/* cycle counts (4.6) */
#define CSF_ABI_OPT_CONTEXTID1		14	/* CONTEXTIDR_EL1 (<= 6.1) */
#define CSF_ABI_OPT_CONTEXTID2		15	/* CONTEXTIDR_EL2, kernel at EL2 (<= 6.1) */
#define CSF_ABI_OPT_TIMESTAMP		28	/* (4.6); 7.1 still accepts it */
#define CSF_ABI_OPT_RETSTACK		29	/* return stack (<= 6.1) */

/* perf_event_attr.config2: the sink, the configuration (<= 6.1) */
#define CSF_ABI_CONFIG2_SINK_MASK	0x00000000ffffffffULL
#define CSF_ABI_CONFIG2_CONFIG_SHIFT	32
/* perf_event_attr.config3: minimum cycles between two cycle counts (6.12 or before) */
#define CSF_ABI_CONFIG3_CC_THRESHOLD	0xfffULL

/*
 * TRCCONFIGR of ETMv4 and ETE: bit numbers.  perf record computes the value in the metadata from
 * attr.config; it is not read back from the trace unit.
 */
#define CSF_ABI_CONFIGR_BB		3	/* (<= 6.1) */
#define CSF_ABI_CONFIGR_CCI		4
#define CSF_ABI_CONFIGR_CID		6
#define CSF_ABI_CONFIGR_VMID		7
#define CSF_ABI_CONFIGR_TS		11
#define CSF_ABI_CONFIGR_RS		12
#define CSF_ABI_CONFIGR_VMIDOPT		15	/* with VMID: it is CONTEXTIDR_EL2 */

/* ETMCR of ETMv3 and PTM, likewise: its bits are those of attr.config. */
#define CSF_ABI_ETMCR_CYCLES		12
#define CSF_ABI_ETMCR_CONTEXTID		14
#define CSF_ABI_ETMCR_TIMESTAMP		28

/*
 * PERF_RECORD_AUXTRACE_INFO: words of 64 bits after "type" and 4 unused bytes.  Version 0 (4.6), 1
 * (<= 6.1), 2 (after 6.1, in 6.12).
 */
#define CSF_ABI_INFO_VERSION		0
#define CSF_ABI_INFO_PMU_CPUS		1	/* PMU type << 32 | number of CPUs */
#define CSF_ABI_INFO_SNAPSHOT		2
#define CSF_ABI_INFO_WORDS		3	/* the first CPU's block begins here */
#define CSF_ABI_INFO_VERSION_MAX	2

/* The block of a CPU, common part */
#define CSF_ABI_CPU_MAGIC		0
#define CSF_ABI_CPU_NUMBER		1
#define CSF_ABI_CPU_N_PARAMS		2	/* words after this one; not in version 0 */
#define CSF_ABI_CPU_PARAMS		3	/* parameters begin here; version 0: 2 */
#define CSF_ABI_CPU_PARAMS_V0		2

/* The kind of a block.  simpleperf writes that of ETE for ETMv4, too: TRCDEVARCH tells. */
#define CSF_ABI_MAGIC_ETM3		0x3030303030303030ULL	/* and PTM (4.6) */
#define CSF_ABI_MAGIC_ETM4		0x4040404040404040ULL	/* (4.6) */
#define CSF_ABI_MAGIC_ETE		0x5050505050505050ULL	/* (<= 6.1), never version 0 */

/* Parameters, counted from the first */
#define CSF_ABI_ETM3_ETMCR		0
#define CSF_ABI_ETM3_ETMTRACEIDR	1
#define CSF_ABI_ETM3_ETMCCER		2
#define CSF_ABI_ETM3_ETMIDR		3
#define CSF_ABI_ETM3_N_PARAMS		4

#define CSF_ABI_ETM4_TRCCONFIGR		0	/* ETE: the same up to TRCAUTHSTATUS */
#define CSF_ABI_ETM4_TRCTRACEIDR	1
#define CSF_ABI_ETM4_TRCIDR0		2
#define CSF_ABI_ETM4_TRCIDR1		3
#define CSF_ABI_ETM4_TRCIDR2		4
#define CSF_ABI_ETM4_TRCIDR8		5
#define CSF_ABI_ETM4_TRCAUTHSTATUS	6
#define CSF_ABI_ETM4_N_PARAMS_V0	7
#define CSF_ABI_ETM4_TS_SOURCE		7	/* (after 6.1, in 6.12) */
#define CSF_ABI_ETM4_N_PARAMS		8

#define CSF_ABI_ETE_TRCDEVARCH		7	/* (<= 6.1) */
#define CSF_ABI_ETE_TS_SOURCE		8	/* (after 6.1, in 6.12) */
#define CSF_ABI_ETE_N_PARAMS		9

/* TS_SOURCE, signed: what timestamps count */
#define CSF_ABI_TS_UNKNOWN		(-1)
#define CSF_ABI_TS_VIRTUAL		1
#define CSF_ABI_TS_GUEST_PHYSICAL	2
#define CSF_ABI_TS_PHYSICAL		3

/* TRCDEVARCH.ARCHID */
#define CSF_ABI_ARCHID_MASK		0xffffU
#define CSF_ABI_ARCHID_ETM4		0x4a13U
#define CSF_ABI_ARCHID_ETE		0x5a13U

/* Trace IDs: 7 bits; these values carry trace.  Old perf numbered them by CPU. */
#define CSF_ABI_ID_MASK			0x7fU
#define CSF_ABI_ID_VALID(id)		((id) > 0 && (id) < 0x70)
#define CSF_ABI_ID_LEGACY(cpu)		(0x10 + (cpu) * 2)

/*
 * PERF_RECORD_AUX_OUTPUT_HW_ID (the record: 5.16; from cs_etm: after 6.1):
 * 63:60 major, 59:56 minor, 55:40 zero, 39:8 sink (minor 1, 6.12), 7:0 trace ID
 */
#define CSF_ABI_HW_ID_TRACE_MASK	0x00000000000000ffULL
#define CSF_ABI_HW_ID_SINK_SHIFT	8
#define CSF_ABI_HW_ID_SINK_MASK		0x000000ffffffff00ULL
#define CSF_ABI_HW_ID_MINOR_SHIFT	56
#define CSF_ABI_HW_ID_MINOR_MASK	0x0f00000000000000ULL
#define CSF_ABI_HW_ID_MAJOR_SHIFT	60
#define CSF_ABI_HW_ID_MAJOR_MASK	0xf000000000000000ULL
#define CSF_ABI_HW_ID_MAJOR		0	/* written and read by 6.12 */
#define CSF_ABI_HW_ID_MINOR		1

#define CSF_ABI_HW_ID(trace, sink)						\
	(((__u64)(trace) & CSF_ABI_HW_ID_TRACE_MASK) |				\
	 ((__u64)(sink) << CSF_ABI_HW_ID_SINK_SHIFT & CSF_ABI_HW_ID_SINK_MASK) |	\
	 (__u64)CSF_ABI_HW_ID_MINOR << CSF_ABI_HW_ID_MINOR_SHIFT)
#define CSF_ABI_HW_ID_TRACE(hw_id)	((__u32)((hw_id) & CSF_ABI_HW_ID_TRACE_MASK))
#define CSF_ABI_HW_ID_SINK(hw_id)						\
	((__u32)(((hw_id) & CSF_ABI_HW_ID_SINK_MASK) >> CSF_ABI_HW_ID_SINK_SHIFT))
#define CSF_ABI_HW_ID_GET_MINOR(hw_id)						\
	((__u32)(((hw_id) & CSF_ABI_HW_ID_MINOR_MASK) >> CSF_ABI_HW_ID_MINOR_SHIFT))
#define CSF_ABI_HW_ID_GET_MAJOR(hw_id)	((__u32)((hw_id) >> CSF_ABI_HW_ID_MAJOR_SHIFT))

/* PERF_RECORD_AUX flags, which linux/perf_event.h has, too */
#define CSF_ABI_AUX_TRUNCATED		0x0001ULL	/* no room: trace was lost (4.1) */
#define CSF_ABI_AUX_OVERWRITE		0x0002ULL	/* snapshot (4.1) */
#define CSF_ABI_AUX_PARTIAL		0x0004ULL	/* has gaps (4.12) */
#define CSF_ABI_AUX_COLLISION		0x0008ULL	/* TRBE: wrapped, trace is lost (4.15) */
#define CSF_ABI_AUX_FORMAT_MASK		0xff00ULL	/* (5.13) */
#define CSF_ABI_AUX_FORMAT_FRAMES	0x0000ULL	/* 16-byte frames (5.13) */
#define CSF_ABI_AUX_FORMAT_RAW		0x0100ULL	/* bytes of one trace unit: TRBE (5.13) */

/* ETR, ETF, ETB: where trace was lost, the first frame is four of these words (<= 6.1). */
#define CSF_ABI_BARRIER_WORD		0x7fffffffU
/* TRBE: the driver fills skipped room with this byte; ETE's Ignore packet (5.13) */
#define CSF_ABI_IGNORE_BYTE		0x70U

#endif /* _UAPI_CSF_ABI_H */
