/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The meaning of a PTM's registers for its packets. */
#ifndef CSF_PTM_CONFIG_H
#define CSF_PTM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct csf_config;

/**
 * struct ptm_config - the meaning of the registers
 * @cid_size: size of a context ID: 0, 1, 2 or 4 bytes: ETMCR.ContextIDSize
 * @ts_bits: width of a timestamp: 48 or 64
 * @ts_gray: timestamps are in Gray code
 * @cycles: cycles are counted: ETMCR bit 12
 */
struct ptm_config {
	uint8_t cid_size;
	uint8_t ts_bits;
	bool ts_gray;
	bool cycles;
};

/*
 * Decodes the registers in @config; the rest of it is checked already.  Return: NULL, or the field
 * at fault and why.
 */
const char *ptm_read_config(struct config *own, const struct csf_config *config);

#endif /* CSF_PTM_CONFIG_H */
