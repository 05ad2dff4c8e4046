// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The protocols that are decoded. */
#include "etm3/etm3.h"
#include "etm4/etm4.h"
#include "itm/itm.h"
#include "mtb/mtb.h"
#include "protocol.h"
#include "ptm/ptm.h"
#include "stm/stm.h"

/* Without a number it is ETMv4 or ETE, as their registers say. */
static const struct protocol *const protocols[CSF_PROTOCOL_NR] = {
	[CSF_PROTOCOL_TOLD] = &etm4_protocol,
	[CSF_PROTOCOL_ETM4] = &etm4_protocol,
	[CSF_PROTOCOL_ETE] = &etm4_protocol,
	[CSF_PROTOCOL_ITM] = &itm_protocol,
	[CSF_PROTOCOL_STM] = &stm_protocol,
	[CSF_PROTOCOL_MTB] = &mtb_protocol,
	[CSF_PROTOCOL_ETM3] = &etm3_protocol,
	[CSF_PROTOCOL_PTM] = &ptm_protocol,
};

const struct protocol *protocol_at(uint32_t protocol)
{
	return protocol < CSF_PROTOCOL_NR ? protocols[protocol] : NULL;
}
