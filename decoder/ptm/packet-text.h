/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The words of packets, for printing and parsing. */
#ifndef CSF_PTM_TEXT_H
#define CSF_PTM_TEXT_H

#include "packet.h"

/* By number; NULL: reserved, printed as a number. */
#define PTM_EXC_WORDS	16
extern const char *const ptm_exc_word[PTM_EXC_WORDS];
extern const char *const ptm_reason_word[4];
extern const char *const ptm_bad_word[5];

/* The instruction set of an address of 32 bits: A32, T32, Jazelle. */
extern const char *const ptm_isa_word[3];

/* By type; NULL: PTM has no such packet. */
extern const char *const ptm_name[CSF_PKT_NR];

#endif /* CSF_PTM_TEXT_H */
