/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code as QEMU translates it, cut into blocks for the encoder and the truth log.
 *
 * One struct code stands for all translations of the same bytes at the same address.  It is
 * made when they are translated and scanned when they are first executed, because only then is it
 * known whether they are A32 or T32.  It is never freed: there may still be references to it.
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
 * @number: in the truth log
 */
struct piece {
	struct enc_block block;
	uint32_t number;
};

/* struct code.look: reasons for the slow path */
#define CODE_NEW	0x01	/* not scanned yet */
#define CODE_FRESH	0x02	/* translated again: may differ from the recording */
#define CODE_HANDLER	0x04	/* a signal handler begins here */
#define CODE_TRAP	0x08	/* it ends with BRK or UDF */

/**
 * struct code - a translation block of QEMU
 * @pc: first address; @end: the end
 * @bytes: the code, @size bytes by QEMU; the last instruction, at @last, may be shorter
 * @n_insn: instructions
 * @look: CODE_x
 * @thumb: 1: T32
 * @isa: enum enc_isa
 * @it: instructions at its beginning that are in an earlier IT block
 * @any: the last instruction may lead anywhere
 * @call: it ends with SVC
 * @succ: its other successor
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

/* Finds or makes the code of @tb.  Return: NULL: no memory. */
struct code *code_translated(const struct qemu_plugin_tb *tb);

/**
 * code_scan() - cut it into blocks
 * @isa: the instruction set of its execution
 * @it: instructions at its beginning that are in an IT block
 *
 * Return: false: no memory.
 */
bool code_scan(struct code *code, enum enc_isa isa, unsigned int it);

/* All code at @pc gets CODE_HANDLER. */
void code_mark_handler(uint64_t pc);

/* Can @pc follow @code, without a signal or a system call in between? */
static inline bool code_leads_to(const struct code *code, uint64_t pc)
{
	return code->any | (pc == code->succ[0]) | (pc == code->succ[1]);
}

/* The number of instructions before @pc; more than there are: none begins at @pc. */
unsigned int code_before(const struct code *code, uint64_t pc);

/* The size of the instruction at @pc. */
unsigned int code_size_at(const struct code *code, uint64_t pc);

#endif /* CSF_QEMU_CODE_H */
