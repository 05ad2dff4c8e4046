// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "parts.h"

/* Nothing in the register STMTCSR changes how packets are read. */
static const char *read_config(struct config *own, const struct csf_config *c)
{
	own->protocol = CSF_PROTOCOL_STM;
	own->stp_order = c->stp_order;
	return c->stp_order > CSF_STP_HIGH_FIRST ? ".stp_order: want one of enum csf_stp_order" :
						   NULL;
}

/* Packets are not aligned to bytes: there is no monitor for them. */
const struct protocol stm_protocol = {
	.read_config = read_config,
	.read_messages = stm_read_messages,
	.reset_messages = stm_reset_messages,
};
