/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary interface of libopencsd_c_api.so.1: numbers and structures.
 *
 * It covers versions 1.3.3, 1.5.5 and 1.8.0; opencsd_test.c compares it with the header that Debian
 * installs, if there is one.  The names are our own, so that both can be included.
 */
#ifndef OPENCSD_ABI_H
#define OPENCSD_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Results of calls; those that csflow returns. */
enum abi_err {
	ABI_OK,
	ABI_ERR_FAIL,
	ABI_ERR_MEM,
	ABI_ERR_NOT_INIT,
	ABI_ERR_INVALID_ID,
	ABI_ERR_BAD_HANDLE,
	ABI_ERR_INVALID_PARAM_VAL,
	ABI_ERR_INVALID_PARAM_TYPE,
	ABI_ERR_FILE_ERROR,
	ABI_ERR_NO_PROTOCOL,
	ABI_ERR_ATTACH_TOO_MANY,
	ABI_ERR_ATTACH_INVALID_PARAM,
	ABI_ERR_ATTACH_COMP_NOT_FOUND,
	ABI_ERR_DATA_DECODE_FATAL = 16,
	ABI_ERR_BAD_PACKET_SEQ = 19,
	ABI_ERR_INVALID_PCKT_HDR = 20,
	ABI_ERR_HW_CFG_UNSUPP = 23,
	ABI_ERR_BAD_DECODE_PKT = 25,
	ABI_ERR_COMMIT_PKT_OVERRUN = 26,
	ABI_ERR_MEM_NACC = 27,
	ABI_ERR_RET_STACK_OVERFLOW = 28,
	ABI_ERR_DCDT_NO_FORMATTER = 29,
	ABI_ERR_MEM_ACC_OVERLAP = 30,
	ABI_ERR_MEM_ACC_FILE_NOT_FOUND = 31,
	ABI_ERR_MEM_ACC_RANGE_INVALID = 33,
	ABI_ERR_MEM_ACC_BAD_LEN = 34,
	ABI_ERR_DCDREG_NAME_UNKNOWN = 40,
	ABI_ERR_DCD_INTERFACE_UNUSED = 43,
	ABI_ERR_LAST
};

enum abi_severity { ABI_SEV_NONE, ABI_SEV_ERROR, ABI_SEV_WARN, ABI_SEV_INFO };

enum abi_op { ABI_OP_DATA, ABI_OP_EOT, ABI_OP_FLUSH, ABI_OP_RESET };

/* Results of data calls; from ABI_WAIT on, the client wants no more data yet. */
enum abi_resp {
	ABI_CONT,
	ABI_WARN_CONT,
	ABI_ERR_CONT,
	ABI_WAIT,
	ABI_WARN_WAIT,
	ABI_ERR_WAIT,
	ABI_FATAL_NOT_INIT,
	ABI_FATAL_INVALID_OP,
	ABI_FATAL_INVALID_PARAM,
	ABI_FATAL_INVALID_DATA,
	ABI_FATAL_SYS_ERR,
};

enum { ABI_SRC_FORMATTED, ABI_SRC_SINGLE };

/* Flags of ocsd_create_dcd_tree() */
#define ABI_FRAMES_FSYNC	0x01
#define ABI_FRAMES_HSYNC	0x02
#define ABI_FRAMES_MEMORY	0x04
#define ABI_FRAMES_BARRIER	0x20
#define ABI_FRAMES_PORT		(ABI_FRAMES_FSYNC | ABI_FRAMES_HSYNC)

/* Flags of ocsd_dt_create_decoder(); the other bits ask for what csflow always does. */
#define ABI_CREATE_PACKETS	0x01
#define ABI_CREATE_DECODER	0x02
#define ABI_CREATE_SRC_ADDR_N	0x00010000
#define ABI_CREATE_CHECKS	0x00001c00	/* with any: trace is compared with code */

enum { ABI_PROTOCOL_ETMV4I = 2, ABI_PROTOCOL_ETE = 6 };

/* The kind of callback that ocsd_dt_attach_packet_callback() attaches. */
enum { ABI_CB_SINK, ABI_CB_MONITOR };

/* Where ocsd_def_errlog_config_output() sends messages. */
#define ABI_LOG_FILE	0x1
#define ABI_LOG_STDERR	0x2
#define ABI_LOG_STDOUT	0x4

/* Memory spaces, one bit each; the last three only in 1.5.5. */
#define ABI_SPACE_EL1S	0x01
#define ABI_SPACE_EL1N	0x02
#define ABI_SPACE_EL2N	0x04
#define ABI_SPACE_EL3	0x08
#define ABI_SPACE_EL2S	0x10
#define ABI_SPACE_EL1R	0x20
#define ABI_SPACE_EL2R	0x40
#define ABI_SPACE_ROOT	0x80
#define ABI_SPACES_S	(ABI_SPACE_EL1S | ABI_SPACE_EL2S | ABI_SPACE_EL3)
#define ABI_SPACES_N	(ABI_SPACE_EL1N | ABI_SPACE_EL2N)
#define ABI_SPACE_ANY	0x1f	/* in 1.3.3 */
#define ABI_SPACE_ALL	0xff	/* in 1.5.5 */

enum { ABI_PROFILE_UNKNOWN, ABI_PROFILE_M, ABI_PROFILE_R, ABI_PROFILE_A };

struct abi_etm4_config {
	uint32_t idr0, idr1, idr2, idr8, idr9, idr10, idr11, idr12, idr13;
	uint32_t configr, traceidr;
	uint32_t arch, profile;
};

struct abi_ete_config {
	uint32_t idr0, idr1, idr2, idr8, devarch;
	uint32_t configr, traceidr;
	uint32_t arch, profile;
};

struct abi_region {
	size_t offset;
	uint64_t addr;
	size_t n;
};

/* ---------------------------------------------------------------- elements */

/*
 * Type of an element: enum csf_element_type of csflow.h, up to INSTRUMENTATION.  Later types have
 * moved: CUSTOM is 17 in 1.3.3, 18 in 1.5.5, and 19 in 1.8.0, where 18 is ITM's.
 */

#define ABI_ELEM_ITMTRACE	18	/* in 1.8.0 */

enum { ABI_A32, ABI_T32, ABI_A64, ABI_ISA_UNKNOWN = 6 };

enum abi_insn {
	ABI_INSN_OTHER,
	ABI_INSN_BRANCH,
	ABI_INSN_INDIRECT,
	ABI_INSN_ISB,
	ABI_INSN_BARRIER,
	ABI_INSN_WFX,
	ABI_INSN_TSTART,
};

enum abi_subtype {
	ABI_SUB_NONE,
	ABI_SUB_LINK,
	ABI_SUB_RET,
	ABI_SUB_ERET,
	ABI_SUB_V7_RET,
};

/*
 * Why there is no sync: abi_element.value.  In 1.5.5 and 1.8.0 an image that does not fit the trace
 * is 6, and the end 7.
 */
enum abi_unsync {
	ABI_UNSYNC_UNKNOWN,
	ABI_UNSYNC_INIT,
	ABI_UNSYNC_RESET,
	ABI_UNSYNC_OVERFLOW,
	ABI_UNSYNC_DISCARD,
	ABI_UNSYNC_BAD,
	ABI_UNSYNC_END,
};

#define ABI_CTX_64		0x1
#define ABI_CTX_CONTEXTID	0x2
#define ABI_CTX_VMID		0x4
#define ABI_CTX_EL		0x8

struct abi_context {
	uint32_t security;	/* enum csf_security */
	int32_t el;		/* -1: unknown */
	uint32_t contextid, vmid;
	uint32_t flags;		/* ABI_CTX_x */
};

/* struct abi_element.flags; bits 3:1 are the size of the last instruction */
#define ABI_EXEC		0x001
#define ABI_SIZE_SHIFT		1
#define ABI_HAS_CC		0x010
#define ABI_RET_ADDR		0x040
#define ABI_DATA_MARKER		0x080
#define ABI_EXTENDED		0x100	/* the pointer to the payload is valid */
#define ABI_HAS_TS		0x200
#define ABI_COND		0x400
#define ABI_RET_BR_TGT		0x800

/* struct abi_element.swt.flags; bits 7:0 are the bits of a payload, bits 15:8 their number */
#define ABI_SWT_ONE		0x00000100	/* one payload */
#define ABI_SWT_MARKER		0x00010000
#define ABI_SWT_HAS_TIME	0x00020000
#define ABI_SWT_MASTER_ERROR	0x00080000
#define ABI_SWT_GLOBAL_ERROR	0x00100000
#define ABI_SWT_TRIGGER		0x00200000
#define ABI_SWT_FREQUENCY	0x00400000
#define ABI_SWT_ID_VALID	0x00800000

/* struct abi_element.itm.kind; local timestamps: plus TC */
enum abi_swt_itm {
	ABI_SWT_ITM_SWIT,
	ABI_SWT_ITM_DWT,
	ABI_SWT_ITM_TIME_LOCAL,
	ABI_SWT_ITM_TIME_GLOBAL = 6,
};

/**
 * struct abi_element - the argument of element callbacks: 96 bytes, as in 1.5.5 and 1.8.0;
 *			 1.3.3 has only the first 88
 * @value: by type: instructions of a range, number of an exception, and so on
 * @swt: SWTRACE; @itm: ITMTRACE
 * @payload: INSTRUMENTATION: 64 bits; SWTRACE: for 1.3.3 the pointer that @extended is for others
 * @itm_value, @itm_overflow: ITMTRACE; something was lost before it
 */
struct abi_element {
	uint32_t type;
	uint32_t isa;
	uint64_t st_addr, en_addr;
	struct abi_context context;
	uint64_t timestamp;
	uint32_t cycle_count;
	uint32_t last_insn;
	uint32_t last_subtype;
	uint32_t flags;
	union {
		uint32_t value;
		struct {
			uint16_t kind, number;
		} event;
		struct {
			uint32_t kind, value;
		} marker;
		uint8_t el;
		struct {
			uint16_t master, channel;
			uint32_t flags;
		} swt;
		struct {
			uint32_t kind;
			uint8_t source, size;
		} itm;
	};
	union {
		uint64_t payload;
		struct {
			uint32_t itm_value;
			uint8_t itm_overflow;
		};
	};
	uint64_t extended;
};

/* The part of it that every client has. */
#define ABI_ELEMENT_OLD	88

/* ---------------------------------------------------------------- packets of ETMv4 and ETE */

#define ABI_PACKET_OLD	152	/* size of struct abi_packet in 1.3.3 */

enum abi_packet_type {
	ABI_PKT_EXTENSION = 0x00,
	ABI_PKT_INFO = 0x01,
	ABI_PKT_TIME = 0x02,
	ABI_PKT_ON = 0x04,
	ABI_PKT_RETURN = 0x05,
	ABI_PKT_EXCEPTION = 0x06,
	ABI_PKT_ERET = 0x07,
	ABI_PKT_ITE = 0x09,
	ABI_PKT_TM_START = 0x0a,
	ABI_PKT_TM_COMMIT = 0x0b,
	ABI_PKT_CC2 = 0x0c,
	ABI_PKT_CC1 = 0x0e,
	ABI_PKT_CC3 = 0x10,
	ABI_PKT_DSYNC_N = 0x20,
	ABI_PKT_DSYNC_U = 0x28,
	ABI_PKT_COMMIT = 0x2d,
	ABI_PKT_CANCEL1 = 0x2e,
	ABI_PKT_CANCEL1_MISP = 0x2f,
	ABI_PKT_MISPREDICT = 0x30,
	ABI_PKT_CANCEL2 = 0x34,
	ABI_PKT_CANCEL3 = 0x38,
	ABI_PKT_COND_I2 = 0x40,
	ABI_PKT_COND_FLUSH = 0x43,
	ABI_PKT_COND_R4 = 0x44,
	ABI_PKT_COND_R2 = 0x48,
	ABI_PKT_COND_R3 = 0x50,
	ABI_PKT_COND_R1 = 0x68,
	ABI_PKT_COND_I1 = 0x6c,
	ABI_PKT_COND_I3 = 0x6d,
	ABI_PKT_IGNORE = 0x70,
	ABI_PKT_EVENT = 0x71,
	ABI_PKT_CONTEXT = 0x80,
	ABI_PKT_ADDR_CTXT32 = 0x82,	/* addresses: plus one if the instruction set bit is set */
	ABI_PKT_ADDR_CTXT64 = 0x85,
	ABI_PKT_MARKER = 0x88,
	ABI_PKT_ADDR_MATCH = 0x90,
	ABI_PKT_ADDR_SHORT = 0x95,
	ABI_PKT_ADDR32 = 0x9a,
	ABI_PKT_ADDR64 = 0x9d,
	ABI_PKT_Q = 0xa0,
	ABI_PKT_SRC_MATCH = 0xb0,
	ABI_PKT_SRC_SHORT = 0xb4,
	ABI_PKT_SRC32 = 0xb6,
	ABI_PKT_SRC64 = 0xb8,
	ABI_PKT_ATOM6 = 0xc0,
	ABI_PKT_ATOM5 = 0xd5,
	ABI_PKT_ATOM2 = 0xd8,
	ABI_PKT_ATOM4 = 0xdc,
	ABI_PKT_ATOM1 = 0xf6,
	ABI_PKT_ATOM3 = 0xf8,
	ABI_PKT_ASYNC = 0x100,
	ABI_PKT_DISCARD = 0x103,
	ABI_PKT_OVERFLOW = 0x105,
	ABI_PKT_NOT_SYNC = 0x200,
	ABI_PKT_CUT = 0x201,
	ABI_PKT_NO_ERR = 0x202,
	ABI_PKT_BAD_SEQUENCE = 0x300,
	ABI_PKT_RESERVED = 0x302,
	ABI_PKT_RESERVED_CONFIG = 0x303,
	ABI_PKT_RESET = 0x400,
	ABI_PKT_TM_FAIL = 0x401,
};

/* struct abi_packet.ctx: two bits of exception level, then these */
#define ABI_PKT_CTX_64		0x04
#define ABI_PKT_CTX_NS		0x08
#define ABI_PKT_CTX_UPDATED	0x10
#define ABI_PKT_CTX_CONTEXTID	0x20
#define ABI_PKT_CTX_VMID	0x40
#define ABI_PKT_CTX_NSE		0x80

/* struct abi_packet.exception: the number in bits 9:0, E1:E0 in bits 11:10, then these */
#define ABI_PKT_EXC_ADDR_SHIFT	10
#define ABI_PKT_EXC_FAULT	0x1000
#define ABI_PKT_EXC_M		0x2000

/* struct abi_packet.q; bits 6:3 are the type, the low half of the header */
#define ABI_PKT_Q_ADDR		0x01
#define ABI_PKT_Q_MATCH		0x02
#define ABI_PKT_Q_COUNT		0x04
#define ABI_PKT_Q_TYPE_SHIFT	3

/* struct abi_packet.valid */
#define ABI_PKT_HAS_CTX		0x001
#define ABI_PKT_HAS_TS		0x002
#define ABI_PKT_HAS_INFO	0x040
#define ABI_PKT_HAS_THRESHOLD	0x080
#define ABI_PKT_HAS_CC		0x100
#define ABI_PKT_HAS_COMMIT	0x200

/**
 * struct abi_packet - a packet as in 1.3.3
 * @wide: the address is an AArch64 address
 * @addr: the last address; @addr_bits: number of bits that the packet had; @addr_valid: it is known
 * @is: its instruction set bit
 * @ctx: ABI_PKT_CTX_x and exception level
 * @time: the last timestamp; @time_bits: number of bits that the packet had
 * @threshold: threshold of cycle counts
 * @atoms: oldest in bit 0; @n_atom: their number
 * @match: entry of an exact match
 * @dsync: number of a data sync marker
 * @err_type: the packet that the reader was reading when it turned out bad; ABI_PKT_NO_ERR: none
 * @no_addr: EXCEPTION: no address follows; in a hole of the structure of 1.3.3, as @payload_el
 * @payload: ITE: after the end of the structure of 1.3.3
 */
struct abi_packet {
	uint32_t type;
	struct {
		uint32_t wide;
		uint64_t addr;
		uint8_t addr_bits, addr_valid;
	};
	uint8_t is;
	uint32_t ctx;
	uint32_t contextid, vmid;
	struct {
		uint64_t time;
		uint8_t time_bits;
	};
	uint32_t threshold;
	struct {
		uint32_t atoms;
		uint8_t n_atom;
	};
	uint32_t cycle_count;
	uint32_t spec_depth;
	uint32_t p0_key;
	uint32_t commit, cancel;
	uint32_t info;
	uint32_t exception;
	uint8_t match, dsync, event;
	struct {
		uint32_t key;
		uint8_t n;
		uint32_t flags;
	} cond_instr;
	struct {
		uint32_t key[2];
		uint32_t flags;
	} cond_result;
	struct {
		uint32_t count;
		uint32_t flags;
	} q;
	uint32_t valid;
	uint32_t err_type;
	uint8_t err_header;
	uint8_t version;
	uint8_t payload_el;
	uint8_t no_addr;
	uint64_t payload;
};

/* ---------------------------------------------------------------- statistics */

struct abi_stats {
	uint32_t version;
	uint16_t revision;
	uint64_t total, unsynced;
	uint32_t bad_headers, bad_sequences;
	struct {
		uint64_t valid_id, no_id, reserved_id, unknown_id, overhead;
	} demux;
};

/* ---------------------------------------------------------------- functions of the client */

typedef uint32_t (*abi_element_fn)(const void *context, uint32_t index, uint8_t id,
				   const struct abi_element *element);
/* @packet: struct abi_packet, abi_etm3_packet, abi_ptm_packet, abi_stm_packet or abi_itm_packet */
typedef uint32_t (*abi_sink_fn)(const void *context, uint32_t op, uint32_t index,
				const void *packet);
typedef void (*abi_monitor_fn)(const void *context, uint32_t op, uint32_t index,
			       const void *packet, uint32_t size, const uint8_t *bytes);
typedef uint32_t (*abi_memory_fn)(const void *context, uint64_t addr, uint32_t space,
				  uint32_t n, uint8_t *buf);
typedef uint32_t (*abi_memory_id_fn)(const void *context, uint64_t addr, uint32_t space,
				     uint8_t id, uint32_t n, uint8_t *buf);
typedef void (*abi_print_fn)(const void *context, const char *text, int n);

#endif /* OPENCSD_ABI_H */
