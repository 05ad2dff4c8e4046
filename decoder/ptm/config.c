// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../config.h"

/* ETMCR */
#define CR_BROADCAST		BIT(8)
#define CR_CYCLES		BIT(12)
#define CR_CID_SIZE(cr)		((cr) >> 14 & 3)
#define CR_RETURN_STACK		BIT(29)

/* ETMCCER */
#define CCER_RETURN_STACK	BIT(23)
#define CCER_BARRIERS		BIT(24)	/* DMB and DSB are waypoints */
#define CCER_TS_BINARY		BIT(28)
#define CCER_TS_64		BIT(29)

/* ETMIDR */
#define IDR_MAJOR(idr)		((idr) >> 8 & 15)
#define IDR_MINOR(idr)		((idr) >> 4 & 15)

#define IDR_DEFAULT		0x4100f310

/*
 * PFT 1.0 has no bits for the size and encoding of timestamps: they read as 0, and timestamps have
 * 48 bits in natural binary.
 *
 * Source: ARM IHI 0035 "ETMCR", "ETMCCER", "ETMIDR".
 */
const char *ptm_read_config(struct config *own, const struct csf_config *c)
{
	static const uint8_t cid_size[4] = { 0, 1, 2, 4 };
	const uint32_t idr = c->etmidr ? c->etmidr : IDR_DEFAULT;

	if (IDR_MAJOR(idr) != 3)
		return ".etmidr: it does not name PFT";
	own->protocol = CSF_PROTOCOL_PTM;
	own->version = idr >> 4 & 0xff;
	own->traces_eret = true;
	own->retstack = c->etmcr & CR_RETURN_STACK && c->etmccer & CCER_RETURN_STACK;
	own->bb = c->etmcr & CR_BROADCAST;
	own->rule = c->etmccer & CCER_BARRIERS ? CSF_RULE_BARRIER : 0;
	own->ptm.cycles = c->etmcr & CR_CYCLES;
	own->ptm.cid_size = cid_size[CR_CID_SIZE(c->etmcr)];
	own->ptm.ts_bits = c->etmccer & CCER_TS_64 ? 64 : 48;
	own->ptm.ts_gray = IDR_MINOR(idr) && !(c->etmccer & CCER_TS_BINARY);
	return NULL;
}
