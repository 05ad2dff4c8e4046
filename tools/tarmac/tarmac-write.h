/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes a record as a line of Tarmac. */
#ifndef CSF_TARMAC_WRITE_H
#define CSF_TARMAC_WRITE_H

#include "../../perf-plugin/out.h"
#include "tarmac.h"

/**
 * enum tarmac_style - the styles of lines
 * @TARMAC_STYLE_FM: of Arm's models
 * @TARMAC_STYLE_MATCHER: for the Trace Matcher of ISPRAS: instructions, registers and
 *                        memory only, processors as numbers, no physical addresses
 * @TARMAC_STYLE_ES: instructions as ES, as in RTL simulations
 * @TARMAC_STYLE_GEM5: of gem5: instructions, registers and memory only, times in clk
 */
enum tarmac_style {
	TARMAC_STYLE_FM, TARMAC_STYLE_MATCHER, TARMAC_STYLE_ES, TARMAC_STYLE_GEM5,
	TARMAC_STYLE_NR
};

/* "fm" and so on, ended by NULL. */
extern const char *const tarmac_style_name[];

/**
 * tarmac_write() - write a record, and a line end
 * @cpu: the name of its processor, or NULL
 * @number: the number of that processor, for the matcher
 *
 * Return: something was written; false for records that the style does not have.
 */
bool tarmac_write(struct out *o, const struct tarmac_record *r, enum tarmac_style style,
		  const char *cpu, uint32_t number);

#endif /* CSF_TARMAC_WRITE_H */
