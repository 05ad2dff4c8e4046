/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for packets, as in Documentation/format/packets.rst: one set of tables for both ways. */
#ifndef CSF_ETM3_PACKET_TEXT_H
#define CSF_ETM3_PACKET_TEXT_H

#include "packet.h"

#define ETM3_WORD_MAX	16	/* size of the buffer for the word of an exception */
#define ETM3_ATOMS_MAX	20	/* size of the buffer for the letters of a packet of atoms */

/* Indexed by enum csf_packet_type; NULL: not of ETMv3. */
extern const char *const etm3_name[CSF_PKT_NR];

/* Indexed by enum etm3_reason, enum etm3_isa and enum csf_bad. */
extern const char *const etm3_reason_word[4];
extern const char *const etm3_isa_word[3];
extern const char *const etm3_bad_word[5];

/* The word for an exception in this profile; "0x.." if it has none. */
void etm3_exception_word(const struct config *c, unsigned int exception,
			 char word[ETM3_WORD_MAX]);

/* The letters of a packet of atoms: E, N, and W for a cycle, oldest first. */
void etm3_atom_letters(const struct csf_packet *pkt, char letters[ETM3_ATOMS_MAX]);

#endif /* CSF_ETM3_PACKET_TEXT_H */
