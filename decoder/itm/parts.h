/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of itm_protocol: see ../protocol.h. */
#ifndef CSF_ITM_PARTS_H
#define CSF_ITM_PARTS_H

#include "../message.h"
#include "../monitor.h"
#include "packet.h"

/* -------- config.c */

const char *itm_read_config(struct config *own, const struct csf_config *c);

/* -------- message.c */

void itm_reset_messages(struct csf_messages *m, bool broken);
void itm_read_messages(struct csf_messages *m);

/* -------- monitor.c */

size_t itm_read_packets(struct csf_monitor *mon, struct csf_packet *packets, size_t max);

/* -------- packet.c */

int itm_read_within(const struct config *c, const uint8_t *p, size_t n, struct csf_packet *pkt);
int itm_write(const struct config *c, uint8_t *p, const struct csf_packet *pkt);

/* -------- packet-text.c */

int itm_print(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int itm_parse(const struct config *c, const char *text, struct csf_packet *pkt,
	      const char **where);

#endif /* CSF_ITM_PARTS_H */
