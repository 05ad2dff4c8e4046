// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "../config.h"

/* ETMCR */
#define CR_CPRT			BIT(1)	/* coprocessor transfers */
#define CR_VALUES		BIT(2)
#define CR_ADDRESSES		BIT(3)
#define CR_DATA_ONLY		BIT(20)

/* ETMCCER */
#define CCER_VIRTUALIZATION	BIT(26)

/* ETMIDR */
#define IDR_WHOLE_BL		BIT(18)
#define IDR_ALT_BRANCH		BIT(20)	/* from ETMv3.4 on */

#define IDR_MAJOR_ETM3		2
#define IDR_DEFAULT		0x4104f240

/*
 * Each instruction takes an atom.  An exception may cancel the last one, which is therefore held.
 *
 * Source: ARM IHI 0014 "ETMCR", "ETMCCER", "ETMIDR".
 */
const char *etm3_read_config(struct config *own, const struct csf_config *c)
{
	const uint32_t idr = c->etmidr ? c->etmidr : IDR_DEFAULT;

	if (IDR_MAJOR(idr) != IDR_MAJOR_ETM3)
		return ".etmidr: it does not name ETMv3";
	if (IDR_MINOR(idr) > 5)
		return ".etmidr: there is no such version of ETMv3";
	own->protocol = CSF_PROTOCOL_ETM3;
	classic_read_config(own, c, idr);
	own->max_spec = 1;
	own->rule = CSF_RULE_EACH | (own->profile == CSF_PROFILE_M ? CSF_RULE_M : 0);
	own->etm3.alt = idr & IDR_ALT_BRANCH && IDR_MINOR(idr) >= 4;
	own->etm3.data = c->etmcr & (CR_CPRT | CR_VALUES | CR_ADDRESSES);
	own->etm3.values = c->etmcr & (CR_CPRT | CR_VALUES);
	own->etm3.addresses = c->etmcr & CR_ADDRESSES;
	own->data = (own->etm3.addresses ? CSF_DATA_ADDRESSES : 0) |
		    (own->etm3.values ? CSF_DATA_VALUES : 0);
	own->etm3.no_insn = c->etmcr & CR_DATA_ONLY;
	own->etm3.halves = !(idr & IDR_WHOLE_BL);
	own->etm3.watched = own->etm3.halves || (own->data && own->marks & CSF_MARK_DATA);
	own->etm3.hyp = c->etmccer & CCER_VIRTUALIZATION;
	return NULL;
}
