/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of trc_pkt_lister: for list-opencsd.c only. */
#ifndef CSF_LIST_OPENCSD_LINE_H
#define CSF_LIST_OPENCSD_LINE_H

#include "../decoder/csflow.h"
#include "out.h"

/* No record is longer, bytes and all. */
#define OCSD_LINE_MAX	1024

/**
 * struct ocsd_history - what a packet reader remembers of a stream, for printing
 * @addr: last three addresses, the newest first
 * @time: last timestamp
 * @threshold: of cycle counts
 * @bits64: the last context was AArch64
 */
struct ocsd_history {
	uint64_t addr[3];
	uint64_t time;
	uint32_t threshold;
	bool bits64;
};

/* Update for @pkt, before its line is printed. */
void ocsd_history_update(struct ocsd_history *h, const struct csf_config *config,
			 const struct csf_packet *pkt);

/* "NAME : description" and the details, without the end of the line. */
void ocsd_packet(struct out *o, const struct csf_config *config, const struct ocsd_history *h,
		 const struct csf_packet *pkt, uint8_t header);

/**
 * struct ocsd_sticky - what elements of one trace ID keep
 */
struct ocsd_sticky {
	uint32_t vmid, contextid;
	bool has_vmid, has_contextid;
};

/* "OCSD_GEN_TRC_ELEM_NAME(details)". */
void ocsd_element(struct out *o, const struct csf_config *config, struct ocsd_sticky *sticky,
		  const struct csf_element *e);

#endif /* CSF_LIST_OPENCSD_LINE_H */
