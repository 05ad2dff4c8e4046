/* SPDX-License-Identifier: GPL-2.0-only */
/* A record to a line of Tarmac. */
#ifndef CSF_TARMAC_WRITE_H
#define CSF_TARMAC_WRITE_H

#include "../../perf-plugin/out.h"
#include "tarmac.h"

/**
 * enum tarmac_style - how lines are written
 * @TARMAC_STYLE_FM: as Arm's models do
 * @TARMAC_STYLE_MATCHER: as the Trace Matcher of ISPRAS wants them: instructions, registers and
 *                        memory only, processors as numbers, no physical addresses
 * @TARMAC_STYLE_ES: instructions as ES, as simulations of RTL have them
 */
enum tarmac_style { TARMAC_STYLE_FM, TARMAC_STYLE_MATCHER, TARMAC_STYLE_ES };

/**
 * tarmac_write() - write a record, and a line end
 * @cpu: name of its processor, or NULL
 * @number: of it, for the matcher
 *
 * Return: something was written; not so for records that the style has not.
 */
bool tarmac_write(struct out *o, const struct tarmac_record *r, enum tarmac_style style,
		  const char *cpu, uint32_t number);

#endif /* CSF_TARMAC_WRITE_H */
