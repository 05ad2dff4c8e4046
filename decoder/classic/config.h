/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The registers that mean the same in ETMv3 and PTM. */
#ifndef CSF_CLASSIC_CONFIG_H
#define CSF_CLASSIC_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config;
struct csf_config;

/* ETMIDR */
#define IDR_MAJOR(idr)		((idr) >> 8 & 15)
#define IDR_MINOR(idr)		((idr) >> 4 & 15)

/**
 * struct classic_config - the meaning of the registers
 * @cid_size: size of a context ID: 0, 1, 2 or 4 bytes: ETMCR.ContextIDSize
 * @ts_bits: width of a timestamp: 48 or 64
 * @ts_gray: timestamps are in Gray code
 * @cycles: cycles are counted: ETMCR bit 12
 */
struct classic_config {
	uint8_t cid_size;
	uint8_t ts_bits;
	bool ts_gray;
	bool cycles;
};

/* Decodes what the two have in common; @idr: ETMIDR, or what it is by default. */
void classic_read_config(struct config *own, const struct csf_config *config, uint32_t idr);

#endif /* CSF_CLASSIC_CONFIG_H */
