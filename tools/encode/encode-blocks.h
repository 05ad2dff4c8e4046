/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Execution as input of a trace encoder: in blocks, with exceptions and contexts.
 *
 *	encode_start(&encode, &setup, tid);
 *	while (source_next(source, &item) > 0)
 *		encode_item(&encode, &item);	... and take encode.encoder's bytes
 *	encode_end(&encode, true);
 */
#ifndef CSF_ENCODE_H
#define CSF_ENCODE_H

#include "encode-code.h"
#include "../encoder/encoder.h"
#include "../source/source.h"

/* The most instructions of a block */
#define ENCODE_INSNS	256

/**
 * struct encode_exception - an exception whose target is not yet known
 * @type: enum enc_exception, or TYPE_OPEN: use ESR
 * @ret: where execution goes on afterwards, with @has_ret
 * @at: where execution was, by the event, with @has_at
 * @esr: with @has_esr
 * @sync: it is not an interrupt
 * @gone: the log has nothing of its handler
 */
struct encode_exception {
	uint32_t type;
	uint64_t ret, at;
	uint32_t esr;
	bool pending, has_ret, has_at, sync, has_esr, gone;
};

/**
 * struct encode_stats - sums over all streams
 * @insns: instructions; @no_code: those without opcode, which are not encoded; @wide: those of A64
 *         that the protocol does not have
 * @lost: instructions that are not in the trace, by enum enc_lost
 * @jumps: how often execution goes on elsewhere without a known reason: tracing goes off and on
 *         again there
 * @faulted: instructions of the file that faulted: they were not executed
 * @open: branches at the end of a stream, with an unknown target
 * @first_jump, @first_fault, @first_open, @first_no_code: the line of the first of each; 0: it has
 *         no lines
 * @exceptions: exceptions
 */
struct encode_stats {
	uint64_t insns, no_code, wide, jumps, faulted, open, exceptions;
	uint64_t first_jump, first_fault, first_open, first_no_code, first_wide;
	uint64_t lost[ENC_LOST_NR];
};

/**
 * struct encode - zero it; @code may be set, and is borrowed
 * @stats: continues from stream to stream
 * @pid: the current process; @default_id: context ID where the file has none, or 0
 * @encoder: the encoder of this stream
 * @tid_seen: called with each new context ID and @tid_owner; may be NULL
 */
struct encode {
	struct encode_code *code;
	struct encode_stats stats;
	uint32_t pid, default_id;
	struct encoder *encoder;
	int (*tid_seen)(void *owner, uint32_t pid, uint32_t tid);
	void *tid_owner;
	/* private */
	const struct enc_setup *setup;
	uint64_t clock, told;		/* @told: the last requested timestamp */
	struct enc_context context, wanted;
	bool on, started, has_clock;
	bool no_memory;
	struct encode_exception exception;
	struct enc_block block;		/* the block under construction; n_insn 0: none */
	struct enc_insn last;
	uint8_t last_how;		/* enum source_how */
	uint64_t last_line, line;	/* of the last instruction; of the current item */
	uint8_t it;
	uint8_t bytes[4 * ENCODE_INSNS];
};

/* Begins a stream.  Return: 0, -ENOMEM, -EINVAL: the setup is invalid. */
int encode_start(struct encode *e, const struct enc_setup *setup, uint32_t default_id);

/* Return: 0, -ENOMEM. */
int encode_item(struct encode *e, const struct source_item *item);

/*
 * Ends the stream; bytes of @encoder may still be taken, then enc_free() it.  With @halt it ends
 * with a debug halt, so the code after the last branch is in the trace, too.
 */
void encode_end(struct encode *e, bool halt);

#endif /* CSF_ENCODE_H */
