// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "parts.h"

/* ETMCR */
#define CR_RETURN_STACK		BIT(29)

/* ETMCCER */
#define CCER_RETURN_STACK	BIT(23)
#define CCER_BARRIERS		BIT(24)	/* DMB and DSB are waypoints */

#define IDR_DEFAULT		0x4100f310

/*
 * PFT 1.0 has no bits for the size and encoding of timestamps: they read as 0, and timestamps have
 * 48 bits in natural binary.
 *
 * Source: ARM IHI 0035 "ETMCR", "ETMCCER", "ETMIDR".
 */
const char *ptm_read_config(struct config *own, const struct csf_config *c)
{
	const uint32_t idr = c->etmidr ? c->etmidr : IDR_DEFAULT;

	if (IDR_MAJOR(idr) != 3)
		return ".etmidr: it does not name PFT";
	own->protocol = CSF_PROTOCOL_PTM;
	classic_read_config(own, c, idr);
	own->checks = !c->unchecked;
	own->retstack = c->etmcr & CR_RETURN_STACK && c->etmccer & CCER_RETURN_STACK;
	own->rule = CSF_RULE_THUMBEE | (c->etmccer & CCER_BARRIERS ? CSF_RULE_BARRIER : 0);
	own->classic.ts_gray &= IDR_MINOR(idr) != 0;
	return NULL;
}
