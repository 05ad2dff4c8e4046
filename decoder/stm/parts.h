/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of stm_protocol: see ../protocol.h. */
#ifndef CSF_STM_PARTS_H
#define CSF_STM_PARTS_H

#include "../message.h"

/* -------- message.c */

void stm_reset_messages(struct csf_messages *m, bool broken);
void stm_read_messages(struct csf_messages *m);

#endif /* CSF_STM_PARTS_H */
