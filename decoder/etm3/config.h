/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The meaning of an ETMv3's registers for its packets. */
#ifndef CSF_ETM3_CONFIG_H
#define CSF_ETM3_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct csf_config;

/**
 * struct etm3_config - the meaning of the registers
 * @alt: branch packets have the alternative encoding
 * @data: there are data packets, if only for coprocessors: ETMCR bit 1, 2 or 3
 * @values, @addresses: these have the values; the addresses
 * @no_insn: instructions are not traced: ETMCR bit 20
 * @halves: the halves of a 32-bit BL or BLX of T32 have an atom each: ETMIDR bit 18 is 0
 * @watched: atoms are looked at before the flow has them: @halves, or accesses are asked for
 * @hyp: an exception's second byte says whether Hyp mode is next: virtualization extensions
 */
struct etm3_config {
	bool alt;
	bool data;
	bool values;
	bool addresses;
	bool no_insn;
	bool halves;
	bool watched;
	bool hyp;
};

/*
 * Decodes the registers in @config; the rest of it is checked already.  Return: NULL, or the field
 * at fault and why.
 */
const char *etm3_read_config(struct config *own, const struct csf_config *config);

#endif /* CSF_ETM3_CONFIG_H */
