/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches and instructions as text, quickly: what was printed once of one is copied from
 * then on.  The first time it is printed as any other sample.
 */
#ifndef CSF_SCRIPT_EDGE_H
#define CSF_SCRIPT_EDGE_H

#include "../code/line-cache.h"
#include "script-front.h"
#include "script-print.h"
#include "../index/time-span.h"

/* Room for a line that is copied */
#define SCRIPT_ROOM	(FRONT_MAX + LINE_MAX + LINE_PIECE)
/* Instructions of a block, no more than struct csf_block has; longest text of one that is kept */
#define SCRIPT_INSNS	1024
#define SCRIPT_BLOCK	32768
/* Branches that are looked at together */
#define SCRIPT_MOVES	512

/**
 * struct edge_context - what a branch in short is one of
 * @out: where its line goes
 * @input: of its run, if that is passed; NULL: it is that at hand
 */
struct edge_context {
	struct out *out;
	struct script_front *front;
	uint32_t world;
	const struct cs_samples_input *input;
};

/**
 * struct script_edges - zero it, set the first four, script_edges_init()
 * @print: how a sample is printed; borrowed
 * @samples: where the branches come from; borrowed
 * @spans: only what was then
 */
struct script_edges {
	struct script_print *print;
	struct cs_samples *samples;
	const struct time_spans *spans;
	/* private */
	struct line_cache lines;
	struct script_front front;
	bool whole;		/* what is in front of a line is known */
	uint32_t world;
	uint64_t time[SCRIPT_INSNS];
	char block[SCRIPT_BLOCK];
	struct call_branch move[SCRIPT_MOVES];
};

/* Return: 0; -1: no memory. */
int script_edges_init(struct script_edges *e);
void script_edges_fini(struct script_edges *e);

/* A run, all of whose samples are printed by this.  Return: so can branches in short be. */
bool script_edges_run(struct script_edges *e, const struct perf_run *run);

/* Of branches in short of the run at hand. */
static inline struct edge_context script_edges_here(struct script_edges *e)
{
	return (struct edge_context){ e->print->out, &e->front, e->world, NULL };
}

/*
 * @n branches; those that are not known only if @learns, else up to the first of them.  Adds lines
 * to *@shown.  Return: how many.
 */
size_t script_edges_print(struct script_edges *e, const struct edge_context *c,
			  const struct cs_edge *edge, size_t n, bool learns, uint64_t *shown);

/* The same of branches between steps, from step @from on.  Return: up to which step. */
size_t script_steps_print(struct script_edges *e, const struct edge_context *c,
			  const struct cs_steps *steps, size_t from, bool learns, uint64_t *shown);

/* One that was never printed before, or was forgotten.  Return: it is one that is printed. */
bool script_edges_new(struct script_edges *e, const struct edge_context *c,
		      const struct cs_edge *edge);

/* One that is known.  Return: as above. */
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

/* A sample of it, as by script_print(). */
void script_edges_sample(struct script_edges *e, const struct perf_run *run,
			 const struct cs_sample *sample);

/* -------- script-block.c */

/*
 * Instructions in short, as many as come next; those of a run that is not shown are only
 * passed.  Return: how many were printed.
 */
size_t script_blocks_print(struct script_edges *e, const struct perf_run *run, bool show);

/* -------- script-moves.c */

/*
 * Branches that are only told of, as many as come next, go to the last branches of @stack, which
 * has some, and is used for nothing else.  @trace_nr: of the stream.
 */
void script_moves(struct script_edges *e, struct call_stack *stack, const struct perf_run *run,
		  uint64_t trace_nr);

#endif /* CSF_SCRIPT_EDGE_H */
