/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs to samples: the branches and instructions that perf shows for a trace.
 *
 *	struct perf_samples it;
 *	struct perf_sample sample;
 *
 *	perf_samples_init(&it, &options, image);
 *	while (... a run ...) {
 *		perf_samples_run(&it, &state, &input);
 *		while (perf_samples_next(&it, &sample))
 *			...
 *	}
 *
 * There is one struct perf_sample_state for each stream.  It knows nothing of
 * files, so that perf's own plugin can use it too.
 */
#ifndef PERF_SAMPLE_H
#define PERF_SAMPLE_H

#include "../decoder/csflow.h"

/* perf's PERF_IP_FLAG_x, by value */
#define PERF_FLAG_BRANCH	0x0001
#define PERF_FLAG_CALL		0x0002
#define PERF_FLAG_RETURN	0x0004
#define PERF_FLAG_CONDITIONAL	0x0008
#define PERF_FLAG_SYSCALLRET	0x0010
#define PERF_FLAG_ASYNC		0x0020
#define PERF_FLAG_INTERRUPT	0x0040
#define PERF_FLAG_TX_ABORT	0x0080
#define PERF_FLAG_TRACE_BEGIN	0x0100
#define PERF_FLAG_TRACE_END	0x0200

enum perf_sample_kind { PERF_SAMPLE_BRANCH, PERF_SAMPLE_INSN };

/**
 * struct perf_sample - a branch, or an instruction
 * @kind: enum perf_sample_kind
 * @insn_len: bytes of the instruction at @ip, 0: there is none
 * @insn: those bytes
 * @flags: PERF_FLAG_x; of an instruction: those of the branch that led here
 * @ip: of the instruction; 0: trace begins
 * @addr: where a branch goes; 0: trace ends
 * @period: instructions that it stands for
 * @time: last timestamp in the trace; 0: none yet
 * @ip_space, @ip_time: where @ip lies
 * @space, @map_time: where @addr lies
 */
struct perf_sample {
	uint8_t kind;
	uint8_t insn_len;
	uint8_t insn[4];
	uint32_t flags;
	uint64_t ip, addr;
	uint64_t period;
	uint64_t time;
	int ip_space, space;
	uint64_t ip_time, map_time;
};

/**
 * struct perf_samples_options - which samples
 * @period: an instruction sample each so many instructions; 0: none
 * @branches: branch samples
 */
struct perf_samples_options {
	uint64_t period;
	bool branches;
};

/* What comes before the step at hand. */
enum perf_sample_prev {
	PERF_PREV_NONE,		/* nothing was ever seen */
	PERF_PREV_BREAK,	/* trace begins, or begins anew */
	PERF_PREV_STEP,
};

/**
 * struct perf_sample_state - of one stream; zero at first
 * @prev: enum perf_sample_prev
 * @taken: the step before left by a branch or an exception
 * @svc: its last instruction is SVC
 * @isa: enum csf_isa of it
 * @flags: of it
 * @last: address of its last instruction, @last_size bytes
 * @count: instructions since the last instruction sample
 * @time: last timestamp
 */
struct perf_sample_state {
	uint8_t prev;
	uint8_t isa;
	uint8_t last_size;
	bool taken, svc;
	uint32_t flags;
	uint64_t last;
	int space;
	uint64_t map_time;
	uint64_t count;
	uint64_t time;
};

/**
 * struct perf_sample_input - a run
 * @dec: whose it is
 * @run: not one that was looked at before
 * @starts: it does not join what came before it
 */
struct perf_sample_input {
	struct csf_decoder *dec;
	const struct csf_run *run;
	bool starts;
};

/* Iterator; the fields are private. */
struct perf_samples {
	struct perf_samples_options options;
	struct csf_image *image;
	struct perf_sample_state *state;
	struct perf_sample_input in;
	struct csf_block block;
	uint64_t addr;
	uint32_t number;
	uint8_t phase;
	size_t step, mark;
	uint64_t walked_addr;
	uint32_t walked, left;
};

void perf_samples_init(struct perf_samples *it, const struct perf_samples_options *options,
		       struct csf_image *image);

/* The next run, when perf_samples_next() has returned false. */
void perf_samples_run(struct perf_samples *it, struct perf_sample_state *state,
		      const struct perf_sample_input *input);

/* Return: true and a sample; false: the run is used up. */
bool perf_samples_next(struct perf_samples *it, struct perf_sample *sample);

/* "jmp", "tr end  return" and so on, as perf prints them; room for 24. */
const char *perf_sample_flags(uint32_t flags, char *buf);

#endif /* PERF_SAMPLE_H */
