/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a record that a style cannot say.  A record with no loss is the same after it was
 * written in the style, read, and written in its first style again.
 */
#ifndef CSF_TARMAC_LOSS_H
#define CSF_TARMAC_LOSS_H

#include "tarmac-write.h"

/**
 * enum tarmac_loss - what may be lost: the first of them is the whole record
 * @TARMAC_LOSS_KIND: the style has no records of this kind
 * @TARMAC_LOSS_SYSOP: a register record that is a system operation; likewise the whole record
 * @TARMAC_LOSS_NO_DATA: a memory record without data; likewise
 * @TARMAC_LOSS_WORD: IT, IS, IF or ES; with es, only ES is there, else only IT and IS
 * @TARMAC_LOSS_ID: the number; @TARMAC_LOSS_ID_FORM: how it is written
 * @TARMAC_LOSS_NO_ID: that there is none
 * @TARMAC_LOSS_ISA: T16 or T32; @TARMAC_LOSS_NO_ISA: that there is none
 * @TARMAC_LOSS_SECURITY: another security state than s and ns
 * @TARMAC_LOSS_PA: physical addresses; @TARMAC_LOSS_PA_MORE: their security, and the second one
 * @TARMAC_LOSS_CPU: the processor of a record that is not that of the last instruction
 * @TARMAC_LOSS_CPU_NAME: another name of a processor than cpu and a number
 * @TARMAC_LOSS_CASE: capital letters in the name of a register
 * @TARMAC_LOSS_REG_MORE: range of bits, and texts, of a register
 * @TARMAC_LOSS_MEM_MORE: letters and texts of an access
 * @TARMAC_LOSS_UNIT: another unit of time than clk; @TARMAC_LOSS_FRACTION: of a time
 * @TARMAC_LOSS_NO_TIME: that there is no time
 */
enum tarmac_loss {
	TARMAC_LOSS_KIND,
	TARMAC_LOSS_SYSOP,
	TARMAC_LOSS_NO_DATA,
	TARMAC_LOSS_WORD,
	TARMAC_LOSS_ID,
	TARMAC_LOSS_ID_FORM,
	TARMAC_LOSS_NO_ID,
	TARMAC_LOSS_ISA,
	TARMAC_LOSS_NO_ISA,
	TARMAC_LOSS_SECURITY,
	TARMAC_LOSS_PA,
	TARMAC_LOSS_PA_MORE,
	TARMAC_LOSS_CPU,
	TARMAC_LOSS_CPU_NAME,
	TARMAC_LOSS_CASE,
	TARMAC_LOSS_REG_MORE,
	TARMAC_LOSS_MEM_MORE,
	TARMAC_LOSS_UNIT,
	TARMAC_LOSS_FRACTION,
	TARMAC_LOSS_NO_TIME,
	TARMAC_LOSS_NR
};

/**
 * struct tarmac_losses - what was lost of a log; zero it
 * @n: records, by enum tarmac_loss; @kinds: those of TARMAC_LOSS_KIND, by enum tarmac_kind
 * @last: processor of the last instruction, plus 1; 0: there was none
 */
struct tarmac_losses {
	uint64_t n[TARMAC_LOSS_NR], kinds[TARMAC_NR];
	uint32_t last;
};

/**
 * tarmac_lost() - what @style loses of one record
 * @cpu: the name of its processor, or NULL
 *
 * Return: a bit for each enum tarmac_loss but TARMAC_LOSS_CPU, which depends on other records.
 */
uint32_t tarmac_lost(const struct tarmac_record *r, enum tarmac_style style, const char *cpu);

/* Counts what @style loses of it. */
void tarmac_losses_add(struct tarmac_losses *losses, const struct tarmac_record *r,
		       enum tarmac_style style, const char *cpu);

/**
 * tarmac_losses_words() - the next loss, in words
 * @at: begin with 0
 *
 * Return: NULL: there is no more; else words such as "records of kind event: 3 left out".
 */
const char *tarmac_losses_words(const struct tarmac_losses *losses, enum tarmac_style style,
				size_t *at, char *buf, size_t n);

#endif /* CSF_TARMAC_LOSS_H */
