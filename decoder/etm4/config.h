/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The meaning of an ETMv4's or ETE's registers for its packets. */
#ifndef CSF_ETM4_CONFIG_H
#define CSF_ETM4_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct csf_config;

/* Architecture versions: major << 4 | minor; ETE 1.n is 0x5n. */
enum {
	ETM40 = 0x40, ETM42 = 0x42, ETM43 = 0x43, ETM45 = 0x45, ETM46 = 0x46,
	ETE10 = 0x50, ETE11 = 0x51, ETE13 = 0x53,
};

/**
 * struct etm4_config - the meaning of the registers
 * @version: 0x4n: ETMv4.n, 0x5n: ETE 1.n
 * @vmid_size: size of a VMID in a context packet: 0, 1, 2 or 4 bytes
 * @cid_size: size of a context ID: 0 or 4 bytes
 * @cc_bits: width of the cycle counter, 12..27
 * @condtype: results of conditional instructions are APSR flags: TRCIDR0.CONDTYPE
 * @commopt: cycle count packets have no commit: TRCIDR0.COMMOPT, or CCI is on and MAXSPEC 0
 * @cycles: cycles are counted: TRCCONFIGR.CCI
 * @cond: conditional instruction packets exist: TRCIDR0.TRCCOND
 * @q: Q packets exist: TRCIDR0.QSUPP
 * @data: data synchronisation markers exist: TRCIDR0.TRCDATA
 * @ite: TRCIDR0.ITE
 * @trans_p0: Transaction Start is a P0 element: TRCIDR0.COMMTRANS is 0
 * @conditions: conditional instructions are traced, and the caller asked for them
 * @cond_keys: number of their keys: TRCIDR12.NUMCONDKEY; 0: not known
 * @cond_counted: those of them, from 0, that packets count up: without TRCIDR13.NUMCONDSPC
 */
struct etm4_config {
	uint8_t version;
	uint8_t vmid_size;
	uint8_t cid_size;
	uint8_t cc_bits;
	uint8_t condtype;
	bool commopt;
	bool cycles;
	bool cond;
	bool q;
	bool data;
	bool ite;
	bool trans_p0;
	bool conditions;
	uint32_t cond_keys;
	uint32_t cond_counted;
};

static inline bool etm4_is_ete(const struct etm4_config *c)
{
	return c->version >= ETE10;
}

/* Do the registers say that they are of an ETMv4 or ETE? */
bool etm4_is_named(const struct csf_config *config);

/*
 * Decodes the registers in @config; the rest of it is checked already.  Return: NULL, or the field
 * at fault and why.
 */
const char *etm4_read_config(struct config *own, const struct csf_config *config);

#endif /* CSF_ETM4_CONFIG_H */
