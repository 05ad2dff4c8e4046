/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by context*.c. */
#ifndef CSF_CONTEXT_PARTS_H
#define CSF_CONTEXT_PARTS_H

#include "context.h"

/* context_function.role: functions that are recognised by name. */
enum context_role { ROLE_NONE, ROLE_SETJMP, ROLE_UNWIND };

/* Finds or makes the node under @parent.  Return: 0: no memory. */
uint32_t context_node(struct contexts *c, const struct context_node *key);

/* Finds or makes the function that begins at a place; @name is copied.  Return: 0: no memory. */
uint32_t context_function(struct contexts *c, uint32_t dso, uint64_t start, const char *name);

/* ---------------------------------------------------------------- code */

/**
 * struct context_place - an instruction
 * @dso: CONTEXT_NOWHERE: in no known file
 * @function: its function by symbols; 0: there are none
 * @is_entry: a program begins there
 */
struct context_place {
	uint32_t dso, function;
	bool is_entry;
	uint64_t offset;
};

/*
 * context_code.info: number of instructions; whether some are inlined, and contexts.inlines is set;
 * how a step leaves its function, at STEP_SHIFT, enum context_step
 */
#define STEP_INSNS	0x07ff
#define STEP_INLINED	0x0800
#define STEP_SHIFT	12
enum context_step { STEP_ON, STEP_CALL, STEP_RETURN, STEP_GOTO, STEP_JUMP };

/**
 * struct context_block - a block
 * @at: its first instruction
 * @size: bytes; @last: bytes before the last instruction
 * @child: the node that it called last
 * @inlined: the inlined function that has its last instruction, a number of contexts.chain
 */
struct context_block {
	struct context_place at;
	uint16_t size, last;
	uint32_t child;
	uint32_t inlined;
};

/**
 * struct context_code - the code of a replay
 * @info: by step; @block: by number
 * @file: by section: number of the file + 1
 * @unseen: what is executed now moves the stacks, and is not counted
 * @known: @n_known inlined functions of debug information; @by_inlined finds them: index + 1
 */
struct context_code {
	struct contexts *contexts;
	struct perf_replay *replay;
	uint16_t *info;
	struct context_block *block;
	size_t n, size;
	uint32_t *file;
	size_t n_file;
	bool unseen;
	struct context_known *known;
	size_t n_known, size_known;
	struct hash_table by_inlined;
};

/* Reads the new blocks.  Return: 0 or -ENOMEM. */
int context_code_grow(struct context_code *code);
void context_code_fini(struct context_code *code);

/* Finds the code at an address that a run names.  Return: 0 or -ENOMEM. */
int context_code_find(struct context_code *code, const struct perf_run *run,
		      struct context_place *place);

/* ---------------------------------------------------------------- counts */

/* How often a step ran in a node: @key is node << 32 | step; 0: none. */
struct context_ran {
	uint64_t key, count;
};

/*
 * Zero is empty; @size is a power of two.  @last: by step, @n_last of them: counts that are not in
 * @ran yet, as most steps run again and again in one node.
 */
struct context_rans {
	struct context_ran *ran;
	size_t n, size;
	struct context_ran *last;
	size_t n_last;
};

/* Makes room for steps less than @n.  Return: 0 or -ENOMEM. */
int context_rans_grow(struct context_rans *rans, size_t n);
/* Moves what is in @last to @ran.  Return: 0 or -ENOMEM. */
int context_rans_flush(struct context_rans *rans, struct context_ran *last);
void context_rans_fini(struct context_rans *rans);

/* Counts a step.  Return: 0 or -ENOMEM. */
static inline int context_rans_add(struct context_rans *rans, uint32_t node, uint32_t step)
{
	struct context_ran *last = &rans->last[step];
	const uint64_t key = (uint64_t)node << 32 | step;
	int err;

	if (last->key != key) {
		err = last->key ? context_rans_flush(rans, last) : 0;
		if (err)
			return err;
		*last = (struct context_ran){ .key = key };
	}
	last->count++;
	return 0;
}

/* Adds the counts to the tree.  Return: 0 or -ENOMEM. */
int context_rans_fold(struct context_rans *rans, struct context_code *code);

/* ---------------------------------------------------------------- inlined functions */

/* Looks for them in a new block.  Return: 1: it has some; 0 or -ENOMEM. */
int context_inline_learn(struct context_code *code, const struct csf_block *b,
			 struct context_block *block);
/* Adds the parts that they have of a step.  Return: 0 or -ENOMEM. */
int context_inline_fold(struct context_code *code, const struct context_ran *ran);

/* ---------------------------------------------------------------- stacks */

/**
 * struct context_frame - a call
 * @node: of the call
 * @function: the function that runs in it now; perhaps not that of its node
 * @ret_dso, @ret: where it returns to; CONTEXT_NOWHERE: unknown
 * @landing: where setjmp() returned to in it, an offset in the function's file; 0: nowhere
 */
struct context_frame {
	uint32_t node, function;
	uint32_t ret_dso;
	bool is_async;
	uint64_t ret, landing;
};

/**
 * struct context_thread - a stack
 * @key: process << 32 | thread
 * @node: of the thread
 * @frame: @n of them, the innermost last
 * @stream: the stream in which it ran last; @el: the exception level
 * @open: the last step, if it left its function; else 0
 * @broken: it is unknown whether the next code follows the previous code
 * @resume, @addr: if @broken, where it should go on; CONTEXT_NOWHERE, 0: unknown
 * @journal: steps of a transaction, @n_step of them; @unsure: of an incomplete one
 * @n_gone: outermost frames that were forgotten because there were too many
 * @n_sure: this many frames, from the outermost on, have executed nothing unseen since the watcher
 *          of the fill last saw the thread; CONTEXT_SURE: all
 * @visit: of that watcher: @n_visit loops that the thread is in
 */
struct context_thread {
	uint64_t key;
	uint32_t node, stream;
	struct context_frame *frame;
	size_t n, size;
	uint8_t el;
	uint32_t open;
	bool broken;
	struct context_place resume;
	uint64_t addr;
	uint32_t *journal;
	size_t n_step, size_step;
	bool unsure;
	uint64_t n_gone;
	size_t n_sure;
	struct loop_visit *visit;
	size_t n_visit, size_visit;
};

#define CONTEXT_SURE	SIZE_MAX

/* Those that can fail return 0 or -ENOMEM. */

/* Step @t->open went to @to. */
int context_move(struct context_code *code, struct context_thread *t,
		 const struct context_place *to);
/* The same for a step to missing code. */
int context_move_missing(struct context_code *code, struct context_thread *t,
			 const struct context_place *to);
/* Resumes a broken-off stack at @to, where it should go on or not; @deeper: at a higher EL. */
int context_resume(struct context_code *code, struct context_thread *t,
		   const struct context_place *to, bool expected, bool deeper);
/* It is unknown where it goes on. */
void context_break(struct context_thread *t);
/* Forgets the callers. */
void context_forget(struct context_thread *t);

#endif /* CSF_CONTEXT_PARTS_H */
