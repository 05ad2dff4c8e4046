/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes Tarmac from the execution in any file.
 *
 * The last instruction of a block waits for the next one, whose place tells whether a branch was
 * taken.
 */
#ifndef CSF_TARMAC_MAKE_H
#define CSF_TARMAC_MAKE_H

#include "../lib/access-words.h"
#include "../code/disasm.h"
#include "../code/it-block.h"
#include "source.h"
#include "../tarmac/tarmac-loss.h"

/* The records to make: IT, IS; FD, FI; E; R; messages about gaps; M, and messages about data */
#define TARMAC_MAKE_INST	0x01
#define TARMAC_MAKE_FLOW	0x02
#define TARMAC_MAKE_EVENT	0x04
#define TARMAC_MAKE_REG		0x08
#define TARMAC_MAKE_GAP		0x10
#define TARMAC_MAKE_MEM		0x20

#define TARMAC_MAKE_WAITING	64

/* A record of memory that waits for its instruction. */
struct tarmac_make_mem {
	struct tarmac_record record;
	char text[ACCESS_WORDS_MAX];
};

/**
 * struct tarmac_make - zero it, set the first members, then tarmac_make_start()
 * @out: the output; borrowed
 * @disasm: borrowed; NULL: no disassembly
 * @style: enum tarmac_style
 * @what: TARMAC_MAKE_x ORed
 * @stamps: times are those of the trace unit, if known, not the instruction's number
 * @losses: counts what the style cannot say; borrowed
 */
struct tarmac_make {
	struct out *out;
	struct disasm *disasm;
	enum tarmac_style style;
	uint32_t what;
	bool stamps;
	struct tarmac_losses *losses;
	/* private */
	char cpu[32];
	uint32_t number;
	uint64_t id, time;
	struct csf_context context, next_context;
	bool new_context, held, thrown, gone;
	struct tarmac_record record;
	struct csf_insn class;
	struct it_block it;
	char text[DISASM_MAX];
	uint8_t isa;
	uint32_t type;
	uint64_t ret;
	struct tarmac_make_mem mem[TARMAC_MAKE_WAITING];
	uint32_t n_mem;
};

/* Begins a stream, of processor @cpu. */
void tarmac_make_start(struct tarmac_make *m, const char *cpu, uint32_t number);

void tarmac_make_item(struct tarmac_make *m, const struct source_item *item);

/* Ends a stream. */
void tarmac_make_end(struct tarmac_make *m);

#endif /* CSF_TARMAC_MAKE_H */
