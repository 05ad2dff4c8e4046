/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trial: a random program is executed, the encoder makes trace of it, libcsflow decodes this
 * trace, and the result is compared with the executed code.
 */
#ifndef SELFTESTS_ENCODER_TRIAL_H
#define SELFTESTS_ENCODER_TRIAL_H

#include "encoder-program.h"

enum item_kind {
	ITEM_INSN, ITEM_EXCEPTION, ITEM_TRANSACTION, ITEM_EVENT, ITEM_ITE, ITEM_DATA,
};

/**
 * struct item - something that happened
 * @addr: INSN: of it; EXCEPTION: return address; DATA: where
 * @value: INSN: it is a barrier, in ETMv3 anything but a branch, whose condition failed; EXCEPTION:
 *         type; TRANSACTION: enum csf_transaction; EVENT, ITE: its value; DATA: likewise
 * @flags: DATA: ENC_DATA_x, @size: bytes
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
	uint8_t flags, size;
};

/* Data accesses that were decoded. */
struct accesses {
	struct csf_access *p;	/* owned */
	size_t n, max;
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
 * @accesses: decoded; @data of them are those that were executed, of which @late had their values
 *            late, and @untraced none; @losses: places where the trace says that there were more
 * @cycles: decoded; @entries: accesses of exception entries
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
	struct accesses accesses;
	uint64_t data, late, untraced, losses, entries;
	uint64_t cycles;
	char problem[500];
};

/* Is it of an ETMv3, in which each instruction takes an atom? */
static inline bool trial_is_etm3(const struct trial *t)
{
	return csf_config_protocol(&t->setup.config) == CSF_PROTOCOL_ETM3;
}

/* Executes and encodes. */
void trial_execute(struct trial *t);

/* Decodes with libcsflow into @decoded. */
void trial_decode(struct trial *t);

/* Adds to @decoded, as trial_decode() does. */
void trial_decoded(struct trial *t, struct item item);

/* Compares; describes a difference in @problem. */
void trial_compare(struct trial *t);

/* An access was decoded; compares all of them, as trial_compare() does. */
void trial_accessed(struct trial *t, const struct csf_access *access);
void trial_compare_data(struct trial *t);

void trial_free(struct trial *t);

#endif /* SELFTESTS_ENCODER_TRIAL_H */
