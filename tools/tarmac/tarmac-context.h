/* SPDX-License-Identifier: GPL-2.0-only */
/* The meaning of the mode and security words of a Tarmac instruction. */
#ifndef CSF_TARMAC_CONTEXT_H
#define CSF_TARMAC_CONTEXT_H

#include "../../decoder/csflow.h"
#include "tarmac.h"

/**
 * tarmac_context() - the context in which an instruction was executed
 * @context: exception level, security, width; context IDs are in R records
 *
 * A mode of AArch32 other than usr, hyp and mon is taken as a mode of EL1; without a word for
 * security the context is non-secure.
 *
 * Return: the mode is known; if not, nothing of @context.known is set.
 */
bool tarmac_context(const struct tarmac_inst *inst, struct csf_context *context);

#endif /* CSF_TARMAC_CONTEXT_H */
