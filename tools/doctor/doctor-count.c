// SPDX-License-Identifier: GPL-2.0-only
/* Decodes a recording and counts execution, losses, and the files that were missing for it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "../input/losses.h"

/* Addresses from here on are the kernel's. */
#define KERNEL_HALF	(1ull << 63)

static bool grow(void **array, size_t *n, size_t want, size_t element)
{
	size_t more = 2 * want + 64;
	char *p;

	if (want < *n)
		return true;
	p = realloc(*array, more * element);
	if (!p)
		return false;
	memset(p + *n * element, 0, (more - *n) * element);
	*array = p;
	*n = more;
	return true;
}

static bool count_steps(struct doctor *d, const struct csf_run *run)
{
	const struct csf_image *image = d->recording.replay->image;

	if (!grow((void **)&d->count, &d->n_count, csf_block_count(image) + 1,
		  sizeof(*d->count)) ||
	    !grow((void **)&d->path, &d->n_path, csf_path_count(image) + 1, sizeof(*d->path)))
		return false;
	for (size_t i = 0; i < run->n; i++) {
		const uint32_t step = run->step[i];

		if (step & CSF_PATH)
			d->path[step & ~CSF_PATH]++;
		else
			d->count[csf_step_block(step)]++;
	}
	return true;
}

/* The file of an address without code; 0: none. */
static size_t missing_at(struct doctor *d, const struct perf_run *run)
{
	struct perf_replay *replay = d->recording.replay;
	struct code_place place;

	if (!perf_code_find(&replay->tasks->code, run->run.space, run->time, run->run.addr, &place))
		return 0;
	for (size_t i = 1; i <= d->n_dso; i++)
		if (d->dso[i].dso == place.dso)
			return i;
	return 0;
}

/* @run is a gap in @dso. */
static bool count_changed(struct doctor *d, const struct perf_run *run,
			  const struct doctor_dso *dso)
{
	return !dso->dso || dso->dso->state != DSO_CHANGED ||
	       doctor_changed_at(d, run->run.addr, run->run.lost);
}

static bool count_gap(struct doctor *d, const struct perf_run *run)
{
	const struct csf_run *r = &run->run;
	struct doctor_dso *dso;
	size_t *last;

	if (!grow((void **)&d->last, &d->n_last, run->stream->number, sizeof(*d->last)))
		return false;
	last = &d->last[run->stream->number];
	/* a return to missing code is one to the file that was missing last */
	if (!(r->flags & (CSF_GAP_MORE | CSF_GAP_RETURN)))
		*last = missing_at(d, run);
	dso = &d->dso[*last];
	if (!count_changed(d, run, dso))
		return false;
	dso->lost += r->lost;
	dso->gaps += csf_run_is_gap(r);
	if (!dso->dso && r->addr >= KERNEL_HALF)
		d->unknown_kernel += r->lost;
	if (dso->dso || r->addr >= KERNEL_HALF)
		return true;
	if (run->who.pid != PERF_NO_TID)
		return true;
	if (run->who.tid == PERF_NO_TID)
		d->no_context += r->lost;
	else
		d->unknown_tid += r->lost;
	return true;
}

static void add_stats(struct doctor *d, const struct perf_stream *stream)
{
	struct csf_stats s = { .size = sizeof(s) }, *all = &d->stats;

	csf_stats(stream->dec, &s);
	all->bytes += s.bytes;
	all->skipped += s.skipped;
	all->packets += s.packets;
	all->async += s.async;
	all->p0 += s.p0;
	all->lost += s.lost;
	for (int i = 0; i < CSF_GAP_NR; i++) {
		all->gaps[i] += s.gaps[i];
		all->lost_by[i] += s.lost_by[i];
		all->skipped_by[i] += s.skipped_by[i];
	}
}

/* Adds the counts of paths to blocks. */
static void follow_paths(struct doctor *d)
{
	const struct csf_image *image = d->recording.replay->image;
	const uint32_t *step;

	for (size_t i = 1; i < d->n_path; i++) {
		const size_t n = d->path[i] ? csf_path(image, i, &step) : 0;

		for (size_t k = 0; k < n; k++)
			d->count[csf_step_block(step[k])] += d->path[i];
	}
}

/* Adds the counts of blocks to files. */
static void sum_up(struct doctor *d)
{
	struct perf_replay *replay = d->recording.replay;
	uint32_t n = csf_block_count(replay->image);
	struct code_place place;

	for (uint32_t i = 1; i <= n && i < d->n_count; i++) {
		struct csf_block block;

		if (!d->count[i])
			continue;
		csf_block(replay->image, i, &block);
		d->steps += d->count[i];
		d->insns += d->count[i] * block.n_insn;
		if (!perf_code_place(&replay->tasks->code, block.section, 0, &place))
			continue;
		for (size_t k = 1; k <= d->n_dso; k++)
			if (d->dso[k].dso == place.dso) {
				d->dso[k].steps += d->count[i];
				d->dso[k].insns += d->count[i] * block.n_insn;
				break;
			}
	}
	for (size_t i = 0; i <= d->n_dso; i++) {
		d->lost += d->dso[i].lost;
		d->gaps += d->dso[i].gaps;
		/* code in the kernel's memory does not need its file, but the page does */
		if (d->dso[i].steps)
			dso_load(&replay->tasks->code.dsos, d->dso[i].dso);
	}
	for (size_t i = 0; i < replay->queues->n_stream; i++)
		add_stats(d, replay->queues->stream[i]);
	perf_queues_unread(replay->queues, &d->unread);
}

int doctor_count(struct doctor *d)
{
	struct perf_replay *replay = d->recording.replay;
	const struct dso_table *dsos = &replay->tasks->code.dsos;
	struct perf_run run;
	int ret;

	d->n_dso = dsos->n;
	d->dso = calloc(d->n_dso + 1, sizeof(*d->dso));
	if (!d->dso)
		return -ENOMEM;
	for (size_t i = 1; i <= d->n_dso; i++)
		d->dso[i].dso = dsos->dso[i];
	while ((ret = losses_next(replay, &run)) > 0) {
		if (!count_steps(d, &run.run))
			return -ENOMEM;
		d->unnamed += run.run.end == CSF_END_Q;
		if (run.run.end == CSF_END_GAP && run.run.value == CSF_GAP_IMAGE &&
		    !count_gap(d, &run))
			return -ENOMEM;
	}
	if (!ret) {
		follow_paths(d);
		sum_up(d);
	}
	return ret;
}

void doctor_free(struct doctor *d)
{
	recording_close(&d->recording);
	free(d->dso);
	free(d->last);
	free(d->changed.function);
	free(d->count);
	free(d->path);
}
