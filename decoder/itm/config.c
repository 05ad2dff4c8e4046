// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "parts.h"

/*
 * ITM_TCR: ITMENA 0, TSENA 1, SWOENA 4, TSPrescale 9:8: 1, 4, 16 or 64 cycles, where SWOENA is set.
 * 0: the register is not known.
 */
const char *itm_read_config(struct config *own, const struct csf_config *c)
{
	own->protocol = CSF_PROTOCOL_ITM;
	own->itm.prescale = c->itmtcr & BIT(4) ? 2 * (c->itmtcr >> 8 & 3) : 0;
	own->itm.no_times = c->itmtcr && !(c->itmtcr & BIT(1));
	return NULL;
}
