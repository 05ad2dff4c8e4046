/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary interface of libopencsd_c_api.so.1: ETMv3 and PTM.
 *
 * It is the same in 1.3.3, 1.5.5 and 1.8.0; opencsd_abi_test.c compares it with the header that
 * Debian installs, if there is one.
 */
#ifndef OPENCSD_ABI_OLDER_H
#define OPENCSD_ABI_OLDER_H

#include "abi.h"

enum { ABI_PROTOCOL_ETMV3 = 1, ABI_PROTOCOL_PTM = 4 };

/* Of both. */
struct abi_older_config {
	uint32_t idr, ctrl, ccer, trc_id;
	uint32_t arch, profile;
};

enum { ABI_TEE = 3, ABI_JAZELLE };

/* struct abi_older_context.flags */
#define ABI_OLDER_ALT		0x01
#define ABI_OLDER_NS		0x02
#define ABI_OLDER_HYP		0x04
#define ABI_OLDER_UPDATED	0x08
#define ABI_OLDER_CID		0x10	/* this packet has a context ID */
#define ABI_OLDER_VMID		0x20

struct abi_older_context {
	uint32_t flags;
	uint32_t contextid;
	uint8_t vmid;
};

/* @bits: of this packet; @valid: number of low bits that are known */
struct abi_older_address {
	uint32_t wide;
	uint64_t addr;
	uint8_t bits, valid;
};

/* @bits: oldest in bit 0, 1 is E */
struct abi_older_atoms {
	uint32_t bits;
	uint8_t n;
};

/* Kinds of exceptions. */
enum abi_older_exception {
	ABI_EXC_RESERVED,
	ABI_EXC_NONE,
	ABI_EXC_RESET,
	ABI_EXC_IRQ,
	ABI_EXC_FIQ,
	ABI_EXC_ASYNC_ABORT,
	ABI_EXC_DEBUG_HALT,
	ABI_EXC_JAZELLE,
	ABI_EXC_SVC,
	ABI_EXC_SMC,
	ABI_EXC_HYP,
	ABI_EXC_UNDEF,
	ABI_EXC_PREFETCH_ABORT,
	ABI_EXC_GENERIC,
	ABI_EXC_DATA_ABORT,
	ABI_EXC_M_USAGE_FAULT,
	ABI_EXC_M_NMI,
	ABI_EXC_M_DEBUG_MONITOR,
	ABI_EXC_M_MEM_MANAGE,
	ABI_EXC_M_PENDSV,
	ABI_EXC_M_SYSTICK,
	ABI_EXC_M_BUS_FAULT,
	ABI_EXC_M_HARD_FAULT,
	ABI_EXC_M_IRQ,
	ABI_EXC_TEE_CHECK,
	ABI_EXC_NR
};

/* struct abi_older_packet_exception.flags; resume is in bits 6:3, the number of an IRQ in 15:7 */
#define ABI_OLDER_EXC		0x1	/* the packet has an exception */
#define ABI_OLDER_EXC_CANCEL	0x2
#define ABI_OLDER_EXC_M		0x4
#define ABI_OLDER_EXC_RESUME	3
#define ABI_OLDER_EXC_IRQ	7

struct abi_older_packet_exception {
	uint32_t kind;			/* enum abi_older_exception */
	uint16_t number;
	uint32_t flags;
};

/* ---------------------------------------------------------------- ETMv3 */

enum abi_etm3_type {
	ABI_ETM3_NO_ERR,
	ABI_ETM3_NOT_SYNC,
	ABI_ETM3_CUT,
	ABI_ETM3_BRANCH,
	ABI_ETM3_ASYNC,
	ABI_ETM3_CYCLES,
	ABI_ETM3_ISYNC,
	ABI_ETM3_ISYNC_CYCLES,
	ABI_ETM3_TRIGGER,
	ABI_ETM3_ATOMS,
	ABI_ETM3_DATA_FAILED,
	ABI_ETM3_DATA_LATE,
	ABI_ETM3_DATA_PLACE,
	ABI_ETM3_DATA,
	ABI_ETM3_DATA_LOST,
	ABI_ETM3_DATA_UNTRACED,
	ABI_ETM3_IGNORE,
	ABI_ETM3_CID,
	ABI_ETM3_VMID,
	ABI_ETM3_EXC_ENTRY,
	ABI_ETM3_ERET,
	ABI_ETM3_TIME,
	ABI_ETM3_BAD_SEQUENCE = 23,
	ABI_ETM3_BAD_MODE,
	ABI_ETM3_RESERVED,
};

/* struct abi_etm3_packet.isync_flags */
#define ABI_ETM3_HAS_CYCLES	0x1
#define ABI_ETM3_HAS_LSIP	0x2
#define ABI_ETM3_NO_ADDRESS	0x4

/* struct abi_etm3_packet.data.flags; bits 1:0 are the tag */
#define ABI_ETM3_DATA_BE	0x04
#define ABI_ETM3_DATA_HAS_BE	0x08
#define ABI_ETM3_DATA_HAS_ADDR	0x10
#define ABI_ETM3_DATA_HAS_VALUE	0x20

/**
 * struct abi_etm3_packet - a packet of ETMv3
 * @isa: instruction set; @isa_before: before this packet
 * @format: of atoms, 1 to 4
 * @time: the last timestamp; @time_bits: number of bits that the packet had
 * @err_type: the packet that the reader was reading when it turned out bad
 */
struct abi_etm3_packet {
	uint32_t type;
	uint32_t isa, isa_before;
	struct abi_older_context context;
	struct abi_older_address addr;
	uint32_t isync_reason, isync_flags;
	struct abi_older_packet_exception exception;
	struct abi_older_atoms atoms;
	uint8_t format;
	uint32_t cycle_count;
	uint64_t time;
	uint8_t time_bits;
	struct {
		uint32_t value;
		struct abi_older_address addr;
		uint32_t flags;
	} data;
	uint32_t err_type;
};

/* ---------------------------------------------------------------- PTM */

enum abi_ptm_type {
	ABI_PTM_NOT_SYNC,
	ABI_PTM_CUT,
	ABI_PTM_NO_ERR,
	ABI_PTM_BRANCH,
	ABI_PTM_ASYNC,
	ABI_PTM_ISYNC,
	ABI_PTM_TRIGGER,
	ABI_PTM_WAYPOINT,
	ABI_PTM_IGNORE,
	ABI_PTM_CID,
	ABI_PTM_VMID,
	ABI_PTM_ATOMS,
	ABI_PTM_TIME,
	ABI_PTM_ERET,
	ABI_PTM_BAD_SEQUENCE = 16,
	ABI_PTM_RESERVED,
};

/**
 * struct abi_ptm_packet - a packet of PTM; see struct abi_etm3_packet
 * @has_cycles: @cycle_count is valid
 * @exception: without @flags except ABI_OLDER_EXC
 */
struct abi_ptm_packet {
	uint32_t type;
	uint32_t isa, isa_before;
	struct abi_older_address addr;
	struct abi_older_context context;
	struct abi_older_atoms atoms;
	uint32_t isync_reason;
	uint32_t cycle_count;
	uint8_t has_cycles;
	uint64_t time;
	uint8_t time_bits;
	struct abi_older_packet_exception exception;
	uint32_t err_type;
};

#endif /* OPENCSD_ABI_OLDER_H */
