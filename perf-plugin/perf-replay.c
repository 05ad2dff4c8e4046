// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "perf-look.h"
#include "perf-seek.h"
#include "perf-replay.h"

/* Maximum number of later maps to try where nothing is mapped yet. */
#define LATER_MAX	16

/* The code of a guest is not known; code of the host at the same address is not the guest's. */
static int guest_space(struct perf_replay *s, int *space)
{
	if (!s->guest)
		s->guest = csf_space_alone(s->image);
	*space = s->guest;
	return s->guest < 0 ? -ENOMEM : 0;
}

/* Threads and maps, from the records of the file. */
int perf_replay_who(struct perf_replay *s, const struct perf_stream *stream, uint64_t time,
		    struct perf_who *answer)
{
	const struct perf_ran ran = {
		.aux = s->aux, .fragment = stream->fragment, .cpu = stream->cpu,
		.time = s->timed ? time : 0,
	};
	uint64_t until = UINT64_MAX;
	uint32_t tid = stream->tid, whose;
	int err;

	if (tid == PERF_NO_TID)
		tid = perf_switches_ran(&s->switches, &ran, &until);
	whose = perf_switches_whose(&s->switches, tid);
	err = perf_tasks_who(s->tasks, whose, time ? time : PERF_TASKS_LAST, answer);
	answer->tid = tid;
	if (until < answer->until)
		answer->until = until;
	if (!err && stream->guest)
		err = guest_space(s, &answer->space);
	return err;
}

int perf_replay_find(struct perf_replay *s, const struct perf_stream *stream,
		     const struct perf_who *who, uint64_t time, uint64_t addr,
		     struct code_place *place)
{
	struct perf_who then = *who;
	int err;

	for (int i = 0; i < LATER_MAX; i++) {
		if (perf_code_find(&s->tasks->code, then.space, time, addr, place))
			return 1;
		time = then.until;
		if (time == UINT64_MAX)
			return 0;
		err = perf_replay_who(s, stream, time, &then);
		if (err)
			return err;
	}
	return 0;
}

/* The functions for the queues. */
static int who(void *context, const struct perf_stream *stream, uint64_t time,
	       struct perf_who *answer)
{
	return perf_replay_who(context, stream, time, answer);
}

static uint64_t came(void *context, const struct perf_stream *stream, uint64_t from, uint64_t to)
{
	const struct perf_replay *s = context;

	return perf_switches_came(&s->switches, stream->cpu, stream->tid, from, to);
}

static int open_all(struct perf_replay *s, const char *path)
{
	int err = perf_file_open(&s->file, path);

	if (err)
		return err;
	if (csf_image_new(&s->image))
		return -ENOMEM;
	s->options.dso.recording = s->file->dir;
	s->options.dso.release = perf_file_string(s->file, PERF_FEATURE_OSRELEASE);
	err = perf_tasks_new(&s->tasks, s->image, &s->options.dso);
	if (!err)
		err = perf_tasks_open(s->tasks, s->file);
	if (!err)
		err = perf_switches_init(&s->switches, s->file);
	if (!err)
		err = perf_aux_new(&s->aux, s->file);
	if (err)
		return err;
	s->why = perf_cs_open(&s->cs, s->file, s->aux);
	return s->why == -ENOMEM ? -ENOMEM : 0;
}

static int make_threads(struct perf_replay *s)
{
	const bool alone = s->options.n_threads <= 1;
	int err = csf_threads_new(&s->lender, alone ? 0 : s->options.n_threads - 1);

	if (!err && !alone)
		s->threads = s->lender;
	return !err ? 0 : err == CSF_ERR_MEMORY ? -ENOMEM : -EINVAL;
}

/* @only: only these CPUs; NULL: those of the options */
static int make_queues(struct perf_replay *s, const struct perf_cpus *only)
{
	const struct perf_queues_ops ops = { .context = s, .who = who, .came = came };
	const struct perf_queues_options options = {
		.file = s->file, .aux = s->aux, .cs = s->cs, .image = s->image,
		.cpus = only ? only : s->options.cpus, .n_cpus = only ? 1 : s->options.n_cpus,
		.from = s->options.from, .until = s->options.until,
		.marks = s->options.marks, .without = s->options.without, .timed = s->timed,
		.threads = s->lender, .paths = s->options.paths,
	};

	return perf_queues_new(&s->queues, &options, &ops);
}

/* Cuts a fragment at @end of the file.  Return: something is left. */
static bool cut_end(struct perf_fragment *f, uint64_t end)
{
	if (f->offset >= end)
		return false;
	if (f->size > end - f->offset)
		f->size = end - f->offset;
	if (!(f->flags & PERF_FRAGMENT_RAW))
		f->size -= f->size % PERF_FRAME;
	return f->size;
}

/* Removes fragments that are not wanted, and the ends of others. */
static void crop(struct perf_aux *aux, uint64_t first, uint64_t end)
{
	for (size_t i = 0; i < aux->n_queue; i++) {
		struct perf_queue *q = &aux->queue[i];
		const size_t n = q->n;

		q->n = 0;
		q->bytes = 0;
		for (size_t k = q->first; k < q->first + n; k++) {
			struct perf_fragment f = aux->fragment[k];

			if (f.offset + f.size <= first || (end && !cut_end(&f, end)))
				continue;
			if (!q->n)
				f.flags &= ~PERF_FRAGMENT_PART;
			aux->fragment[q->first + q->n++] = f;
			q->bytes += f.size;
		}
	}
}

/* The beginning of a fragment must stay: it may give the ID of the bytes after it. */
static void begin_at(struct perf_replay *s, uint64_t first)
{
	for (size_t i = 0; i < s->aux->n_queue; i++) {
		const struct perf_queue *q = &s->aux->queue[i];
		const struct perf_fragment *f = &s->aux->fragment[q->first];
		struct perf_start start = { .fragment = q->first };

		if (!q->n || f->offset >= first)
			continue;
		start.pos = first - f->offset;
		if (!(f->flags & PERF_FRAGMENT_RAW))
			start.pos += -start.pos % PERF_FRAME;
		if (start.pos >= f->size)
			start = (struct perf_start){ .fragment = q->first + 1 };
		else
			perf_seek_id(s, &start, 0, 0);
		perf_queues_start(s->queues, i, &start);
	}
}

int perf_replay_new(struct perf_replay **out, const char *path,
		    const struct perf_replay_options *options)
{
	struct perf_replay *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	err = open_all(s, path);
	if (!err) {
		if (options->first || options->end)
			crop(s->aux, options->first, options->end);
		s->timed = !options->timeless &&
			   perf_cs_timed(s->cs, &s->file->time_conv, options->trust);
		err = make_threads(s);
		if (!err)
			err = make_queues(s, NULL);
		perf_file_drop(s->file);
		if (!err)
			begin_at(s, options->first);
	}
	if (err) {
		perf_replay_free(s);
		return err;
	}
	*out = s;
	return 0;
}

int perf_replay_again(struct perf_replay *s, const struct perf_cpus *only)
{
	perf_queues_free(s->queues);
	s->queues = NULL;
	return make_queues(s, only);
}

void perf_replay_free(struct perf_replay *s)
{
	if (!s)
		return;
	perf_queues_free(s->queues);
	csf_threads_free(s->lender);
	perf_cs_free(s->cs);
	perf_aux_free(s->aux);
	perf_tasks_free(s->tasks);
	perf_switches_fini(&s->switches);
	csf_image_free(s->image);
	perf_file_close(s->file);
	free(s);
}

int perf_replay_next(struct perf_replay *s, struct perf_run *run)
{
	int ret = perf_queues_next(s->queues, UINT64_MAX, run);

	if (ret > 0)
		perf_switches_check(&s->switches, s->file, run->who.tid, &run->run);
	return ret;
}

uint64_t perf_replay_time(const struct perf_replay *s, uint64_t timestamp)
{
	if (!s->file->time_conv.mult)
		return 0;
	return perf_time_from_counter(&s->file->time_conv, timestamp);
}
