// SPDX-License-Identifier: GPL-2.0-only
/* Loops of all loaded files, with the rounds of each visit. */
#include <errno.h>
#include <sys/stat.h>

#include "../lib/status.h"
#include "../count/count-file.h"
#include "../context/loop-rounds.h"
#include "../input/losses.h"
#include "../input/recording.h"
#include "report.h"

/* ---------------------------------------------------------------- which there are */

/*
 * The code from @at on that counts as one function: by its symbol or, without one, all up to the
 * next symbol, where calls and returns are not part of it.
 */
static struct place_symbol piece_at(struct report *r, size_t dso, size_t block, uint64_t at)
{
	const struct count_dso *d = &r->table.dso[dso];
	struct place_symbol symbol;
	uint64_t end = at;

	if (places_symbol(&r->places, dso, at, &symbol) &&
	    symbol.size <= UINT64_MAX - symbol.start)
		return symbol;
	for (; block < d->n_block; block++) {
		const struct count_block *b = &d->block[block];

		if (b->start > at && places_symbol(&r->places, dso, b->start, &symbol))
			break;
		end = b->start + b->size > end ? b->start + b->size : end;
	}
	return (struct place_symbol){ .start = at, .size = end - at };
}

static int read_loops_of(struct report *r, struct loops *loops, size_t dso)
{
	const struct count_dso *d = &r->table.dso[dso];
	struct hot_edges edges;
	uint64_t seen = 0;
	int err = hot_edges_read(&edges, &r->places, dso);

	for (size_t i = 0; i < d->n_block && !err; i++) {
		const struct count_block *b = &d->block[i];
		uint64_t at = b->start < seen ? seen : b->start;

		/* a block may lie in several */
		while (at - b->start < b->size && !err) {
			struct place_symbol piece = piece_at(r, dso, i, at);

			seen = piece.start + piece.size;
			err = loops_add(loops, &edges, piece.start, seen);
			if (seen <= at)
				break;
			at = seen;
		}
	}
	hot_edges_fini(&edges);
	return err;
}

/* ---------------------------------------------------------------- rounds */

static int decode(struct report *r, struct loop_rounds *rounds, struct contexts *contexts,
		  struct perf_replay *replay)
{
	struct context_fill *fill;
	struct perf_run run;
	int err = context_fill_new(&fill, contexts, replay);

	if (!err)
		context_fill_watch(fill, rounds);
	while (!err && (err = losses_next(replay, &run)) > 0)
		err = selection_has_run(&r->part, replay, &run) ?
			context_fill_run(fill, &run, true) : 0;
	if (!err)
		err = context_fill_fold(fill);
	context_fill_free(fill);
	return err;
}

/* Its errors were reported when it was loaded.  Return: 1: it cannot be opened again. */
static int read_rounds(struct report *r, const char *path)
{
	struct recording rec = { .path = path, .options = r->options, .again = true,
				 .snapshot = r->snapshot, .cpus = r->part.cpus };
	struct contexts contexts = { 0 };
	struct loop_rounds rounds;
	int err;

	if (recording_open(&rec))
		return 1;
	loop_rounds_init(&rounds, &r->loops, &r->table);
	err = decode(r, &rounds, &contexts, rec.replay);
	loop_rounds_fini(&rounds);
	contexts_fini(&contexts);
	recording_close(&rec);
	return err;
}

/*
 * A pipe cannot be read again, and a count table has no order of execution.  Spans of time cut
 * loops anywhere.
 */
static bool may_read_rounds(const struct report *r)
{
	struct stat st;

	if (r->part.spans.n)
		return false;

	for (int i = 0; i < r->n_path; i++)
		if (stat(r->path[i], &st) || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) ||
		    count_file_at(r->path[i]))
			return false;
	return true;
}

int report_loops_read(struct report *r)
{
	int err = 0, bad = 0;

	for (size_t i = 0; i < r->table.n && !err; i++)
		err = read_loops_of(r, &r->loops, i);
	r->rounds = may_read_rounds(r);
	for (int i = 0; i < r->n_path && err >= 0 && r->rounds && r->loops.n; i++) {
		err = read_rounds(r, r->path[i]);
		bad |= err > 0;
	}
	return err < 0 ? err : bad;
}
