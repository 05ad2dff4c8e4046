/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches and instructions as text, quickly: text that was printed once is copied from
 * then on.  The first time it is printed like any other sample.
 */
#ifndef CSF_SCRIPT_EDGE_H
#define CSF_SCRIPT_EDGE_H

#include "../code/line-cache.h"
#include "script-front.h"
#include "script-print.h"
#include "../index/time-span.h"

/* Room for a line that is copied */
#define SCRIPT_ROOM	(FRONT_MAX + LINE_MAX + LINE_PIECE)
/* Instructions of a block, at most as in struct csf_block; the longest text of one that is kept */
#define SCRIPT_INSNS	1024
#define SCRIPT_BLOCK	32768
/* Branches that are handled together */
#define SCRIPT_MOVES	512

/**
 * struct edge_context - the context of a short branch
 * @out: the output of its line
 * @input: of its run, if that is over; NULL: that of the current run
 */
struct edge_context {
	struct out *out;
	struct script_front *front;
	uint32_t world;
	const struct cs_samples_input *input;
};

/**
 * struct script_edges - zero it, set the first four, script_edges_init()
 * @print: prints a sample; borrowed
 * @samples: the source of branches; borrowed
 * @spans: print only these spans
 */
struct script_edges {
	struct script_print *print;
	struct cs_samples *samples;
	const struct time_spans *spans;
	/* private */
	struct line_cache lines;
	struct script_front front;
	bool whole;		/* the text before a line is known */
	uint32_t world;
	uint64_t time[SCRIPT_INSNS];
	char block[SCRIPT_BLOCK];
	struct call_branch move[SCRIPT_MOVES];
};

/* Return: 0; -1: no memory. */
int script_edges_init(struct script_edges *e);
void script_edges_fini(struct script_edges *e);

/* Begins a run whose samples are printed here.  Return: short branches can be printed, too. */
bool script_edges_run(struct script_edges *e, const struct perf_run *run);

/* The context of short branches of the current run. */
static inline struct edge_context script_edges_here(struct script_edges *e)
{
	return (struct edge_context){ e->print->out, &e->front, e->world, NULL };
}

/*
 * Prints @n branches; unknown ones only if @learns, otherwise up to the first of them.  Adds the
 * lines to *@shown.  Return: how many.
 */
size_t script_edges_print(struct script_edges *e, const struct edge_context *c,
			  const struct cs_edge *edge, size_t n, bool learns, uint64_t *shown);

/* The same of branches between steps, from step @from on.  Return: the step it stopped at. */
size_t script_steps_print(struct script_edges *e, const struct edge_context *c,
			  const struct cs_steps *steps, size_t from, bool learns, uint64_t *shown);

/* Prints a branch that is new, or was forgotten.  Return: it is printed. */
bool script_edges_new(struct script_edges *e, const struct edge_context *c,
		      const struct cs_edge *edge);

/* Prints a known branch.  Return: as above. */
static inline bool script_edges_again(const struct edge_context *c, const struct line_text *t,
				      uint64_t time)
{
	struct out *out = c->out;

	if (!t->n)
		return false;
	out_room(out, SCRIPT_ROOM);
	script_front_put(c->front, out, time);
	out->n = line_copy(out->buf + out->n, t->text, t->n) - out->buf;
	return true;
}

/* Prints it as a sample, as by script_print(). */
void script_edges_sample(struct script_edges *e, const struct perf_run *run,
			 const struct cs_sample *sample);

/* -------- script-block.c */

/*
 * Prints short instructions, as many as come next; those of a run that is not shown are only
 * skipped.  Return: how many were printed.
 */
size_t script_blocks_print(struct script_edges *e, const struct perf_run *run, bool show);

/* -------- script-moves.c */

/*
 * Adds the next branches that are in short form to the last branches of @stack.  @stack has last
 * branches, and is used for nothing else.  @trace_nr: of the stream.
 */
void script_moves(struct script_edges *e, struct call_stack *stack, const struct perf_run *run,
		  uint64_t trace_nr);

#endif /* CSF_SCRIPT_EDGE_H */
