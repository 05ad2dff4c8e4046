/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Only the branches around executions of an address: some before it, on the same CPU,
 * and as many after.  For runs that do not reach it, only the last branches become text.
 */
#ifndef CSF_SCRIPT_AROUND_H
#define CSF_SCRIPT_AROUND_H

#include "script-edge.h"

#define AROUND_MAX	1024

/**
 * struct script_around - zero it; script_around_parse(), then set the next three
 * @print, @samples, @edges: borrowed
 * @shown: branches that were shown
 * @hits: how often execution reached the address
 */
struct script_around {
	struct script_print *print;
	struct cs_samples *samples;
	struct script_edges *edges;
	uint64_t shown, hits;
	/* private */
	const char *text;
	char *name;
	uint64_t addr;		/* an address or, with @name, an offset from the symbol */
	size_t before;
	struct out *real, *own;	/* the output; the buffer in which text is made */
	char *made;
	size_t n_made;
	int section;		/* the section of @addr, which is at @offset */
	uint64_t offset;
	uint16_t *at;		/* for each block, the offset of @addr in it + 1; 0: not in it */
	size_t n_block, size_block;
	struct around_stream *stream;
	size_t n_stream;
};

/* "0x401000", "main", "main+0x10"; with ",COUNT".  Return: it is valid. */
bool script_around_parse(struct script_around *a, const char *text);

/* Call this after script_edges_init().  Return: 0; -1: no memory. */
int script_around_start(struct script_around *a);

/*
 * Takes a run that cs_samples_run() was given.  @in_short: the result of script_edges_run().
 * Return: 0; -1: no memory.
 */
int script_around_run(struct script_around *a, const struct perf_run *run, bool in_short);

void script_around_fini(struct script_around *a);

#endif /* CSF_SCRIPT_AROUND_H */
