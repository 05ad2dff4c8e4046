/* SPDX-License-Identifier: GPL-2.0-only */
/* Styles of instructions, registers and memory only: those of the Trace Matcher and of gem5. */
#ifndef CSF_TARMAC_PLAIN_H
#define CSF_TARMAC_PLAIN_H

#include "tarmac-write.h"

/* The line without its end.  Return: false: the style does not have the record. */
bool tarmac_plain(struct out *o, const struct tarmac_record *r, enum tarmac_style style,
		  const char *cpu, uint32_t number);

#endif /* CSF_TARMAC_PLAIN_H */
