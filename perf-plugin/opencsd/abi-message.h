/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The binary interface of libopencsd_c_api.so.1: STM, and ITM, which 1.8.0 has.
 *
 * That of STM is the same in 1.3.3, 1.5.5 and 1.8.0; opencsd_abi_test.c compares it with the header
 * that Debian installs, if there is one.
 */
#ifndef OPENCSD_ABI_MESSAGE_H
#define OPENCSD_ABI_MESSAGE_H

#include "abi.h"

enum { ABI_PROTOCOL_STM = 5, ABI_PROTOCOL_ITM = 7 };

/* ---------------------------------------------------------------- STM */

struct abi_stm_config {
	uint32_t tcsr, feat3r, devid;
	uint32_t feat1r, hwev_mast, hw_event;
};

enum abi_stm_type {
	ABI_STM_NOT_SYNC,
	ABI_STM_CUT,
	ABI_STM_NO_ERR,
	ABI_STM_ASYNC,
	ABI_STM_VERSION,
	ABI_STM_FREQ,
	ABI_STM_NULL,
	ABI_STM_TRIG,
	ABI_STM_GERR,
	ABI_STM_MERR,
	ABI_STM_M8,
	ABI_STM_C8,
	ABI_STM_C16,
	ABI_STM_FLAG,
	ABI_STM_D4,
	ABI_STM_D8,
	ABI_STM_D16,
	ABI_STM_D32,
	ABI_STM_D64,
	ABI_STM_BAD_SEQUENCE,
	ABI_STM_RESERVED,
};

enum abi_stm_times { ABI_STM_TIMES_UNKNOWN, ABI_STM_TIMES_BINARY, ABI_STM_TIMES_GRAY };

/**
 * struct abi_stm_packet - a packet of STM
 * @type: enum abi_stm_type
 * @time: the last timestamp; @time_bits: number of bits that the packet had
 * @times: enum abi_stm_times
 * @d8 to @d64: the payload, of 8 bits or fewer, and so on; @d16: of RESERVED, its opcode
 * @err_type: the packet that the reader was reading when it turned out bad
 */
struct abi_stm_packet {
	uint32_t type;
	uint8_t master;
	uint16_t channel;
	uint64_t time;
	uint8_t time_bits;
	uint8_t has_time;
	uint32_t times;
	uint8_t has_marker;
	union {
		uint8_t d8;
		uint16_t d16;
		uint32_t d32;
		uint64_t d64;
	};
	uint32_t err_type;
};

/* ---------------------------------------------------------------- ITM */

/* @tcr: ITM_TCR */
struct abi_itm_config {
	uint32_t tcr;
};

enum abi_itm_type {
	ABI_ITM_NOT_SYNC,
	ABI_ITM_CUT,
	ABI_ITM_NO_ERR,
	ABI_ITM_ASYNC,
	ABI_ITM_OVERFLOW,
	ABI_ITM_SWIT,
	ABI_ITM_DWT,
	ABI_ITM_TIME_LOCAL,
	ABI_ITM_TIME_GLOBAL1,
	ABI_ITM_TIME_GLOBAL2,
	ABI_ITM_EXTENSION,
	ABI_ITM_BAD_SEQUENCE,
	ABI_ITM_RESERVED,
};

/**
 * struct abi_itm_packet - a packet of ITM or DWT
 * @type: enum abi_itm_type
 * @source: port, number of the DWT packet, TC of a local timestamp; of a global one bit 0: the
 *          clock changed, bit 1: it wrapped; of an extension bit 7: of hardware, bits 4:0: its bits
 *          less one
 * @value: the payload; @size: its bytes; @more: its bits 39:32
 * @err_type: the packet that the reader was reading when it turned out bad
 */
struct abi_itm_packet {
	uint32_t type;
	uint8_t source;
	uint32_t value;
	uint8_t size;
	uint8_t more;
	uint32_t err_type;
};

#endif /* OPENCSD_ABI_MESSAGE_H */
