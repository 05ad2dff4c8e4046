/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for packets, as in Documentation/format/packets.rst: one set of tables for both ways. */
#ifndef CSF_PACKET_TEXT_H
#define CSF_PACKET_TEXT_H

#include "packet.h"

/* Size of the buffer for the word of an exception. */
#define PACKET_WORD_MAX	16

/* The word for an exception TYPE in this profile; "0x.." if it has none. */
void packet_exception_word(const struct config *c, unsigned int exception,
			   char word[PACKET_WORD_MAX]);

/* Indexed by NSE << 1 | NS; by E1:E0. */
extern const char *const packet_state_word[4];
extern const char *const packet_return_word[4];

/* Words for bits of the INFO section: bit 0 and bits from 4 on; bits 3:1 are cond=. */
extern const char *const packet_info_word[7];

int packet_print(const struct config *c, const struct csf_packet *pkt, char *buf, size_t n);
int packet_parse(const struct config *c, const char *text, struct csf_packet *pkt,
		 const char **where);

#endif /* CSF_PACKET_TEXT_H */
