/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was executed, as an encoder of trace wants it: in blocks, with exceptions and contexts.
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

/* Instructions that are put into one block at most */
#define ENCODE_INSNS	256

/**
 * struct encode_exception - an exception that was taken, before it is known where it led
 * @type: enum enc_exception, or TYPE_OPEN: what ESR says
 * @ret: where execution is to go on afterwards, with @has_ret
 * @at: where execution was, as the event has it, with @has_at
 * @esr: with @has_esr
 * @sync: it is no interrupt
 * @gone: nothing of its handler is there
 */
struct encode_exception {
	uint32_t type;
	uint64_t ret, at;
	uint32_t esr;
	bool pending, has_ret, has_at, sync, has_esr, gone;
};

/**
 * struct encode_stats - sums over all streams
 * @insns: instructions; @no_code: of these, without opcode, so not encoded
 * @lost: instructions that are not in the trace, by enum enc_lost
 * @jumps: where execution goes on elsewhere for no reason that the file knows: tracing is off and
 *         on again there
 * @faulted: instructions that the file has though they faulted: they were not executed
 * @open: branches at the end of a stream of which it does not tell where they went
 * @first_jump, @first_fault, @first_open, @first_no_code: the line of the first of each; 0: it has
 *         no lines
 * @exceptions: exceptions
 */
struct encode_stats {
	uint64_t insns, no_code, jumps, faulted, open, exceptions;
	uint64_t first_jump, first_fault, first_open, first_no_code;
	uint64_t lost[ENC_LOST_NR];
};

/**
 * struct encode - zero it; @code may be set, and is borrowed
 * @stats: goes on from stream to stream
 * @pid: process that is executed now; @default_id: context ID where the file has none, or 0
 * @encoder: of this stream
 * @tid_seen: told of each context ID that is new, with @tid_owner; may be NULL
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
	uint64_t clock, told;		/* @told: the last timestamp that was asked for */
	struct enc_context context, wanted;
	bool on, started, has_clock;
	bool no_memory;
	struct encode_exception exception;
	struct enc_block block;		/* what is being put together; n_insn 0: nothing */
	struct enc_insn last;
	uint8_t last_how;		/* enum source_how */
	uint64_t last_line, line;	/* of the last instruction; of the item at hand */
	uint8_t it;
	uint8_t bytes[4 * ENCODE_INSNS];
};

/* A new stream.  Return: 0, -ENOMEM, -EINVAL: the setup is none. */
int encode_start(struct encode *e, const struct enc_setup *setup, uint32_t default_id);

/* Return: 0, -ENOMEM. */
int encode_item(struct encode *e, const struct source_item *item);

/*
 * The end of the stream; bytes of @encoder may still be taken, then enc_free() it.  With @halt it
 * is a debug halt, so that also what is behind the last branch is in the trace.
 */
void encode_end(struct encode *e, bool halt);

#endif /* CSF_ENCODE_H */
