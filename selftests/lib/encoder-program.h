/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random programs for a processor that does not exist: code, and beside it the kind of each
 * instruction, which need not be found out from the code.
 */
#ifndef SELFTESTS_ENCODER_PROGRAM_H
#define SELFTESTS_ENCODER_PROGRAM_H

#include "../../tools/encoder/encode-dice.h"
#include "../../tools/encoder/encoder.h"

enum op_kind {
	OP_NONE,		/* not the beginning of an instruction */
	OP_PLAIN,
	OP_IT,			/* T32: the next instructions are conditional */
	OP_BRANCH,		/* direct */
	OP_JUMP,		/* indirect */
	OP_RETURN,		/* indirect, mostly to where the last call came from */
	OP_ISB,
	OP_WFX,
	OP_BARRIER,
	OP_TSTART,
	OP_SVC,
	OP_BREAK,		/* causes an exception, and is not executed */
	OP_ERET,
};

/**
 * struct op - what an instruction is
 * @it: instructions from here on, this one too, that are in an IT block
 * @data: transfers of data, each of @data_size bytes; @store: written,
 * @reg: of a coprocessor; @exclusive: it may fail
 */
struct op {
	uint64_t target;
	uint8_t kind;
	uint8_t size;
	uint8_t target_isa;
	uint8_t it;
	bool conditional;
	bool link;
	bool store, reg, exclusive;
	uint8_t data;
	uint8_t data_size;
};

/* Code of one instruction set, and an op for every two bytes of it. */
struct area {
	uint64_t addr;
	enum enc_isa isa;
	bool kernel;
	uint8_t *code;
	struct op *op;
	uint32_t n;		/* bytes */
};

enum program_kind { PROGRAM_A64, PROGRAM_A32, PROGRAM_MIXED, PROGRAM_KINDS };

struct program {
	struct area area[4];
	unsigned int n_area;
	struct dice dice;
	unsigned int flags;
};

#define PROGRAM_TSTART		0x01	/* with transactions */
#define PROGRAM_OLD		0x02	/* nothing after Armv8.0, no BLX with a condition */
#define PROGRAM_CALM		0x04	/* branches alone: no exceptions, the context stays */
#define PROGRAM_BARRIERS	0x08	/* with DMB and DSB */
#define PROGRAM_STATES		0x10	/* handlers at EL1 and 2, secure or not; debug halts */
#define PROGRAM_M		0x40	/* of M profile, ETMv3: T32 alone; handlers return by BX */
#define PROGRAM_EACH		0x20	/* any may have a condition; more loads and stores */

/* Aborts if there is no memory. */
void program_make(struct program *p, enum program_kind kind, unsigned int flags, uint64_t seed);
void program_free(struct program *p);

const struct area *program_area(const struct program *p, uint64_t addr);
const struct op *program_op(const struct program *p, uint64_t addr);

/* A target for code of @isa: an instruction begins there, and no IT block is cut. */
uint64_t program_target(struct program *p, enum enc_isa isa, bool kernel, enum enc_isa *to);

#endif /* SELFTESTS_ENCODER_PROGRAM_H */
