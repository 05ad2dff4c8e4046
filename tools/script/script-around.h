/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Of all branches only those around executions of an address: some before it, on the same CPU,
 * and as many behind.  Of runs that do not come there only the last branches become text.
 */
#ifndef CSF_SCRIPT_AROUND_H
#define CSF_SCRIPT_AROUND_H

#include "script-edge.h"

#define AROUND_MAX	1024

/**
 * struct script_around - zero it; script_around_parse(), then set the next three
 * @print, @samples, @edges: borrowed
 * @shown: branches that were
 * @hits: times that execution came there
 */
struct script_around {
	struct script_print *print;
	struct cs_samples *samples;
	struct script_edges *edges;
	uint64_t shown, hits;
	/* private */
	const char *text;
	char *name;
	uint64_t addr;		/* without @name; else behind the symbol */
	size_t before;
	struct out *real, *own;	/* where text goes; where it is made */
	char *made;
	size_t n_made;
	int section;		/* of @addr: it is at @offset */
	uint64_t offset;
	uint16_t *at;		/* of each block: where in it, + 1; 0: not in it */
	size_t n_block, size_block;
	struct around_stream *stream;
	size_t n_stream;
};

/* "0x401000", "main", "main+0x10"; with ",COUNT".  Return: it is one. */
bool script_around_parse(struct script_around *a, const char *text);

/* Behind script_edges_init().  Return: 0; -1: no memory. */
int script_around_start(struct script_around *a);

/*
 * A run that cs_samples_run() was told of.  @in_short: script_edges_run() said so.
 * Return: 0; -1: no memory.
 */
int script_around_run(struct script_around *a, const struct perf_run *run, bool in_short);

void script_around_fini(struct script_around *a);

#endif /* CSF_SCRIPT_AROUND_H */
