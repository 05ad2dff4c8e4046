// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../config.h"

/* ETMCR */
#define CR_BROADCAST		BIT(8)
#define CR_CYCLES		BIT(12)
#define CR_CID_SIZE(cr)		((cr) >> 14 & 3)

/* ETMCCER */
#define CCER_TS_BINARY		BIT(28)
#define CCER_TS_64		BIT(29)

/* Source: ARM IHI 0014 and ARM IHI 0035, "ETMCR", "ETMCCER", "ETMIDR". */
void classic_read_config(struct config *own, const struct csf_config *c, uint32_t idr)
{
	static const uint8_t cid_size[4] = { 0, 1, 2, 4 };

	own->version = idr >> 4 & 0xff;
	own->traces_eret = true;
	own->bb = c->etmcr & CR_BROADCAST;
	own->classic = (struct classic_config){
		.cid_size = cid_size[CR_CID_SIZE(c->etmcr)],
		.ts_bits = c->etmccer & CCER_TS_64 ? 64 : 48,
		.ts_gray = !(c->etmccer & CCER_TS_BINARY),
		.cycles = c->etmcr & CR_CYCLES,
	};
}
