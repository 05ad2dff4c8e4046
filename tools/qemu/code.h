/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code as QEMU translates it, cut into blocks as the encoder and the log of truth have them.
 *
 * One struct code stands for all translations of the same bytes at the same address.  It is
 * made when they are translated and scanned when they are first executed: only then it is known
 * whether they are A32 or T32.  It is never freed: others may still refer to it.
 */
#ifndef CSF_QEMU_CODE_H
#define CSF_QEMU_CODE_H

#include <stdatomic.h>

#include "../encoder/encoder.h"
#include "../truth/truth.h"
#include "qemu-plugin.h"

/**
 * struct piece - a block
 * @block: for the encoder
 * @number: in the log of truth
 */
struct piece {
	struct enc_block block;
	uint32_t number;
};

/* struct code.look: why the slow way must be taken */
#define CODE_NEW	0x01	/* not scanned yet */
#define CODE_FRESH	0x02	/* translated again: is it what the recording has at this place? */
#define CODE_HANDLER	0x04	/* a signal handler begins here */
#define CODE_TRAP	0x08	/* it ends with BRK or UDF */

/**
 * struct code - what QEMU translated as one
 * @pc: first address; @end: behind the last
 * @bytes: the code, @size bytes as QEMU says; the last instruction, at @last, may be shorter
 * @n_insn: instructions
 * @look: CODE_x
 * @thumb: 1: T32
 * @isa: enum enc_isa
 * @it: instructions at its beginning that an IT block before it covers
 * @any: the last instruction may lead anywhere
 * @call: it ends with SVC
 * @succ: where it leads otherwise
 * @piece: @n_piece of them
 * @tail: the last one
 */
struct code {
	uint64_t pc, end;
	uint64_t succ[2];
	const struct piece *tail;
	struct piece *piece;
	uint8_t *bytes;
	uint16_t size, last;
	uint32_t n_piece;
	uint16_t n_insn;
	atomic_uchar look;
	uint8_t thumb;
	uint8_t isa;
	uint8_t it;
	bool any, call;
	struct code *next;	/* of the same hash */
};

/**
 * code_init() - before the first translation
 * @setup: of the trace unit; borrowed
 * @truth: the log; NULL: none
 */
int code_init(const struct enc_setup *setup, struct truth_writer *truth);

/* What @tb translates.  Return: NULL: no memory. */
struct code *code_translated(const struct qemu_plugin_tb *tb);

/**
 * code_scan() - cut it into blocks
 * @isa: in which it is executed
 * @it: instructions at its beginning that are in an IT block
 *
 * Return: there is memory.
 */
bool code_scan(struct code *code, enum enc_isa isa, unsigned int it);

/* All code at @pc gets CODE_HANDLER. */
void code_mark_handler(uint64_t pc);

/* May @pc be executed behind @code, if no signal and no system call comes between? */
static inline bool code_leads_to(const struct code *code, uint64_t pc)
{
	return code->any | (pc == code->succ[0]) | (pc == code->succ[1]);
}

/* How many instructions lie before @pc; more than there are: none begins there. */
unsigned int code_before(const struct code *code, uint64_t pc);

#endif /* CSF_QEMU_CODE_H */
