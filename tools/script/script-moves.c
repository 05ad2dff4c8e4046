// SPDX-License-Identifier: GPL-2.0-only
#include "script-edge.h"
#include "script-parts.h"

/*
 * Gathers as many as the stack remembers, from the last one backwards; earlier ones are not needed.
 * As in call_stack_move(), nothing is remembered before a branch from nowhere, and a branch to
 * nowhere is not one.
 */
static size_t gather(struct script_edges *e, struct call_stack *stack, const struct cs_edge *edge,
		     size_t n)
{
	const uint32_t stamp = line_cache_stamp(&e->lines, e->world);
	size_t at = SCRIPT_MOVES;

	while (n-- && at && SCRIPT_MOVES - at < stack->max_branch) {
		struct cs_ends ends;

		cs_samples_ends(e->samples, &edge[n], &ends);
		if (!ends.from) {
			stack->n_branch = 0;
			break;
		}
		if (!ends.to)
			continue;
		e->move[--at] = (struct call_branch){
			.from = ends.from, .to = ends.to, .flags = ends.flags,
			.key_from = edge[n].from, .key_to = edge[n].to, .stamp = stamp,
		};
	}
	return at;
}

void script_moves(struct script_edges *e, struct call_stack *stack, const struct perf_run *run,
		  uint64_t trace_nr)
{
	struct cs_edge edge[SCRIPT_MOVES];
	size_t n;

	while ((n = cs_samples_moves(e->samples, edge, SCRIPT_MOVES))) {
		call_stack_begin(stack, trace_nr, run->stream->number);
		for (size_t at = gather(e, stack, edge, n); at < SCRIPT_MOVES; at++)
			call_stack_keep(stack, &e->move[at]);
	}
}
