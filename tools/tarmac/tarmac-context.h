/* SPDX-License-Identifier: GPL-2.0-only */
/* What the words of mode and security of an instruction of Tarmac mean. */
#ifndef CSF_TARMAC_CONTEXT_H
#define CSF_TARMAC_CONTEXT_H

#include "../../decoder/csflow.h"
#include "tarmac.h"

/**
 * tarmac_context() - as what an instruction was executed
 * @context: exception level, security, width; context IDs are in R records
 *
 * A mode of AArch32 other than usr, hyp and mon is taken for one of EL1; without a word of security
 * it is non-secure.
 *
 * Return: the mode is one that is known; if not, nothing is @context.known.
 */
bool tarmac_context(const struct tarmac_inst *inst, struct csf_context *context);

#endif /* CSF_TARMAC_CONTEXT_H */
