/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial: a random program is executed, the encoder makes trace of it, libcsflow decodes this
 * trace, and the result is compared with the executed code.
 */
#ifndef SELFTESTS_ENCODER_TRIAL_H
#define SELFTESTS_ENCODER_TRIAL_H

#include "encoder-program.h"

enum item_kind { ITEM_INSN, ITEM_EXCEPTION, ITEM_TRANSACTION, ITEM_EVENT, ITEM_ITE };

/**
 * struct item - something that happened
 * @addr: INSN: of it; EXCEPTION: return address
 * @value: INSN: it is a barrier whose condition failed; EXCEPTION: type; TRANSACTION: enum
 *         csf_transaction; EVENT, ITE: its value
 * @clock: executed instructions up to it, with it; on the decoder's side 0
 */
struct item {
	uint64_t addr;
	uint64_t value;
	uint64_t clock;
	uint32_t contextid, vmid;
	uint8_t kind;
	uint8_t isa;
	uint8_t el, security;
};

struct items {
	struct item *p;		/* owned */
	size_t n, max;
};

/* A timestamp, and after how many steps of the decoder. */
struct moment {
	uint64_t value;
	uint64_t at;
};

struct moments {
	struct moment *p;	/* owned */
	size_t n, max;
};

/**
 * struct trial - zero it, fill in what comes before @program, run it
 * @flags: PROGRAM_x
 * @user_only: exceptions go where nothing is traced
 * @plain: compare instructions and exceptions only; no PE reset, nothing by enc_lose()
 * @n: blocks to execute
 * @trace: owned
 * @executed, @decoded: what is said to be in the trace, what came out
 * @times: decoded
 * @ends: for each step decoded, how many items there were then
 * @joined: items that decoders had that joined in the middle
 * @packets: of the trace, by enum csf_packet_type
 * @problem: ""; or what went wrong
 */
struct trial {
	struct enc_setup setup;
	enum program_kind kind;
	unsigned int flags;
	bool user_only, plain;
	uint64_t n, seed;
	struct program program;
	uint8_t *trace;
	size_t n_trace, max_trace;
	struct items executed, decoded;
	struct moments times;
	size_t *ends, n_ends, max_ends;
	struct enc_stats stats;
	uint64_t joined;
	uint64_t packets[CSF_PKT_NR];
	char problem[500];
};

/* Executes and encodes. */
void trial_execute(struct trial *t);

/* Decodes with libcsflow into @decoded. */
void trial_decode(struct trial *t);

/* Adds to @decoded, as trial_decode() does. */
void trial_decoded(struct trial *t, struct item item);

/* Compares; describes a difference in @problem. */
void trial_compare(struct trial *t);

void trial_free(struct trial *t);

#endif /* SELFTESTS_ENCODER_TRIAL_H */
